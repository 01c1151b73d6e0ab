#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# static.sh -- --enable-static-binary makes one file that runs where there is nothing else.

. "$TOP_SRCDIR/tests/lib/data.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n=0

skip() { # WHY
	echo "1..0 # SKIP $1"
	exit 0
}

check() { # WORDS COMMAND...: a result
	local words=$1
	shift
	n=$((n + 1))
	if "$@" >"$work/log" 2>&1; then
		echo "ok $n - $words"
	else
		echo "not ok $n - $words"
		sed 's/^/# /' "$work/log" | tail -n 20
	fi
}

mkdir "$work/build" "$work/root" "$work/root/tmp"
cd "$work/build" || exit 1
if ! "$TOP_SRCDIR/configure" -q --enable-static-binary --disable-capture CFLAGS=-O1 >"$work/log" 2>&1; then
	grep -q 'no static' "$work/log" && skip "$(grep -m 1 -o 'no static.*' "$work/log")"
fi
check "it builds" make -s -j"$(nproc)" vramscope
linked_static() { ! ldd vramscope; }
check "it needs no library" linked_static

cp vramscope "$TESTDATA/oom_split_pinned.pickle.zst" "$work/root"
alone=()
if [ "$(id -u)" = 0 ]; then
	alone=(chroot "$work/root")
elif unshare -r true 2>/dev/null; then
	alone=(unshare -r chroot "$work/root")
else
	echo "ok $((n + 1)) # SKIP no way to change the root folder"
	echo "1..$((n + 1))"
	exit 0
fi

# The same words as the usual program's, of which every library is asked: zstd, PCRE2, libxml2, SQLite.
same() { # ARGUMENT...
	(cd "$work/root" && "$VRAMSCOPE" "$@") >"$work/want" 2>&1
	"${alone[@]}" /vramscope "$@" >"$work/got" 2>&1
	[ -s "$work/want" ] && cmp "$work/want" "$work/got"
}
snapshot=oom_split_pinned.pickle.zst
check "explain in an empty root" same explain "$snapshot"
check "categories by the rules" same categories "$snapshot"
check "top with a filter" same top --filter 'oom_split' "$snapshot"
check "a manual page" same help explain
check "batch writes its database" "${alone[@]}" /vramscope batch -j 1 -o /out "$snapshot"
query() {
	"${alone[@]}" /vramscope query /out/summary.sqlite 'SELECT count(*) AS files FROM files' >"$work/got" &&
		grep -qw 1 "$work/got"
}
check "query reads it" query
echo "1..$n"
