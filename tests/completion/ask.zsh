# SPDX-License-Identifier: MIT
# ask.zsh -- what zsh makes of a command line at <Tab>: each argument completed, a line each.
#
# Runs an interactive shell on a pseudo terminal, since completion exists in its line editor alone.

zmodload zsh/zpty || exit 77
zpty shell zsh -f -i
zpty -w shell '
	PROMPT= RPS1= PROMPT_EOL_MARK=; unset zle_bracketed_paste; autoload -U compinit; compinit -u -D
	source ./completions/_vramscope
	complete_and_tell() { zle complete-word; local made=$BUFFER; BUFFER=; print -r -- "<<$made>>" }
	zle -N complete_and_tell; bindkey "^I" complete_and_tell; setopt no_auto_menu no_beep
	print READ""Y'
zpty -r -m shell out '*READY*' || exit 1
for line; do
	zpty -w -n shell "$line"$'\t'
	zpty -r -m shell out '*<<*>>*' || exit 1
	out=${out##*<<}
	print -r -- "$line: ${out%%>>*}"
done
zpty -d shell
