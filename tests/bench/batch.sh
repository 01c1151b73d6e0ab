#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# batch.sh -- time, processor time and peak memory of a batch with one process and with two.
#
#     batch.sh BUILD_FOLDER [FILES]
#
# 200 files of about 4 MB, or FILES, are made from four recordings, each with bytes of its own behind
# the end, so that no result is known from another. Three rounds, one process and two in turn; the
# least of each is told, since a machine that is busy only adds. Build with -O2.

set -u
build=$(cd -- "$1" && pwd) || exit 2
files=${2-200}
TOP_SRCDIR=${TOP_SRCDIR:-$(dirname -- "$0")/../..}
VRAMSCOPE=${VRAMSCOPE:-$build/vramscope}
. "$TOP_SRCDIR/tests/lib/data.sh"
if [ -z "$VRAMSCOPE_SHARED" ]; then
	echo "no real recordings: set VRAMSCOPE_SHARED to their folder"
	exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export TIMEFORMAT='%U %S'

mkdir "$work/in"
i=0
while [ $i -lt "$files" ]; do
	for name in runs/hf_gpt2_step_3 oom/oom_leak runs/training_run_epoch_9 whatif/whatif_varlen_default; do
		[ $i -lt "$files" ] || break
		to=$work/in/$(basename $name)_rank$i.pickle
		zstd -q -d --long=27 -o "$to" "$VRAMSCOPE_SHARED/data/$name.pickle.zst" || exit 1
		chmod u+w "$to"
		printf '%08d' $i >>"$to"
		i=$((i + 1))
	done
done

run() { # JOBS: "seconds KiB status user system"
	local wall
	rm -rf "$work/out"
	{ time wall=$("$build/tests/bench/measure" "$VRAMSCOPE" batch -j "$1" -o "$work/out" \
		"$work/in" 2>/dev/null); } 2>"$work/cpu"
	echo "$wall $(tail -n 1 "$work/cpu")"
}

# The least wall time, peak and processor time so far of some jobs.
least() { # OLD NEW
	awk -v a="$1" -v b="$2" 'BEGIN {
		split(a, x); split(b, y)
		cpu = y[4] + y[5]
		if (a == "") print y[1], y[2], cpu
		else print (x[1] < y[1] ? x[1] : y[1]), (x[2] < y[2] ? x[2] : y[2]), (x[3] < cpu ? x[3] : cpu) }'
}

one='' two=''
for _ in 1 2 3; do
	one=$(least "$one" "$(run 1)")
	two=$(least "$two" "$(run 2)")
done
awk -v a="$one" -v b="$two" -v files="$files" -v bytes="$(du -sb "$work/in" | cut -f 1)" 'BEGIN {
	split(a, x); split(b, y)
	printf "%d files of %.1f MB on average\n", files, bytes / files / 1e6
	printf "-j 1  %7.2f s  %6.1f ms of processor time a file  %6.1f MiB in the largest process\n",
		x[1], x[3] * 1000 / files, x[2] / 1024
	printf "-j 2  %7.2f s  %6.1f ms of processor time a file  %6.1f MiB in the largest process\n",
		y[1], y[3] * 1000 / files, y[2] / 1024
	printf "two processes take 1/%.2f of the time of one\n", x[1] / y[1] }'
