#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# browser.sh -- the report's page: its script checked, bundled again and compared, tried in a browser.
#
# Prints TAP, and exits 1 when a check failed. What is not at hand (Node 20 or newer, npm's registry,
# Chromium) is skipped with a word. BROWSER_SLOWDOWN=8 makes the browser 8 times slower.

TOP_SRCDIR=${TOP_SRCDIR:-$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)}
. "$TOP_SRCDIR/tests/lib/data.sh"
viewer=$TOP_SRCDIR/reports/viewer
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

skip() { # WHY
	echo "1..0 # SKIP $1"
	exit 0
}

version=$(node --version 2>/dev/null) || skip "no node"
[ "$(printf '%s' "${version#v}" | cut -d. -f1)" -ge 20 ] || skip "node $version is older than 20"
command -v npm >/dev/null || skip "no npm"

# A copy, so that the source tree stays as it is.
cp -R "$viewer" "$work/viewer" && rm -rf "$work/viewer/node_modules"
if ! (cd "$work/viewer" && npm ci --no-audit --no-fund --ignore-scripts) >"$work/npm.log" 2>&1; then
	skip "npm ci failed: $(grep -m 1 'npm error' "$work/npm.log")"
fi

n=0
failed=0
finish() {
	echo "1..$n"
	[ "$failed" = 0 ]
	exit
}

check() { # WORDS COMMAND...
	local words=$1
	shift
	n=$((n + 1))
	if "$@" >"$work/log" 2>&1; then
		echo "ok $n - $words"
	else
		failed=$((failed + 1))
		echo "not ok $n - $words"
		sed 's/^/# /' "$work/log" | head -n 30
	fi
}

cd "$work/viewer" || exit 1
check "the script's types" npm run -s types
check "the script's lint" npx eslint src
cp dist/viewer.js "$work/committed.js"
npm run -s build >"$work/build.log" 2>&1
check "the bundle is that of its sources" cmp dist/viewer.js "$work/committed.js"
check "the bundle has at most 160,000 bytes" test "$(wc -c <dist/viewer.js)" -le 160000

chromium=
for path in "${CHROMIUM-}" /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
	# Ubuntu's package is a script that asks for a snap.
	[ -x "$path" ] && "$path" --version >/dev/null 2>&1 && chromium=$path && break
done
if [ -z "$chromium" ]; then
	n=$((n + 1))
	echo "ok $n # SKIP no Chromium"
	finish
fi
mkdir -p "$work/source/tests" "$work/source/reports"
ln -s "$work/viewer" "$work/source/reports/viewer"
scripts=$TOP_SRCDIR/tests/browser
export HOME=$work CHROMIUM=$chromium TOP_SRCDIR=$work/source
for script in report batch; do
	node "$scripts/$script.mjs" >"$work/tap" 2>"$work/err"
	failed=$((failed + $(grep -c '^not ok ' "$work/tap")))
	awk -v n="$n" '
		/^(ok|not ok) / { n++; sub(/(ok|not ok) [0-9]+/, /^not/ ? "not ok " n : "ok " n) }
		!/^1\.\./ { print }' "$work/tap"
	n=$((n + $(grep -cE '^(ok|not ok) ' "$work/tap")))
	# The plan is its last line: without it the script died on its way.
	if ! grep -q '^1\.\.' "$work/tap"; then
		n=$((n + 1))
		failed=$((failed + 1))
		echo "not ok $n - the tests of $script.mjs came to their end"
		sed 's/^/# /' "$work/err" | head -n 30
	fi
done
finish
