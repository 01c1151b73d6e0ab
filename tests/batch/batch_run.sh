#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# batch_run.sh -- whole batches: rows against info and explain, kills, crashes, an altered rank.

set -u
here=$(cd -- "$(dirname -- "$0")" && pwd)
TOP_SRCDIR=${TOP_SRCDIR:-$here/../..}
. "$here/../lib/data.sh"
. "$here/../lib/cases.sh"
export LC_ALL=C TZ=UTC
skip_without_program
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
ask() { # SQL
	"$VRAMSCOPE" query --csv out/summary.sqlite "$1" | tr -d '\r' | sed 1d
}

# --- rows equal what info and explain say -------------------------------------------------------

# Every figure that both have: rows_equal.py lists them.
rows_equal() { # FOLDER ...
	rm -rf out
	"$VRAMSCOPE" batch -o out "$@" >/dev/null 2>&1
	python3 "$here/rows_equal.py" "$VRAMSCOPE" out/summary.json
}

if command -v python3 >/dev/null; then
	check "rows of test data equal info and explain" rows_equal "$TESTDATA"
else
	skip "rows of test data equal info and explain" "no python3 here"
	"$VRAMSCOPE" batch -o out "$TESTDATA" >/dev/null 2>&1
fi

failed_have_reasons() {
	[ "$(ask "SELECT count(*) FROM files WHERE status <> 'ok' AND coalesce(reason, '') = ''")" = 0 ] &&
		[ "$(ask "SELECT count(*) FROM files WHERE status = 'failed'")" -gt 0 ]
}
check "what is not read has a reason" failed_have_reasons

if [ -n "$VRAMSCOPE_SHARED" ] && [ -z "${VRAMSCOPE_QUICK-}${SANITIZERS-}" ] && command -v python3 >/dev/null; then
	check "rows of real recordings equal info and explain" \
		rows_equal "$VRAMSCOPE_SHARED"/data "$VRAMSCOPE_SHARED"/public
	check "none of them is lost" test "$(ask 'SELECT count(*) FROM files')" -gt 90
else
	skip "rows of real recordings equal info and explain" "no real recordings, or no python3, here"
fi

# --- an altered rank among equal ones -----------------------------------------------------------

outlier_found() {
	local rank
	rm -rf out ranks
	mkdir ranks
	for rank in $(seq 0 63); do
		cp "$TESTDATA"/leak_graph_step_20.pickle.zst "ranks/rank$rank.pickle.zst"
	done
	cp "$TESTDATA"/leak_graph_step_40.pickle.zst ranks/rank37.pickle.zst
	"$VRAMSCOPE" batch -o out ranks >/dev/null 2>&1 || return 1
	ask 'SELECT DISTINCT rank FROM outliers JOIN files USING (file_id)'
	[ "$(ask 'SELECT DISTINCT rank FROM outliers JOIN files USING (file_id)')" = 37 ] &&
		[ "$(ask "SELECT count(*) FROM outliers WHERE measure = 'peak_allocated_bytes'")" = 1 ] &&
		[ "$(ask "SELECT count(*) FROM outliers WHERE measure = 'site_bytes_at_peak'")" -ge 1 ] &&
		ask "SELECT reason FROM outliers WHERE measure = 'peak_allocated_bytes'" |
		grep -q 'peak of allocated bytes is .* MiB; the median of 64 files is .* MiB'
}
check "one altered rank of 64 is the outlier" outlier_found

# --- killed at any moment -----------------------------------------------------------------------

files_in() { # FOLDER: whole results
	find "$1" -name '*.json' 2>/dev/null | wc -l
}

