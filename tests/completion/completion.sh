#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# completion.sh -- what the words for zsh and fish make of command lines; bash's are a golden case.

here=$(cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export HOME=$work XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work TERM=dumb
mkdir bin completions
ln -s "$VRAMSCOPE" bin/vramscope
export PATH=$work/bin:$PATH
"$VRAMSCOPE" completion zsh >completions/_vramscope
"$VRAMSCOPE" completion fish >completions/vramscope.fish
touch crash.pickle
n=0

same() { # WORDS GOT WANT: a result
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
		return
	fi
	echo "not ok $n - $1"
	printf '#   got  %s\n#   want %s\n' "${2//$'\n'/ | }" "${3//$'\n'/ | }"
}

skip() { # WHY
	n=$((n + 1))
	echo "ok $n # SKIP $1"
}

# LINE, a tab, and the line that <Tab> makes of it.
zsh_cases="vramscope expl	vramscope explain 
vramscope state --a	vramscope state --at=
vramscope state --at=p	vramscope state --at=peak 
vramscope state --at p	vramscope state --at peak 
vramscope slice --around=o	vramscope slice --around=oom 
vramscope info --units M	vramscope info --units MiB 
vramscope help va	vramscope help validate 
vramscope completion z	vramscope completion zsh 
vramscope info cr	vramscope info crash.pickle 
vramscope report -o cr	vramscope report -o crash.pickle "

if command -v zsh >/dev/null; then
	lines=()
	want=
	while IFS=$'\t' read -r line made; do
		lines+=("$line")
		want+="$line: $made"$'\n'
	done <<<"$zsh_cases"
	got=$(timeout 120 zsh -f "$here/ask.zsh" "${lines[@]}" 2>&1)
	case $? in
	77) skip "zsh without pseudo terminals" ;;
	*) while IFS= read -r line; do
		same "zsh, ${line%%: *}" "$(grep -F -m 1 "${line%%: *}: " <<<"$got")" "$line"
	done <<<"${want%$'\n'}" ;;
	esac
else
	skip "no zsh"
fi

# LINE, a tab, and the words that fish offers, without what it says of them.
fish_cases="vramscope exp	explain export
vramscope --v	--version
vramscope state --a	--at
vramscope state --at p	peak
vramscope slice --around 	oom peak
vramscope help va	validate
vramscope completion 	bash fish words zsh
vramscope info cr	crash.pickle
vramscope report -o cr	crash.pickle"

if command -v fish >/dev/null; then
	while IFS=$'\t' read -r line want; do
		# shellcheck disable=SC2016 # fish's own
		got=$(fish --no-config -c 'source completions/vramscope.fish; complete -C $argv[1]' \
			"$line" </dev/null 2>/dev/null | cut -f 1 | LC_ALL=C sort | paste -s -d ' ')
		same "fish, $line" "$got" "$want"
	done <<<"$fish_cases"
	got=$(fish --no-config -c 'source completions/vramscope.fish; complete -C "vramscope expl"' \
		</dev/null 2>/dev/null)
	same "fish tells what a command is for" "$got" \
		$'explain\tWhy did it run out of memory, and what helps'
else
	skip "no fish"
fi
echo "1..$n"
