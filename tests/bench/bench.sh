#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench.sh -- time and peak memory of whole commands beside CPython's pickle.load; judges nothing.
#
#     bench.sh BUILD_FOLDER [quick]
#
# Best of three whole processes each, interleaved, so that a machine that slows down slows both.
# Recordings come from $VRAMSCOPE_SHARED (see tests/lib/data.sh) and are decompressed into a folder
# under ${TMPDIR:-/tmp}. `quick` leaves out the file of 10 million events.

set -u
build=$(cd -- "$1" && pwd) || exit 2
quick=${2-}
TOP_SRCDIR=${TOP_SRCDIR:-$(dirname -- "$0")/../..}
VRAMSCOPE=${VRAMSCOPE:-$build/vramscope}
. "$TOP_SRCDIR/tests/lib/data.sh"
if [ -z "$VRAMSCOPE_SHARED" ]; then
	echo "no real recordings: set VRAMSCOPE_SHARED to their folder"
	exit 0
fi
measure=$build/tests/bench/measure
work=$(mktemp -d "${TMPDIR:-/tmp}/bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
rounds=3
# The interpreter itself, not a wrapper that picks one.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)

unpack() { # NAME
	zstd -q -d --long=27 -o "$work/$(basename "$1")" "$VRAMSCOPE_SHARED/data/$1.zst"
}

# better A B: the pair with the shorter time, and the smaller peak, separately.
better() {
	awk -v a="$1" -v b="$2" 'BEGIN {
		split(a, x); split(b, y)
		print (x[1] < y[1] ? x[1] : y[1]), (x[2] < y[2] ? x[2] : y[2]), (x[3] < y[3] ? y[3] : x[3]) }'
}

# row WORDS FILE COMMAND...: print one line of the table. `pickle.load` reads FILE.
row() {
	local words=$1 file=$2 ours theirs='' new i
	shift 2
	ours=$("$measure" "$@")
	for ((i = 0; i < rounds; i++)); do
		[ $i -eq 0 ] || {
			new=$("$measure" "$@")
			ours=$(better "$ours" "$new")
		}
		if [ -n "$python" ]; then
			new=$("$measure" "$python" -c \
				'import pickle, sys; pickle.load(open(sys.argv[1], "rb"))' "$file")
			theirs=$(better "${theirs:-$new}" "$new")
		fi
	done
	awk -v words="$words" -v a="$ours" -v b="$theirs" 'BEGIN {
		n = split(a, x); m = split(b, y)
		printf "%-34s %8.3f s %8.1f MiB", words, x[1], x[2] / 1024
		if (m)
			printf "   %8.3f s %8.1f MiB   1/%-5.1f 1/%-5.1f", y[1], y[2] / 1024,
				y[1] / x[1], y[2] / x[2]
		if (x[3] != 0)
			printf "   exit status %d", x[3]
		printf "\n" }'
}

echo "$("$VRAMSCOPE" --version 2>/dev/null | head -n 1), $(nproc) cores,${python:+ $("$python" -V),} best of $rounds"
printf '%-34s %10s %12s   %10s %12s   %-7s %s\n' command time peak pickle.load peak time peak

unpack runs/big_python.pickle
big=$work/big_python.pickle
row "info big_python.pickle" "$big" "$VRAMSCOPE" info "$big"
row "info big_python.pickle.zst" "$big" "$VRAMSCOPE" info "$VRAMSCOPE_SHARED/data/runs/big_python.pickle.zst"
unpack oom/oom_varlen.pickle
row "explain oom_varlen.pickle" "$work/oom_varlen.pickle" "$VRAMSCOPE" explain "$work/oom_varlen.pickle"
unpack oom/oom_small_ring.pickle
row "info oom_small_ring.pickle" "$work/oom_small_ring.pickle" "$VRAMSCOPE" info "$work/oom_small_ring.pickle"

echo
echo "the floor: a bare scan of big_python's opcodes"
scan="$build/tests/bench/scan $big"
info_s=
scan_s=
for ((i = 0; i < rounds; i++)); do
	# shellcheck disable=SC2086 # a command line
	new=$("$measure" $scan)
	scan_s=$(better "${scan_s:-$new}" "$new")
	new=$("$measure" "$VRAMSCOPE" info "$big")
	info_s=$(better "${info_s:-$new}" "$new")
done
$scan
awk -v i="$info_s" -v s="$scan_s" 'BEGIN { split(i, x); split(s, y)
	printf "scan %.3f s, info %.3f s: %.2f times the scan\n", y[1], x[1], x[1] / y[1] }'

if [ -x "$build/tests/bench/seek" ]; then
	echo
	echo "seeking to random events of big_python, once loaded"
	"$build/tests/bench/seek" "$big"
fi

if [ "$quick" != quick ]; then
	echo
	rm -f "$work/oom_varlen.pickle"
	unpack runs/huge_python.pickle
	rounds=1
	row "info huge_python.pickle (once)" "$work/huge_python.pickle" "$VRAMSCOPE" info "$work/huge_python.pickle"
fi

# A chrome trace beside plain decompression: wall seconds and peak memory of each.
trace() { # WORDS COMMAND...
	local words=$1
	shift
	"$measure" "$@" | awk -v words="$words" '{
		printf "%-34s %8.3f s %8.1f MiB\n", words, $1, $2 / 1024 }'
}

megabytes=2000
[ "$quick" != quick ] || megabytes=200
echo
echo "a chrome trace of $megabytes MB, compressed"
"$build/tests/bench/make_trace" "$megabytes" | gzip -1 >"$work/trace.json.gz"
trace "gzip -dc | wc -c" sh -c 'gzip -dc "$1" | wc -c' sh "$work/trace.json.gz"
trace "info" "$VRAMSCOPE" info "$work/trace.json.gz"
trace "info --totals-only" "$VRAMSCOPE" info --totals-only "$work/trace.json.gz"
trace "timeline --totals-only" "$VRAMSCOPE" timeline --totals-only "$work/trace.json.gz"
