# A sweep over the machine's clocks: found in cpufreq, set with --allow-state, verified by observation, and restored
# afterwards and after a kill. On a mock tree.
. "$SOURCE/tests/e2e/lib.sh"

# No machine runs at these, so that what is observed is never what was wished.
mkdir -p tree/sys/devices/system/cpu
system=tree/sys/devices/system/cpu
echo 0-1 >$system/online
for cpu in 0 1; do
    mkdir -p $system/cpu$cpu/cpufreq
    for pair in scaling_min_freq:40000 scaling_max_freq:60000 cpuinfo_min_freq:40000 cpuinfo_max_freq:60000 \
        scaling_cur_freq:50000 scaling_governor:schedutil; do
        echo "${pair#*:}" >$system/cpu$cpu/cpufreq/${pair%:*}
    done
    echo "60000 50000 40000 " >$system/cpu$cpu/cpufreq/scaling_available_frequencies
done
cp -r tree before

cat >dvfs.lua <<'RECIPE'
benchmark {
  name   = "dvfs",
  sweep  = function(m) return { ghz = m.frequencies or { 1 } } end,
  state  = function(p) return { frequency = p.ghz } end,
  kernel = function(p) return { add { count = 2 } } end,
}
RECIPE
run="$TRAUMA run dvfs.lua --counters bytes --sysfs-root tree --reps 2"

# The sweep is the machine's; without leave nothing is set, and the point says what the clock was.
expect_exit 0 $run --time 0.02 -o seen.jsonl
expect_exit 0 diff -r -x run tree before
sed 1d seen.jsonl >points
expect_same "$(json points point/ghz | sort | tr '\n' ' ')" "0.04 0.05 0.06 " "the clocks of the tree"
expect_same "$(json points state/observed/clock/cpufreq_ghz/value | tr '\n' ' ')" "0.05 0.05 0.05 " "what the system says"
expect_same "$(json points '#state/unmet' | tr '\n' ' ')" "1 1 1 " "wishes that are unmet"
json points state/observed/clock/core_ghz/value warnings >clocks
expect_same "$(awk '$1 > 0.1' clocks | wc -l)" 3 "clocks that the core itself shows"
expect_same "$(grep -c 'state.frequency requested 0.0[456] GHz, but the core ran at' clocks)" 3 "clocks that are not as wished"
expect_same "$(grep -c 'trauma run --allow-state' clocks)" 3 "what mends it"

# With leave each point has its own, on all processors, and the tree is as before between and after them.
expect_exit 0 $run --time 0.02 -o set.jsonl --allow-state
expect_exit 0 diff -r -x run tree before
sed 1d set.jsonl >points
expect_same "$(json points state/observed/frequency/min state/observed/frequency/max | sort | tr '\t\n' '  ')" \
    "0.04 0.04 0.05 0.05 0.06 0.06 " "what was set"
expect_same "$(json points '#state/unmet' | tr '\n' ' ')" "0 0 0 " "wishes that are unmet when they may be set"
expect_same "$(json points warnings | grep -c 'the core ran at[^}]*"mend":null')" 3 "nothing mends what was set and is not so"

# limits: the least and the most of both processors.
limits()
{
    cat $system/cpu[01]/cpufreq/scaling_m??_freq | tr '\n' ' '
}
attempt=0
$run --time 20 -o killed.jsonl --allow-state --filter ghz=0.04 >out 2>err &
child=$!
while [ "$(limits)" != "40000 40000 40000 40000 " ]; do
    attempt=$((attempt + 1))
    [ $attempt -lt 1200 ] || fail "nothing was set in 120 s: $(limits)"
    sleep 0.1
done
kill -KILL $child
wait $child 2>/dev/null || true
attempt=0
while ! diff -r -x run tree before >differences; do
    attempt=$((attempt + 1))
    [ $attempt -lt 600 ] || fail "after the kill: $(cat differences)"
    sleep 0.2
done

# A driver that takes any clock: five steps, none of them boosted.
for cpu in 0 1; do
    rm $system/cpu$cpu/cpufreq/scaling_available_frequencies
    echo 800000 >$system/cpu$cpu/cpufreq/cpuinfo_min_freq
    echo 4800000 >$system/cpu$cpu/cpufreq/cpuinfo_max_freq
    echo 3600000 >$system/cpu$cpu/cpufreq/base_frequency
done
expect_exit 0 $run --time 0.02 -o steps.jsonl
sed 1d steps.jsonl >points
expect_same "$(json points point/ghz | sort | tr '\n' ' ')" "0.8 1.5 2.2 2.9 3.6 " "steps up to the clock without turbo"

# Without cpufreq the recipe's own list stands; a function that returns nothing is refused at its line.
mkdir bare
expect_exit 0 "$TRAUMA" run dvfs.lua --counters bytes --sysfs-root bare --reps 2 --time 0.02 -o bare.jsonl
expect_same "$(json bare.jsonl point/ghz | tail -n 1)" 1 "the recipe's own clock"
sed 's/return { ghz.*end,/end,/' dvfs.lua >nothing.lua
expect_exit 3 "$TRAUMA" list nothing.lua
expect_text err "nothing.lua:1: dvfs: sweep's function returns nothing"
