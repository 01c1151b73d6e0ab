#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# viewer.sh -- how fast the report's page is in Chromium; judges nothing.
#
#     viewer.sh BUILD_FOLDER [quick]
#
# Pages of the largest real recordings (see tests/lib/data.sh) and of snapshots by make_snapshot, in
# which nothing repeats: one with 100,000 live blocks, one of 1 million events and one of 10 million.
# A line of JSON for each (see viewer.mjs). `quick` leaves out the files of 10 million events.

set -u
build=$(cd -- "$1" && pwd) || exit 2
quick=${2-}
TOP_SRCDIR=$(cd -- "${TOP_SRCDIR:-$(dirname -- "$0")/../..}" && pwd)
VRAMSCOPE=${VRAMSCOPE:-$build/vramscope}
. "$TOP_SRCDIR/tests/lib/data.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

viewer=$TOP_SRCDIR/tests/bench/viewer.mjs
mkdir -p "$work/reports"
cp -R "$TOP_SRCDIR/reports/viewer" "$work/reports/viewer"
if ! (cd "$work/reports/viewer" && npm ci --no-audit --no-fund --ignore-scripts) >"$work/log" 2>&1; then
	echo "npm ci failed: it installs the driver of the browser"
	exit 1
fi

page() { # NAME FILE
	echo "$1"
	"$VRAMSCOPE" report "$2" -o "$work/page.html" --max-html-size=128MiB &&
		env TOP_SRCDIR="$work" node "$viewer" "$work/page.html"
	rm -f "$work/page.html"
}

real() { # NAME
	[ -n "$VRAMSCOPE_SHARED" ] || return 0
	zstd -q -d --long=27 -o "$work/real.pickle" "$VRAMSCOPE_SHARED/data/$1.pickle.zst"
	page "$1" "$work/real.pickle"
	rm -f "$work/real.pickle"
}

made() { # EVENTS [LIVE]
	"$build/tests/bench/make_snapshot" "$@" >"$work/made.pickle"
	page "make_snapshot $*" "$work/made.pickle"
	rm -f "$work/made.pickle"
}

real runs/big_python
made 1000000
made 1000000 100000
if [ "$quick" != quick ]; then
	real runs/huge_python
	made 10000000
fi
