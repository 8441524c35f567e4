# PTX programs from recipe to results on a mock GPU, and the messages without one. FAKE_CUDA and text in the programs
# control it (tests/runner/fake_cuda.c).
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
libraries=$(dirname "$JSON_LINES")
[ -f "$libraries/libfake_cuda.so" ] || skip "the made-up GPU is not built"

cat >gpu.lua <<'RECIPE'
benchmark {
  name   = "gpu", target = "ptx",
  sweep  = { level = { "L1", "L2" } },
  grid   = { blocks = 8, threads = 128 },
  place  = { sm = { 2 } },
  state  = { gpu_clock = 1.755 },
  kernel = function(p)
    return { load { served_by = { [p.level] = 1 }, address = "chase" } }
  end,
}
RECIPE

# No libcuda: nothing runs, and why is said, with what to do. Checking goes on without it, and is none where the machine
# code is not seen either.
TRAUMA_CUDA=/nonexistent/libcuda.so.1
export TRAUMA_CUDA
expect_exit 0 "$TRAUMA" gen gpu.lua -m h200 -o suite
expect_exit 4 "$TRAUMA" run suite -o none.jsonl
expect_text err "libcuda.so.1: cannot open shared object file"
expect_text err "trauma check"
[ ! -f none.jsonl ] || fail "results of nothing were written"
got=0
"$TRAUMA" check suite >out 2>err || got=$?
wanted=0
grep -q "^nothing was observed" out && wanted=4
expect_same "$got" "$wanted" "the exit code of a check without a GPU"
expect_text out "served.L2"
expect_exit 4 "$TRAUMA" machine detect -t ptx
expect_exit 0 "$TRAUMA" sensors
expect_text out "NVIDIA's CUDA driver cannot be opened"

# A GPU: found, described, and what the description says is what programs are made for.
TRAUMA_CUDA=$libraries/libfake_cuda.so
expect_exit 0 "$TRAUMA" sensors
expect_text out "cuda:0  (Fake GH70, sm_90, 4 multiprocessors, 1.0 GiB)"
expect_exit 0 "$TRAUMA" machine detect -t ptx -o mine.lua
expect_exit 0 "$TRAUMA" machine show mine.lua
expect_text out 'arch = "sm_90", sm = 4'
expect_exit 2 "$TRAUMA" machine detect -t ptx --device 1
expect_exit 2 "$TRAUMA" machine detect -t x86_64
expect_exit 0 "$TRAUMA" gen gpu.lua -o suite
expect_same "$(json_document suite/suite.json machine/name)" fake-gh70 "the machine of a recipe without -m"

# Atomics and chases by bulk copies are launched as their programs are, and with another shape they fail.
cat >changed.lua <<'RECIPE'
local grid = { blocks = 4, threads = 64, cluster = 2 }
benchmark { name = "changed", target = "ptx", grid = grid, sweep = { level = { "L2", "SHARED", "DSMEM" } },
  kernel = function(p) return { atomic { op = "add", address = "warp", served_by = { [p.level] = 1 } } } end }
benchmark { name = "followed", target = "ptx", grid = grid,
  kernel = function() return { load { served_by = { L2 = 1 }, source = "tma", address = "chase" } } end }
RECIPE
expect_exit 0 "$TRAUMA" gen changed.lua -o changed
expect_exit 0 "$TRAUMA" run changed --power none --reps 1 --time 0.01 --counters plan -o changed.jsonl
sed 1d changed.jsonl >points
expect_same "$(json points reps/0/record/blocks | sort -u)" 4 "the blocks of launches"
for change in '"blocks": 4/"blocks": 5' '"threads": 64/"threads": 32' '"threads": 64/"threads": 128'; do
    rm -rf wrong wrong.jsonl
    cp -r changed wrong
    sed -i "s/$change/" wrong/*/*/manifest.json
    expect_exit 1 "$TRAUMA" run wrong --power none --reps 1 --time 0.01 --counters plan -o wrong.jsonl
    expect_text err "and 3 more points: running the kernel: an illegal memory access"
done

