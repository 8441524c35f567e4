# Conditions that disturb a measurement, on a mock sysfs tree: reported on stderr, recorded, listed by `trauma
# sensors`.
. "$SOURCE/tests/e2e/lib.sh"

make_tree()
{
    system=$1/sys/devices/system/cpu
    for cpu in $(seq 0 63); do
        mkdir -p $system/cpu$cpu/cpufreq
        echo "$2" >$system/cpu$cpu/cpufreq/scaling_governor
    done
    mkdir -p $system/cpufreq "$1/proc"
    echo "$3" >$system/cpufreq/boost
    printf 'vendor_id\t: GenuineIntel\nflags\t\t: fpu\n' >"$1/proc/cpuinfo"
}
make_tree restless powersave 1
make_tree quiet performance 0
write_recipe small.lua

# run says and records what it found; -q leaves it to the record.
quick="--filter hit=0.5 --counters bytes --reps 2 --time 0.02"
expect_exit 0 "$TRAUMA" run small.lua $quick --sysfs-root restless -o restless.jsonl
expect_text err 'is "powersave": its clock varies with the load -> echo performance | sudo tee /sys/'
expect_text err 'the clock is boosted'
expect_exit 0 "$TRAUMA" run small.lua $quick --sysfs-root restless -o silent.jsonl -q
expect_empty err
for file in restless silent; do
    sed -n 1p $file.jsonl >context
    expect_same "$(json context '#warnings')" 2 "recorded warnings"
    expect_same "$(json context warnings/1/mend)" "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost" "what mends it"
done
expect_exit 0 "$TRAUMA" run small.lua $quick --sysfs-root quiet -o quiet.jsonl
expect_same "$(sed -n 1p quiet.jsonl >context && json context '#warnings')" 0 "warnings where all is well"
expect_no_text err "->"

# check says what matters to its sources: a boosted clock does not, to times that are taken in turn.
expect_exit 0 "$TRAUMA" check small.lua --filter hit=0.5 --counters bytes,timing --sysfs-root restless
expect_text err '"powersave"'
expect_no_text err 'boosted'
for with in "--counters bytes" "-m pentium-pro --counters bytes" "--counters bytes,timing -q"; do
    expect_exit 0 "$TRAUMA" check small.lua --filter hit=0.5 --sysfs-root restless $with
    expect_no_text err '"powersave"'
done

# sensors lists them all, with those that are well and those that cannot be seen.
expect_exit 0 "$TRAUMA" sensors --sysfs-root restless
expect_text out 'condition'
for condition in governor boost supply temperature clocksource sibling load others quota swap counters watchdog; do
    expect_text out "$condition"
done
expect_text out '-> echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost'
expect_exit 0 "$TRAUMA" sensors --sysfs-root quiet --json
index=0
while [ "$(json_document out "$index/name")" != boost ]; do
    index=$((index + 1))
    [ $index -lt 100 ] || fail "no condition 'boost'"
done
expect_same "$(json_document out $index/type $index/state $index/usable $index/hint | tr '\t' ' ')" \
    "condition good true null" "boost where there is none"
