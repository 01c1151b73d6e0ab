#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# recorded_truth.sh -- recordings of an H200 in testdata/recorded/ against what the programs printed
# there: sums of cuMemGetInfo, of pools, of PyTorch, XLA, CuPy and Numba.

here=$(cd -- "$(dirname -- "$0")" && pwd)
top=$(cd -- "$here/../.." && pwd)
if [ ! -x "$VRAMSCOPE" ] || ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP no program or no python3"
	exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n=0
check() { # WORDS COMMAND...: a result
	local words=$1
	shift
	n=$((n + 1))
	"$@" >"$work/said" 2>&1 || {
		printf 'not '
		sed 's/^/# /' "$work/said" >&2
	}
	echo "ok $n - $words"
}

for said in "$top"/testdata/recorded/*.txt; do
	part=$(basename "$said" .txt)
	[ -e "$top/testdata/recorded/$part.pickle.zst" ] || continue
	check "$part: consistent" "$VRAMSCOPE" validate "$top/testdata/recorded/$part.pickle.zst"
	check "$part: unpacked with all that it tells" \
		"$VRAMSCOPE" convert "$top/testdata/recorded/$part.pickle.zst" -o "$work/$part.pickle"
	check "$part: its sums" \
		python3 "$top/tests/gpu/check.py" "$part" "$work/$part.pickle" "$said"
done
check "there were recordings" [ "$n" -ge 36 ]
pair=$top/testdata/recorded/pair
"$VRAMSCOPE" explain "${pair}_torch.pickle.zst" --driver "$pair.pickle.zst" >"$work/why" 2>&1
check "a pair: what is outside PyTorch has names" grep -q '64.13 MiB .* cuBLAS' "$work/why"
check "a pair: nothing is left over" \
	grep -q '138.45 GiB in PyTorch.s segments' "$work/why"
echo "1..$n"
