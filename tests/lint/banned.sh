#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# banned.sh -- calls that overflow, hide errors or start a shell are not used.

. "${TOP_SRCDIR:-$(dirname -- "$0")/../..}/tests/lib/lint.sh"

offenders() { # FILE ...
	grep -nE '(^|[^[:alnum:]_])(strcpy|strcat|sprintf|vsprintf|gets|strtok|atoi|atol|atoll|atof|system|popen|alloca|setjmp|longjmp)[[:space:]]*\(' \
		/dev/null "$@" | sed -E 's/^([^:]*:[0-9]+):[[:space:]]*/\1 /'
}

mapfile -t files < <(c_files)
offenders "${files[@]}" | finding "no banned call is used"

# Only cli/ talks to people and ends the process.
mapfile -t files < <(c_files analyze reports | grep -v '^analyze/cli/')
grep -nE '(^|[^[:alnum:]_>.])(printf|puts|putchar|perror|exit|_exit|abort|fputs|vprintf)[[:space:]]*\(|(^|[^[:alnum:]_])(stdout|stderr)([^[:alnum:]_]|$)' \
	/dev/null "${files[@]}" | grep -vE ':[0-9]+:[[:space:]]*(/\*|\*|//)' |
	sed -E 's/^([^:]*:[0-9]+):[[:space:]]*/\1 /' |
	finding "only cli/ prints or exits"

# Two models can be open at once: nothing outside cli/ keeps what changes between calls.
grep -nE '^[[:space:]]*static [^(=;]*(=[^(]*)?;' /dev/null "${files[@]}" |
	grep -vE 'static (inline )?const |static const|\bconst [[:alnum:]_]+(\[[^]]*\])* *[=;]|\*const ' |
	sed -E 's/^([^:]*:[0-9]+):[[:space:]]*/\1 /' |
	finding "no mutable statics outside cli/"

planted=$(mktemp) || exit 1
trap 'rm -f "$planted"' EXIT
for call in strcpy strcat sprintf gets strtok atoi system popen; do
	echo "	x = $call(y);" >"$planted"
	offenders "$planted" | finding_expected "$call is found"
done
echo '	x = snprintf(y, n, "%s", my_system(z));' >"$planted"
offenders "$planted" | finding "snprintf is allowed"
lint_done
