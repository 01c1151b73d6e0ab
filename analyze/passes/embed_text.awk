# SPDX-License-Identifier: MIT
# embed_text.awk -- turns text files into C strings named after them: rules.xml -> rules_xml.
#
#     awk -v header=WHAT_DECLARES_THEM -f embed_text.awk FILE...

BEGIN {
	print "#include \"" header "\""
}
FNR == 1 {
	if (NR > 1)
		print ";"
	name = FILENAME
	sub(/.*\//, "", name)
	gsub(/[^A-Za-z0-9]/, "_", name)
	print "const char " name "[] ="
}
{
	gsub(/[\\"]/, "\\\\&")
	print "\"" $0 "\\n\""
}
END {
	print ";"
}
