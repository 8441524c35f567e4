# RISC-V programs: every behaviour's rates are what qemu counts, whatever the caches' ways, policies and lines; the text
# gives the same bytes in other assemblers; the object's disassembly has the instructions that the manifest promises; and
# what the ISA lacks is refused in a sentence.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
need_program qemu-riscv64

# write_machine NAME L1D-SIZE WAYS LINE POLICY
write_machine()
{
    cat >"$1.lua" <<MACHINE
machine {
  name = "$1", isa = "riscv64", issue_width = 2,
  caches = {
    L1I = { size = "32KiB", ways = 4, line = 64, policy = "lru" },
    L1D = { size = "$2", ways = $3, line = $4, policy = "$5" },
    L2  = { size = "2MiB", ways = 16, line = $4, policy = "$5" },
  },
  tlb = { data = { entries = 40, ways = 40, page = "4KiB" } },
  features = { "zba" },
}
MACHINE
}
write_machine random8 32KiB 8 64 random
write_machine wide4 64KiB 4 128 lru

cat >rates.lua <<'RECIPE'
local function loads(rate, address) return load { miss_rate = { L1 = rate }, address = address, count = 4 } end
benchmark { name = "independent", sweep = { r = { 0.3, 0.07 } }, kernel = function(p) return { loads(p.r), add { count = 3, dependents = 1 } } end }
benchmark { name = "chase", sweep = { r = { 0, 0.02, 0.3, 1 } }, kernel = function(p) return { loads(p.r, "chase") } end }
benchmark { name = "levels", kernel = function() return { load { served_by = { L1 = 0.6, L2 = 0.3, MEM = 0.1 } }, store { served_by = { L1 = 0.8, L2 = 0.2 } } } end }
benchmark { name = "branches", sweep = { a = { 1, 0.71, 0.5 }, kind = { "conditional", "indirect" } },
            kernel = function(p) return { branch { accuracy = p.a, kind = p.kind }, add { count = 4 } } end }
benchmark { name = "code", sweep = { miss = { 0, 0.1, 1 } },
            kernel = function(p) return { code { served_by = { L1I = 1 - p.miss, L2 = p.miss } }, add { count = 15 } } end }
benchmark { name = "pages", kernel = function() return { load { miss_rate = { L1 = 0 }, count = 4 }, tlb { miss_rate = 0.5 } } end }
benchmark { name = "operations", kernel = function() return { add {}, mul { count = 4, chain = 2 }, div {}, shift {}, fadd { count = 2 },
            fma {}, fdiv {}, fadd { width = 4 } } end }
benchmark { name = "operands", kernel = function() return { add { data = pattern.toggle(0.25) }, fmul { data = pattern.toggle(0.125) } } end }
benchmark { name = "text", kernel = function() return { load { miss_rate = { L1 = 0 } },
            asm { riscv64 = "sh1add {r0}, {r0}, {r1}; ld {r1}, {memory}; sd {r0}, 8+{memory}", memory = 64, registers = 2 } } end }
benchmark { name = "phases", kernel = function() return { phases = { { loads(0.2) }, { mul { count = 3 } } } } end }
RECIPE
for machine in random8 wide4; do
    expect_exit 0 "$TRAUMA" check rates.lua -m "$machine.lua"
    expect_no_text out "  fail "
    expect_no_text out unobserved
done

# Data: the words' toggles, and the same again from the image by counting.
cat >data.lua <<'RECIPE'
benchmark { name = "toggles", sweep = { t = { 0.1, 0.5 } },
            kernel = function(p) return { load { served_by = { L1 = 0.8, L2 = 0.2 }, data = pattern.toggle(p.t) } } end }
RECIPE
expect_exit 0 "$TRAUMA" check data.lua -m wide4.lua
expect_no_text out "  fail "

# Twelve accesses of a pass lie in pages of their own, more than there are registers to reach them: these compute their addresses.
cat >far.lua <<'RECIPE'
benchmark { name = "far", loop = { units = 1 }, kernel = function() return {
    load { served_by = { L1 = 0.9, L2 = 0.1 }, count = 100, data = pattern.words { 1, 3, 7, 15 } },
    store { served_by = { L1 = 1 }, count = 40, data = pattern.words { 5, 9 } }, tlb { miss_rate = 12 / 140 },
    branch { accuracy = 0.9, count = 20 }, add { count = 60 }, div { count = 10 } } end }
RECIPE
expect_exit 0 "$TRAUMA" check far.lua -m sifive-u74 --counters bytes,qemu
grep -q "dtlb.miss_rate .*pass (code)" out && grep -q "data.toggle_rate .* pass " out || fail "far: $(cat out)"
expect_no_text out unobserved

# The text as it is, in two assemblers; the bytes are the object's.
expect_exit 0 "$TRAUMA" gen rates.lua -m random8.lua -o suite
if command -v riscv64-linux-gnu-as >/dev/null && command -v riscv64-linux-gnu-objcopy >/dev/null; then
    text() { riscv64-linux-gnu-objcopy -O binary -j .text "$1" "$2"; }
    for point in independent/r=0.3 chase/r=0.3 "branches/a=0.5,kind=conditional" "branches/a=0.5,kind=indirect" code/miss=0.1 operations/default; do
        text "suite/$point/program.o" ours
        expect_exit 0 riscv64-linux-gnu-as -march=rv64gc "suite/$point/program.s" -o gnu.o
        text gnu.o theirs
        # It fills the section up to its alignment.
        cmp -s -n "$(wc -c <ours)" ours theirs || fail "$point: GNU's assembler gives other bytes"
    done
    # Loads of the loop, as binutils sees them.
    riscv64-linux-gnu-objdump -d --no-show-raw-insn suite/independent/r=0.3/program.o |
        awk '/<trauma_loop>:/ { on = 1; next } /<trauma_loop_end>:/ { on = 0 } on && /^ / { all++; if ($2 == "ld") loads++ }
             END { printf "%.6f\n", loads / all }' >counted
    json_document suite/independent/r=0.3/manifest.json expected/mix.load | awk '{ printf "%.6f\n", $NF }' >promised
    expect_same "$(cat counted)" "$(cat promised)" "the share of loads"
fi

# What it cannot have.
cat >wide.lua <<'RECIPE'
benchmark { name = "wide", kernel = function() return { load { miss_rate = { L1 = 0 }, width = 32 } } end }
RECIPE
expect_exit 3 "$TRAUMA" check wide.lua -m random8.lua
expect_text err "load.width is 32"
cat >far.lua <<'RECIPE'
benchmark { name = "far", loop = { units = 500 }, kernel = function() return { branch { accuracy = 0.9 }, add { count = 4 } } end }
RECIPE
expect_exit 3 "$TRAUMA" check far.lua -m random8.lua
expect_text err "conditional branches do not reach"
cat >zbb.lua <<'RECIPE'
benchmark { name = "zbb", kernel = function() return { asm { riscv64 = "max {r0}, {r0}, {r1}", registers = 2 } } end }
RECIPE
expect_exit 3 "$TRAUMA" check zbb.lua -m random8.lua
expect_text err "it needs zbb"
