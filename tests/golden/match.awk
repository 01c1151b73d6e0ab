# SPDX-License-Identifier: MIT
# match.awk -- does a text match its expectation? A line `...` there stands for any lines.
#
#     awk -f match.awk EXPECTED GOT
#
# Exit 0 when it does; else 1, after telling the first expected line that finds no partner.

FNR == 1 { file++ }
file == 1 && FILENAME == ARGV[1] { want[++n_want] = $0; next }
{ got[++n_got] = $0 }

END {
	w = g = 1
	far_w = far_g = 1
	star = 0
	while (g <= n_got) {
		if (w <= n_want && want[w] == "...") {
			star = w++
			mark = g
		} else if (w <= n_want && want[w] == got[g]) {
			w++
			g++
		} else if (star) {
			if (w >= far_w) {
				far_w = w
				far_g = g
			}
			w = star + 1
			g = ++mark
		} else {
			report(w, g)
			exit 1
		}
	}
	while (w <= n_want && want[w] == "...")
		w++
	if (w <= n_want) {
		if (star && far_w > w)
			report(far_w, far_g)
		else
			report(w, g)
		exit 1
	}
	exit 0
}

function report(w, g) {
	print "line " w " wants: " (w <= n_want ? want[w] : "(the end)")
	print "line " g " has:   " (g <= n_got ? got[g] : "(the end)")
}
