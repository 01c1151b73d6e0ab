#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# fuzz.sh -- fuzz each target for a while, two at a time, from testdata/ and corpus/.
#
#     fuzz.sh BUILD_FOLDER SECONDS_IN_ALL [TARGET ...]
#
# BUILD_FOLDER was configured with --enable-fuzzers and has the targets built. Prints TAP, and
# exits 1 when a target failed. What libFuzzer finds (crash-*, leak-*, oom-*, timeout-*) and its logs stay in BUILD_FOLDER/fuzz/TARGET.

set -u
build=$(cd -- "$1" && pwd) || exit 2
seconds=$2
shift 2
top=$(cd -- "$(dirname -- "$0")/../.." && pwd)
at_once=2

if [ $# -eq 0 ]; then
	for source in "$top"/tests/fuzz/fuzz_*.c; do
		name=${source##*/}
		set -- "$@" "${name%.c}"
	done
fi
rounds=$((($# + at_once - 1) / at_once))
each=$((seconds / rounds))

# Inputs as they lie and, for targets that read decoded data, decoded.
seeds=$build/fuzz/seeds
rm -rf "$seeds"
mkdir -p "$seeds"
find "$top/testdata" -type f ! -name README.md | while read -r file; do
	name=$(printf '%s' "${file#"$top/testdata/"}" | tr / _)
	cp "$file" "$seeds/$name"
	case $name in
	*.zst) zstd -q -dc "$file" >"$seeds/$name.plain" ;;
	*.gz) gzip -dc "$file" >"$seeds/$name.plain" ;;
	esac
done 2>/dev/null
chmod -R u+w "$seeds"

fuzz() { # TARGET
	local work=$build/fuzz/$1 own=$top/tests/fuzz/corpus/${1#fuzz_}
	local dict=$top/tests/fuzz/${1#fuzz_}.dict
	mkdir -p "$work/corpus"
	[ -d "$own" ] || own=
	[ -f "$dict" ] || dict=
	(cd "$work" && rm -f -- crash-* leak-* oom-* timeout-* slow-unit-* &&
		exec "$build/tests/fuzz/$1" -max_total_time="$each" -timeout=20 -rss_limit_mb=2048 \
			-malloc_limit_mb=1024 -max_len=400000 -print_final_stats=1 -verbosity=1 \
			${dict:+-dict="$dict"} corpus ${own:+"$own"} "$seeds") >"$work/log" 2>&1
	echo $? >"$work/status"
}

running=0
for target in "$@"; do
	fuzz "$target" &
	running=$((running + 1))
	if [ $running -eq $at_once ]; then
		wait
		running=0
	fi
done
wait

n=0
failed=0
for target in "$@"; do
	n=$((n + 1))
	work=$build/fuzz/$target
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
	if [ "$(cat "$work/status")" = 0 ] && [ "${runs:-0}" -gt 0 ]; then
		echo "ok $n - $target: $runs inputs in $each s"
	else
		failed=$((failed + 1))
		echo "not ok $n - $target: see $work/log"
		grep -E 'ERROR|SUMMARY|Test unit written|terminate' "$work/log" | head -n 10 | sed 's/^/#   /'
	fi
done
echo "1..$n"
[ $failed = 0 ]
