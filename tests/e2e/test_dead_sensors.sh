# A sensor that does not change while a core works is not usable: nothing waits for it, warns of it per point, records or draws it.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

# domain TREE NAME LABEL MICROJOULES
domain()
{
    mkdir -p "$1/sys/class/powercap/$2"
    echo "$3" >"$1/sys/class/powercap/$2/name"
    echo "$4" >"$1/sys/class/powercap/$2/energy_uj"
    echo 262143328850 >"$1/sys/class/powercap/$2/max_energy_range_uj"
}
# hwmon TREE NUMBER DRIVER FILE VALUE
hwmon()
{
    mkdir -p "$1/sys/class/hwmon/hwmon$2"
    echo "$3" >"$1/sys/class/hwmon/hwmon$2/name"
    echo "$5" >"$1/sys/class/hwmon/hwmon$2/$4"
}
domain zero intel-rapl:0 psys 0
domain constant intel-rapl:0 package-0 123456
hwmon board 0 fam15h_power power1_input 0
hwmon card 0 amdgpu power1_input 0
hwmon card 0 amdgpu temp1_input 41000
mkdir none
why="it did not change in 1.[0-9] s while a core worked"

# What `trauma sensors` lists has been tried: the reading is told, and why it is not usable.
for tree in zero constant board card; do
    expect_exit 0 "$TRAUMA" sensors --sysfs-root $tree
    grep -Eq "^(powercap|hwmon|hwmon-gpu) +power +measured +no +$why\$" out || fail "$tree is usable: $(cat out)"
done
expect_text out "amdgpu:power1 instant: 0 W now"
expect_text out "amdgpu:temp1: 41 C now"
expect_exit 4 "$TRAUMA" sensors --power powercap --sysfs-root zero
expect_text out "powercap:intel-rapl:0  (psys): 0 J now"
expect_exit 0 "$TRAUMA" sensors --sysfs-root zero --json
grep -A 12 '"name": "powercap:intel-rapl:0"' out >channel
grep -q '"usable": false' channel && grep -q '"reading": 0' channel || fail "the channel as JSON: $(cat channel)"

# A run is as one without sensors, but for one line that names it: no interval of nothing, no power, no doubt of it.
write_recipe small.lua 'measure = { time = 0.02, reps = 3, idle_before = 60, idle_after = 60 },
    plot = { { x = "hit", y = { "power.static_w", "power.dynamic_w" } }, { x = "hit", y = { "pass.ns" } } },'
run="$TRAUMA run small.lua -m pentium-pro --counters plan,timing"
expect_exit 0 $run --sysfs-root none -o none.jsonl
for tree in zero constant board card; do
    began=$(date +%s)
    expect_exit 0 $run --sysfs-root $tree -o $tree.jsonl
    [ $(($(date +%s) - began)) -lt 60 ] || fail "$tree: idle intervals are waited for"
    grep -Eq "no power is measured: [^ ]+( instant)? \(.*\) is not usable: $why" err || fail "$tree: no reason: $(cat err)"
    expect_same "$(grep -c "$why" err)" 1 "$tree: lines about the sensor"
    expect_no_text err trustworthy
    expect_same "$(json $tree.jsonl power | sed 1d | sort -u)" - "$tree: power of the points"
    expect_same "$(json $tree.jsonl warnings | sed 1d | grep -ciE 'sensor|power|idle')" 0 "$tree: warnings about power"
    json $tree.jsonl warnings/0/what warnings/1/what warnings/2/what warnings/3/what | head -n 1 >context
    grep -q "sensors that are not usable are not read: .*$why" context || fail "$tree: not in the context: $(cat context)"
done
expect_same "$(json zero.jsonl '#sensors' | head -n 1)" 0 "sensors in the context"
expect_same "$(json card.jsonl '#sensors' sensors/0/quantity | head -n 1)" "$(printf '1\ttemperature')" "what a card still tells"
grep -o '[^ ]* W' out >watts || true
expect_same "$(cat watts)" "" "columns of power"
expect_exit 0 "$TRAUMA" run small.lua -m pentium-pro --counters plan --sysfs-root zero -o dry.jsonl --dry-run
expect_text err "is not usable"
expect_text err "are left out"

