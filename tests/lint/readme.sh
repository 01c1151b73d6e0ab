#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# readme.sh -- what README.md shows is what the program prints; --update writes it anew.
#
# Checked are the blocks that start with a line `$ vramscope ...` and the table of commands.

update=false
[ "${1-}" = --update ] && update=true
. "${TOP_SRCDIR:-$(dirname -- "$0")/../..}/tests/lib/lint.sh"
if [ ! -x "$VRAMSCOPE" ]; then
	echo "1..0 # SKIP no program built"
	exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# The program under the name that people call it by.
mkdir "$work/bin"
ln -s "$VRAMSCOPE" "$work/bin/vramscope"
PATH=$work/bin:$PATH
unset COLUMNS

command_rows() {
	vramscope --help | sed -n 's/^  \([a-z]*\)   *\(.*\)/| `\1` | \2 |/p'
}

# README.md with its blocks and its table made anew.
renewed() {
	local line skipping=
	while IFS= read -r line || [ -n "$line" ]; do
		case $skipping in
		block) [ "$line" = '```' ] && skipping= ;;
		table) [ "${line#|}" = "$line" ] && skipping= ;;
		esac
		[ -z "$skipping" ] || continue
		printf '%s\n' "$line"
		case $line in
		"\$ vramscope "*)
			sh -c "${line#\$ }" </dev/null 2>&1
			skipping=block
			;;
		"| command | question it answers |")
			echo '|---|---|'
			command_rows
			skipping=table
			;;
		esac
	done <README.md
}

renewed >"$work/README.md"
if $update; then
	cp "$work/README.md" README.md
fi
diff README.md "$work/README.md" | finding "README.md shows what the program prints"

# Links to files of the tree lead somewhere.
grep -ohE '\]\([^)#:]+\)' README.md CONTRIBUTING.md capture/README.md | sed 's/^](//; s/)$//' |
	sort -u | while read -r file; do
	[ -e "$file" ] || echo "$file is linked and not there"
done | finding "linked files are there"
lint_done
