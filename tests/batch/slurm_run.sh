#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# slurm_run.sh -- contrib/slurm on a real Slurm of one node: an array, a task requeued, the merge.
#
# The daemons are the distribution's (slurmctld, slurmd, munged). They run as the caller, with their
# own configuration, key, sockets and folders, without systemd or cgroups, and end with the script.
# Where they do not come up, the test is skipped with the reason. Prints TAP.

set -u
here=$(cd -- "$(dirname -- "$0")" && pwd)
TOP_SRCDIR=${TOP_SRCDIR:-$here/../..}
. "$here/../lib/data.sh"
. "$here/../lib/cases.sh"
export LC_ALL=C TZ=UTC
PATH=$PATH:/usr/sbin:/sbin
DEADLINE=220 # seconds, for everything

skip_without_program
for tool in munged slurmctld slurmd sbatch squeue scontrol; do
	command -v $tool >/dev/null || skip_all "no $tool here"
done

scratch=$(mktemp -d /tmp/vramscope-slurm.XXXXXX) || exit 1
daemons=()
# shellcheck disable=SC2317 # by trap
clean_up() {
	local pid
	[ ! -e "$scratch/slurm.conf" ] || scancel --user="$(id -un)" >"$scratch/scancel.log" 2>&1
	for pid in "${daemons[@]}"; do
		kill "$pid" 2>/dev/null
	done
	for pid in "${daemons[@]}"; do
		wait "$pid" 2>/dev/null
	done
	rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
cd "$scratch" || exit 1

wait_for() { # SECONDS COMMAND...: false when it does not come true in time
	local end=$((SECONDS + $1))
	shift
	while ! "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] && [ $SECONDS -lt $DEADLINE ] || return 1
		sleep 0.2
	done
}

# --- one node ------------------------------------------------------------------------------------

free_port() {
	local port
	while :; do
		port=$((20000 + RANDOM % 20000))
		(: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
	done
	echo $port
}

write_configuration() {
	local host user
	host=$(hostname -s 2>/dev/null || hostname)
	user=$(id -un)
	mkdir -p state spool munge
	# munged refuses a socket that others cannot reach.
	chmod 711 . munge
	head -c 1024 /dev/urandom >munge/key
	chmod 600 munge/key
	cat >slurm.conf <<-X
		ClusterName=vramscope
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$(free_port)
		SlurmdPort=$(free_port)
		SlurmUser=$user
		SlurmdUser=$user
		AuthType=auth/munge
		AuthInfo=socket=$scratch/munge/socket
		CredType=cred/munge
		ProctrackType=proctrack/pgid
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		MpiDefault=none
		SwitchType=switch/none
		StateSaveLocation=$scratch/state
		SlurmdSpoolDir=$scratch/spool
		SlurmctldPidFile=$scratch/slurmctld.pid
		SlurmdPidFile=$scratch/slurmd.pid
		SlurmctldLogFile=$scratch/slurmctld.log
		SlurmdLogFile=$scratch/slurmd.log
		SlurmdParameters=config_overrides
		SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
		ReturnToService=2
		KillWait=1
		NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 CPUs=2 CoresPerSocket=2 State=UNKNOWN
		PartitionName=all Nodes=node1 Default=YES MaxTime=10 State=UP
	X
	export SLURM_CONF=$scratch/slurm.conf
}

node_is_idle() {
	[ "$(timeout 5 sinfo --noheader --format=%t)" = idle ]
}

node_is_idle_or_lost() {
	node_is_idle || ! kill -0 "${daemons[-1]}"
}

why_not() { # LOG ...: the last error that a daemon told, in one line
	cat "$@" 2>/dev/null | grep -iE 'error|fatal' | tail -n 1 | tr -d '\n' | cut -c 1-200
}

start() { # LOG COMMAND...
	local log=$1
	shift
	"$@" </dev/null >"$log" 2>&1 &
	daemons+=($!)
}

write_configuration
start munged.out munged --foreground --key-file="$scratch/munge/key" \
	--socket="$scratch/munge/socket" --pid-file="$scratch/munge/pid" \
	--seed-file="$scratch/munge/seed" --log-file="$scratch/munge/log" --num-threads=1
wait_for 10 test -S munge/socket || skip_all "munged does not come up: $(why_not munged.out munge/log)"
start slurmctld.out slurmctld -D -c
# slurmd wants to know of no cgroups; old ones have no such plugin, but one that touches nothing.
for plugin in disabled cgroup/v1; do
	echo "CgroupPlugin=$plugin" >cgroup.conf
	start slurmd.out slurmd -D -N node1
	wait_for 45 node_is_idle_or_lost
	! node_is_idle || break
done
node_is_idle ||
	skip_all "Slurm does not come up: $(why_not slurmctld.out slurmctld.log slurmd.out slurmd.log)"
echo "# Slurm is up after $SECONDS s"

# --- an array, one of its tasks killed and queued again, and the merge ---------------------------

mkdir dumps
for i in $(seq 1 12); do
	cp "$TESTDATA"/oom_split_pinned.pickle.zst "dumps/rank$i.pickle.zst"
	# Each its own content: results are kept by it, and bytes behind the end do no harm.
	printf '\x50\x2a\x4d\x18\x01\0\0\0%b' "\\x$(printf %02x "$i")" >>"dumps/rank$i.pickle.zst"
done
cp "$TESTDATA"/leak_graph_step_*.pickle.zst "$TESTDATA"/bad-cut.pickle dumps
"$VRAMSCOPE" batch -o alone dumps >alone.log 2>&1
alone_status=$?

# In its first life task 2 stops once it has two results, as on a node that hangs.
cat >vramscope_that_hangs <<X
#!/usr/bin/env bash
if [ "\$SLURM_ARRAY_TASK_ID" != 2 ] || [ "\${SLURM_RESTART_COUNT:-0}" != 0 ]; then
	exec "$VRAMSCOPE" "\$@"
fi
"$VRAMSCOPE" "\$@" &
while [ "\$(find "$scratch/summary/parts/2/results" -name '*.json' 2>/dev/null | wc -l)" -lt 2 ]; do
	kill -0 \$! || exit 1
done
kill -STOP \$!
touch "$scratch/hangs"
wait
X
chmod +x vramscope_that_hangs

submit() {
	VRAMSCOPE=$scratch/vramscope_that_hangs \
		bash "$TOP_SRCDIR/contrib/slurm/submit.sh" 3 summary dumps >submitted || return 1
	cat submitted
	array=$(sed -n 's/^job \([0-9]*\): 3 tasks$/\1/p' submitted)
	merge=$(sed -n 's/^job \([0-9]*\): merges .*/\1/p' submitted)
	[ "$array" -gt 0 ] && [ "$merge" -gt 0 ]
}

job_field() { # JOB FIELD
	scontrol show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1
}

state_is() { # JOB STATE
	[ "$(job_field "$1" JobState)" = "$2" ]
}

requeue() {
	wait_for 60 test -e hangs || { echo "task 2 never hung"; return 1; }
	results_before=$(find summary/parts/2/results -name '*.json' | wc -l)
	scontrol requeue "${array}_2" || return 1
	wait_for 30 state_is "${array}_2" PENDING || { scontrol show job "${array}_2"; return 1; }
	# It would wait two minutes for its turn.
	scontrol update JobId="${array}_2" StartTime=now &&
		wait_for 60 state_is "${array}_2" COMPLETED
}

merged() {
	wait_for 90 test -e summary/summary.json && wait_for 30 job_ended "$merge" || show_logs
}

job_ended() { # JOB
	case $(job_field "$1" JobState) in
	COMPLETED | FAILED) ;;
	*) return 1 ;;
	esac
}

