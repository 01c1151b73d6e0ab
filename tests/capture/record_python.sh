#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record_python.sh -- Python frames of every CPython that is here, by CPython's own word; and layouts
# that are not what the recorder takes them for.
#
# PYTHONS names interpreters instead of those on PATH and of pyenv.

# shellcheck disable=SC1091,SC2154 # what they set
. "$(dirname -- "$0")/../lib/data.sh"
skip_when_quick
skip_when_sanitized
. "$(dirname -- "$0")/driver_lib.sh"
if ! command -v python3 >/dev/null; then
	check "no python3 # SKIP" true
	echo "1..$n"
	exit 0
fi
export FAKE_CUDA_BYTES=100000000000

# One of each version; the first that is found.
pythons() {
	local python version seen=' '
	for python in ${PYTHONS:-$(type -ap python3) /usr/bin/python3.* \
		"${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3}; do
		case $python in */shims/* | *-config) continue ;; esac
		version=$("$python" -c 'import ctypes, sys
print("%d.%d.%d" % sys.version_info[:3] if sys.version_info >= (3, 8) else "")' 2>/dev/null)
		case $seen in *" $version "*) continue ;; esac
		[ -n "$version" ] || continue
		seen="$seen$version "
		echo "$version $python"
	done
}

run() { # PYTHON OPTION...: the cases, recorded to x.pickle
	local python=$1
	shift
	fresh
	record --max-entries="${entries:-100000}" -o x.pickle "$@" -- \
		"$python" "$here/python_cases.py" libcuda.so.1 expected.json
}
right() { python3 "$here/python_cases.py" --check x.pickle expected.json "$@"; }

checked=0
while read -r version python; do
	run "$python"
	check "$version: its status" [ $? -eq 0 ]
	check "$version: nothing on stderr" [ ! -s err ]
	check "$version: files, names and lines" right
	checked=$((checked + 1))
	include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
	if [ -d "$include/internal" ]; then
		compile "$work/layout" -w "-I$include" "-I$include/internal" \
			"$here/python_layout_check.c" "$top/capture/python_layout.c" &&
			"$work/layout" >layout
		check "$version: the layout of its headers" [ $? -eq 0 ]
		sed 's/^/# /' layout
	fi
done < <(pythons)
check "some CPython was here" [ "$checked" -gt 0 ]

run python3 --stacks=python
check "Python frames alone" right --alone
run python3 --stacks=native
check "native frames alone" bash -c '! grep -q python_cases.py x.pickle'

# A layout that is not the real one: no crash, whatever is read. Fields are those of struct
# python_layout; of these a wrong one cannot pass for right.
mapfile -t sources < <(printf '%s\n' "$top"/capture/*.c | grep -v /python_layout.c)
compile "$work/shifted.so" -fPIC -fvisibility=hidden -shared "${sources[@]}" "$here/shifted_layout.c"
check "a recorder with a layout to shift" [ $? -eq 0 ]
export VRAMSCOPE_CAPTURE_LIBRARY=$work/shifted.so
entries=1000
bad=0
for field in 1 4 5 6 11 13 15 16 17 18 19 20 21; do
	export SHIFT="$field 8"
	run python3 || { echo "# $SHIFT: status $?" && bad=$((bad + 1)); }
	if [ "$(wc -l <err)" -ne 1 ] || ! grep -q 'frames of Python 3.* are left out' err; then
		echo "# $SHIFT: not told"
		bad=$((bad + 1))
	fi
	grep -q cuMemAlloc_v2 x.pickle || bad=$((bad + 1))
done
check "another layout is told in one line, and native stacks are there" [ $bad -eq 0 ]
bad=0
for field in 3 7 8 9 10 12 14; do
	export SHIFT="$field -12"
	run python3 || { echo "# $SHIFT: status $?" && bad=$((bad + 1)); }
done
check "and does no harm" [ $bad -eq 0 ]
unset SHIFT
echo "1..$n"
