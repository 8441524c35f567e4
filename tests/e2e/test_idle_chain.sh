# From a recipe to idle power against temperature: a mock chip that cools, P = 0.5 W/K * T + 10 W, is run, fitted and
# predicted.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

mkdir -p tree/sys/class/powercap/intel-rapl:0 tree/sys/class/hwmon/hwmon3
echo package-0 >tree/sys/class/powercap/intel-rapl:0/name
echo 1000000 >tree/sys/class/powercap/intel-rapl:0/energy_uj
echo 262143328850 >tree/sys/class/powercap/intel-rapl:0/max_energy_range_uj
echo k10temp >tree/sys/class/hwmon/hwmon3/name
echo 90000 >tree/sys/class/hwmon/hwmon3/temp1_input

write_recipe cool.lua 'measure = { time = 0.1, reps = 1, idle_before = 0.1, idle_after = 16 }, place = { cores = "all" },'
# The chip comes before the program's sanitizers.
chip_run()
{
    LD_PRELOAD=$COOLING_CHIP ASAN_OPTIONS=verify_asan_link_order=0 "$TRAUMA" run "$@"
}
expect_exit 0 chip_run cool.lua -m pentium-pro --filter hit=0.5 --counters bytes --sysfs-root tree -o cooling.jsonl

expect_exit 0 "$TRAUMA" fit idle cooling.jsonl --set degree=1 -o idle.json
echo temperature_c,50 >counters.csv
expect_exit 0 "$TRAUMA" predict idle.json counters.csv --json
value=$(json_document out parts/0/value)
awk -v watts="$value" 'BEGIN { exit !(watts > 33 && watts < 37) }' || fail "$value W at 50 C instead of 35"
slope=$(json_document idle.json coefficients/T1/value)
awk -v slope="$slope" 'BEGIN { exit !(slope > 0.42 && slope < 0.58) }' || fail "$slope W/K instead of 0.5"
# Without the intervals there is nothing to fit.
expect_exit 2 "$TRAUMA" fit idle cooling.jsonl --set degree=1 --set window_s=60
expect_text err "idle_after"
