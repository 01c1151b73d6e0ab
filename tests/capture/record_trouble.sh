#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record_trouble.sh -- the recorder where files cannot be written or only in part, and processes that
# are killed at any moment: the program runs on, one line is told, nothing half done has a final name.
#
# VRAMSCOPE_KILLS is the number of processes killed at random moments (40). Where nothing can be
# mounted, what needs a small disk is left out.

# shellcheck disable=SC1091,SC2154 # what they set
. "$(dirname -- "$0")/../lib/data.sh"
skip_when_quick
skip_when_sanitized
. "$(dirname -- "$0")/driver_lib.sh"

disk=$work/disk
mkdir "$disk"
# No memory runs out here: dumps are those that are asked for.
export FAKE_CUDA_BYTES=100000000000

one_line() { # PATTERN: the only line of stderr
	if [ "$(wc -l <err)" -eq 1 ] && grep -qE -- "$1" err; then return; fi
	sed 's/^/#   /' err
	return 1
}
holds() { # FILE...: a consistent snapshot
	valid "$@" && return
	sed 's/^/#   /' validated
	return 1
}

start() { # NAME=VALUE... PROGRAM ARGUMENT...: in the background, until there is a ring
	local ring=x.ring
	case $* in *"RING=$disk"*) ring=$disk/x.ring ;; esac
	rm -f x.*
	env CUDA_INJECTION64_PATH="$library" VRAMSCOPE_CAPTURE_OUTPUT=x.pickle "$@" 2>err &
	pid=$!
	until [ "$(head -c 8 "$ring" 2>/dev/null | tr -d '\0')" = VRAMRING ]; do :; done
}

# ---- compressed ----

fresh
record -o x.pickle.zst -- "$work/load" storm 4 2000
check "a compressed snapshot, and no ring" [ "$(count '*.pickle.zst')$(count '*.ring')" = 10 ]
check "it is zstd" [ "$(head -c 4 x.pickle.zst | od -An -tx1 | tr -d ' ')" = 28b52ffd ]
check "and consistent" holds x.pickle.zst
fresh
FAKE_CUDA_BYTES=50000000 record -o x.pickle.zst -- "$work/load" oom
check "the second one is numbered before its suffixes" holds x_2.pickle.zst
fresh
mkdir without
echo 'no library' >without/libzstd.so.1
record -o x.pickle.zst -- env "LD_LIBRARY_PATH=$PWD/without:$LD_LIBRARY_PATH" "$work/load" kinds
check "without libzstd it is told" one_line "^vramscope: no libzstd.so.1 is here: 'x.pickle' is not"
check "and written as it is" holds x.pickle
check "under no other name" [ ! -e x.pickle.zst ]

# ---- disks ----

small() { # OPTION...: a disk of 192 KiB, or false
	umount "$disk" 2>/dev/null
	mount -t tmpfs -o "size=192k${1:+,$1}" none "$disk" 2>/dev/null
}
trap 'umount "$disk" 2>/dev/null; rm -rf "$work"' EXIT
if small; then
	fresh
	record -o "$disk/x.pickle" -- "$work/load" kinds
	check "no room for the ring: the program's status" [ $? -eq 0 ]
	check "no room for the ring: one line" one_line '^vramscope: not recording: .*No space left'
	check "no room for the ring: nothing is left" [ -z "$(ls -A "$disk")" ]
	for suffix in pickle pickle.zst; do
		small
		fresh
		VRAMSCOPE_CAPTURE_RING=x.ring record -o "$disk/x.$suffix" -- "$work/load" storm 4 9000
		check "no room for a .$suffix: the program's status" [ $? -eq 0 ]
		check "no room for a .$suffix: one line" \
			one_line "^vramscope: cannot write '$disk/x.$suffix': No space left"
		check "no room for a .$suffix: nothing half done" [ -z "$(ls -A "$disk")" ]
		check "no room for a .$suffix: the ring has it all" holds x.ring
	done
	# The disk fills up while the program runs: the ring's room was taken before.
	umount "$disk" && mount -t tmpfs -o size=8m none "$disk"
	fresh
	start VRAMSCOPE_CAPTURE_OOM=no "VRAMSCOPE_CAPTURE_OUTPUT=$disk/x.pickle" VRAMSCOPE_CAPTURE_MAX_ENTRIES=1000 \
		VRAMSCOPE_CAPTURE_RING="$disk/x.ring" "$work/load" storm 2 60000
	cat /dev/zero >"$disk/filler" 2>/dev/null
	wait "$pid"
	check "a disk that fills up: the program's status" [ $? -eq 0 ]
	check "a disk that fills up: one line" one_line "^vramscope: cannot write .*No space left"
	check "a disk that fills up: the ring has it all" holds "$disk/x.ring"
	small ro
	fresh
	record -o "$disk/x.pickle" -- "$work/load" kinds
	check "a disk that cannot be written: the program's status" [ $? -eq 0 ]
	check "a disk that cannot be written: one line" one_line 'not recording: .*Read-only file system'
	umount "$disk"
