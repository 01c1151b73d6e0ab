#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# helper.sh -- vramscope.py against a fake torch, without a GPU.

here=$(cd -- "$(dirname -- "$0")" && pwd)
if ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp "$here/fake_torch.py" "$work/torch.py"
cp "$here/../../capture/vramscope.py" "$work/"
mkdir "$work/dumps"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$work python3 "$here/helper_cases.py" "$work/dumps"
