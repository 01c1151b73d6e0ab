#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# screenshot.sh -- renew reports/example-report.png, the picture of a report in README.md.
#
#     make example-report      (needs Node 20, Chromium and pngquant)
#
# It shows testdata/oom_split_pinned, in 64 colours so that it stays small.

set -eu
TOP_SRCDIR=$(cd -- "${TOP_SRCDIR:-$(dirname -- "$0")/../..}" && pwd)
. "$TOP_SRCDIR/tests/lib/data.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/reports"
cp -R "$TOP_SRCDIR/reports/viewer" "$work/reports/viewer"
(cd "$work/reports/viewer" && npm ci --no-audit --no-fund --ignore-scripts >/dev/null)
script=$TOP_SRCDIR/tests/browser/screenshot.mjs
env TOP_SRCDIR="$work" node "$script" "$TESTDATA/oom_split_pinned.pickle.zst" "$work/picture.png" >/dev/null
pngquant --speed 1 --strip 64 --force -o "$TOP_SRCDIR/reports/example-report.png" "$work/picture.png"
