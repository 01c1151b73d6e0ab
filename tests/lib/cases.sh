# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# cases.sh -- TAP for tests in shell: cases that are commands, cases and scripts that are left out.
#
# Sourced after data.sh. The script makes the folder $scratch before its first case; n counts cases.

n=0
cases_failed=0

# skip_all WHY: end the script here.
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# skip_without_program: end the script here when no program is built.
skip_without_program() {
	[ -x "${VRAMSCOPE-}" ] || skip_all "no program built"
}

# check WORDS COMMAND...: a case; what the command said is told when it fails.
check() {
	local words=$1
	shift
	n=$((n + 1))
	# shellcheck disable=SC2154 # the script's
	if "$@" >"$scratch/why" 2>&1; then
		echo "ok $n - $words"
	else
		cases_failed=$((cases_failed + 1))
		echo "not ok $n - $words"
		sed 's/^/#   /' "$scratch/why" | tail -n 30
	fi
}

# skip WORDS WHY: a case that is left out.
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# cases_done: the plan; the last line of a script that `make check` runs.
cases_done() {
	echo "1..$n"
}

# cases_end: the plan, and the end of a script that is run by itself: 1 when a case failed.
cases_end() {
	cases_done
	[ $cases_failed = 0 ]
	exit
}
