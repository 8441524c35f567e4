# Idle intervals: energy and temperature every 0.2 s while nothing runs, on a mock tree; none if no sensor is read.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

mkdir -p tree/sys/class/powercap/intel-rapl:0 tree/sys/class/hwmon/hwmon0 tree/sys/class/hwmon/hwmon3
echo package-0 >tree/sys/class/powercap/intel-rapl:0/name
echo 1000000 >tree/sys/class/powercap/intel-rapl:0/energy_uj
echo 262143328850 >tree/sys/class/powercap/intel-rapl:0/max_energy_range_uj
echo amdgpu >tree/sys/class/hwmon/hwmon0/name
echo 99000 >tree/sys/class/hwmon/hwmon0/temp1_input
echo k10temp >tree/sys/class/hwmon/hwmon3/name
echo Tctl >tree/sys/class/hwmon/hwmon3/temp1_label
echo 61500 >tree/sys/class/hwmon/hwmon3/temp1_input

write_recipe cool.lua 'measure = { time = 0.01, reps = 1, idle_before = 0.1, idle_after = 3 }, place = { cores = "all" },'
run="$TRAUMA run cool.lua -m pentium-pro --filter hit=0.5 --counters bytes"

# The chip cools and draws on while nothing runs.
$run --sysfs-root tree -o cooling.jsonl >out 2>err &
child=$!
step=61500
while kill -0 $child 2>/dev/null; do
    step=$((step - 250))
    echo $step >tree/sys/class/hwmon/hwmon3/new
    mv tree/sys/class/hwmon/hwmon3/new tree/sys/class/hwmon/hwmon3/temp1_input
    echo $((1000000 + (61500 - step) * 100)) >tree/sys/class/powercap/intel-rapl:0/new
    mv tree/sys/class/powercap/intel-rapl:0/new tree/sys/class/powercap/intel-rapl:0/energy_uj
    sleep 0.3
done
wait $child || fail "the run failed"
sed 1d cooling.jsonl >point
expect_same "$(json point idle_before)" - "a record of a short interval"
awk -v seconds="$(json point idle_after/seconds)" -v samples="$(json point '#idle_after/samples')" 'BEGIN {
    exit !(seconds >= 3 && seconds < 30 && samples >= 3 && samples <= 17) }' ||
    fail "an interval of $(json point idle_after/seconds idle_after/seconds) with $(json point '#idle_after/samples') samples"
first=$(json point idle_after/samples/0/energy_j/powercap:intel-rapl:0)
json point reps/0/temperature_c/k10temp:Tctl | grep -Eq '^[0-9.]+$' || fail "no temperature after the repetition"
last=$(($(json point '#idle_after/samples') - 1))
hot=$(json point idle_after/samples/0/temperature_c/k10temp:Tctl)
cold=$(json point "idle_after/samples/$last/temperature_c/k10temp:Tctl")
awk -v hot="$hot" -v cold="$cold" 'BEGIN { exit !(hot > cold && cold > 0) }' || fail "cooled from $hot to $cold"
awk -v first="$first" -v last="$(json point "idle_after/samples/$last/energy_j/powercap:intel-rapl:0")" \
    'BEGIN { exit !(first >= 0 && first < 0.1 && last > first) }' || fail "energy since its begin from $first on"
grep -q amdgpu point && fail "a graphics card's temperature"

# Nothing to read: the interval is kept for an external meter, and no record is made up.
mkdir empty
expect_exit 0 $run --sysfs-root empty -o nothing.jsonl
sed 1d nothing.jsonl >point
expect_same "$(json point idle_after)" - "a record without sensors"

expect_exit 0 "$TRAUMA" sensors --sysfs-root tree
expect_text out "k10temp:Tctl"
expect_exit 0 "$TRAUMA" sensors --sysfs-root empty
expect_text out "no hwmon driver reports the processor's temperature"
