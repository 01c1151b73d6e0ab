#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh -- the recorder on a real GPU: what it tells against what programs, the driver and PyTorch say.
#
#     run.sh OUT [PART] ...
#
# Runs all parts, or those named, and prints a table. A part that passed leaves OUT/PART.row and is not
# run again, so that a run can go on where it was stopped. Without make: cc builds what is needed.
# VRAMSCOPE names a vramscope; with one, every snapshot is validated, and every command opens what the
# examples leave. Parts whose library or compiler is missing are skipped.
#
# C programs:  memory pools vmm graphs threads oom runtime
# PyTorch:     torch torch_expandable torch_async torch_profiler torch_oom pair killed
# Others:      cupy jax numba
# Examples:    basic_loop resnet50 profiled
# Cost:        events launches resnet

set -u
parts="memory pools vmm graphs threads oom runtime torch torch_expandable torch_async torch_profiler
torch_oom pair killed cupy jax numba basic_loop resnet50 profiled events launches resnet"
[ $# -gt 0 ] || {
	sed -n '3,18s/^# \{0,1\}//p' "$0" >&2
	exit 2
}
here=$(cd -- "$(dirname -- "$0")" && pwd)
top=$(cd -- "$here/../.." && pwd)
mkdir -p "$1"
out=$(cd -- "$1" && pwd)
shift
# shellcheck disable=SC2086 # a list
[ $# -gt 0 ] || set -- $parts
library=$out/libvramscope-capture.so
cuda=${CUDA_HOME:-/usr/local/cuda}
driver=$(ldconfig -p | awk '/libcuda\.so\.1 / { print $NF; exit }')
"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE "-I$top" -O2 -fPIC -fvisibility=hidden -shared -o "$library" \
	"$top"/capture/*.c -lpthread -ldl || exit 1
unset CUDA_INJECTION64_PATH

recorded() { # PART COMMAND...: recorded to OUT/PART.pickle, in a folder of its own
	local part=$1
	shift
	rm -rf "${out:?}/$part" "$out/$part".{pickle,ring,txt,err,pickle.validate,ring.validate}
	mkdir "$out/$part"
	# GPU_DUMP: where a program that dumps by itself does.
	(cd "$out/$part" && CUDA_INJECTION64_PATH=$library GPU_DUMP=$out/$part.pickle \
		VRAMSCOPE_CAPTURE_OUTPUT=${capture_to:-$out/$part.pickle} timeout 200 "$@") \
		>"$out/$part.txt" 2>"$out/$part.err"
}
valid() { # FILE
	[ -z "${VRAMSCOPE-}" ] || "$VRAMSCOPE" validate "$1" >"$1.validate" 2>&1
}
checked() { # PART COMMAND...: recorded, consistent, and right; prints the words of its row
	recorded "$@" && valid "$out/$1.pickle" &&
		python3 "$here/check.py" "$1" "$out/$1.pickle" "$out/$1.txt"
}
built() { # NAME ARGUMENT...: a C program, or 77 when there is no toolkit
	local name=$1
	shift
	[ -e "$cuda/include/cuda.h" ] || return 77
	[ -x "$out/$name" ] || "${CC:-cc}" -std=gnu11 -O1 -g -rdynamic "-I$cuda/include" -o "$out/$name" \
		"$here/$name.c" "$@" -lpthread -ldl -lrt || return 77
}
has_module() {
	python3 -c "import $1" 2>/dev/null || return 77
}
median() { # of numbers on stdin, then the smallest and the largest
	sort -n | awk '{ v[NR] = $1 } END {
		m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		printf "%.3f (%.3f to %.3f)", m, v[1], v[NR] }'
}

driver_part() {
	built gpu_driver "$driver" || return
	checked "$1" "$out/gpu_driver" "$1"
}
runtime_part() {
	built gpu_runtime "$cuda/lib64/libcudart_static.a" || return
	checked runtime "$out/gpu_runtime"
}
torch_part() { # PART CONF ARGUMENT
	has_module torch || return
	capture_to=$out/$1/exit.pickle PYTORCH_CUDA_ALLOC_CONF=$2 \
		checked "$1" python3 "$here/gpu_torch.py" "$3"
}
profiler_part() {
	torch_part torch_profiler "" profiler &&
		grep -a -m1 -i -o 'CUPTI_ERROR[A-Z_]*' "$out/torch_profiler.err"
	return 0
}
killed_part() {
	has_module torch || return
	recorded killed python3 "$here/gpu_torch.py" killed
	[ -s "$out/killed.ring" ] && [ ! -e "$out/killed.pickle" ] && valid "$out/killed.ring" &&
		echo "the ring file is a consistent snapshot"
}
library_part() {
	has_module "${1/numba/numba.cuda}" || return
	capture_to=$out/$1/exit.pickle XLA_PYTHON_CLIENT_PREALLOCATE=false \
		checked "$1" python3 "$here/gpu_libraries.py" "$1"
}

