#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# driver_lib.sh -- for the tests of the recorder: the fakes compiled, and words to run programs with.
#
# Sourced. Sets here, top, library, work and n; ends the script when there is nothing to test.
# shellcheck disable=SC2034 # what is set here is used by whoever sources it

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
top=$(cd -- "$here/../.." && pwd)
library=${TOP_BUILDDIR:-$top}/libvramscope-capture.so
if [ ! -x "$VRAMSCOPE" ] || [ ! -e "$library" ]; then
	echo "1..0 # SKIP no program or no recorder built"
	exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n=0

check() { # WORDS COMMAND...: a result
	local words=$1
	shift
	n=$((n + 1))
	"$@" || printf 'not '
	echo "ok $n - $words"
}

compile() { # OUTPUT ARGUMENT...
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE "-I$top" -O1 -g -o "$@" -lpthread -ldl
}
compile "$work/libcuda.so.1" -fPIC -shared -Wl,-soname,libcuda.so.1 "$here/fake_cuda.c" "$here/fake_spaces.c" &&
	compile "$work/libcupti.so.13" -fPIC -shared "$here/fake_cupti.c" &&
	compile "$work/load" -rdynamic "$here/gpu_load.c" "$work/libcuda.so.1"
check "the fakes compile" [ $? -eq 0 ]

export LD_LIBRARY_PATH=$work CAPTURE_LIBRARY=$library
unset CUDA_INJECTION64_PATH RANK SLURM_PROCID OMPI_COMM_WORLD_RANK PMI_RANK LOCAL_RANK
for name in $(compgen -e VRAMSCOPE_CAPTURE_); do unset "$name"; done
export VRAMSCOPE_CAPTURE_LIBRARY=$library

fresh() {
	rm -rf "$work/cwd"
	mkdir "$work/cwd"
	cd "$work/cwd" || exit 1
}
record() { # OPTIONS -- PROGRAM
	"$VRAMSCOPE" record "$@" >out 2>err </dev/null
}
load() { # ARGUMENT...: the program, recorded to x.pickle
	record -o x.pickle -- "$work/load" "$@"
}
valid() { "$VRAMSCOPE" validate "$@" >validated 2>&1; }
tells() { # FILE DEVICE JQ-LIKE WORDS: what `info` says of events
	"$VRAMSCOPE" info "$1" 2>&1 | grep -qE -- "$2"
}
count() { find . -name "$1" | wc -l; }