# Named, it ends the run with the reason.
for tree in zero constant; do
    expect_exit 4 $run --sysfs-root $tree --power powercap -o no.jsonl
    grep -q "powercap:intel-rapl:0 (.*) is not usable: $why" err || fail "no reason: $(cat err)"
done
mkfifo fifo
{ exec 3<>fifo; while [ -p fifo ]; do echo 0 >&3; sleep 0.05; done; } 2>/dev/null &
meter=$!
trap 'kill $meter 2>/dev/null || true' EXIT
expect_exit 4 $run --power line=fifo -o no.jsonl
grep -q "line:fifo (line meter) is not usable: $why" err || fail "no reason for the meter: $(cat err)"
expect_exit 4 "$TRAUMA" sensors --power line=fifo
expect_text out "line:fifo  (line meter): 0 W now"
expect_exit 4 "$TRAUMA" sensors --measure --time 0.1 --power line=fifo
expect_exit 0 $run --power none --sysfs-root zero -o power-none.jsonl
expect_no_text err "while a core worked"
[ ! -e no.jsonl ] || fail "results without a usable sensor"

# A figure has no axis of what no point has, and one line says so; nor has a page.
if command -v gnuplot >/dev/null; then
    expect_exit 0 "$TRAUMA" plot zero.jsonl -o zero.svg
    expect_same "$(grep -c "no point to draw" err)" 1 "lines about what is not drawn"
    expect_text err "power.static_w, power.dynamic_w against hit have no point to draw: no power sensor was read"
    grep -q "power" zero.svg && fail "the figure has an axis of power"
    expect_exit 0 "$TRAUMA" plot card.jsonl -o card.svg
    expect_text err "no power sensor was read"
fi
expect_exit 0 "$TRAUMA" report zero.jsonl -o zero.html
expect_text zero.html "psys): it did not change in"

# A part that is dead beside a package that works is left out alone, and named.
domain part intel-rapl:0 package-0 1
domain part intel-rapl:0:9 dram 0
moving="env LD_PRELOAD=$BURNING_CHIP ASAN_OPTIONS=verify_asan_link_order=0 BURNING_CHIP_NOT=intel-rapl:0:9"
expect_exit 0 $moving "$TRAUMA" sensors --sysfs-root part
grep -Eq "^powercap +power +measured +yes" out || fail "the package is not usable: $(cat out)"
grep -Eq "powercap:intel-rapl:0:9  \(package-0/dram\): 0 J now; not usable: $why" out || fail "the part is: $(cat out)"
expect_exit 0 $moving $run --time 0.1 --filter hit=0.5 --sysfs-root part -o part.jsonl --power powercap \
    --dry-run
grep -q "sensors that are not usable are not read: powercap:intel-rapl:0:9 (package-0/dram): $why" err ||
    fail "the part is not named: $(cat err)"
write_recipe short.lua 'measure = { time = 0.1, reps = 3, idle_before = 0.1, idle_after = 0.1 },'
expect_exit 0 $moving "$TRAUMA" run short.lua -m pentium-pro --counters plan --filter hit=0.5 \
    --sysfs-root part -o part.jsonl
expect_same "$(json part.jsonl '#sensors' sensors/0/name | head -n 1)" "$(printf '1\tpowercap:intel-rapl:0')" "sensors read"
expect_same "$(json part.jsonl '#power/sensors' power/from/0 | tail -n 1)" "$(printf '1\tpowercap:intel-rapl:0')" "whose power"

# Nor has an instruction an energy.
case $(uname -m) in
x86_64)
    expect_exit 0 "$TRAUMA" measure instruction 'imul {r0}, {r1}' --sysfs-root zero
    grep -q "no energy per instruction: .*$why" out || fail "no reason: $(cat out)"
    ;;
esac
