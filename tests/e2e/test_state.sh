# state = {...}: set with --allow-state, always observed, restored afterwards and after a kill; on a mock tree.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

. "$SOURCE/tests/e2e/state_tree.sh"
make_tree tree
cp -r tree before
system=tree/sys/devices/system/cpu

write_recipe state.lua 'state = { frequency = 3.6, boost = false, governor = "performance", idle_states = "C1",
    prefetchers = false },'
sed -i 's/hit = { [^}]* }/hit = 0.5/' state.lua
run="$TRAUMA run state.lua -m pentium-pro --counters bytes --sysfs-root tree --reps 1"

# Without leave nothing is touched, and each unmet wish is said and recorded.
expect_exit 0 $run --time 0.01 -o seen.jsonl
expect_exit 0 as_before
sed 1d seen.jsonl >point
expect_same "$(json point '#state/unmet' state/observed/governor state/observed/boost state/observed/prefetchers \
    state/observed/idle_states/C6 state/observed/frequency/max | tr '\t' ' ')" "5 powersave true true true 3.5" "observed"
$run --time 0.01 -o told.jsonl >out 2>err
expect_text err 'state.governor is "powersave", requested "performance": --allow-state sets it for the run'
expect_same "$(json seen.jsonl state/governor | head -n 1)" powersave "the state in the context"

# With leave all is as wished while it runs. The made-up tree shows it: watched in mid-run, then put back.
$run --allow-state --time 3 -o set.jsonl >out 2>err &
child=$!
until_true 120 is_set || fail "nothing was set in 120 s"
expect_same "$(cat $system/cpufreq/boost $system/cpu[01]/cpufreq/scaling_m??_freq $system/cpu0/cpuidle/state?/disable | tr '\n' ' ')" \
    "0 3600000 3600000 3600000 3600000 0 0 1 " "the tree while it runs"
wait $child || fail "the run in the wished state failed"
expect_exit 0 as_before
sed 1d set.jsonl >point
expect_same "$(json point '#state/unmet' state/observed/governor state/observed/boost state/observed/prefetchers \
    state/observed/idle_states/C6 state/observed/frequency/min | tr '\t' ' ')" "0 performance false false false 3.6" \
    "observed while it was set"

for signal in KILL TERM; do
    $run --allow-state --time 20 -o killed-$signal.jsonl >out 2>err &
    child=$!
    until_true 120 is_set || fail "nothing was set in 120 s"
    as_before && fail "nothing was set before the signal"
    kill -$signal $child
    wait $child 2>/dev/null || true
    until_true 120 as_before || fail "after $signal: $(cat differences)"
    until_true 120 no_journal || fail "after $signal the journal stays"
done

# A suite's programs wish the same.
expect_exit 0 "$TRAUMA" gen state.lua -m pentium-pro -o wishing
expect_exit 0 "$TRAUMA" run wishing --counters bytes --sysfs-root tree --reps 1 --time 0.01 --allow-state -o wishing.jsonl
sed 1d wishing.jsonl >point
expect_same "$(json point '#state/unmet' state/observed/governor | tr '\t' ' ')" "0 performance" "observed of a suite"
expect_exit 0 as_before

# What the machine lacks, and what cannot be: a sentence each, and the others are set all the same.
rm -r tree/dev $system/cpufreq $system/cpu1/cpufreq/scaling_governor
rm -r before
cp -r tree before
write_recipe lacks.lua 'state = { frequency = 5, boost = false, governor = "performance", idle_states = "C9",
    prefetchers = false },'
expect_exit 0 "$TRAUMA" run lacks.lua -m pentium-pro --filter hit=0.5 --counters bytes --sysfs-root tree --reps 1 --time 0.01 \
    --allow-state -o lacks.jsonl
expect_text err "state.frequency is {\"min\": 0.8, \"max\": 3.5}, requested 5: logical processor 0 has 0.8 to 3.6 GHz"
expect_text err "state.boost is unknown, requested false: "
expect_text err "there is no idle state C9; available: POLL, C1, C6"
expect_text err "state.prefetchers is unknown, requested false: the prefetchers' register 1a4h cannot be read"
expect_text err "cpu1/cpufreq/scaling_governor: No such file"
expect_exit 0 as_before

# AMD's other names for the same: no_turbo, and a register beyond 3 GiB.
make_tree amd
printf 'vendor_id\t: AuthenticAMD\ncpu family\t: 26\n' >amd/proc/cpuinfo
rm amd/sys/devices/system/cpu/cpufreq/boost
mkdir amd/sys/devices/system/cpu/intel_pstate
echo 0 >amd/sys/devices/system/cpu/intel_pstate/no_turbo
write_recipe amd.lua 'state = { prefetchers = false, boost = false, idle_states = false },'
if truncate -s 3221225744 amd/dev/cpu/0/msr amd/dev/cpu/1/msr 2>/dev/null; then
    expect_exit 0 "$TRAUMA" run amd.lua -m pentium-pro --filter hit=0.5 --counters bytes --sysfs-root amd --reps 1 \
        --time 0.01 --allow-state -o amd.jsonl
    sed 1d amd.jsonl >point
    expect_same "$(json point '#state/unmet' state/observed/prefetchers state/observed/boost state/observed/idle_states/POLL \
        state/observed/idle_states/C1 | tr '\t' ' ')" "0 false false true false" "observed on AMD's"
    expect_same "$(cat amd/sys/devices/system/cpu/intel_pstate/no_turbo)" 0 "no_turbo put back"
fi

# A manifest that no recipe can make: said, and nothing is set.
expect_exit 0 "$TRAUMA" gen amd.lua -m pentium-pro --filter hit=0.5 -o suite
sed -i 's/"prefetchers": false/"prefetchers": 5, "governor": [], "frequency": "x"/' suite/small/hit=0.5/manifest.json
expect_exit 0 "$TRAUMA" run suite --counters bytes --sysfs-root tree --reps 1 --time 0.01 --allow-state -o odd.jsonl
expect_text err "state.prefetchers is unknown, requested 5: no recipe can request that"
expect_text err "state.frequency is unknown"
expect_exit 0 as_before

# check does so too where it judges this machine's programs.
expect_exit 0 "$TRAUMA" check amd.lua --filter hit=0.5 --counters bytes --sysfs-root amd
expect_text err "state.prefetchers is true, requested false: --allow-state sets it for the run"
expect_exit 0 "$TRAUMA" check amd.lua --filter hit=0.5 --counters bytes --sysfs-root amd --allow-state
expect_no_text err "state."
expect_exit 0 "$TRAUMA" check amd.lua -m pentium-pro --filter hit=0.5 --counters bytes --sysfs-root amd
expect_no_text err "state."
