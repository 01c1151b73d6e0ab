#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# static.sh -- --enable-static-binary makes one file that runs where there is nothing else.

. "$TOP_SRCDIR/tests/lib/data.sh"
. "$TOP_SRCDIR/tests/lib/cases.sh"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

mkdir "$scratch/build" "$scratch/root" "$scratch/root/tmp"
cd "$scratch/build" || exit 1
if ! "$TOP_SRCDIR/configure" -q --enable-static-binary --disable-capture CFLAGS=-O1 >"$scratch/log" 2>&1; then
	grep -q 'no static' "$scratch/log" && skip_all "$(grep -m 1 -o 'no static.*' "$scratch/log")"
fi
check "it builds" make -s -j"$(nproc)" vramscope
linked_static() { ! ldd vramscope; }
check "it needs no library" linked_static

cp vramscope "$TESTDATA/oom_split_pinned.pickle.zst" "$scratch/root"
alone=()
if [ "$(id -u)" = 0 ]; then
	alone=(chroot "$scratch/root")
elif unshare -r true 2>/dev/null; then
	alone=(unshare -r chroot "$scratch/root")
else
	skip "it runs in an empty root" "no way to change the root folder"
	cases_end
fi

# The same words as the usual program's, of which every library is asked: zstd, PCRE2, libxml2, SQLite.
same() { # ARGUMENT...
	(cd "$scratch/root" && "$VRAMSCOPE" "$@") >"$scratch/want" 2>&1
	"${alone[@]}" /vramscope "$@" >"$scratch/got" 2>&1
	[ -s "$scratch/want" ] && cmp "$scratch/want" "$scratch/got"
}
snapshot=oom_split_pinned.pickle.zst
check "explain in an empty root" same explain "$snapshot"
check "categories by the rules" same categories "$snapshot"
check "top with a filter" same top --filter 'oom_split' "$snapshot"
check "a manual page" same help explain
check "batch writes its database" "${alone[@]}" /vramscope batch -j 1 -o /out "$snapshot"
query() {
	"${alone[@]}" /vramscope query /out/summary.sqlite 'SELECT count(*) AS files FROM files' >"$scratch/got" &&
		grep -qw 1 "$scratch/got"
}
check "query reads it" query
cases_end