else
	check "small disks # SKIP nothing can be mounted here" true
fi

fresh
mkdir gone
# shellcheck disable=SC2016 # the inner shell's
record -o gone/x.pickle -- bash -c '"$1" storm 2 9000 & sleep 0.1; rm -rf gone; wait $!' - "$work/load"
check "a folder that goes away: the program's status" [ $? -eq 0 ]
check "a folder that goes away: one line" one_line "^vramscope: cannot write 'gone/x.pickle': No such"
if command -v prlimit >/dev/null; then
	fresh
	start VRAMSCOPE_CAPTURE_OOM=no VRAMSCOPE_CAPTURE_MAX_ENTRIES=4000 "$work/load" storm 4 30000
	prlimit --pid "$pid" --fsize=100000
	wait "$pid"
	check "a limit on files: the program's status" [ $? -eq 0 ]
	check "a limit on files: one line" one_line '^vramscope: cannot write .*File too large'
	check "a limit on files: nothing half done" [ "$(count '*.pickle*')" -eq 0 ]
	check "a limit on files: the ring has it all" holds x.ring
fi
fresh
VRAMSCOPE_CAPTURE_RING=x.ring record -o "$(printf 'y%.0s' {1..300}).pickle" -- "$work/load" kinds
check "a name that is too long" one_line '^vramscope: cannot write .*File name too long'

# ---- kills ----

finish() { # SIGNAL
	kill "-$1" "$pid"
	wait "$pid" 2>/dev/null
}

fresh
kills=${VRAMSCOPE_KILLS:-40}
recovered=0
ways=("storm 4" "forks 4" "storm 1" "storm 16")
for ((i = 0; i < kills; i++)); do
	read -ra way <<<"${ways[i % 4]}"
	start VRAMSCOPE_CAPTURE_MAX_ENTRIES=$((64 + i * 7)) "$work/load" "${way[@]}"
	sleep "0.0$((RANDOM % 40 + 10))"
	finish KILL
	if holds x.ring && "$VRAMSCOPE" recover x.ring -o r.pickle.zst && holds r.pickle.zst; then
		recovered=$((recovered + 1))
	else
		cp x.ring "/tmp/failed_$i.ring"
	fi
done
check "$kills processes killed, $recovered recovered and consistent" [ "$recovered" -eq "$kills" ]

whole=0 part=0
for ((i = 0; i < 6; i++)); do
	start VRAMSCOPE_CAPTURE_SIGNAL=USR2 VRAMSCOPE_CAPTURE_MAX_ENTRIES=65000 "$work/load" storm 2
	sleep 0.15
	kill -USR2 "$pid"
	until [ -e x.pickle.part ] || [ -e x.pickle ]; do :; done
	sleep "0.00$i"
	finish KILL
	if [ -e x.pickle ]; then
		holds x.pickle || break
		whole=$((whole + 1))
	else
		[ -e x.pickle.part ] && part=$((part + 1))
	fi
	holds x.ring || break
done
check "killed while dumping: $whole whole files, $part that have no final name" [ $i -eq 6 ]
echo "1..$n"
