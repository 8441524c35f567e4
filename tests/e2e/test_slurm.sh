# examples/slurm on a one-node Slurm that this test starts: its own ports, folder, key and daemons, found by
# SLURM_CONF alone. Another Slurm of this machine is neither queried nor touched.
. "$SOURCE/tests/e2e/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch squeue sinfo; do
    need_program $program
done
[ "$(id -u)" -eq 0 ] || skip "only root starts slurmd"

root=$WORK/slurm
mkdir -p "$root/state" "$root/spool" "$root/key"
daemons=""
stop_daemons()
{
    for pid in $daemons; do
        kill "$pid" 2>/dev/null || true
    done
    (sleep 5 && kill -9 $daemons) 2>/dev/null &
    killer=$!
    for pid in $daemons; do
        wait "$pid" 2>/dev/null || true
    done
    kill $killer 2>/dev/null || true
}
trap stop_daemons EXIT
trap 'exit 1' INT TERM HUP

# start NAME COMMAND...: a daemon in the foreground, with its log.
start()
{
    name=$1
    shift
    "$@" >"$root/$name.log" 2>&1 </dev/null &
    daemons="$! $daemons"
}

# until_true SECONDS COMMAND...: by the clock, as commands of Slurm wait long for daemons that do not answer.
until_true()
{
    end=$(($(date +%s) + $1))
    shift
    while ! "$@" >/dev/null 2>&1; do
        [ "$(date +%s)" -lt $end ] || return 1
        sleep 0.1
    done
}

cannot_start()
{
    tail -n 5 "$root"/*.log
    skip "Slurm cannot be started here: $*"
}

# Ports that nobody listens on: by this process' number, and then on.
is_taken()
{
    grep -qi ":$(printf '%04X' "$1") " /proc/net/tcp /proc/net/tcp6 2>/dev/null
}
port=$((20000 + $$ % 10000))
while is_taken $port || is_taken $((port + 1)); do
    port=$((port + 2))
done

umask 022
head -c 1024 /dev/urandom >"$root/key/munge.key"
chmod 700 "$root/key"
chmod 600 "$root/key/munge.key"
host=$(uname -n)
host=${host%%.*}
cat >"$root/slurm.conf" <<CONF
ClusterName=traumatest
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$root/munge.socket
CredType=cred/munge
StateSaveLocation=$root/state
SlurmdSpoolDir=$root/spool
SlurmctldPidFile=$root/slurmctld.pid
SlurmdPidFile=$root/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=1,sched_min_interval=100000,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
MailProg=/bin/true
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=5 State=UP
CONF
SLURM_CONF=$root/slurm.conf
export SLURM_CONF
unset SLURM_JOB_ID SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_MIN

start munged munged --foreground --force --key-file="$root/key/munge.key" --socket="$root/munge.socket" \
    --pid-file="$root/munged.pid" --log-file="$root/munged.own.log" --seed-file="$root/munged.seed" --num-threads=2
until_true 10 test -S "$root/munge.socket" || cannot_start "munged"
start slurmctld slurmctld -D -f "$SLURM_CONF"
start slurmd slurmd -D -f "$SLURM_CONF"
is_idle()
{
    timeout 5 sinfo -h -o %T | grep -qx idle
}
until_true 20 is_idle || cannot_start "its node did not come up"

# The suite, as one run has it and as a job array has it.
write_recipe small.lua 'measure = { time = 0.002, reps = 1 },'
sed -i 's/hit = { [^}]* }/hit = range(0.3, 0.9, 0.1)/' small.lua
expect_exit 0 "$TRAUMA" gen small.lua -o suite -q
submit="sh $SOURCE/examples/slurm/submit.sh"
export TRAUMA
expect_exit 2 $submit suite measured none
expect_exit 2 $submit nowhere measured 2
[ ! -e measured ] || fail "a refused job left a folder"
expect_exit 0 timeout 30 $submit suite measured 3
grep -Eqx '[0-9]+ [0-9]+' "$WORK/out" || fail "submit.sh prints no jobs: $(cat "$WORK/out")"
expect_exit 2 $submit suite measured 3
is_done()
{
    left=$(timeout 5 squeue -h) && [ -z "$left" ]
}
if ! until_true 45 is_done; then
    timeout 5 squeue >&2 || true
    tail -n 20 measured/*.log measured/parts/*.log >&2 || true
    fail "the jobs did not end"
fi
[ -s measured/results.jsonl ] || fail "nothing was merged: $(cat measured/merge.log measured/parts/*.log)"

expect_exit 0 "$TRAUMA" run suite -o whole.jsonl --time 0.002 --reps 1 --counters bytes -q
points()
{
    json "$1" benchmark name program_hash | tail -n +2 | sort
}
points whole.jsonl >wanted
points measured/results.jsonl >found
expect_same "$(wc -l <wanted | tr -d ' ')" 7 "points of the suite"
cmp wanted found || fail "the job array has other points than one run"
expect_same "$(ls measured/parts/*.jsonl | wc -l | tr -d ' ')" 3 "tasks that measured"
expect_same "$(json measured/results.jsonl shard/count "#contexts" | head -n 1)" "$(printf '3\t2')" "shards of the whole"
expect_text measured/merge.log "7 points of 3 files"
expect_text measured/merge.log "7 points: "
