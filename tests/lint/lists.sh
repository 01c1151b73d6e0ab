#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lists.sh -- Makefile.am names every source file, sorted, and no file that is gone.

. "${TOP_SRCDIR:-$(dirname -- "$0")/../..}/tests/lib/lint.sh"

# All words of the lists that look like paths of the tree.
listed=$(sed 's/^[A-Za-z_]* *+\{0,1\}=//; s/\\$//' Makefile.am | tr ' \t' '\n\n' |
	grep -E '^(analyze|reports|capture|tests|testdata|\.ci)/|^bootstrap$' | sort -u)

# testdata/ and tests/golden/ are packed as they are.
{ c_files; find analyze -name '*.1'; script_files | grep -v -e '^tests/golden/' -e '^tests/browser/'; } |
	sort -u | awk '
		FILENAME != "-" { listed[$0]; next }
		{ own = $0; sub(/\.c$/, "", own) } # a program of one file is listed by its own name
		!($0 in listed) && !(own in listed) { print $0 " is not in Makefile.am" }
	' <(printf '%s\n' "$listed") - |
	finding "every source is listed"

printf '%s\n' "$listed" | grep -v '[$*]' | while read -r file; do
	[ -e "$file" ] || [ -e "$file.c" ] || [ -e "$file.in" ] || echo "$file is listed and gone"
done | finding "every listed file exists"

awk '
	/^[A-Za-z_]+ \+?= \\$/ { name = $1; last = ""; next }
	/^\t/ {
		if (!name || name ~ /ENVIRONMENT/)
			next
		if ($1 < last)
			print "Makefile.am:" FNR " " $1 " comes before " last
		last = $1
		next
	}
	{ name = "" }' Makefile.am | finding "lists are sorted"
lint_done
