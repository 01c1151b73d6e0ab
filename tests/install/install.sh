#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# install.sh -- `make install` by an ordinary user, with DESTDIR and into a prefix, is whole and works.

. "$TOP_SRCDIR/tests/lib/data.sh"
. "$TOP_SRCDIR/tests/lib/cases.sh"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# Root installs as nobody, where nobody can read the build folder.
user=()
if [ "$(id -u)" = 0 ]; then
	user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${user[@]}" test -x "$TOP_BUILDDIR/vramscope" 2>/dev/null || user=()
fi
chmod 755 "$scratch"
mkdir -m 777 "$scratch/dest" "$scratch/home"

make_install() { # ARGUMENT...
	"${user[@]}" env HOME="$scratch/home" make -s -C "$TOP_BUILDDIR" install "$@"
}
check "make install DESTDIR=" make_install DESTDIR="$scratch/dest"
check "make install prefix=" make_install prefix="$scratch/home/own"

prefix=$(sed -n 's/^prefix = //p' "$TOP_BUILDDIR/Makefile")
want="bin/vramscope
include/vramscope_capture.h
lib/libvramscope-capture.so
lib/pkgconfig/vramscope-capture.pc
share/bash-completion/completions/vramscope
share/doc/vramscope/README.md
share/fish/vendor_completions.d/vramscope.fish
share/man/man1/vramscope-explain.1
share/man/man1/vramscope.1
share/zsh/site-functions/_vramscope"
has() { # ROOT: all of $want
	local file
	while read -r file; do
		[ -s "$1/$file" ] || { echo "no $file"; return 1; }
	done <<<"$want"
}
check "all is there below DESTDIR" has "$scratch/dest$prefix"
check "all is there below the prefix" has "$scratch/home/own"
nothing_else() { # the prefix holds no path of the build
	! find "$scratch/dest" -type f -exec grep -l -F -e "$scratch" {} +
}
check "nothing installed names DESTDIR" nothing_else

own=$scratch/home/own
explains() { # PROGRAM
	"$1" explain "$TESTDATA/oom_split_pinned.pickle.zst" | grep -q '^verdict *fragmentation'
}
check "the program runs from the prefix" explains "$own/bin/vramscope"
check "and from below DESTDIR" explains "$scratch/dest$prefix/bin/vramscope"
finds() { # ROOT: record uses the library that lies there
	# shellcheck disable=SC2016 # the inner shell's
	[ -e "$1/lib/libvramscope-capture.so" ] &&
		[ "$("$1/bin/vramscope" record -- sh -c 'echo "$CUDA_INJECTION64_PATH"' 2>/dev/null |
			tail -n 1)" = "$(realpath "$1/lib/libvramscope-capture.so")" ]
}
check "record finds its library in the prefix" finds "$own"
check "and below DESTDIR" finds "$scratch/dest$prefix"

if command -v man >/dev/null; then
	reads() { MANPATH=$own/share/man man "$1" | grep -q "$2"; }
	check "man vramscope-explain" reads vramscope-explain 'why'
else
	skip "man vramscope-explain" "no man"
fi

cat >"$scratch/own.c" <<'C'
#include <stdio.h>
#include <vramscope_capture.h>

int main(void)
{
	struct vramscope_capture_options options = {.struct_bytes = sizeof options};
	struct vramscope_capture_status status = {0};

	vramscope_capture_start(&options);
	vramscope_capture_status(&status);
	vramscope_capture_stop();
	return printf("%d\n", (int)status.dumps) < 0;
}
C
links() {
	local flags
	flags=$(PKG_CONFIG_PATH=$own/lib/pkgconfig pkg-config \
		--define-variable=prefix="$own" --cflags --libs vramscope-capture) || return
	# shellcheck disable=SC2086 # a list
	${CC:-cc} -o "$scratch/own" "$scratch/own.c" $flags || return
	(cd "$scratch/home" && LD_LIBRARY_PATH=$own/lib "$scratch/own")
}
check "a program links the capture library by pkg-config" links

uninstalls() {
	"${user[@]}" env HOME="$scratch/home" make -s -C "$TOP_BUILDDIR" uninstall prefix="$own" &&
		[ -z "$(find "$own" ! -type d)" ]
}
check "make uninstall leaves nothing" uninstalls
cases_end
