# Properties of a sensor's readings are measured, not assumed: here one that counts, one that is constant, one that
# disappears.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

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

expect_exit 0 "$TRAUMA" sensors --measure --time 6 --json --sysfs-root with
json_document out 0/name 0/quantity 0/unit 0/whole 0/period_s 0/update_is_bound >found
expect_same "$(cat found)" "$(printf 'powercap:intel-rapl:0\tenergy\tJ\ttrue\t0.001\tfalse')" "the counter"
json_document out 0/resolution 0/update_s 0/read_s 0/mean/value 0/mean/unit >found
awk '{ exit !($1 > 0.49 && $1 < 0.51 && $2 > 0.045 && $2 < 0.6 && $3 < $2 && $4 > 0.8 && $4 < 11 && $5 == "W") }' found ||
    unless_busy "the counter's resolution, update and reading period, mean: $(cat found)"
json_document out 1/name 1/whole 1/update_s 1/resolution 1/mean/value 2/name 2/mean/value 2/mean/unit >found
expect_same "$(cat found)" \
    "$(printf 'amdgpu:power1 instant\ttrue\tnull\tnull\t75.0\tamdgpu:temp1\t51.0\tC')" "the card"

# Neither follows a load that neither measures, and no number says that it does.
json_document out 0/window 0/window_s 0/lag_s 0/sampled 0/rise '#0/against' 1/rise >found
expect_same "$(cat found)" "$(printf 'null\tnull\tnull\tnull\tnull\t0\tnull')" "what is not seen"
json_document out 0/reason 1/reason >found
grep -q "it did not follow the load on the processors" found || fail "no reason: $(cat found)"
grep -q "a load on the GPU, which this command does not drive" found || fail "no reason for the card: $(cat found)"

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
json_document out 0/readings 0/mean/unit >found
awk '{ exit !($1 > 50 && $2 == "W") }' found || fail "the sensor that stayed: $(cat found)"

# The writer ends when its folder has gone; until then it may still make a file in it.
mv with ended
wait "$writer" || true
rm -r ended

# A chip that draws 40 W per processor that the command loads, seen by a package and by the platform that has it in it.
for domain in 0:package-0 1:psys; do
    folder=chip/sys/class/powercap/intel-rapl:${domain%%:*}
    mkdir -p "$folder"
    echo "${domain##*:}" >"$folder/name"
    echo 1 >"$folder/energy_uj"
    echo 262143328850 >"$folder/max_energy_range_uj"
done
burning="env LD_PRELOAD=$BURNING_CHIP ASAN_OPTIONS=verify_asan_link_order=0 $TRAUMA"
loaded=$(($(nproc) > 1 ? $(nproc) - 1 : 1))
expect_exit 0 $burning sensors --measure --time 12 --json --sysfs-root chip
json_document out 0/rise/value 0/mean/value 1/against/0/relation 0/against/0/relation >found
awk -v n="$loaded" '{ exit !($1 > 30 * n && $1 < 50 * n && $2 > 9 && $2 < 11) }' found ||
    unless_busy "the chip's rise and idle power with $loaded processors: $(cat found)"
grep -Eq "same|contains" found || unless_busy "one power counts twice: $(cat found)"

# What was found is kept for this host and these files, and a run takes it: here a sensor that looks at 25 ms of each 100.
kept=$(ls "$XDG_CONFIG_HOME"/traumagen/sensors-*.json | wc -l)
expect_same "$kept" 2 "files of findings, one for each root"
for file in "$XDG_CONFIG_HOME"/traumagen/sensors-*.json; do
    sed -i 's/"update_s": [^,]*/"update_s": 0.1/; s/"update_is_bound": true/"update_is_bound": false/
        s/"window_is_bound": true/"window_is_bound": false/; s/"window": [^,]*/"window": "box"/
        s/"sampled": null/"sampled": { "value": 0.25 }/' "$file"
    tr -d '\n' <"$file" | sed 's/"window_s": {[^}]*}/"window_s": { "value": 0.025 }/g' >edited && mv edited "$file"
done
expect_exit 0 $burning run small.lua -m pentium-pro -o known.jsonl --reps 3 --counters plan --filter hit=0.5 --sysfs-root chip
expect_text err "powercap:intel-rapl:0 samples 25 % of the time, 25 of each 100 ms"
json known.jsonl sensors/0/update_s sensors/0/window sensors/0/window_s sensors/0/sampled | head -n 1 >found
expect_same "$(cat found)" "$(printf '0.1\tbox\t0.025\t0.25')" "what the context says of the sensor"
json known.jsonl reps/0/seconds power/window_s | tail -n 1 >found
awk '{ exit !($1 > 3 && $2 == 0.025) }' found || unless_busy "repetitions for updates of 0.1 s, and the window: $(cat found)"
rm "$XDG_CONFIG_HOME"/traumagen/sensors-*.json

# A meter outside that looks at half of each 0.1 s, 0.15 s late, while the machine does whatever else it does.
mkfifo waves
python3 "$SOURCE/tests/e2e/wave_meter.py" waves 0.1 0.05 0.15 60 &
meter=$!
trap 'kill $meter 2>/dev/null || true' EXIT
expect_exit 0 "$TRAUMA" sensors --measure --time 20 --json --power line=waves
kill "$meter"
json_document out 0/update_s 0/window_s/value 0/lag_s/value 0/sampled/value 0/rise/value 0/mean/value >found
awk -v n="$loaded" 'function near(a, b, by) { return a > b - by && a < b + by }
    { exit !(near($1, 0.1, 0.005) && near($2, 0.05, 0.01) && near($3, 0.15, 0.02) && near($4, 0.5, 0.1) &&
             near($5, 30 * n, 6 * n) && near($6, 20, 1)) }' found || unless_busy "the meter's response: $(cat found)"

expect_exit 4 "$TRAUMA" sensors --measure --time 0.1 --sysfs-root without --power powercap
expect_text err "no RAPL energy counter"
expect_exit 2 "$TRAUMA" sensors --time 1
expect_text err "--measure"
expect_exit 2 "$TRAUMA" sensors --measure --power powercup
expect_text err "did you mean 'powercap'"
