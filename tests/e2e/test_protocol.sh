# How a point is measured: a mock package that always draws 40 W, its traces, the order of points, and what a recipe's
# measure = {...} may contain.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

domain=tree/sys/class/powercap/intel-rapl:0
mkdir -p $domain
echo package-0 >$domain/name
echo 1000000000 >$domain/max_energy_range_uj
echo 990000000 >$domain/energy_uj

# Counts on at 40 W by the clock, and wraps soon after its begin.
feed()
{
    while :; do
        read -r up rest </proc/uptime
        awk -v up="$up" -v begin="$1" 'BEGIN { printf "%d\n", (990 + 40 * (up - begin)) * 1000000 % 1000000000 }' \
            >$domain/new
        mv $domain/new $domain/energy_uj
    done
}
read -r now rest </proc/uptime
feed "$now" &
feeder=$!
trap 'kill $feeder 2>/dev/null' EXIT

write_recipe steady.lua 'measure = { time = 0.3, reps = 3, idle_before = 0.6, idle_after = 0.4 },'
run="$TRAUMA run steady.lua -m pentium-pro --sysfs-root tree --counters plan"
expect_exit 0 $run -o steady.jsonl
within()
{
    awk -v value="$1" -v least="$2" -v most="$3" 'BEGIN { exit !(value >= least && value <= most) }' ||
        fail "$4 is $1, expected from $2 to $3"
}
sed 1d steady.jsonl | while IFS= read -r line; do
    echo "$line" >point
    # The clock's ticks are 10 ms; the file is as late as the feeder's turn.
    within "$(json point power/power.static_w/value)" 30 50 "static power"
    within "$(json point power/power.total_w/value)" 30 50 "total power"
    within "$(json point power/power.dynamic_w/value)" -10 10 "dynamic power"
    [ -e "$(json point trace)" ] || fail "no trace $(json point trace)"
    grep ,mark, "$(json point trace)" >marks
    expect_same "$(grep -vcE ',(loop|missed) [0-9]+( end)?$' marks)" 7 \
        "phases of a trace: idle, start, three repetitions, idle, end"
    expect_same "$(grep -cE ',loop [0-9]+$' marks) $(grep -cE ',loop [0-9]+ end$' marks)" "3 3" "loops of a trace"
    awk -F, 'NR > 2 && $1 + 0 < last { exit 1 } { last = $1 + 0 }' "$(json point trace)" || fail "times that go back"
    expect_same "$(json point measure/time measure/idle_with_memory)" "$(printf '0.3\ttrue')" "what was done"
done
json steady.jsonl sensors/0/name sensors/0/unit | head -n 1 >sensor
expect_same "$(cat sensor)" "$(printf 'powercap:intel-rapl:0\tJ')" "the sensor in the context"

sed -i 's/hit = { [^}]* }/hit = range(0.2, 0.8, 0.1)/' steady.lua
# The order is the seed's where power is measured, and the recipe's otherwise.
names()
{
    json "$1" name | tail -n +2 | tr '\n' ' '
}
expect_exit 0 $run --time 0.01 --reps 1 --order given -o given.jsonl
expect_exit 0 $run --time 0.01 --reps 1 --power none -o none.jsonl
expect_exit 0 $run --time 0.01 --reps 1 --seed 1 -o one.jsonl
expect_exit 0 $run --time 0.01 --reps 1 --seed 1 -o again.jsonl
expect_same "$(names given.jsonl)" "$(names none.jsonl)" "the order that is given"
expect_same "$(names one.jsonl)" "$(names again.jsonl)" "the order of a seed"
[ "$(names one.jsonl)" != "$(names given.jsonl)" ] || fail "the order of seed 1 is as given"
expect_exit 2 $run --order backwards -o no.jsonl
expect_text err "--order is given or random"

# Without a thermometer nobody waits for one, and the point says so.
write_recipe wait.lua 'measure = { time = 0.01, reps = 1, temperature_below = 50, wait = 0.1 },'
expect_exit 0 "$TRAUMA" run wait.lua -m pentium-pro --sysfs-root tree --counters plan -o wait.jsonl
expect_text err "no thermometer reports the temperature"
sed 1d wait.jsonl | head -n 1 >point
json point warnings/0/what | grep -q "temperature_below = 50" || fail "no warning in the point"

# Intervals of nothing are not waited for where no sensor is read, and that is said; nor are programs of no copies.
write_recipe rest.lua 'measure = { time = 0.01, reps = 1, idle_before = 90, idle_after = 90 },'
before=$(date +%s)
expect_exit 0 "$TRAUMA" run rest.lua -m pentium-pro --power none --counters plan -o rest.jsonl
[ $(($(date +%s) - before)) -lt 80 ] || fail "idle intervals of 90 s are waited for without a sensor"
expect_text err "the idle intervals of measure (6 min in all) are left out: only power needs them, and no sensor measures it"
expect_same "$(json rest.jsonl measure/idle_left_out_s | sed -n 2p)" 180.0 "what the point says of it"
# A thermometer alone needs none either, unless its readings are drawn.
mkdir -p warm/sys/class/hwmon/hwmon0
echo k10temp >warm/sys/class/hwmon/hwmon0/name
echo 40000 >warm/sys/class/hwmon/hwmon0/temp1_input
echo Tctl >warm/sys/class/hwmon/hwmon0/temp1_label
expect_exit 0 "$TRAUMA" run rest.lua -m pentium-pro --sysfs-root warm -o warm.jsonl --dry-run
expect_text err "the idle intervals of measure (6 min in all) are left out"
write_recipe drawn.lua 'measure = { time = 0.01, reps = 1, idle_before = 90, idle_after = 90 }, plot = { from = "idle_after", x = "time", y = { "temperature" } },'
expect_exit 0 "$TRAUMA" run drawn.lua -m pentium-pro --sysfs-root warm -o warm.jsonl --dry-run
expect_no_text err "are left out"
write_recipe nobody.lua 'threads = 0, measure = { time = 90, reps = 2 },'
expect_exit 0 "$TRAUMA" run nobody.lua -m pentium-pro --power none --counters plan -o nobody.jsonl --dry-run
grep -Eq "^2 points, about ([0-9]|[1-5][0-9]) s" err || fail "waits for nobody are counted: $(cat err)"
expect_text err "are left out"

# Names of sensors and their settings.
expect_exit 2 $run --power powercp -o no.jsonl
expect_text err "did you mean 'powercap'?"
expect_exit 2 $run --power powercap@perod=1 -o no.jsonl
expect_text err "did you mean 'period'?"
expect_exit 2 $run --power powercap@period=0 -o no.jsonl
expect_exit 2 $run --power powercap=/dev/null -o no.jsonl
[ ! -e no.jsonl ] || fail "results of a wrong command line"

# What a recipe may say.
write_recipe wrong.lua 'measure = { precision = 2 },'
expect_exit 3 "$TRAUMA" list wrong.lua
write_recipe wrong.lua 'measure = { subtract_start = 1 },'
expect_exit 3 "$TRAUMA" list wrong.lua
expect_text err "expected true or false"
