# Near and far L2: the programs and their data, who is refused, the results of a mock GPU with two sides
# (tests/runner/fake_cuda_sides.h), and that the model of the 2016 paper accepts them.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
libraries=$(dirname "$JSON_LINES")
recipe=interconnect-2016/nvidia-near-far

# Both sides are one program; only what fills its data differs.
expect_exit 0 "$TRAUMA" gen $recipe $recipe-latency -m h200 -o suite --filter 'toggle=0.25|latency'
near="suite/near-far/bandwidth_share=1,cache=cg,side=near,toggle=0.25"
far="suite/near-far/bandwidth_share=1,cache=cg,side=far,toggle=0.25"
for at in near far; do
    sed 1d "suite/near-far/bandwidth_share=1,cache=cg,side=$at,toggle=0.25/program.ptx" >$at.ptx
done
cmp -s near.ptx far.ptx || fail "the programs of near and far differ"
expect_same "$(json_document "$near/manifest.json" data/regions/0/fill/side)" near "the side of the data"
expect_same "$(json_document "$far/manifest.json" data/regions/0/fill/side)" far "the side of the data"
expect_same "$(json_document "$far/manifest.json" data/regions/0/fill/words/0)" \
    "$(json_document "$near/manifest.json" data/regions/0/fill/words/0)" "the words of both"
expect_same "$(json_document "$far/manifest.json" targets/l2.far_share)" 1 "what far promises"
expect_same "$(json_document "$near/manifest.json" targets/l2.far_share)" 0 "what near promises"
# The loads that lead from chunk to chunk are counted, and hide what they bring beneath the data.
json_document "$near/manifest.json" expected/data.toggle_rate | awk '{ exit !($1 > 0.2495 && $1 < 0.2505) }' ||
    fail "the toggle rate, counted: $(json_document "$near/manifest.json" expected/data.toggle_rate)"
expect_same "$(json_document "$near/manifest.json" streams/0/links)" 2 "loads of a pass that lead on"
expect_same "$(json_document "$near/manifest.json" accesses/L2)" $((132 * 512 * 16)) "loads of a pass, with those"

# Each chain of 14 loads goes on to another chunk after seven of them.
expect_same "$(grep -c 'ld.global.cg.v4' near.ptx)" 14 "loads of a pass"
expect_same "$(grep -c 'ld.global.cg.u64 %e0, \[%e0\]' near.ptx)" 3 "chunks of a pass, and the first"

# Where it makes no sense it is refused, with the reason.
expect_exit 3 "$TRAUMA" gen $recipe -m ada -o none
expect_text err "the L2 of the machine \"ada\" is one part"
refused()
{
    printf 'benchmark { name = "b", target = "ptx", place = { side = "near" }, %s }\n' "$1" >bad.lua
    expect_exit 3 "$TRAUMA" gen bad.lua -m h200 -o none
    expect_text err "$2"
}
refused 'kernel = function() return { load { served_by = { L1 = 1 } } } end' "nothing in the kernel reaches L2"
refused 'kernel = function() return { add {} } end' "nothing in the kernel reaches L2"
refused 'kernel = function() return { load { working_set = 1 << 20, cache = "cg" } } end' "expected served_by"
refused 'kernel = function() return { load { served_by = { L2 = 1 }, lane = 256 } } end' "expected smaller lanes"
refused 'kernel = function() return { load { served_by = { L1 = 0.25, L2 = 0.75 } } } end' "lead from chunk to chunk"
high='load { served_by = { L2 = 1 }, data = pattern.toggle(0.7, { order = "program" }) }'
refused "loop = { units = 7 }, grid = { threads = 8 }, kernel = function() return { $high } end" "needs 2 accesses"

# A share that is no whole number of the bus's bits holds, too, as words run on from chunk to chunk.
cat >exact.lua <<'RECIPE'
benchmark { name = "exact", target = "ptx", place = { side = "far" }, loop = { units = 15 },
  kernel = function() return { load { served_by = { L2 = 1 }, width = 16, data = pattern.toggle(0.3) } } end }
