# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# lint.sh -- what the scripts of tests/lint/ share: which files to look at, and TAP for findings.
#
# Each script finds offenders as lines `FILE[:LINE] words` and calls `finding WORDS <offenders`.

. "${TOP_SRCDIR:-${srcdir:-.}}/tests/lib/data.sh"
cd "$TOP_SRCDIR" || exit 1
export LC_ALL=C
shopt -s lastpipe # `... | finding` counts in this shell
lint_n=0

# c_files [FOLDER ...]: the C sources and headers of the tree or of some folders of it.
c_files() {
	[ $# -gt 0 ] || set -- analyze reports capture tests
	find "$@" -name '*.[ch]' -type f | sort
}

# script_files: everything that a shell or awk runs.
script_files() {
	find analyze reports tests -name node_modules -prune -o -type f \( -name '*.sh' -o -name '*.awk' \) -print | sort
	for lint_file in bootstrap .ci/run; do
		[ ! -e "$lint_file" ] || echo "$lint_file"
	done
}

# finding WORDS: one TAP result; stdin holds the offenders, none is good.
finding() {
	lint_n=$((lint_n + 1))
	lint_found=$(cat)
	if [ -z "$lint_found" ]; then
		echo "ok $lint_n - $*"
	else
		echo "not ok $lint_n - $*"
		printf '%s\n' "$lint_found" | head -n 40 | sed 's/^/#   /'
	fi
}

# finding_expected WORDS: the same for a planted offence; no offender is bad.
finding_expected() {
	lint_n=$((lint_n + 1))
	[ -n "$(cat)" ] || printf 'not '
	echo "ok $lint_n - $*"
}

lint_done() {
	echo "1..$lint_n"
}
