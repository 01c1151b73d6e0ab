#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# inputs.sh -- each file of testdata/ has its line in testdata/README.md, and each line its file.

. "${TOP_SRCDIR:-$(dirname -- "$0")/../..}/tests/lib/lint.sh"

readme=testdata/README.md
told=$(sed -n 's/^| \([^|]*\) |.*/\1/p' "$readme" | tr -d '`' | sed 's/, /\n/g' | sort)
there=$(find testdata -type f ! -path "$readme" ! -path 'testdata/make/*' | sed 's/^testdata\///' | sort)

comm -13 <(printf '%s\n' "$told") <(printf '%s\n' "$there") | sed "s/\$/ has no line in README.md/" |
	finding "every input is told of"
comm -23 <(printf '%s\n' "$told") <(printf '%s\n' "$there") | grep -E '\.' |
	sed "s/\$/ is told of and gone/" | finding "every input told of is there"
find testdata -type f -size +512k | sed 's/$/ is large for a repository/' | finding "inputs are small"
lint_done
