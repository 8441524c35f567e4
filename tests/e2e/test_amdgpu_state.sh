# state = { gpu_clock, gpu_memory_clock, gpu_profile, gpu_fan } of AMD's GPUs, by the files of amdgpu: set with --allow-state,
# always observed, restored afterwards, after a kill, and by the next command after a kill of all. On a mock tree and GPU.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
. "$SOURCE/tests/e2e/state_tree.sh"
libraries=$(dirname "$JSON_LINES")
[ -f "$libraries/libfake_opencl.so" ] || skip "the made-up GPU is not built"
TRAUMA_OPENCL=$libraries/libfake_opencl.so
FAKE_OPENCL=gfx701
export TRAUMA_OPENCL FAKE_OPENCL

# make_card FOLDER NUMBER PCI: as amdgpu shows a card; a connector stands beside it.
make_card()
{
    device=$1/sys/devices/pci0000:00/$3
    mkdir -p "$device/hwmon/hwmon$2" "$1/sys/class/drm/card$2" "$1/sys/class/drm/card$2-DP-1"
    ln -s "../../../devices/pci0000:00/$3" "$1/sys/class/drm/card$2/device"
    echo auto >"$device/power_dpm_force_performance_level"
    printf '0: 300Mhz *\n1: 516Mhz \n2: 727Mhz \n3: 930Mhz \n' >"$device/pp_dpm_sclk"
    printf '0: 150Mhz \n1: 1250Mhz *\n' >"$device/pp_dpm_mclk"
    echo amdgpu >"$device/hwmon/hwmon$2/name"
    echo 60 >"$device/hwmon/hwmon$2/pwm1"
    echo 255 >"$device/hwmon/hwmon$2/pwm1_max"
    echo 2 >"$device/hwmon/hwmon$2/pwm1_enable"
}
make_card tree 0 0000:03:00.0
card=tree/sys/devices/pci0000:00/0000:03:00.0
cp -a tree before

# state STATE: gcn.lua wishes it.
state()
{
    cat >gcn.lua <<RECIPE
benchmark {
  name = "gcn", target = "gcn", grid = { blocks = 4, threads = 64 }, state = { $1 },
  kernel = function() return { load { served_by = { L2 = 1 } } } end,
}
RECIPE
}
run="$TRAUMA run gcn.lua -m w9100 --counters plan --power none --sysfs-root tree --reps 1"

# gpu_is: all is as the recipe wishes; the fan is the last to be set.
gpu_is()
{
    [ "$(cat $card/power_dpm_force_performance_level $card/pp_dpm_sclk $card/pp_dpm_mclk \
        $card/hwmon/hwmon0/pwm1_enable $card/hwmon/hwmon0/pwm1 2>/dev/null | tr '\n' ' ')" = "$1" ]
}
set_now="manual 3 1 1 153 "

# Without leave nothing is touched, and each unmet wish is said and recorded with what is there.
state 'gpu_clock = 0.93, gpu_memory_clock = 1.25, gpu_fan = 0.6'
expect_exit 0 $run --time 0.01 -o seen.jsonl
as_before || fail "something was set without leave: $(cat differences)"
expect_text err 'state.gpu_clock is {"sm": 0.3, "profile": "auto"}, requested 0.93: --allow-state sets it for the run'
expect_text err 'state.gpu_fan is "automatic", requested 0.6: --allow-state sets it'
sed 1d seen.jsonl >point
expect_same "$(json point '#state/unmet' state/observed/gpu_clock/sm state/observed/gpu_memory_clock/memory state/observed/gpu_profile \
    state/observed/gpu_fan state/wanted/gpu_memory_clock | tr '\t' ' ')" "3 0.3 1.25 auto automatic 1.25" "observed"
expect_same "$(json seen.jsonl state/gpu_profile | head -n 1)" auto "the GPU's state in the context"

# With leave all is as wished while it runs, and put back.
$run --allow-state --time 3 -o set.jsonl >out 2>err &
child=$!
until_true 120 gpu_is "$set_now" || fail "nothing was set in 120 s: $(cat err)"
wait $child || fail "the run in the wished state failed: $(cat err)"
as_before || fail "after the run: $(cat differences)"
expect_no_text err "state.gpu"
sed 1d set.jsonl >point
expect_same "$(json point '#state/unmet' state/observed/gpu_profile state/observed/gpu_fan | tr '\t' ' ')" "0 manual 0.6" "observed while set"

# Killed in the middle: the guard puts it back. Killed with the guard: the next start does, and says what.
for signal in KILL TERM; do
    $run --allow-state --time 60 -o killed-$signal.jsonl >out 2>err &
    child=$!
    until_true 120 gpu_is "$set_now" || fail "nothing was set in 120 s: $(cat err)"
    kill -$signal $child
    wait $child 2>/dev/null || true
    until_true 120 as_before || fail "after $signal: $(cat differences)"
