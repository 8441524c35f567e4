# Sensors on a mock sysfs: existing ones are found, missing ones are reported with a remedy.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

expect_exit 0 "$TRAUMA" sensors
for source in plan bytes cachegrind timing perf powercap; do
    expect_text out "$source"
done

mkdir -p with/sys/class/powercap/intel-rapl:0 without
cd with/sys/class/powercap/intel-rapl:0
echo package-0 >name
echo 123456 >energy_uj # moves where the made-up chip is loaded
echo 262143328850 >max_energy_range_uj
cd "$WORK"

# powercap: usable, number of channels and reason of that sensor in the JSON of `trauma sensors`.
powercap()
{
    index=0
    while [ "$(json_document "$WORK/out" "$index/name")" != powercap ]; do
        index=$((index + 1))
        [ "$index" -lt 100 ] || fail "powercap is not listed"
    done
    json_document "$WORK/out" "$index/usable" "#$index/channels" "$index/reason"
}

moving="env LD_PRELOAD=$BURNING_CHIP ASAN_OPTIONS=verify_asan_link_order=0 $TRAUMA"
expect_exit 0 $moving sensors --json --sysfs-root with
expect_same "$(powercap)" "$(printf 'true\t1\tnull')" "powercap on a tree that has it"
expect_exit 0 "$TRAUMA" sensors --json --sysfs-root without
expect_same "$(powercap | cut -f 1,2)" "$(printf 'false\t0')" "powercap on an empty tree"
[ "$(powercap | cut -f 3)" != null ] || fail "no reason for what is not usable"
expect_exit 2 "$TRAUMA" sensors --sysfs-root missing

# Without a sensor there is no number at all.
write_recipe small.lua 'measure = { idle_before = 0.01, idle_after = 0.01 },'
quick="--time 0.1 --reps 2 --counters plan --filter hit=0.5"
expect_exit 0 $moving run small.lua -m pentium-pro -o with.jsonl $quick --sysfs-root with
[ "$(json with.jsonl power/power.dynamic_w/value | tail -n 1)" != - ] || fail "no dynamic power with a sensor"
expect_exit 0 "$TRAUMA" run small.lua -m pentium-pro -o without.jsonl $quick --sysfs-root without
expect_text err "no power is measured"
expect_same "$(json without.jsonl power/power.dynamic_w | tail -n 1)" - "dynamic power without a sensor"

# TRAUMA_POWER is what --power is where neither it nor another machine's files are given.
TRAUMA_POWER=powercup expect_exit 2 "$TRAUMA" run small.lua -m pentium-pro -o here.jsonl $quick
expect_text err "did you mean 'powercap'"
TRAUMA_POWER=powercup expect_exit 0 "$TRAUMA" run small.lua -m pentium-pro -o none.jsonl $quick --power none
TRAUMA_POWER=powercup expect_exit 0 "$TRAUMA" run small.lua -m pentium-pro -o files.jsonl $quick --sysfs-root with
