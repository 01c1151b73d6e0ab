#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# recipes.sh -- the commands of contrib/ run as they are written there, on test data.
#
# What is not at hand is stood in for: train.py by copies of recordings, aws by cat, pods by shells
# whose /data is a folder here. GNU parallel runs on this machine alone.

set -u
here=$(cd -- "$(dirname -- "$0")" && pwd)
TOP_SRCDIR=${TOP_SRCDIR:-$here/../..}
. "$here/../lib/data.sh"
. "$here/../lib/cases.sh"
export LC_ALL=C TZ=UTC
contrib=$TOP_SRCDIR/contrib
skip_without_program
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
# The blocks of a section of README.md.
readme_block() { # SECTION
	awk -v section="## $1" '
		/^## / { here = $0 == section }
		here && /^```$/ { block = 0 }
		here && block
		here && /^```sh$/ { block = 1 }' "$contrib/README.md"
}

# The text of a YAML block scalar (`KEY: |` or `- |`) that comes after a line that fits.
yaml_block() { # FILE AFTER
	awk -v after="$2" '
		function indent(s) { match(s, /^ */); return RLENGTH }
		block && NF && indent($0) <= outer { exit }
		block { print }
		seen && /\|$/ && !block { block = 1; outer = indent($0) }
		$0 ~ after { seen = 1; if (/\|$/) { block = 1; outer = indent($0) } }' "$1"
}

mkdir bin dumps
ln -s "$VRAMSCOPE" bin/vramscope
cat >bin/python <<'X'
#!/bin/sh
mkdir -p dumps
X
cat >bin/aws <<'X'
#!/bin/sh
cat "dumps/${3##*/}"
X
chmod +x bin/python bin/aws
PATH=$scratch/bin:$PATH
i=0
for file in "$TESTDATA"/leak_graph_step_*.pickle.zst "$TESTDATA"/oom_*.pickle.zst "$TESTDATA"/bad-cut.pickle; do
	cp "$file" "dumps/rank$i.pickle"
	i=$((i + 1))
done
cp dumps/rank0.pickle dumps/rank0.pickle.zst

# --- Kubernetes ----------------------------------------------------------------------------------

pods() {
	local index
	mkdir data
	cp -R dumps data/dumps
	yaml_block "$contrib/kubernetes/indexed-job.yaml" 'args:' | sed "s,/data,$scratch/data,g" >pod.sh
	yaml_block "$contrib/kubernetes/merge-job.yaml" 'args:' | sed "s,/data,$scratch/data,g" >merge.sh
	cat pod.sh merge.sh
	grep -q 'vramscope batch' pod.sh && grep -q 'vramscope merge' merge.sh || return 1
	for index in 0 1 2 3 4 5 6 7; do
		JOB_COMPLETION_INDEX=$index sh pod.sh || { echo "pod $index: $?"; return 1; }
	done
	sh merge.sh
	[ $? = 3 ] || return 1
	"$VRAMSCOPE" batch -o data/alone "$scratch/data/dumps"
	cmp data/alone/summary.json data/summary/summary.json
}
check "the pods and the merge make what one machine makes" pods

missing_part() {
	rm -rf data/parts/4 data/summary
	! sh merge.sh && [ ! -e data/summary/summary.json ]
}
check "a missing part is no summary" missing_part

pod_status() {
	sed 's/--shard/--shards/' pod.sh >wrong.sh
	JOB_COMPLETION_INDEX=0 sh wrong.sh
	[ $? = 2 ]
}
check "wrong options end a pod with 2, which ends the job" pod_status

# --- GNU parallel --------------------------------------------------------------------------------

with_parallel() {
	readme_block 'GNU parallel' | sed 's/node1,node2/:/' >parallel.sh
	grep -q '^parallel' parallel.sh || return 1
	bash parallel.sh
	"$VRAMSCOPE" batch -o alone dumps
	cmp alone/summary.json summary/summary.json
}
if parallel --version 2>/dev/null | grep -q 'GNU parallel'; then
	check "GNU parallel and merge make it, too" with_parallel
else
	skip "GNU parallel and merge make it, too" "no GNU parallel here"
fi

# --- object stores -------------------------------------------------------------------------------

from_store() {
	readme_block 'Object stores' >store.sh
	grep -q '^aws' store.sh && bash -e -o pipefail store.sh && bash store.sh | grep -q 'GiB\|MiB'
}
check "a snapshot comes through a pipe" from_store

# --- gates ---------------------------------------------------------------------------------------

budget_is_made() {
	rm -f dumps/rank[!012].pickle dumps/*.zst
	mkdir last
	"$VRAMSCOPE" batch -o last dumps
	echo '<budget><limit of="peak" growth="1%"/></budget>' >growth-budget.xml
	readme_block 'A gate in CI' >gate.sh
	grep -q 'check --update' gate.sh && grep -q -e '--baseline' gate.sh || return 1
	bash -e gate.sh && cat memory-budget.xml && [ -s memory.xml ]
}
check "a budget is written, kept, and growth against a database is none" budget_is_made

# Steps one after the other; one that must always run, too.
github() {
	rm -f memory.md step-summary
	sed -n 's/^ *- run: \([^|]*\)$/\1/p' "$contrib/ci/github.yml" >step1.sh
	yaml_block "$contrib/ci/github.yml" '- run: \|' >step2.sh
	yaml_block "$contrib/ci/github.yml" 'if: always' >step3.sh
	grep -q '^python' step1.sh && grep -q 'vramscope check' step2.sh &&
		grep -q GITHUB_STEP_SUMMARY step3.sh || return 1
	bash -e step1.sh && bash -e step2.sh >annotations
	status=$?
	GITHUB_STEP_SUMMARY=$scratch/step-summary bash -e step3.sh || return 1
	cat annotations step-summary
	grep -q '^### GPU memory' step-summary || return 1
	return $status
}
check "GitHub: a run within its budget passes" github

gitlab() {
	rm -f memory.xml
	awk '/^  script:/ { on = 1; next } /^  [a-z]/ { on = 0 } on { sub(/^ *- /, ""); print }' \
		"$contrib/ci/gitlab.yml" >script.sh
	cat script.sh
	grep -q '^python' script.sh && grep -q '^vramscope check' script.sh || return 1
	bash -e script.sh
	status=$?
	grep -q '<testsuites' memory.xml || return 1
	return $status
}
check "GitLab: a run within its budget passes" gitlab

sed -i 's/of="peak" max="[^"]*"/of="peak" max="1KiB"/' memory-budget.xml
fails() { # FUNCTION
	"$1"
	[ $? = 1 ]
}
check "GitHub: one beyond it fails" fails github
check "and shows where" grep -q '^::error file=memory-budget.xml,line=' annotations
check "GitLab: one beyond it fails" fails gitlab
check "and shows why" grep -q '<failure message="peak of allocated bytes: ' memory.xml

# --- YAML ----------------------------------------------------------------------------------------

if python3 -c 'import yaml' 2>/dev/null; then
	check "all of it is YAML" python3 -c '
import sys, yaml
for name in sys.argv[1:]:
    assert isinstance(yaml.safe_load(open(name)), dict), name
' "$contrib"/ci/*.yml "$contrib"/kubernetes/*.yaml
else
	skip "all of it is YAML" "no python3-yaml here"
fi

cases_done