done
"$STRAY" launch $run --allow-state --time 600 -o both.jsonl >out 2>err &
child=$!
until_true 120 gpu_is "$set_now" || fail "nothing was set in 120 s: $(cat err)"
guards=$(for task in /proc/$child/task/*/children; do
    for pid in $(cat "$task"); do
        if ls -l "/proc/$pid/fd" 2>/dev/null | grep -q '\.journal'; then
            echo "$pid"
        fi
    done
done)
[ -n "$guards" ] || fail "the run has no guard"
kill -STOP $guards
kill -KILL $child $guards
wait $child 2>/dev/null || true
for guard in $guards; do
    until_true 120 [ ! -e "/proc/$guard/fd/0" ] || fail "the guard lives"
done
gpu_is "$set_now" || fail "the state was put back by nobody"
expect_exit 0 $run --allow-state --time 0.01 -o next.jsonl
expect_text err "process $child was killed before it could restore the machine's state"
expect_text err 'state.gpu_clock: 0000:03:00.0/power_dpm_force_performance_level is restored from "manual" to "auto"'
expect_text err 'state.gpu_clock: 0000:03:00.0/pp_dpm_sclk is restored from "3" to "0: 300Mhz *;1: 516Mhz ;2: 727Mhz ;3: 930Mhz "'
expect_text err 'state.gpu_fan: hwmon0/pwm1_enable is restored from "1" to "2"'
expect_exit 0 as_before

# The kernel's fixed clocks, by either name.
for wish in 'gpu_clock = "base"' 'gpu_profile = "profile_standard"' 'gpu_profile = "high", gpu_fan = 1'; do
    state "$wish"
    expect_exit 0 $run --allow-state --time 0.01 -o base.jsonl
    expect_no_text err "state.gpu"
    sed 1d base.jsonl >point
    expect_same "$(json point state/observed/gpu_profile)" "$(case $wish in *high*) echo high ;; *) echo profile_standard ;; esac)" "$wish"
    rm base.jsonl
    expect_exit 0 as_before
done

# What cannot be is said, and the rest is set all the same.
state 'gpu_clock = 0.6, gpu_fan = 0.6'
expect_exit 0 $run --allow-state --time 0.01 -o odd.jsonl
expect_text err "the GPU has no level of that clock; available: 0.3, 0.516, 0.727, 0.93 GHz"
expect_no_text err "state.gpu_fan"
rm -r $card/hwmon $card/pp_dpm_sclk before
cp -a tree before
state 'gpu_clock = 0.93, gpu_fan = 0.6'
rm odd.jsonl
expect_exit 0 $run --allow-state --time 0.01 -o odd.jsonl
expect_text err "state.gpu_clock is unknown, requested 0.93: no clock of the GPU can be set: "
expect_text err "state.gpu_fan is unknown, requested 0.6: no fan of the GPU can be set: "
expect_exit 0 as_before

# A device that leads out of the tree is none of it.
mkdir -p outside
cp -a before/sys/devices/pci0000:00/0000:03:00.0 outside/card
rm tree/sys/class/drm/card0/device
ln -s ../../../../../outside/card tree/sys/class/drm/card0/device
rm -r before
cp -a tree before
cp -a outside outside.before
state 'gpu_clock = "base"'
rm odd.jsonl
expect_exit 0 $run --allow-state --time 0.01 -o odd.jsonl
expect_text err "state.gpu_clock is unknown, requested \"base\": the driver amdgpu has no card there"
expect_exit 0 as_before outside outside.before

# Recipes that cannot be met.
# refused STATE MACHINE WORDS
refused()
{
    state "$1"
    [ "$2" = w9100 ] || sed -i 's/target = "gcn"/target = "ptx"/' gcn.lua
    expect_exit 3 "$TRAUMA" list gcn.lua -m "$2"
    expect_text err "$3"
}
refused 'gpu_fan = 0.1' w9100 "expected a share of the full speed, from 0.2"
refused 'gpu_fan = 1.5' w9100 "expected a share of the full speed"
refused 'gpu_profile = "peak"' w9100 "profile_peak"
refused 'gpu_profile = "manual"' w9100 "profile"
refused 'gpu_clock = 0.9, gpu_profile = "high"' w9100 "has both gpu_clock and gpu_profile"
refused 'gpu_clock = "base", gpu_memory_clock = 1' w9100 "which fixes both clocks"
refused 'gpu_fan = 1' h100 "it is for AMD's GPUs"
refused 'gpu_memory_clock = 1' h100 "it is for AMD's GPUs"
