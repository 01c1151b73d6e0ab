#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# includes.sh -- data flows from left to right through the layers, and #include points left only.

. "${TOP_SRCDIR:-$(dirname -- "$0")/../..}/tests/lib/lint.sh"

# Print each include of a tree that goes to the right, or names no layer.
offenders() { # TREE
	(cd "$1" && find analyze reports capture -name '*.[ch]' -type f 2>/dev/null | sort |
		xargs -r awk '
		BEGIN {
			n = split("base decode model replay passes reports cli", layer, " ")
			for (i = 1; i <= n; i++)
				rank[layer[i]] = i
		}
		FNR == 1 {
			split(FILENAME, part, "/")
			own = part[1] == "analyze" ? part[2] : part[1]
		}
		/^[ \t]*#[ \t]*include[ \t]*"/ {
			path = $0
			sub(/^[^"]*"/, "", path)
			sub(/".*/, "", path)
			to = path
			if (!sub(/\/.*/, "", to))
				to = ""
			if (path == "config.h") {
				if (FILENAME ~ /\.h$/)
					tell("config.h belongs in .c files")
			} else if (own == "capture") {
				if (to != "capture")
					tell("capture/ includes nothing of the analyser")
			} else if (path == "capture/snapshot_writer.h") {
				if (own != "model" && own != "reports" && own != "cli")
					tell("only model/, reports/ and cli/ write snapshots")
			} else if (path == "capture/format.h" || path == "capture/image.h") {
				if (own != "model" && own != "cli")
					tell("only model/ and cli/ share files with capture/")
			} else if (!(to in rank)) {
				tell("\"" path "\" names no layer")
			} else if (rank[to] > rank[own]) {
				tell(own " includes " to ", which is to its right")
			}
		}
		function tell(words) { print FILENAME ":" FNR " " words }')
}

offenders . | finding "includes point to the left only"

# The rule itself, tried on a tree with one offence each.
planted=$(mktemp -d) || exit 1
trap 'rm -rf "$planted"' EXIT
plant() { # FILE INCLUDE
	rm -rf "${planted:?}"/*
	mkdir -p "$planted/$(dirname -- "$1")"
	printf '#include "%s"\n' "$2" >"$planted/$1"
}
while read -r file include; do
	plant "$file" "$include"
	offenders "$planted" | finding_expected "$file must not include \"$include\""
done <<'EOT'
analyze/base/x.c model/model.h
analyze/decode/x.h model/ids.h
analyze/model/x.c replay/replay.h
analyze/passes/x.c reports/emit.h
reports/x.c cli/command.h
analyze/model/x.h config.h
analyze/base/x.c vec.h
capture/x.c base/vec.h
analyze/passes/x.c capture/format.h
EOT
while read -r file include; do
	plant "$file" "$include"
	offenders "$planted" | finding "$file may include \"$include\""
done <<'EOT'
analyze/cli/x.c base/error.h
analyze/model/x.c model/model.h
analyze/model/x.c capture/format.h
reports/x.c passes/site.h
analyze/base/x.c config.h
EOT
lint_done
