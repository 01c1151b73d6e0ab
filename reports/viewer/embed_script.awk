# SPDX-License-Identifier: MIT
# embed_script.awk -- turns the page's script into a C string of the same bytes.

BEGIN {
	print "#include \"reports/report_page.h\""
	print "const char viewer_script[] ="
}
{
	gsub(/[\\"]/, "\\\\&")
	gsub(/\?\?/, "?\\?")
	gsub(/\t/, "\\t")
	print "\"" $0 "\\n\""
}
END {
	print ";"
}