# Every command that reads snapshots, on one.
opened() { # FILE
	local command format
	for command in info validate state top categories explain frag leaks timeline simulate trend; do
		"$VRAMSCOPE" "$command" "$1" || return
	done
	"$VRAMSCOPE" diff "$1" "$1" || return
	for command in slice redact convert; do
		"$VRAMSCOPE" "$command" "$1" -o "$out/opened.pickle" || return
	done
	for format in folded speedscope pprof perfetto csv json openmetrics markdown; do
		"$VRAMSCOPE" export --to=$format "$1" -o "$out/opened.export" || return
	done
	"$VRAMSCOPE" report "$1" -o "$out/opened.html" && "$VRAMSCOPE" timeline "$1" -o "$out/opened.svg"
}
example_part() { # NAME
	local file n=0 folder=$out/example_$1
	has_module torchvision || return
	rm -rf "${folder:?}"
	mkdir "$folder"
	(cd "$folder" && PYTHONPATH=$top/capture timeout 200 python3 "$top/capture/examples/$1.py") \
		>"$folder.txt" 2>&1 || return
	while IFS= read -r file; do
		[ -z "${VRAMSCOPE-}" ] || opened "$file" >"$out/opened.txt" 2>&1 || {
			echo "$file: $(tail -n 1 "$out/opened.txt")" >&2
			return 1
		}
		n=$((n + 1))
	done < <(find "$folder" -name '*.pickle')
	[ $n -gt 0 ] || return
	echo "snapshots: $n${VRAMSCOPE:+, opened by every command}"
	for file in "$folder"/*/*.trace.json.gz; do
		[ -z "${VRAMSCOPE-}" ] || [ ! -e "$file" ] ||
			"$VRAMSCOPE" info "$file" >"$out/opened.txt" 2>&1 || return
	done
}

with() { # STACKS COMMAND...: recorded, to nowhere that stays
	CUDA_INJECTION64_PATH=$library VRAMSCOPE_CAPTURE_OUTPUT=/dev/shm/rate_%p.pickle \
		VRAMSCOPE_CAPTURE_EXIT=no VRAMSCOPE_CAPTURE_STACKS=$1 "${@:2}"
	rm -f /dev/shm/rate_*
}

# Microseconds a call, of programs that run by turns.
events_part() {
	local what depth count
	built gpu_driver "$driver" || return
	for what in "async 0" "async 30" "sync 30"; do
		depth=${what#* }
		what=${what% *}
		count=$([ "$what" = async ] && echo 40000 || echo 2000)
		rm -f "$out"/rate.*
		for _ in 1 2 3 4 5; do
			"$out/gpu_driver" rate "$what" "$count" "$depth" >>"$out/rate.without"
			with none "$out/gpu_driver" rate "$what" "$count" "$depth" >>"$out/rate.none"
			with native "$out/gpu_driver" rate "$what" "$count" "$depth" >>"$out/rate.native"
		done
		echo "$what, depth $depth: $(median <"$out/rate.without") us a call without," \
			"$(median <"$out/rate.none") recorded, $(median <"$out/rate.native") with stacks;"
	done
}
launches_part() {
	built gpu_driver "$driver" || return
	rm -f "$out"/rate.*
	for _ in 1 2 3 4 5 6 7; do
		"$out/gpu_driver" rate launch 100000 0 >>"$out/rate.without"
		with native "$out/gpu_driver" rate launch 100000 0 >>"$out/rate.native"
	done
	echo "$(median <"$out/rate.without") us a launch without, $(median <"$out/rate.native") with"
}
resnet_part() {
	has_module torchvision || return
	VRAMSCOPE_CAPTURE_OUTPUT=/dev/shm/resnet_%p.pickle VRAMSCOPE_CAPTURE_EXIT=no \
		timeout 300 python3 "$here/gpu_resnet.py" "$library" 20 >"$out/resnet.rates" || return
	echo "$(cut -d' ' -f1 "$out/resnet.rates" | median) ms a step without," \
		"$(cut -d' ' -f2 "$out/resnet.rates" | median) recorded, 20 alternating runs of each"
}

part() {
	case $1 in
	memory | pools | vmm | graphs | threads | oom) driver_part "$1" ;;
	runtime) runtime_part ;;
	torch) torch_part torch "" "" ;;
	torch_expandable) torch_part torch_expandable expandable_segments:True "" ;;
	torch_async) torch_part torch_async backend:cudaMallocAsync "" ;;
	torch_profiler) profiler_part ;;
	torch_oom) torch_part torch_oom "" oom ;;
	pair) torch_part pair "" pair ;;
	killed) killed_part ;;
	cupy | jax | numba) library_part "$1" ;;
	basic_loop | resnet50 | profiled) example_part "$1" ;;
	events) events_part ;;
	launches) launches_part ;;
	resnet) resnet_part ;;
	*)
		echo "no such part" >&2
		return 2
		;;
	esac
}

failed=0
for name in "$@"; do
	if [ ! -e "$out/$name.row" ]; then
		part "$name" >"$out/$name.words" 2>"$out/$name.log"
		code=$?
		words=$(paste -sd ' ' "$out/$name.words" | sed 's/ *$//')
		case $code in
		0) echo "| $name | pass | $words |" >"$out/$name.row" ;;
		77) words="| $name | skip | its library or compiler is missing |" ;;
		*) words="| $name | FAIL | $(tail -n 1 "$out/$name.log") |" ;;
		esac
	fi
	if [ -e "$out/$name.row" ]; then
		cat "$out/$name.row"
	else
		echo "$words"
		[ "$code" = 77 ] || failed=1
	fi
done
exit $failed
