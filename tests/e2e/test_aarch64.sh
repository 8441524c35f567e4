# AArch64: every behaviour, on machines with 64 KiB 4-way and 48 KiB 3-way caches, random replacement, lines of 128 bytes
# and three levels, meets its rates by bytes and qemu; the assembly is what other assemblers take; programs keep the
# arguments and the line that all have.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
need_program qemu-aarch64

# write_machine NAME L1I L1D L2 LINE POLICY [L3]
write_machine()
{
    cat >"$1.lua" <<MACHINE
machine {
  name = "$1", isa = "aarch64", clock_ghz = 2.5, issue_width = 4,
  caches = {
    L1I = { $2, line = $5, policy = "lru" }, L1D = { $3, line = $5, policy = "lru" }, L2 = { $4, line = $5, policy = "$6" },
    ${7:-}
  },
  tlb = { data = { entries = 48, ways = 48, page = "4KiB" } },
}
MACHINE
}
four='size = "64KiB", ways = 4'
write_machine wide "$four" "$four" 'size = "1MiB", ways = 8' 64 lru 'L3 = { size = "8MiB", ways = 16, line = 64, policy = "lru" }'
write_machine odd 'size = "48KiB", ways = 3' 'size = "32KiB", ways = 2' 'size = "1MiB", ways = 16' 64 random
write_machine long "$four" "$four" 'size = "2MiB", ways = 16' 128 lru

cat >all.lua <<'RECIPE'
local both = { "independent", "chase" }
benchmark { name = "near", sweep = { hit = { 0.37, 1 }, address = both, order = { "shuffled", "burst" } }, kernel = function(p) return {
  load { served_by = { L1 = p.hit, L2 = 1 - p.hit }, address = p.address, order = p.order }, add { count = 2, dependents = 1 } } end }
benchmark { name = "far", sweep = { share = { 0.03, 0.4 }, address = both }, kernel = function(p) return {
  load { served_by = { L1 = 1 - p.share, MEM = p.share }, address = p.address }, xor { count = 2 } } end }
benchmark { name = "walk", sweep = { bytes = { 4096, 3000000 }, address = both }, kernel = function(p) return {
  load { working_set = p.bytes, address = p.address } } end }
benchmark { name = "stores", sweep = { width = { 4, 8, 16 } }, kernel = function(p) return {
  load { miss_rate = { L1 = 0.1 } }, store { served_by = { L1 = 0.8, L2 = 0.2 }, width = p.width } } end }
benchmark { name = "branches", sweep = { accuracy = { 1, 0.93, 0.71, 0.5 }, kind = { "conditional", "indirect" } }, kernel = function(p) return {
  add { count = 3 }, branch { accuracy = p.accuracy, kind = p.kind } } end }
benchmark { name = "code", sweep = { miss = { 0.3, 1 } }, kernel = function(p) return {
  code { served_by = { L1I = 1 - p.miss, L2 = p.miss } }, add { count = 3 } } end }
benchmark { name = "pages", kernel = function() return { load { served_by = { L1 = 1 } }, tlb { miss_rate = 0.2 }, nop {} } end }
benchmark { name = "phases", kernel = function() return { phases = {
  { load { served_by = { L1 = 0.5, L2 = 0.5 } }, prefetch {} }, { fmul { count = 3 }, div { chain = 4 } } } } end }
benchmark { name = "data", sweep = { width = { 4, 8, 16 } }, kernel = function(p) return {
  load { served_by = { L1 = 0.9, L2 = 0.1 } }, mul { width = p.width, count = 2, data = pattern.toggle(0.3) }, fma {}, shift {} } end }
benchmark { name = "words", sweep = { width = { 4, 8 } }, kernel = function(p) return {
  load { served_by = { L1 = 1 }, width = p.width, data = pattern.toggle(0.25) }, sub {} } end }
RECIPE

# Every rate passes, and at least $2 of them are seen.
expect_all()
{
    expect_exit 0 "$TRAUMA" check all.lua -m "$1.lua" --counters bytes,qemu --json
    awk -v least="$2" '
        /"wanted":null/ || /branch.taken_rate/ { next }
        /"verdict":"pass( \(code\))?"/ { passed++ }
        /"verdict":"(fail|inconclusive|unobserved)"/ { print; wrong++ }
        END { if (passed < least) { print passed + 0 " passes"; wrong++ } exit wrong > 0 }' "$WORK/out" >"$WORK/wrong" ||
        fail "$1: $(head -c 2000 "$WORK/wrong")"
}
expect_all wide 200
expect_all odd 200
expect_all long 200