RECIPE
expect_exit 0 "$TRAUMA" gen exact.lua -m h200 -o exact
expect_same "$(json_document exact/exact/default/manifest.json streams/0/hop)" 5 "accesses in a chunk"
expect_exit 0 "$TRAUMA" check exact --counters warp
grep -q 'data.toggle_rate *0.3 *pass' out || fail "the toggle rate: $(cat out)"

# Chases through memory on a side, with several warps and with parts of one; blocks run on other multiprocessors than their numbers,
# so that a program that takes its start by its block's number leaves its side.
cat >chased.lua <<'RECIPE'
benchmark { name = "chased", target = "ptx", sweep = { side = { "near", "far" }, threads = { 48, 64 } },
  place = function(p) return { side = p.side } end, grid = function(p) return { threads = p.threads } end,
  kernel = function() return { load { served_by = { MEM = 1 }, address = "chase" } } end }
RECIPE
expect_exit 0 "$TRAUMA" gen chased.lua -m h100 -o chased
expect_exit 0 "$TRAUMA" check chased -j 2 --counters warp
expect_no_text out inconclusive
sed -i 's/mul.lo.u32 %at, %place,/mul.lo.u32 %at, %block,/' chased/chased/side=near,threads=64/program.ptx
expect_exit 1 "$TRAUMA" check chased --as-is --counters warp --filter 'near,threads=64'
expect_text err "accesses address"

# ptxas takes it, for every chip of two sides.
if command -v ptxas >/dev/null 2>&1; then
    for arch in sm_80 sm_90 sm_100; do
        for program in near.ptx "suite/near-far-latency/cache=cg,side=far/program.ptx"; do
            sed "s/^\.target .*/.target $arch/; s/^\.version .*/.version 8.6/" "$program" >one.ptx
            expect_exit 0 ptxas -arch=$arch -o one.cubin one.ptx
        done
    done
fi

# On a GPU of two sides: learned, filled in, and no wave leaves its side, or the GPU would fault.
[ -f "$libraries/libfake_cuda.so" ] || skip "the made-up GPU is not built"
TRAUMA_CUDA=$libraries/libfake_cuda.so
export TRAUMA_CUDA
cat >wide.lua <<'RECIPE'
benchmark {
  name = "wide", target = "ptx", sweep = { side = { "near", "far" } }, grid = { threads = 96 },
  place = function(p) return { side = p.side } end,
  kernel = function() return { load { served_by = { L2 = 1 }, width = 16, data = pattern.toggle(0.5) } } end,
}
RECIPE
cat >mixed.lua <<'RECIPE'
benchmark {
  name = "mixed", target = "ptx", sweep = { side = { "near", "far" } },
  place = function(p) return { side = p.side } end,
  kernel = function()
    return { load { served_by = { L2 = 1 }, width = 8 }, store { served_by = { L2 = 1 } } }
  end,
}
RECIPE
expect_exit 0 "$TRAUMA" gen $recipe-latency -o here
expect_exit 0 "$TRAUMA" run here wide.lua mixed.lua --power none --reps 1 --time 0.01 -o r.jsonl
sed 1d r.jsonl >points
grep '"near-far-latency"' points >latency
json latency sides/sm/1 >values
expect_same "$(sort -u values)" 1 "the side of the second multiprocessor"
expect_same "$(json latency rates/l2.far_share/verdict | sort -u)" pass "the verdicts of the latency programs"
expect_same "$(json latency rates/l2.far_share/observations/1/source | sort -u)" timing "who saw the far share"
for at in near far; do
    grep "cache=cg,side=$at" latency >one
    json one time/ticks_per_pass/value >$at.ticks
done
awk -v n="$(cat near.ticks)" -v f="$(cat far.ticks)" 'BEGIN { exit !(n > 0 && f > 1.4 * n && f < 1.8 * n) }' ||
    fail "near lines take $(cat near.ticks) ticks a pass, far ones $(cat far.ticks)"
