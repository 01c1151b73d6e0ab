#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# shell.sh -- scripts parse, and shellcheck has no warnings where it is installed.

. "${TOP_SRCDIR:-$(dirname -- "$0")/../..}/tests/lib/lint.sh"

script_files | grep -v '\.awk$' | while read -r file; do
	bash -n "$file" 2>&1
done | finding "scripts parse"

if command -v shellcheck >/dev/null; then
	script_files | grep -v '\.awk$' | grep -v '^tests/lib/' |
		xargs shellcheck -S warning -e SC2034 -f gcc 2>&1 | finding "shellcheck finds nothing"
else
	lint_n=$((lint_n + 1))
	echo "ok $lint_n - shellcheck # SKIP it is not installed"
fi
lint_done
