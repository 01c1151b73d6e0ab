#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# names.sh -- a file name says which file is meant: no two files of the tree share one.

. "${TOP_SRCDIR:-$(dirname -- "$0")/../..}/tests/lib/lint.sh"

# A folder's own run.sh is known by its folder.
{ c_files; script_files | grep -v '/run\.sh$'; } | awk -F/ '
	{ where[$NF] = where[$NF] " " $0; count[$NF]++ }
	END { for (name in count) if (count[name] > 1) print name " is" where[name] }' |
	finding "file names are unique"

# A header is guarded by its own path, so that guards are unique as well.
c_files | grep '\.h$' | xargs awk '
	FNR == 1 {
		guard = toupper(FILENAME)
		gsub(/[\/.-]/, "_", guard)
		wanted[FILENAME] = guard
	}
	$0 == "#ifndef " guard || $0 == "#define " guard { found[FILENAME]++ }
	END {
		for (file in wanted)
			if (found[file] != 2)
				print file " wants the guard " wanted[file]
	}' | finding "header guards are the file's path"
lint_done
