#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# heads.sh -- each source file starts with its license and one sentence on what it is for.

. "${TOP_SRCDIR:-$(dirname -- "$0")/../..}/tests/lib/lint.sh"

c_files | while read -r file; do
	name=${file##*/}
	sed -n '1p' "$file" | grep -qx '/\* SPDX-License-Identifier: MIT' ||
		echo "$file:1 wants: /* SPDX-License-Identifier: MIT"
	sed -n '2p' "$file" | grep -q "^ \* ${name//./\\.} -- [^ ]" ||
		echo "$file:2 wants:  * $name -- one sentence."
done | finding "C files start with license and sentence"

script_files | while read -r file; do
	head -n 4 "$file" | grep -qx '# SPDX-License-Identifier: MIT' || echo "$file wants a license line"
	head -n 4 "$file" | grep -q "^# ${file##*/} -- [^ ]" || echo "$file wants: # ${file##*/} -- sentence"
done | finding "scripts start with license and sentence"
lint_done
