# SPDX-License-Identifier: MIT
# embed_python.awk -- Python files as C strings: NAME.py becomes record_NAME.
#
#     awk -f embed_python.awk vramscope.py sitecustomize.py >record_python.c

BEGIN {
	print "/* Made by embed_python.awk. */"
	print "#include \"cli/record_python.h\"\n"
}

FNR == 1 {
	if (NR > 1)
		print ";\n"
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.py$/, "", name)
	print "const char record_" name "[] ="
}

{
	gsub(/[\\"]/, "\\\\&")
	gsub(/\t/, "\\t")
	print "\t\"" $0 "\\n\""
}

END {
	print ";"
}