# Three levels at once.
cat >levels.lua <<'RECIPE'
benchmark { name = "levels", sweep = { address = { "independent", "chase" } }, kernel = function(p) return {
  load { served_by = { L1 = 0.5, L2 = 0.2, L3 = 0.2, MEM = 0.1 }, address = p.address } } end }
RECIPE
expect_exit 0 "$TRAUMA" check levels.lua -m wide.lua --counters qemu
grep -q 'served.L3 *0.2  *pass' "$WORK/out" || fail "$(cat "$WORK/out")"

# A recipe's own text is counted, has its registers and its memory, and is refused what it was not given.
cat >own.lua <<'RECIPE'
benchmark { name = "own", kernel = function() return {
  load { served_by = { L1 = 0.5, L2 = 0.5 } }, add {},
  asm { aarch64 = "ldr {r0}, {memory}; str {r1:32}, 8+{memory}; mul {r0}, {r1}, {r0}", registers = 2, memory = 64 },
  asm { aarch64 = "fadd v20.2d, v20.2d, v21.2d; ldr q21, 16+{memory}", registers = { "v20", "v21" }, memory = 32 } } end }
RECIPE
expect_exit 0 "$TRAUMA" check own.lua -m wide.lua --counters bytes
grep -q 'mix.asm *0.71[0-9]* *pass' "$WORK/out" || fail "$(cat "$WORK/out")"
expect_exit 0 "$TRAUMA" gen own.lua -m wide.lua -o own
expect_exit 0 qemu-aarch64 own/own/default/program 5

# GNU's assembler and clang make the same bytes of the text as the generator did.
expect_exit 0 "$TRAUMA" gen all.lua -m wide.lua -o suite
same_bytes()
{
    for section in .text .rodata; do
        aarch64-linux-gnu-objcopy -O binary -j $section "$1" one.bin
        aarch64-linux-gnu-objcopy -O binary -j $section "$2" other.bin
        cmp -s one.bin other.bin || fail "$1 has another $section than $2"
    done
}
clang=$(command -v clang-19 || command -v clang || :)
if command -v aarch64-linux-gnu-as >"$WORK/out"; then
    find suite -name program.s | sort | while read -r text; do
        expect_exit 0 aarch64-linux-gnu-as "$text" -o gnu.o
        same_bytes gnu.o "${text%.s}.o"
        [ -z "$clang" ] || expect_exit 0 "$clang" --target=aarch64-linux-gnu -c "$text" -o clang.o
        [ -z "$clang" ] || same_bytes clang.o "${text%.s}.o"
    done
fi

# The line has the counter's frequency besides; arguments are those of every program.
program=suite/near/address=chase,hit=1,order=shuffled/program
expect_exit 0 qemu-aarch64 "$program" 7
grep -qE '^\{"iterations":7,"ticks":[0-9]+,"start":[0-9]+,"ticks_per_s":[1-9][0-9]*\}$' "$WORK/out" || fail "$(cat "$WORK/out")"
expect_exit 0 qemu-aarch64 "$program" 20 +100
[ "$(grep -c '"iterations":' "$WORK/out")" = 2 ] || fail "not two lines: $(cat "$WORK/out")"
for wrong in x "" 18446744073709551616 1x; do
    expect_exit 2 qemu-aarch64 "$program" "$wrong"
done

# What the ISA cannot have is refused in a sentence.
refused()
{
    echo "benchmark { name = \"b\", kernel = function() return { $1 } end }" >refused.lua
    expect_exit 3 "$TRAUMA" gen refused.lua -m wide.lua -o refused
    expect_text err "$2"
}
refused 'store { served_by = { MEM = 1 }, cache = "nt" }' "aarch64 has no access that goes past the caches"
refused 'load { served_by = { L1 = 1 }, width = 32 }' "it needs the feature sve256, which machine wide lacks"
refused 'asm { aarch64 = "add x5, x5, x6" }' "it uses x5, which is not in asm.registers"
refused 'asm { aarch64 = "ldr {r0}, [x1]", registers = 1 }' "it uses memory"
refused 'asm { aarch64 = "ldr {r0}, 64+{memory}", registers = 1, memory = 64 }' "not all within the 64 bytes"
refused 'asm { aarch64 = "svc #0" }' "svc is not among the instructions"
refused 'asm { aarch64 = "fadd v8.2d, v8.2d, v8.2d", registers = { "v8" } }' "v8 cannot be given: it is the caller's"
refused 'fadd { width = 64 }' "fadd.width is 64: it needs the feature sve512"
expect_exit 2 "$TRAUMA" gen all.lua -m wide.lua --markers cpuid -o refused
expect_text err "programs for aarch64 have no such markers; they have gem5"
