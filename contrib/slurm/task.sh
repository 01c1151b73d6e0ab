#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# task.sh -- one task of the array: its shard is its number.
#SBATCH --job-name=vramscope

set -eu
dir=$1
shift
jobs=${SLURM_CPUS_PER_TASK:-1}
exec "${VRAMSCOPE:-vramscope}" batch -j "$jobs" \
	--shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
	-o "$dir/parts/$SLURM_ARRAY_TASK_ID" "$@"
