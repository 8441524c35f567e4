# Properties of a sensor's readings are measured, not assumed: here one that counts, one that is constant, one that
# disappears.
. "$SOURCE/tests/e2e/lib.sh"

package=with/sys/class/powercap/intel-rapl:0
card=with/sys/class/hwmon/hwmon7
mkdir -p "$package" "$card" without
echo package-0 >"$package/name"
echo 0 >"$package/energy_uj"
echo 40000000 >"$package/max_energy_range_uj"
echo amdgpu >"$card/name"
echo 75000000 >"$card/power1_input"
echo 51000 >"$card/temp1_input"

# Some 0.5 J every 50 ms, until the folder goes.
(
    joules=0
    while [ -d "$package" ]; do
        echo "$((joules % 80 * 500000))" >"$package/next" && mv "$package/next" "$package/energy_uj"
        joules=$((joules + 1))
        sleep 0.05
    done
) 2>/dev/null &
writer=$!

expect_exit 0 "$TRAUMA" sensors --measure --time 2 --json --sysfs-root with
json_document out 0/name 0/quantity 0/unit 0/whole 0/period_s 0/update_is_bound >found
expect_same "$(cat found)" "$(printf 'powercap:intel-rapl:0\tenergy\tJ\ttrue\t0.001\tfalse')" "the counter"
json_document out 0/resolution 0/update_s 0/read_s 0/mean/value 0/mean/unit >found
awk '{ exit !($1 > 0.49 && $1 < 0.51 && $2 > 0.045 && $2 < 0.6 && $3 < $2 && $4 > 0.8 && $4 < 11 && $5 == "W") }' found ||
    fail "the counter's resolution, update and reading period, mean: $(cat found)"
json_document out 1/name 1/whole 1/update_s 1/resolution 1/mean/value 2/name 2/mean/value 2/mean/unit >found
expect_same "$(cat found)" \
    "$(printf 'amdgpu:power1 instant\ttrue\tnull\tnull\t75.0\tamdgpu:temp1\t51.0\tC')" "the card"

# As a table; and one sensor alone.
expect_exit 0 "$TRAUMA" sensors --measure --time 0.3 --power hwmon-gpu --sysfs-root with
expect_text out "amdgpu:power1 instant *"
expect_text out "75 W"
expect_no_text out powercap

# What a card draws is no headline of a program on the processor, and has its column.
mkdir -p cards/sys/class/hwmon
cp -r "$card" cards/sys/class/hwmon/
write_recipe small.lua 'measure = { idle_before = 0.1, idle_after = 0.1 },'
expect_exit 0 "$TRAUMA" run small.lua -m pentium-pro -o cards.jsonl --time 0.1 --reps 2 --counters plan \
    --filter hit=0.5 --sysfs-root cards
json cards.jsonl power/power.total_w "power/sensors/amdgpu:power1 instant/power.static_w/value" |
    tail -n 1 >found
expect_same "$(cat found)" "$(printf -- '-\t75.0')" "a run beside a card"

# One that goes away under way says so, and the other is told all the same.
(
    sleep 1
    rm "$card/power1_input" "$card/temp1_input"
) &
expect_exit 0 "$TRAUMA" sensors --measure --time 2.5 --json --sysfs-root with
json_document out 1/reason >found
grep -q "can no longer be read" found || fail "no reason for the sensor that went: $(cat found)"
json_document out 0/reason 0/mean/unit >found
expect_same "$(cat found)" "$(printf 'null\tW')" "the sensor that stayed"

# The writer ends when its folder has gone; until then it may still make a file in it.
mv with ended
wait "$writer" || true
rm -r ended

expect_exit 4 "$TRAUMA" sensors --measure --time 0.1 --sysfs-root without --power powercap
expect_text err "no RAPL energy counter"
expect_exit 2 "$TRAUMA" sensors --time 1
expect_text err "--measure"
expect_exit 2 "$TRAUMA" sensors --measure --power powercup
expect_text err "did you mean 'powercap'"
