#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# format.sh -- the layout of C files is what clang-format makes of them.

. "${TOP_SRCDIR:-$(dirname -- "$0")/../..}/tests/lib/lint.sh"

# Its releases disagree in details, so one of them decides.
release=14
tool=
for candidate in clang-format-$release clang-format; do
	if command -v "$candidate" >/dev/null &&
		"$candidate" --version | grep -q "version $release\."; then
		tool=$candidate
		break
	fi
done
if [ -z "$tool" ]; then
	echo "1..0 # SKIP no clang-format $release here"
	exit 0
fi
c_files | xargs "$tool" --dry-run -Werror --ferror-limit=1 2>&1 | grep 'error:' |
	sed "s/ error:.*//; s/:\$/ is laid out otherwise by '$tool -i'/" |
	finding "clang-format has nothing to change"
lint_done
