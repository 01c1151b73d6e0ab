# SPDX-License-Identifier: MIT
# embed.awk -- turns manual pages into the table man_pages of man_render.h.

BEGIN {
	print "#include \"cli/man_render.h\""
	print "const struct man_page man_pages[] = {"
}
FNR == 1 {
	if (NR > 1)
		print "},"
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.1$/, "", name)
	print "{\"" name "\","
}
{
	gsub(/[\\"]/, "\\\\&")
	print "\"" $0 "\\n\""
}
END {
	print "},"
	print "{0, 0},"
	print "};"
}
