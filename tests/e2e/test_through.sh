# Indirect branches that load their targets: programs keep their rates beside misses, led loads, code{}, tlb{} and branches
# through registers; simulators that are not ours count the loads; what makes no sense is refused.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
export TRAUMA_ROOT="$SOURCE"

cat >through.lua <<'LUA'
local units = {
  missing = {
    load { miss_rate = { L1 = 0.25, L2 = 0.5 }, count = 12, data = pattern.toggle(0.3) },
    store { served_by = { L1 = 1 }, count = 5 },
    branch { accuracy = 0.9, taken = 0.4, count = 20, test = "shared" },
    branch { kind = "indirect", through = "memory", accuracy = 1, count = 7 },
    branch { kind = "indirect", accuracy = 0.75, count = 4 }, add { count = 30 } },
  led = {
    load { served_by = { L1 = 1 }, count = 10, leads = true, data = pattern.words { 0x0f0f00000f0f, 0xf0f00000f0f0 } },
    load { served_by = { L1 = 1 }, count = 20, address = "led", behind = 12 },
    load { served_by = { L1 = 1 }, count = 10, updates = true }, code { misses = 2, count = 4 },
    branch { accuracy = 0.97, taken = 0.3, count = 30, test = "shared" },
    branch { kind = "indirect", through = "memory", accuracy = 1, count = 9 }, add { count = 30, width = 4 } },
  pages = {
    tlb { miss_rate = 3 / 40 }, load { served_by = { L1 = 0.9, L2 = 0.1 }, count = 30 },
    branch { accuracy = 1, count = 20 }, branch { kind = "indirect", through = "memory", accuracy = 1, count = 10 } },
  alone = { branch { accuracy = 1, count = 3 }, branch { kind = "indirect", through = "memory", accuracy = 1, count = 10 } },
}
benchmark { name = "through", target = "x86_64", sweep = { unit = { "missing", "led", "pages", "alone" } },
            kernel = function(p) return units[p.unit] end }
LUA
rates_hold through.lua skylake-sp zen5 pentium-pro

# Each has its own word, and is a load: of 24 accesses to data, 3 miss L1D.
expect_exit 0 "$TRAUMA" gen through.lua -m zen5 -o suite
program=suite/through/unit=missing
grep -o 'jmpq \*[0-9]*(%rsi)' $program/program.s | sort | uniq -c >words
python3 - $program/manifest.json words <<'PY' || fail "words of targets, or loads"
import json, sys
manifest = json.load(open(sys.argv[1]))
units, counts = manifest["units"], manifest["counts"]
words = [int(line.split()[0]) for line in open(sys.argv[2])]
assert words == [2] * (7 * units), (units, words)  # in the loop and its twin
assert counts["loads"] == 19 * units and counts["stores"] == 5 * units, counts
assert abs(manifest["expected"]["l1d.miss_rate"] - 3 / 24) < 1e-9, manifest["expected"]
PY

# The code is held against the kernel: here it has such branches where the manifest has loads, and none.
cp -r suite other
sed -i 's/"through": "memory"/"through": "register"/' other/through/unit=missing/manifest.json
expect_exit 1 "$TRAUMA" check other --counters bytes --as-is --filter unit=missing
expect_text out "is not what comes next"

# Two targets are exchanged, in the program and in its object: each branch has to lead to what follows it. With the first
# of them for both the loop never ends, and qemu ends it by the instructions that it executed, not by time.
cat >targets.py <<'PY'
import re, struct, sys
for path in sys.argv[2:]:
    code = bytearray(open(path, "rb").read())
    at = [found.start() + 3 for found in re.finditer(rb"\x48\x8d\x0d.{4}\x48\x89\x8e.{4}", code, re.S)][:2]
    first, second = (struct.unpack_from("<i", code, place)[0] for place in at)
    if sys.argv[1] == "exchanged":
        struct.pack_into("<i", code, at[0], second + at[1] - at[0])
    struct.pack_into("<i", code, at[1], first + at[0] - at[1])
    open(path, "wb").write(code)
PY
for broken in exchanged endless; do
    cp -r suite $broken
    python3 targets.py $broken $broken/through/unit=missing/program $broken/through/unit=missing/program.o || fail "no targets"
done
expect_exit 1 "$TRAUMA" check endless --counters qemu --as-is --filter unit=missing
expect_text out "instructions under qemu, far more than its manifest states"
expect_exit 1 "$TRAUMA" check exchanged --counters bytes --as-is --filter unit=missing
expect_text out "is not what follows it"

refused()
{
    echo "benchmark { name = \"b\", kernel = function() return { branch { $1 } } end }" >refused.lua
    expect_exit 3 "$TRAUMA" gen refused.lua -m "${3:-zen5}" -o refused
    expect_text err "$2"
}
refused 'accuracy = 1, through = "memory"' 'requires kind = "indirect"'
refused 'accuracy = 0.9, kind = "indirect", through = "memory"' 'expected accuracy = 1'
refused 'accuracy = 1, kind = "indirect", through = "stack"' 'expected register or memory'
refused 'accuracy = 1, kind = "indirect", through = "memory"' "expected a conditional branch beside it"
for machine in cortex-a72 sifive-u74; do
    refused 'accuracy = 1 }, branch { accuracy = 1, kind = "indirect", through = "memory"' "has no such instruction" $machine
done
