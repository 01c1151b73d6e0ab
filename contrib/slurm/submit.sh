#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# submit.sh -- reads many files as a Slurm job array, and merges when all of it is done.
#
#     submit.sh N DIR PATH...      N tasks; the summary in DIR
#
# A task that was killed and is queued again goes on where it was. Options for sbatch (partition,
# account, cpus-per-task) come from SBATCH_ARGS. vramscope must be in the PATH of the nodes, or named
# by VRAMSCOPE.

set -eu
if [ $# -lt 3 ]; then
	sed -n '3,9s/^# \{0,1\}//p' "$0" >&2
	exit 2
fi
here=$(cd -- "$(dirname -- "$0")" && pwd)
n=$1
dir=$2
shift 2
mkdir -p "$dir/parts"
# shellcheck disable=SC2086 # a list of options
array=$(sbatch --parsable --requeue --open-mode=append ${SBATCH_ARGS-} --array="1-$n" \
	--output="$dir/parts/%a.log" "$here/task.sh" "$dir" "$@")
array=${array%%;*}
echo "job $array: $n tasks"
# Tasks end with 3 when a file cannot be read: their parts are whole, so any end will do.
# shellcheck disable=SC2086
merge=$(sbatch --parsable ${SBATCH_ARGS-} --dependency="afterany:$array" \
	--output="$dir/merge.log" "$here/merge.sh" "$n" "$dir")
echo "job ${merge%%;*}: merges their parts, log in $dir/merge.log"