"$TRAUMA" export --schema >schema.json
"$SCHEMA_LINES" schema.json r.jsonl >count 2>err || fail "the results do not fit the schema: $(cat err)"

# A side that keeps copies of the other's lines is found out: the far way is as short as the near one but for the operator
# that takes none, and the sides themselves are still told, by atomic operations.
FAKE_CUDA=copies expect_exit 0 "$TRAUMA" run here --power none --reps 1 --time 0.01 --filter 'latency.*side=far' -o copies.jsonl
sed 1d copies.jsonl >points
for cache in "cg=pass (code)" cv=pass "no_allocate=pass (code)"; do
    grep "cache=${cache%=*}," points >one
    expect_same "$(json one rates/l2.far_share/verdict)" "${cache#*=}" "the far share where the near side keeps copies, by $cache"
done
expect_text points "far lines of L2 take 1.00 times as long as near ones"

# A GPU whose sides are none, or too fine, is told so, and the point is left out.
FAKE_CUDA=one-side expect_exit 4 "$TRAUMA" run here --power none --filter 'latency/cache=cg,side=far' -o none.jsonl
expect_text err "near and far L2 cannot be told apart"
rm none.jsonl
FAKE_CUDA=fine-sides expect_exit 4 "$TRAUMA" run here --power none --filter 'latency/cache=cg,side=far' -o none.jsonl
expect_text err "changes within chunks of 4096 bytes"
expect_text err 'gpu.side_bytes = "1024B"'
"$TRAUMA" machine detect -t ptx -o mine.lua
sed 's/sides = 2,/sides = 2, side_bytes = "1KiB",/' mine.lua >fine.lua
expect_exit 0 "$TRAUMA" gen $recipe-latency -m fine.lua -o fine
FAKE_CUDA=fine-sides expect_exit 0 "$TRAUMA" run fine --power none --reps 1 --time 0.01 -o fine.jsonl
expect_same "$(sed 1d fine.jsonl >points; json points rates/l2.far_share/verdict | sort -u)" pass "finer sides"

# The model of the paper takes such points: here with 20 W for all of the bandwidth at full toggling, and 1 W besides.
awk 'BEGIN {
    print "{\"schema\":1,\"kind\":\"context\",\"tool\":{\"name\":\"trauma\",\"version\":\"0\"},\"machine\":{\"name\":\"h200\"},\"host\":\"h\",\"cpu\":\"c\",\"sensors\":[],\"benchmarks\":[]}"
    split("0 0.25 0.5 1", toggle, " ")
    split("near far", side, " ")
    for (share = 1; share > 0.4; share -= 0.5)
        for (i = 1; i <= 4; i++)
            for (j = 1; j <= 2; j++) {
                watts = 300 + 100 * share + (j - 1) * share * (20 * toggle[i] + 1)
                printf "{\"kind\":\"point\",\"recipe\":\"interconnect-2016/nvidia-near-far\",\"benchmark\":\"near-far\",\"name\":\"%g %s %g\",", share, side[j], toggle[i]
                printf "\"point\":{\"bandwidth_share\":%g,\"side\":\"%s\",\"toggle\":%g},\"target\":\"ptx\",\"program_hash\":\"1\",", share, side[j], toggle[i]
                printf "\"reps\":[{\"iterations\":1,\"seconds\":2,\"energy_j\":{\"g\":%.12g}},{\"iterations\":1,\"seconds\":1,\"energy_j\":{\"g\":%.12g}}],\"rates\":{},", 2 * watts, watts
                print "\"power\":{\"power.static_w\":{\"value\":300},\"verdict\":\"trustworthy\",\"from\":[\"g\"]}}"
            }
}' >played.jsonl
expect_exit 0 "$TRAUMA" fit interconnect played.jsonl
grep -Eq '^constant +20 .*W/path' out || fail "the constant is another: $(cat out)"
