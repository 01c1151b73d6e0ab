#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record_cost.sh -- what recording adds to a call of the driver: over the fake one, which costs next to
# nothing itself. Prints nanoseconds an event and judges nothing.
#
#     TOP_BUILDDIR=BUILD_FOLDER VRAMSCOPE=BUILD_FOLDER/vramscope record_cost.sh
#
# The least of ROUNDS (5) runs each, interleaved, without recording and with, in time of the processor:
# pairs of cuMemAllocAsync and cuMemFreeAsync.

# shellcheck disable=SC1091,SC2154 # what it sets
. "$(dirname -- "$0")/../capture/driver_lib.sh" >/dev/null
export FAKE_CUDA_BYTES=100000000000 VRAMSCOPE_CAPTURE_EXIT=no
rounds=${ROUNDS:-5}
pairs=${PAIRS:-20000}
fresh
compile "$work/cost" -O2 -rdynamic "$here/../bench/record_cost.c" "$work/libcuda.so.1" || exit 1

native() { "$work/cost" "$pairs" "$1"; } # DEPTH: nanoseconds an event
thread() { python3 "$here/../bench/record_cost.py" libcuda.so.1 "$pairs" "$1" thread; }
python() { python3 "$here/../bench/record_cost.py" libcuda.so.1 "$pairs" "$1"; }

recorded() { # STACKS FUNCTION DEPTH
	rm -f x.*
	CUDA_INJECTION64_PATH=$library VRAMSCOPE_CAPTURE_OUTPUT=x.pickle \
		VRAMSCOPE_CAPTURE_STACKS=$1 "$2" "$3"
}
smaller() { awk -v a="$1" -v b="$2" 'BEGIN { print a < b ? a : b }'; }

row() { # FUNCTION STACKS DEPTH
	local without=1e9 with=1e9
	for ((i = 0; i < rounds; i++)); do
		without=$(smaller "$without" "$("$1" "$3")")
		with=$(smaller "$with" "$(recorded "$2" "$1" "$3")")
	done
	awk -v f="$1" -v s="$2" -v d="$3" -v a="$without" -v b="$with" \
		'BEGIN { printf "%-8s %-7s %5d %9.0f %11.0f\n", f, s, d, a, b - a }'
}

echo 'program  stacks  depth  call, ns  added, ns'
row native none 1
row native native 1
row native native 30
row native native 100
if command -v python3 >/dev/null; then
	row python none 30
	row python python 5
	row python python 30
	row python all 30
	row thread python 30
fi
