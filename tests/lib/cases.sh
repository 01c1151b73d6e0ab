# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# cases.sh -- TAP for tests in shell: cases that are commands, cases and scripts that are left out.
#
# Sourced after data.sh. The script makes the folder $scratch before its first case; n counts cases.

n=0

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
		echo "not ok $n - $words"
		sed 's/^/#   /' "$scratch/why" | tail -n 30
	fi
}

# skip WORDS WHY: a case that is left out.
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# cases_done: the plan; the last line of a script.
cases_done() {
	echo "1..$n"
}