exit_code_is() { # JOB CODE:SIGNAL
	[ "$(job_field "$1" ExitCode)" = "$2" ] || show_logs
}

show_logs() {
	squeue
	tail -n 5 summary/*.log summary/parts/*.log slurmctld.log slurmd.log
	return 1
}

goes_on() {
	cat summary/parts/2.log
	[ "$results_before" -ge 2 ] && [ "$(grep -c ': known' summary/parts/2.log)" -ge "$results_before" ]
}

parts_are_disjoint() {
	local i all=0 one
	for i in 1 2 3; do
		one=$("$VRAMSCOPE" query --csv "summary/parts/$i/summary.sqlite" \
			'SELECT count(*) FROM files' | tr -d '\r' | sed 1d)
		echo "part $i: $one files"
		[ "$one" -gt 0 ] || return 1
		all=$((all + one))
	done
	[ "$all" = "$(find dumps -type f | wc -l)" ]
}

merge=0 array=0 results_before=0
check "submit.sh gives an array and a job that merges to Slurm" submit
check "a task is killed and queued again" requeue
check "the merge job runs when all tasks are done" merged
check "the killed task goes on where it was" goes_on
check "each file is in one part" parts_are_disjoint
check "summary.json is that of one machine, byte for byte" cmp alone/summary.json summary/summary.json
check "one machine tells the file that cannot be read by its exit status, too" test $alone_status = 3
check "the merge job's exit status tells it" exit_code_is "$merge" 3:0

# --- a part is missing ---------------------------------------------------------------------------

missing_part() {
	local job
	rm -rf summary/parts/3 summary/summary.*
	job=$(sbatch --parsable --output=missing.log "$TOP_SRCDIR/contrib/slurm/merge.sh" 3 summary) ||
		return 1
	wait_for 30 job_ended "$job"
	cat missing.log
	[ "$(job_field "$job" JobState)" = FAILED ] && grep -q 'summary/parts/3' missing.log &&
		[ ! -e summary/summary.json ]
}
check "merge.sh fails when a part is missing, and names it" missing_part

echo "# done after $SECONDS s"
cases_end