survives_kills() {
	local before=0 now i pid result
	rm -rf out ranks
	mkdir ranks
	for i in $(seq 1 12); do
		cp "$TESTDATA"/oom_split_pinned.pickle.zst "ranks/rank$i.pickle.zst"
		# Each its own content: bytes behind the end are told and do no harm.
		zstd -qf -d "ranks/rank$i.pickle.zst" -o "ranks/rank$i.pickle" && rm "ranks/rank$i.pickle.zst"
		head -c "$i" /dev/zero >>"ranks/rank$i.pickle"
	done
	"$VRAMSCOPE" batch -j 1 -o whole ranks >/dev/null 2>&1
	for i in $(seq 1 20); do
		"$VRAMSCOPE" batch -j 2 -o out ranks >/dev/null 2>&1 &
		pid=$!
		sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
		kill -9 $pid 2>/dev/null
		wait $pid 2>/dev/null
		now=$(files_in out/results)
		[ "$now" -ge "$before" ] || { echo "results were lost: $before, then $now"; return 1; }
		before=$now
		# Half of them meet a run that has much to do.
		if [ $i -eq 10 ]; then
			rm -rf out
			before=0
		fi
		[ ! -e out/summary.json ] || tail -c 2 out/summary.json | grep -qx '}' ||
			{ echo "the summary is cut"; return 1; }
		[ ! -e out/summary.sqlite ] || ask 'SELECT count(*) FROM files' >/dev/null ||
			{ echo "the database is not whole"; return 1; }
		for result in out/results/*.json; do
			[ ! -e "$result" ] || tail -c 2 "$result" | grep -qx '}' ||
				{ echo "$result is cut"; return 1; }
		done
	done
	"$VRAMSCOPE" batch -j 2 -o out ranks >/dev/null 2>log || { cat log; return 1; }
	# A worker may still have finished its file when its parent was gone: more may be known.
	[ "$(grep -c ': known' log)" -ge "$before" ] || { echo "$before were there"; cat log; return 1; }
	cmp whole/summary.json out/summary.json
}
if command -v zstd >/dev/null; then
	check "twenty kills lose nothing that was done" survives_kills
else
	skip "twenty kills lose nothing that was done" "no zstd here"
fi

# --- what is kept, and what not -----------------------------------------------------------------

refusals_are_kept() {
	rm -rf out in
	mkdir in
	head -c 3000 "$TESTDATA"/oom_split_pinned.pickle.zst >in/cut.pickle.zst
	echo '{"some": "settings"}' >in/conf.json
	cp "$TESTDATA"/leak_graph_step_10.pickle.zst in/whole.pickle.zst
	"$VRAMSCOPE" batch -j 1 -o out in >first 2>/dev/null
	[ "$(find out/results -name '*.refused*.json' | wc -l)" = 2 ] || { ls out/results; return 1; }
	"$VRAMSCOPE" batch -j 1 -o out in >second 2>log
	cat log
	cmp first second && grep -q 'whole.pickle.zst: known' log || return 1
	# It was not read again: the row has the words that are kept.
	sed -i 's/"reason": "/&kept: /' out/results/*.refused*.json
	"$VRAMSCOPE" batch -j 1 -o out in 2>/dev/null | grep -q 'failed: kept: ' || return 1
	# A file named by itself is a row, whatever it holds.
	"$VRAMSCOPE" batch -j 1 -o out in/conf.json >/dev/null 2>&1
	[ $? = 3 ] && [ "$(ask "SELECT count(*) FROM files WHERE status = 'failed'")" = 1 ] || return 1
	"$VRAMSCOPE" batch -j 1 --limit 100K -o out "$TESTDATA"/leak_graph_step_40.pickle.zst >/dev/null 2>&1
	[ $? = 3 ] || return 1
	"$VRAMSCOPE" batch -j 1 -o out "$TESTDATA"/leak_graph_step_40.pickle.zst >/dev/null 2>&1
}
check "refusals are kept, those for want of memory are not" refusals_are_kept

damaged_result_is_made_anew() {
	local result
	rm -rf out
	"$VRAMSCOPE" batch -j 1 -o out "$TESTDATA"/leak_graph_step_10.pickle.zst >/dev/null 2>&1
	cp out/summary.json before.json
	for result in out/results/*.json; do
		head -c 100 "$result" >short.json && cp short.json "$result"
	done
	"$VRAMSCOPE" batch -j 1 -o out "$TESTDATA"/leak_graph_step_10.pickle.zst >/dev/null 2>log ||
		{ cat log; return 1; }
	cmp before.json out/summary.json
}
check "a damaged result is made anew" damaged_result_is_made_anew

rules_reach_workers() {
	local file=$TESTDATA/oom_split_pinned.pickle.zst
	rm -rf out
	echo '<rules><site is="library" path="/exp/scen\.py$" function="^oom_split_pinned$"/></rules>' >rules.xml
	"$VRAMSCOPE" batch -o out "$file" >/dev/null 2>&1 || return 1
	ask 'SELECT oom_site FROM files' >without
	"$VRAMSCOPE" batch -o out --rules rules.xml "$file" >/dev/null 2>log || { cat log; return 1; }
	ask 'SELECT oom_site FROM files' | tr -d '"' >with
	"$VRAMSCOPE" explain --json --rules rules.xml "$file" | grep -qF "\"$(cat with)\"" ||
		{ cat with; return 1; }
	! cmp -s with without
}
check "rules reach the workers, and results of other rules are not taken" rules_reach_workers

pages_equal_report() {
	local page n
	rm -rf out in
	mkdir in
	cp "$TESTDATA"/leak_graph_step_10.pickle.zst in/a.pickle.zst
	cp "$TESTDATA"/oom_split_pinned.pickle.zst in/b.pickle.zst
	"$VRAMSCOPE" batch -o out --pages in >/dev/null 2>log || { cat log; return 1; }
	"$VRAMSCOPE" report in/a.pickle.zst -o a.html
	"$VRAMSCOPE" report in/b.pickle.zst -o b.html
	n=0
	for page in $(grep -o 'pages/[0-9a-f]\{64\}.html' out/index.html | sort -u); do
		cmp -s "out/$page" a.html || cmp -s "out/$page" b.html || return 1
		n=$((n + 1))
	done
	[ $n = 2 ]
}
check "the pages of files are those of report" pages_equal_report

crash_is_a_row() {
	local i pid child
	rm -rf out slow
	mkdir slow
	mkfifo slow.pickle
	cp "$TESTDATA"/oom_split_pinned.pickle.zst slow/
	"$VRAMSCOPE" batch -j 1 -o out slow.pickle slow >/dev/null 2>log &
	pid=$!
	# The worker waits for the pipe; it is killed there.
	for i in $(seq 1 100); do
		child=$(ps -o pid= --ppid $pid 2>/dev/null | head -n 1 | tr -d ' ')
		[ -z "$child" ] || break
		sleep 0.05
	done
	kill -ABRT "$child"
	wait $pid
	[ $? = 3 ] || return 1
	ask "SELECT file, status, reason FROM files"
	[ "$(ask "SELECT count(*) FROM files WHERE status = 'failed' AND reason LIKE '%crashed%'")" = 1 ] &&
		[ "$(ask "SELECT count(*) FROM files WHERE status = 'ok'")" = 1 ]
}
check "a crash is a row, and harms no other" crash_is_a_row

too_little_memory() {
	rm -rf out
	"$VRAMSCOPE" batch -j 1 --limit 700K -o out "$TESTDATA"/leak_graph_step_40.pickle.zst "$TESTDATA"/oom_split_pinned.pickle.zst
	[ $? = 3 ] && [ "$(ask "SELECT count(*) FROM files WHERE reason LIKE '%limit%'")" -ge 1 ]
}
check "too little memory is a row" too_little_memory

pipe_is_read() {
	rm -rf out
	"$VRAMSCOPE" batch -o out - <"$TESTDATA"/oom_split_pinned.pickle.zst >/dev/null 2>&1 &&
		[ "$(ask 'SELECT verdict FROM files' | tr -d '"')" = fragmentation ]
}
check "standard input is read" pipe_is_read

equal_for_all_jobs() {
	rm -rf one many
	"$VRAMSCOPE" batch -j 1 -o one "$TESTDATA" >/dev/null 2>&1
	"$VRAMSCOPE" batch -j 7 -o many "$TESTDATA" >/dev/null 2>&1
	cmp one/summary.json many/summary.json
}
check "the number of processes changes nothing" equal_for_all_jobs

cases_done
