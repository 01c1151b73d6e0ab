#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh -- run each command line of tests/golden/COMMAND/CASE.cmd and compare what it prints.
#
#     run.sh [--update] [COMMAND | COMMAND/CASE] ...
#
# CASE.cmd is a shell script; it starts in an empty folder, without standard input, and uses
# $VRAMSCOPE, $TESTDATA and, for large recordings, $VRAMSCOPE_SHARED (skipped without them).
# CASE.out and CASE.err hold what must come out (no such file: nothing must), CASE.code the exit
# status (no such file: 0). A line `...` in them stands for any lines. The folder names are written
# as $TESTDATA, $VRAMSCOPE_SHARED and $PWD. --update rewrites what does not match.

set -u
here=$(cd -- "$(dirname -- "$0")" && pwd)
TOP_SRCDIR=${TOP_SRCDIR:-$here/../..}
. "$here/../lib/data.sh"
unset CDPATH COLUMNS
export LC_ALL=C TZ=UTC NO_COLOR=1

update=false
if [ "${1-}" = --update ]; then
	update=true
	shift
fi
# A list of cases makes a large set quick to narrow down, and lets `make check` run it in parts.
wanted=("$@")
# Text is wrapped, so that the names in it must be equally long on every machine.
scratch=$(mktemp -d /tmp/golden.XXXXXX) || exit 1
trap 'rm -rf "$scratch"' EXIT
ln -s "$TESTDATA" "$scratch/testdata"
TESTDATA=$scratch/testdata
if [ -n "$VRAMSCOPE_SHARED" ]; then
	ln -s "$VRAMSCOPE_SHARED" "$scratch/shared"
	VRAMSCOPE_SHARED=$scratch/shared
fi
n=0

is_wanted() { # COMMAND/CASE
	local w
	[ ${#wanted[@]} -eq 0 ] && return 0
	for w in "${wanted[@]}"; do
		[ "$w" = "$1" ] || [ "$w" = "${1%%/*}" ] && return 0
	done
	return 1
}

# Programs are started for what needs them only: there are hundreds of cases.

# Scratch folders are called otherwise in each run.
neutral() { # FILE
	[ ! -s "$1" ] || sed -e "s|$scratch/cwd|\$PWD|g" -e "s|$TESTDATA|\$TESTDATA|g" \
		-e "s|${VRAMSCOPE_SHARED:-/no such folder/}|\$VRAMSCOPE_SHARED|g" "$1"
}

# Compare one stream with its file; tell on stdout why they differ.
compare() { # EXPECTED GOT WORD
	local want=$1
	[ -e "$want" ] || [ -s "$2" ] || return 0
	[ -e "$want" ] || want=/dev/null
	if ! awk -f "$here/match.awk" "$want" "$2" >"$scratch/why"; then
		sed "s/^/#   $3 /" "$scratch/why"
		return 1
	fi
}

rewrite() { # EXPECTED GOT
	if [ -s "$2" ]; then
		cp "$2" "$1"
	else
		rm -f "$1"
	fi
}

run_case() { # COMMAND/CASE
	local case=$1 base=$here/$1 code want_code=0 bad=
	n=$((n + 1))
	if [ -z "$VRAMSCOPE_SHARED" ] && grep -q 'VRAMSCOPE_SHARED' "$base.cmd"; then
		echo "ok $n - $case # SKIP no real recordings here"
		return
	fi
	rm -rf "$scratch/cwd"
	mkdir "$scratch/cwd"
	(cd "$scratch/cwd" && exec timeout 300 sh "$base.cmd") \
		</dev/null >"$scratch/raw.out" 2>"$scratch/raw.err"
	code=$?
	neutral "$scratch/raw.out" >"$scratch/out"
	neutral "$scratch/raw.err" >"$scratch/err"
	[ -e "$base.code" ] && read -r want_code <"$base.code"
	if [ "$code" != "$want_code" ]; then
		bad+="#   exit status $code, want $want_code"$'\n'
	fi
	bad+=$(compare "$base.out" "$scratch/out" stdout)$'\n'
	bad+=$(compare "$base.err" "$scratch/err" stderr)
	if [ -z "${bad//$'\n'/}" ]; then
		echo "ok $n - $case"
	elif $update; then
		rewrite "$base.out" "$scratch/out"
		rewrite "$base.err" "$scratch/err"
		rm -f "$base.code"
		[ "$code" = 0 ] || echo "$code" >"$base.code"
		echo "ok $n - $case (updated)"
	else
		echo "not ok $n - $case"
		printf '%s\n' "$bad" | sed '/^$/d'
		[ "$code" = "$want_code" ] || sed 's/^/#   stderr: /' "$scratch/err" | head -n 20
	fi
}

# The expectations' own rule, tried on texts that must and must not match.
self_test() {
	local row want got expect
	while IFS='|' read -r want got expect; do
		n=$((n + 1))
		printf "${want//;/\\n}" >"$scratch/want"
		printf "${got//;/\\n}" >"$scratch/got"
		awk -f "$here/match.awk" "$scratch/want" "$scratch/got" >/dev/null
		row=$?
		[ "$row" = "$expect" ] || printf 'not '
		echo "ok $n - the expectation '$want'$([ "$expect" = 0 ] || echo ' does not') match '$got'"
	done <<-'ROWS'
		a;b;|a;b;|0
		a;b;|a;c;|1
		a;|a;b;|1
		a;b;|a;|1
		...;|a;b;|0
		a;...;c;|a;b;b;c;|0
		a;...;c;|a;c;|0
		a;...;c;|a;c;d;|1
		...;b;...;d;|a;b;c;b;d;|0
		...;b;|b;a;|1
		|a;|1
		a;||1
	ROWS
}

[ ${#wanted[@]} -eq 0 ] && self_test
cases=0
for cmd in "$here"/*/*.cmd; do
	[ -e "$cmd" ] || continue
	case=${cmd#"$here"/}
	case=${case%.cmd}
	cases=$((cases + 1))
	# Each fourth one is quick.
	[ "${VRAMSCOPE_QUICK:-0}" = 0 ] || [ ${#wanted[@]} -gt 0 ] || [ $((cases % 4)) = 0 ] || continue
	is_wanted "$case" && run_case "$case"
done
echo "1..$n"
