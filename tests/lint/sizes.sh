#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sizes.sh -- hard limits on length: a function has at most 120 lines, a file at most 800.

. "${TOP_SRCDIR:-$(dirname -- "$0")/../..}/tests/lib/lint.sh"

max_function=120
max_file=800

{ c_files; script_files; } | xargs wc -l |
	awk -v max=$max_file '$2 != "total" && $1 > max { print $2 " has " $1 " lines" }' |
	finding "files have at most $max_file lines"

# Function bodies start with a brace in column 0 and nothing else does (.clang-format sees to it).
# A function's length counts from its first line to the closing brace.
long_functions() { # FILE ...
	awk -v max="$1" '
		FNR == 1 { head = 1 }
		/^$/ || /^[ \t]*\*\/$/ || /^#/ || /;$/ || /\*\/$/ { if (!body) head = FNR + 1 }
		/^{/ { body = 1 }
		/^}/ {
			if (body && FNR - head + 1 > max)
				print FILENAME ":" head " has " FNR - head + 1 " lines"
			body = 0
			head = FNR + 1
		}' "${@:2}"
}
mapfile -t files < <(c_files)
long_functions $max_function "${files[@]}" | finding "functions have at most $max_function lines"

planted=$(mktemp) || exit 1
trap 'rm -f "$planted"' EXIT
{
	printf 'static int f(void)\n{\n'
	yes '	step();' | head -n 117
	printf '}\n'
} >"$planted"
long_functions $max_function "$planted" | finding "120 lines are allowed"
sed -i '3i\	step();' "$planted"
long_functions $max_function "$planted" | finding_expected "121 lines are not"
lint_done
