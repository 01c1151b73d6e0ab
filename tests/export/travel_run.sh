#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# travel_run.sh -- snapshots converted there and back, and cut into pieces that fit together again.

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
python3 "$here/travel.py" "$VRAMSCOPE" "$TESTDATA"/good-container.pickle \
	"$TESTDATA"/oom_small_ring.pickle.zst "$TESTDATA"/leak_graph_step_10.pickle.zst \
	"$TESTDATA"/oom_[!s]* "$TESTDATA"/bad-* "$TESTDATA"/*.ring.zst \
	"$TESTDATA"/good-two* "$TESTDATA"/trace-* "$TESTDATA"/timeline-*
