#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record_settings.sh -- record the workloads on a machine with a GPU, each under several allocator settings.
#
#     record_settings.sh OUTPUT_FOLDER
#
# Needs python3 with torch ($PYTHON to name another), nothing of vramscope. Leaves a snapshot and
# the allocator's statistics of each run, some 20 small files, in less than three minutes.
# compare.py then predicts from the runs under the defaults and compares.

set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
out=${1:?where to?}
python=${PYTHON:-python3}
mkdir -p "$out"
out=$(cd -- "$out" && pwd)

# WORKLOAD NAME SETTINGS [FRACTION]
record() {
	echo "$1 $2" >&2
	(cd "$here" && PYTORCH_CUDA_ALLOC_CONF=$3 PYTORCH_ALLOC_CONF=$3 WORKLOAD_FRACTION=${4:-0} \
		timeout 100 "$python" "workload_$1.py" "$out/$1_$2") || echo "$1 $2 failed" >&2
}

# Bytes of `peak reserved` of a run, and of the device.
stat_of() { # NAME KEY
	"$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' \
		"$out/$1.stats.json" "$2"
}

record fraction default "" &
record fraction expandable expandable_segments:True &
record streams default "" &
wait
for workload in streams graphs; do
	[ $workload = graphs ] && record graphs default "" &
	record $workload expandable expandable_segments:True &
	record $workload split64 max_split_size_mb:64 &
	record $workload round4 roundup_power2_divisions:4 &
	wait
done

# Limits a little above what the expandable run needs: the default dies under most of them.
least=$(stat_of fraction_expandable reserved_bytes.all.peak)
total=$(stat_of fraction_default device_total)
for percent in 105 115 130; do
	fraction=$("$python" -c "print($least * $percent / 100 / $total)")
	record fraction "default_limit$percent" "" "$fraction" &
	record fraction "expandable_limit$percent" expandable_segments:True "$fraction" &
	wait
done
ls -l "$out" >&2
