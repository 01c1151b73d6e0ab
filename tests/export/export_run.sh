#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# export_run.sh -- exports read back by readers of their own kind: figures equal those of `top`.

set -u
here=$(cd -- "$(dirname -- "$0")" && pwd)
TOP_SRCDIR=${TOP_SRCDIR:-$here/../..}
. "$here/../lib/data.sh"
. "$here/../lib/cases.sh"
export LC_ALL=C.UTF-8 TZ=UTC PYTHONDONTWRITEBYTECODE=1
skip_without_program
python3 -c 'import sqlite3' 2>/dev/null || skip_all "no python3 with sqlite3"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

# An out-of-memory event, steps, another writer's pickle, a chrome trace; then a CUDA graph's pools,
# annotations, and names that are hostile.
files="$TESTDATA/oom_split_pinned.pickle.zst@oom $TESTDATA/leak_graph_step_40.pickle.zst@peak
	$TESTDATA/good-container.pickle@end $TESTDATA/trace-steps.json.gz@peak"
if [ -n "$VRAMSCOPE_SHARED" ]; then
	files+=" $VRAMSCOPE_SHARED/data/odd/cudagraph_mempool.pickle.zst@peak
		$VRAMSCOPE_SHARED/data/runs/hf_gpt2_step_3.pickle.zst@peak
		$VRAMSCOPE_SHARED/data/odd/hostile_names.pickle.zst@end"
fi
# shellcheck disable=SC2086 # a list
python3 "$here/readers.py" "$VRAMSCOPE" "$here" $files
