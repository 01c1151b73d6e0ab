#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# redact_run.sh -- redacted snapshots hold no name, and every analysis tells the same figures.

set -u
here=$(cd -- "$(dirname -- "$0")" && pwd)
TOP_SRCDIR=${TOP_SRCDIR:-$here/../..}
. "$here/../lib/data.sh"
. "$here/../lib/cases.sh"
export LC_ALL=C.UTF-8 TZ=UTC PYTHONDONTWRITEBYTECODE=1
skip_without_program
command -v python3 >/dev/null || skip_all "no python3"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

files="$TESTDATA/good-container.pickle $TESTDATA/oom_split_pinned.pickle.zst
	$TESTDATA/leak_graph_step_40.pickle.zst"
# Metadata, names that are hostile, annotations, labelled blocks, a failure with a long trace.
if [ -n "$VRAMSCOPE_SHARED" ] && [ "${VRAMSCOPE_QUICK:-0}" = 0 ]; then
	for file in odd/metadata odd/hostile_names runs/hf_gpt2_step_3 \
		labelled/labelled_lstm_adam_end oom/oom_varlen; do
		files+=" $VRAMSCOPE_SHARED/data/$file.pickle.zst"
	done
fi
# shellcheck disable=SC2086 # a list
python3 "$here/redacted.py" "$VRAMSCOPE" $files
