#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# merge.sh -- the parts of all tasks into one summary; fails when a part is missing.
#SBATCH --job-name=vramscope-merge

set -eu
n=$1
dir=$2
parts=()
for i in $(seq 1 "$n"); do
	parts+=("$dir/parts/$i")
done
exec "${VRAMSCOPE:-vramscope}" merge -o "$dir" "${parts[@]}"
