#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deb.sh -- contrib/debian makes packages of a release; what they hold works.

. "$TOP_SRCDIR/tests/lib/data.sh"
. "$TOP_SRCDIR/tests/lib/cases.sh"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

if ! command -v dpkg-buildpackage >/dev/null || ! command -v dh >/dev/null; then
	skip_all "no dpkg-buildpackage or no debhelper"
fi

unpack() { # a release, with contrib/debian in its place
	local archive
	make -s -C "$TOP_BUILDDIR" dist >/dev/null &&
		archive=$(find "$TOP_BUILDDIR" -maxdepth 1 -name 'vramscope-*.tar.xz') &&
		tar -C "$scratch" -xf "$archive" && mv "$scratch"/vramscope-* "$scratch/source" &&
		cp -R "$scratch/source/contrib/debian" "$scratch/source/debian"
}
check "a release unpacks" unpack
build() {
	(cd "$scratch/source" && DEB_BUILD_OPTIONS="nocheck noopt noautodbgsym parallel=$(nproc)" \
		dpkg-buildpackage -b -uc -us)
}
check "dpkg-buildpackage" build
check "two packages" test "$(find "$scratch" -maxdepth 1 -name '*.deb' ! -name '*-dbgsym_*' | wc -l)" = 2
unpacks() {
	local deb
	for deb in "$scratch"/*.deb; do
		dpkg-deb -x "$deb" "$scratch/root" || return
	done
}
check "they unpack" unpacks
explains() {
	"$scratch/root/usr/bin/vramscope" explain "$TESTDATA/oom_split_pinned.pickle.zst" |
		grep -q '^verdict *fragmentation'
}
check "the program runs" explains
finds() { # record uses the library of the other package
	local library
	library=$(find "$scratch/root/usr/lib" -name libvramscope-capture.so)
	# shellcheck disable=SC2016 # the inner shell's
	[ -n "$library" ] && [ "$("$scratch/root/usr/bin/vramscope" record -- sh -c 'echo "$CUDA_INJECTION64_PATH"' 2>/dev/null |
		tail -n 1)" = "$(realpath "$library")" ]
}
check "record finds its library" finds
check "every command has its manual page" test \
	"$(find "$scratch/root/usr/share/man/man1" -name 'vramscope*.1.gz' | wc -l)" = \
	"$(find "$TOP_SRCDIR/analyze/cli/man" -name '*.1' | wc -l)"
cases_end
