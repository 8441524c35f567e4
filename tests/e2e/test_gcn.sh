# Programs for AMD GPUs: kernels of every kind meet their rates when their code is executed.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
. "$SOURCE/tests/e2e/gcn_kinds.sh"

# fewer MACHINE UNITS: a file of it with so many compute units in an array, which take as much less time. Kernels are the same in
# each unit: two of an array tell them apart from the array; places name units up to the eighth.
fewer()
{
    sed "s/cu_per_sh = [0-9]*/cu_per_sh = $2/" "$SOURCE/recipes/machines/$1.lua" >"$1.lua"
}

# The channels of these a hash chooses: theirs are refused, and the rest holds as if they stood in turn.
expect_exit 3 "$TRAUMA" gen places.lua -m mi100 -o none
# With sanitizers a few of each; all without.
plain_program
fewer mi100 2
expect_exit 0 "$TRAUMA" check kinds.lua -m mi100.lua --counters wave --filter 'kind=(memory|shared|wide|work|branches)'
all_pass "mi100 with fewer units"
for machine in mi100 mi210; do
    expect_exit 0 "$PLAIN" check kinds.lua -m $machine --counters wave --filter 'kind=(memory|wide|work)'
    all_pass "$machine as it is"
    fewer $machine 2
    expect_exit 0 "$PLAIN" check kinds.lua -m $machine.lua --counters wave
    all_pass "$machine with fewer units"
    fewer $machine 8
    sed -i 's/wave = 64,/wave = 64, l2_channels = 32, interleave = "256B",/' $machine.lua
    expect_exit 0 "$PLAIN" check places.lua -m $machine.lua --counters wave
    all_pass "$machine with channels in turn"
done
expect_exit 0 "$PLAIN" check places.lua kinds.lua -m w9100 --counters wave
all_pass "w9100"
for machine in fiji vega10; do
    fewer $machine 8
    expect_exit 0 "$PLAIN" check places.lua -m $machine.lua --counters wave
    all_pass "places on $machine"
    fewer $machine 2
    expect_exit 0 "$PLAIN" check kinds.lua -m $machine.lua --counters wave
    all_pass "kinds on $machine"
done
expect_exit 0 "$TRAUMA" check places.lua -m w9100 --counters wave
awk '$2 ~ /^place.cu[037].share/ && $3 < 0.34 && $4 " " $5 == "pass (code)" { n++ } END { exit n != 3 }' out || fail "three units do not share the work"
grep -Eq '^engine/toggle=0.3 +l2.far_share +1 +pass \(code\) +wave 1$' out || fail "engine 1 is not far from quadrant 0"
expect_exit 0 "$PLAIN" check "$SOURCE/recipes/interconnect-2016/amd-paths.lua" "$SOURCE/recipes/interconnect-2016/amd-idle.lua" -m w9100 --counters wave
grep -Eq '^paths/.*share=0.5,.* throttle.duty +0.5 +pass \(code\) +wave 0.4[89]' out || fail "half the bandwidth is not half"
all_pass "the 2016 paper's recipes"
grep -Eq '^paths/.*path=short.* l2.far_share +0 +pass \(code\) +wave 0$' out || fail "the short path leaves its quadrant"
grep -Eq '^paths/.*path=long.* l2.far_share +1 +pass \(code\) +wave 1$' out || fail "the long path is short"
expect_exit 3 "$TRAUMA" gen "$SOURCE/recipes/interconnect-2016/amd-paths.lua" -m fiji -o none
expect_text err "expected gpu.quadrants"

# Fewer engines than quadrants, or more: those that have one know near from far.
printf 'benchmark { name = "%s", target = "gcn", place = { se = %s, l2_channels = { 0, 1 } }, grid = { threads = 64 }, kernel = function() return { load { served_by = { L2 = 1 } } } end }\n' near 0 far 1 >sides.lua
sed 's/se = 4,/se = 2,/' "$SOURCE/recipes/machines/w9100.lua" >two-engines.lua
sed 's/quadrants = {.*/quadrants = { { 0, 1 }, { 2, 3, 4, 5 } },/' "$SOURCE/recipes/machines/w9100.lua" >two-quadrants.lua
for machine in two-engines two-quadrants; do
    expect_exit 0 "$TRAUMA" check sides.lua -m $machine.lua --counters wave
    all_pass "$machine"
    expect_text out "l2.far_share            0  pass (code)  wave 0"
    expect_text out "l2.far_share            1  pass (code)  wave 1"
done
printf 'benchmark { name = "all", target = "gcn", kernel = function() return { load { served_by = { L2 = 1 } } } end }\n' >all.lua
expect_exit 0 "$TRAUMA" explain all.lua -m two-quadrants.lua --point all/default
! grep -q l2.far_share out || fail "engines whose quadrant nobody told are near or far"

fewer vega10 8
random_recipe 7 12 64
expect_exit 0 "$TRAUMA" check random.lua -m vega10.lua --counters wave --filter '^r[0-3]/'
for machine in w9100 vega10.lua; do
    expect_exit 0 "$PLAIN" check random.lua -m $machine --counters wave
    all_pass "random kernels on $machine"
done
