#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deb.sh -- contrib/debian makes packages of a release; what they hold works.

. "$TOP_SRCDIR/tests/lib/data.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n=0

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

if ! command -v dpkg-buildpackage >/dev/null || ! command -v dh >/dev/null; then
	echo "1..0 # SKIP no dpkg-buildpackage or no debhelper"
	exit 0
fi

unpack() { # a release, with contrib/debian in its place
	local archive
	make -s -C "$TOP_BUILDDIR" dist >/dev/null &&
		archive=$(find "$TOP_BUILDDIR" -maxdepth 1 -name 'vramscope-*.tar.xz') &&
		tar -C "$work" -xf "$archive" && mv "$work"/vramscope-* "$work/source" &&
		cp -R "$work/source/contrib/debian" "$work/source/debian"
}
check "a release unpacks" unpack
build() {
	(cd "$work/source" && DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" \
		dpkg-buildpackage -b -uc -us)
}
check "dpkg-buildpackage" build
check "two packages" test "$(find "$work" -maxdepth 1 -name '*.deb' ! -name '*-dbgsym_*' | wc -l)" = 2
unpacks() {
	local deb
	for deb in "$work"/*.deb; do
		dpkg-deb -x "$deb" "$work/root" || return
	done
}
check "they unpack" unpacks
explains() {
	"$work/root/usr/bin/vramscope" explain "$TESTDATA/oom_split_pinned.pickle.zst" |
		grep -q '^verdict *fragmentation'
}
check "the program runs" explains
finds() { # record uses the library of the other package
	local library
	library=$(find "$work/root/usr/lib" -name libvramscope-capture.so)
	# shellcheck disable=SC2016 # the inner shell's
	[ -n "$library" ] && [ "$("$work/root/usr/bin/vramscope" record -- sh -c 'echo "$CUDA_INJECTION64_PATH"' 2>/dev/null |
		tail -n 1)" = "$(realpath "$library")" ]
}
check "record finds its library" finds
check "every command has its manual page" test \
	"$(find "$work/root/usr/share/man/man1" -name 'vramscope*.1.gz' | wc -l)" = \
	"$(find "$TOP_SRCDIR/analyze/cli/man" -name '*.1' | wc -l)"
echo "1..$n"
