# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# data.sh -- where the test inputs are; sourced by shell tests and by `make check` itself.
#
# Sets and exports
#   TOP_SRCDIR        the source tree
#   TESTDATA          its testdata/
#   VRAMSCOPE         the program under test (default: vramscope in the current folder)
#   VRAMSCOPE_SHARED  the large real recordings (data/, public/): as given, else ../shared beside
#                     the source tree, else empty; tests that need them then skip, with a word.

if [ -z "${TOP_SRCDIR-}" ]; then
	TOP_SRCDIR=${srcdir:-.}
fi
TOP_SRCDIR=$(CDPATH= cd -- "$TOP_SRCDIR" && pwd) || exit 1
: "${TESTDATA:=$TOP_SRCDIR/testdata}"
: "${VRAMSCOPE:=$PWD/vramscope}"
if [ -z "${VRAMSCOPE_SHARED+set}" ]; then
	VRAMSCOPE_SHARED=
	if [ -d "$TOP_SRCDIR/../shared/data" ]; then
		VRAMSCOPE_SHARED=$(CDPATH= cd -- "$TOP_SRCDIR/../shared" && pwd)
	fi
fi
export TOP_SRCDIR TESTDATA VRAMSCOPE VRAMSCOPE_SHARED

# skip_without_shared: end a TAP script here when the recordings are not at hand.
skip_without_shared() {
	if [ -z "$VRAMSCOPE_SHARED" ]; then
		echo "1..0 # SKIP no real recordings: set VRAMSCOPE_SHARED to their folder"
		exit 0
	fi
}

# skip_when_quick: end a TAP script here when only quick tests are wanted.
skip_when_quick() {
	case ${VRAMSCOPE_QUICK:-0} in
	0) ;;
	*)
		echo "1..0 # SKIP VRAMSCOPE_QUICK is set"
		exit 0
		;;
	esac
}

# skip_when_sanitized: end a TAP script here when sanitizers would tell it nothing new.
skip_when_sanitized() {
	if [ -n "${SANITIZERS-}" ]; then
		echo "1..0 # SKIP the recorder has no sanitizers in it; this runs where the program has none"
		exit 0
	fi
}
