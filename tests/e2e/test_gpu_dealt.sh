# Toggle rates on GPUs hold for whoever takes every n-th line, sector or word of the bus, or what waves ask for at random: told by
# a program that reads the suites alone, and by what is executed.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
command -v python3 >/dev/null 2>&1 || skip "no python3"

cat >dealt.lua <<'RECIPE'
local function toggling(rate) return rate > 0.5 and pattern.toggle(rate, { order = "program" }) or pattern.toggle(rate) end
benchmark { name = "buses", target = "ptx", sweep = { rate = { 0.1, 0.3, 0.5 }, bus = { 32, 256, 1024 }, level = { "SHARED", "L1", "L2" } },
  grid = { blocks = 4, threads = 96 },
  kernel = function(p) return { load { served_by = { [p.level] = 1 }, width = 4, data = pattern.toggle(p.rate), bus = p.bus } } end }
benchmark { name = "levels", target = "ptx", sweep = { rate = { 0.3, 0.5 }, threads = { 1, 96 } }, grid = function(p) return { blocks = 2, threads = p.threads } end,
  kernel = function(p) return { load { served_by = { L1 = 0.5, L2 = 0.5 }, data = pattern.toggle(p.rate) } } end }
benchmark { name = "strides", target = "ptx", sweep = { stride = { 1024, 4064 } }, grid = { blocks = 3, threads = 32 },
  kernel = function(p) return { load { served_by = { L2 = 1 }, stride = p.stride, data = pattern.half_random() } } end }
benchmark { name = "high", target = "ptx", sweep = { rate = { 0.6, 1 } }, grid = { blocks = 2, threads = 64 },
  kernel = function(p) return { load { served_by = { L2 = 1 }, width = 16, data = toggling(p.rate) } } end }
RECIPE
python3=$(command -v python3)

# Every order is that of the recipe. Above a half nothing is promised of them, and the verdict says so.
expect_exit 0 "$TRAUMA" gen dealt.lua -m h100 -o dealt
expect_exit 0 "$python3" "$SOURCE/tests/e2e/gpu_dealt.py" dealt
expect_no_text out " 0 orders"
expect_exit 0 "$TRAUMA" check dealt --counters warp
[ "$(grep -c ' data.toggle_rate.dealt .* pass  *warp' out)" -eq 33 ] || fail "the other orders are not seen: $(cat out)"
expect_text out "it holds in program order alone, and depends on how hardware deals the accesses out"
! grep -A 20 '"targets"' dealt/high/rate=1/manifest.json | sed '/"expected"/,$d' | grep -q dealt || fail "it is promised above a half"

# With the assembler of ptxas the bytes tell the rate exactly, the step from a region's end to its start included.
if command -v ptxas >/dev/null 2>&1; then
    expect_exit 0 "$TRAUMA" check dealt --counters bytes --filter 'bus=1024|levels|stride'
    expect_no_text out fail
    grep -Eq ' data.toggle_rate +0.(3|30000|29999)[0-9]* +pass +bytes' out || fail "the bytes tell no rate: $(cat out)"
fi

# The experiment of 2016.
expect_exit 0 "$TRAUMA" gen interconnect-2016/amd-paths -m w9100 -o paths --filter 'paths|patterns'
expect_exit 0 "$TRAUMA" gen interconnect-2016/nvidia-near-far -m h200 -o sides --filter 'bandwidth_share=1'
for suite in paths sides; do
    expect_exit 0 "$python3" "$SOURCE/tests/e2e/gpu_dealt.py" $suite
done

# Words that repeat after two lines, as they once did, are found out by both.
mkdir found
cp -r "dealt/buses/bus=256,level=L2,rate=0.5" found/program
"$python3" - found/program/manifest.json <<'PYTHON'
import json
import sys
with open(sys.argv[1], encoding="utf-8") as file:
    manifest = json.load(file)
fill = manifest["data"]["regions"][0]["fill"]
fill["words"] = fill["words"][:2] * (len(fill["words"]) // 2)
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(manifest, file)
PYTHON
expect_exit 1 "$python3" "$SOURCE/tests/e2e/gpu_dealt.py" found
cp found/program/manifest.json "dealt/buses/bus=256,level=L2,rate=0.5/manifest.json"
expect_exit 5 "$TRAUMA" check dealt --as-is --counters warp --filter 'buses/bus=256,level=L2,rate=0.5'
grep -q ' data.toggle_rate.dealt .* fail' out || fail "words that repeat pass: $(cat out)"