# Measured like any other program: ticks of a pass, where the blocks were, its own clock, the GPU's own energy.
TRAUMA_NVML=$libraries/libfake_nvml.so
FAKE_GPU_BUSY=$PWD/busy
FAKE_NVML_LOG=$PWD/clock
FAKE_CUDA=sm=2
export TRAUMA_NVML FAKE_GPU_BUSY FAKE_NVML_LOG FAKE_CUDA
: >busy
: >clock
mkdir tree # what is set is written down there, and not in the machine's own journal
for _ in 1 2 3 4 5 6; do # until the machine is not so busy that repetitions are too short for the sensor
    rm -f r.jsonl
    expect_exit 0 "$TRAUMA" run suite --power nvml --sysfs-root tree --allow-state --reps 3 --time 0.4 -o r.jsonl
    grep -q "too short for a sensor" err || break
done
expect_no_text err "runs on"
sed 1d r.jsonl >points
expect_same "$(wc -l <points)" 2 "points"
json points time/ticks_per_pass/value >values
while read -r ticks; do
    awk -v t="$ticks" 'BEGIN { exit !(t > 1754.9 && t < 1755.1) }' || fail "$ticks ticks a pass, expected 1755"
done <values
expect_same "$(json points rates/place.sm2.share/verdict | sort -u)" pass "the verdict on where they ran"
expect_same "$(json points per_pass/accesses.L2 | sort -n | tail -n 1)" 16384 "loads of a pass, a quarter of the grid's"
expect_same "$(json points power/from/0 | sort -u)" nvml:0:energy "whose power it is"
json points power/power.dynamic_w/value >values
while read -r watts; do
    awk -v w="$watts" 'BEGIN { exit !(w > 190 && w < 210) }' || fail "$watts W while it ran, expected 200"
done <values
expect_same "$(json points device/arch | sort -u)" sm_90 "the GPU's family"
expect_same "$(json points measure/idle_with_memory | sort -u)" true "idling with the memory taken"
expect_same "$(sort -u clock | tr '\n' ';')" "lock 1755 1755;unlock 0 0;" "what was done to the clock"
"$TRAUMA" export --schema >schema.json
"$SCHEMA_LINES" schema.json r.jsonl >count 2>err || fail "the results do not fit the schema"

# Blocks that ran elsewhere are a rate that was missed.
expect_exit 5 env FAKE_CUDA=sm=1 "$TRAUMA" run suite --power none --reps 1 --time 0.01 --filter L1 -o elsewhere.jsonl
expect_same "$(json elsewhere.jsonl rates/place.sm2.share/verdict | tail -n 1)" fail "the verdict on where they ran"
FAKE_CUDA=sm=2
export FAKE_CUDA

# Without --allow-state nothing is touched.
: >clock
expect_exit 0 "$TRAUMA" run suite --power none --reps 1 --time 0.01 --filter L1 -o unlocked.jsonl
expect_text err "--allow-state"
expect_same "$(cat clock)" "" "what was done to the clock"

# What goes wrong ends one point, with a sentence, and the others run. A fault, a crash of the driver, a program that the
# driver's compiler refuses, at its line.
wrong()
{
    expect_exit 0 "$TRAUMA" gen gpu.lua -o broken
    sed "$1" "broken/gpu/level=L1/program.ptx" >text
    cp text "broken/gpu/level=L1/program.ptx"
    rm -f wrong.jsonl
    expect_exit "$2" "$TRAUMA" run broken --power none --reps 1 --time 0.01 -o wrong.jsonl
    expect_text err "$3"
    grep -q '"name":"level=L2".*"ticks_per_pass"' wrong.jsonl || fail "the other point did not run: $1"
}
wrong '1s|^|//FAKE fault\n|' 1 "an illegal memory access was encountered"
wrong '1s|^|//FAKE crash\n|' 1 "ended by signal 6"
wrong '4s|^|syntax|' 1 "rejects the program: Unknown symbol"
expect_text wrong.jsonl "program.ptx:4"
wrong '1s|^|//FAKE sass\n|' 4 "compiling program.ptx"

# --resume goes on where it was.
sed '$d' r.jsonl >part.jsonl
expect_exit 0 "$TRAUMA" run suite --power none --reps 1 --time 0.01 --resume -o part.jsonl
expect_text err "1 point was in part.jsonl already"

