#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# commands.sh -- a command is a table row, a man page, a golden folder and a word for the shell.

. "${TOP_SRCDIR:-$(dirname -- "$0")/../..}/tests/lib/lint.sh"

rows=$(grep -oE '&cmd_[a-z_]+' analyze/cli/commands.c | sed 's/&cmd_//' | sort)
same_set() { # WORDS FOUND: the set FOUND (lines) is that of the rows
	{
		comm -23 <(printf '%s\n' "$rows") <(printf '%s\n' "$2") | sed "s/\$/ has no $1/"
		comm -13 <(printf '%s\n' "$rows") <(printf '%s\n' "$2") | sed "s/\$/ is a $1 without a row/"
	} | sed '/^ /d' | finding "rows and $1s agree"
}

printf '%s\n' "$rows" | grep -c . | grep -qx 0 && echo "no rows found" | finding "the table has rows"

same_set "man page" "$(find analyze/cli/man -name 'vramscope-*.1' 2>/dev/null |
	sed 's/.*vramscope-//; s/\.1$//' | sort)"
same_set "golden folder" "$(find tests/golden -mindepth 2 -name '*.cmd' 2>/dev/null |
	awk -F/ '{ print $3 }' | sort -u | grep -vx 'vramscope')"

# A good case, a bad one (an exit status above 1) and the help.
for command in $rows; do
	folder=tests/golden/$command
	[ -d "$folder" ] || continue
	grep -qs -- '--help' "$folder"/*.cmd || echo "$folder has no case with --help"
	grep -qsE '^[2-9]' "$folder"/*.code || echo "$folder has no case that fails"
done | finding "golden folders have help and a failure"

if [ -x "$VRAMSCOPE" ]; then
	same_set "completion word" "$("$VRAMSCOPE" completion words 2>/dev/null | sort)"
	same_set "line of --help" "$("$VRAMSCOPE" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | sort)"
	for command in $rows; do
		page=analyze/cli/man/vramscope-$command.1
		[ -e "$page" ] || continue
		"$VRAMSCOPE" "$command" --help | grep -oE '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u |
			awk '
				FILENAME != "-" { gsub(/\\/, ""); text = text $0 "\n"; page = FILENAME; next }
				text !~ $0 "[^a-z-]" { print page " does not tell of " $0 }
			' "$page" -
	done | finding "man pages tell of every option"
fi
lint_done
