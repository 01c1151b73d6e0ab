#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# heads.sh -- each source file starts with its license and one sentence on what it is for.

. "${TOP_SRCDIR:-$(dirname -- "$0")/../..}/tests/lib/lint.sh"

# One program for all files: starting some for each of them takes a minute.
c_files | xargs awk '
	BEGIN {
		for (i = 1; i < ARGC; i++) {
			file = ARGV[i]
			first = second = ""
			getline first <file
			getline second <file
			close(file)
			name = file
			sub(/.*\//, "", name)
			if (first != "/* SPDX-License-Identifier: MIT")
				print file ":1 wants: /* SPDX-License-Identifier: MIT"
			if (index(second, " * " name " -- ") != 1 || substr(second, length(name) + 8) !~ /^[^ ]/)
				print file ":2 wants:  * " name " -- one sentence."
		}
	}' | finding "C files start with license and sentence"

script_files | xargs awk '
	BEGIN {
		for (i = 1; i < ARGC; i++) {
			file = ARGV[i]
			name = file
			sub(/.*\//, "", name)
			license = sentence = 0
			for (n = 0; n < 4 && (getline line <file) > 0; n++) {
				license += line == "# SPDX-License-Identifier: MIT"
				sentence += index(line, "# " name " -- ") == 1 &&
					substr(line, length(name) + 7) ~ /^[^ ]/
			}
			close(file)
			if (!license)
				print file " wants a license line"
			if (!sentence)
				print file " wants: # " name " -- sentence"
		}
	}' | finding "scripts start with license and sentence"
lint_done