# What the driver is asked for is recorded; where L1 rests on what it refuses, nothing runs.
cat >split.lua <<'RECIPE'
benchmark { name = "split", target = "ptx", sweep = { level = { "SHARED", "L1" } },
  kernel = function(p) return { load { served_by = { [p.level] = 1 } } } end }
benchmark { name = "cluster", target = "ptx", kernel = function() return { load { served_by = { DSMEM = 1 } } } end }
RECIPE
expect_exit 0 "$TRAUMA" run split.lua -m mine.lua --power none --reps 1 --time 0.01 -o split.jsonl
sed 1d split.jsonl >points
expect_same "$(grep '"name":"level=L1"' points >one; json one launch/shared_split)" 0 "shared memory beside L1"
expect_same "$(grep '"name":"level=SHARED"' points >one; json one launch/shared_split)" 32768 "shared memory of 24 KiB and the driver's own"
expect_same "$(grep '"benchmark":"cluster"' points >one; json one launch/cluster_policy)" spread "where a cluster's blocks run"
FAKE_CUDA=fixed expect_exit 4 "$TRAUMA" run split.lua -m mine.lua --filter level=L1 --power none --reps 1 --time 0.01 -o fixed.jsonl
expect_text err "L1 may be smaller than the program's"

# The driver compiles program.ptx itself: what it made is recorded, and its machine code held against what is judged.
PATH=$PATH:/usr/local/cuda/bin
if command -v ptxas >/dev/null && command -v nvdisasm >/dev/null; then
    expect_exit 0 "$TRAUMA" gen split.lua -m mine.lua -o split
    ptxas -arch=sm_90 split/split/level=L1/program.ptx -o own.cubin
    ptxas -arch=sm_90 split/split/level=SHARED/program.ptx -o other.cubin
    # judged FILE TEXT: what is recorded of L1's point where the driver makes FILE of it.
    judged()
    {
        rm -f judged.jsonl
        FAKE_CUDA="link=$PWD/$1" "$TRAUMA" run split --filter level=L1 --counters bytes --power none --reps 1 --time 0.01 \
            -o judged.jsonl >out 2>err || true
        grep -q "$2" judged.jsonl err || fail "$1: $(cat err judged.jsonl)"
        sed 1d judged.jsonl >points
        expect_same "$(json points module/made/bytes)" "$(wc -c <"$1")" "bytes of the driver's binary"
    }
    judged own.cubin '"mix.load"'
    judged other.cubin "that ran, is not judged: it has "
fi

# A suite for another GPU is refused; where it is wished all the same, a warning says so.
expect_exit 0 "$TRAUMA" gen gpu.lua -m a100 -o other
expect_exit 4 "$TRAUMA" run other --power none --reps 1 --time 0.01 --filter L1 -o refused.jsonl
expect_text err "the program is for a100 (sm_80), and Fake GH70 is sm_90"
expect_no_text refused.jsonl '"bandwidth.L1"'
TRAUMA_ANY_DEVICE=1 expect_exit 0 "$TRAUMA" run other --power none --reps 1 --time 0.01 --filter L1 -o other.jsonl
expect_text err "is for a100, but runs on Fake GH70"

# Probed: latencies and sizes come out of the curve as they were put in.
expect_exit 0 env FAKE_CUDA=latency "$TRAUMA" machine probe -t ptx --json -o probed.lua -q
expect_exit 0 "$TRAUMA" machine show probed.lua
expect_text out "SHARED = 29"
expect_text out "L1 = 33"
grep -Eq '[^_]L2 = 2[45]' out && grep -Eq 'L2_FAR = 4[01]' out || fail "near and far L2: $(cat out)"

# An L2 whose near half keeps copies of far lines, until it is full: memory is still memory, and L2 the near half; there is no
# far way to be measured.
expect_exit 0 env FAKE_CUDA=halves "$TRAUMA" machine probe -t ptx -o halves.lua -q
expect_text out "the near side keeps copies of them"
grep -Eq '^latency.L2 +270' out && grep -Eq '^latency.MEM +680' out || fail "an L2 in halves: $(cat out)"
expect_exit 0 "$TRAUMA" machine show halves.lua
expect_no_text out "L2_FAR"
expect_text out "MEM = 680"
