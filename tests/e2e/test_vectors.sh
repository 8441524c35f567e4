# Vectors of SVE and of RISC-V's V, as wide as the machine's: accesses, operations, chains and data patterns meet their rates
# by bytes and qemu; two assemblers make the same bytes of the text; a processor with other vectors does not run it; what
# the machine lacks is refused.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

# write_machine NAME ISA FEATURES
write_machine()
{
    cat >"$1.lua" <<MACHINE
machine {
  name = "$1", isa = "$2", clock_ghz = 2.5, issue_width = 4,
  caches = {
    L1I = { size = "64KiB", ways = 4, line = 64, policy = "lru" }, L1D = { size = "64KiB", ways = 4, line = 64, policy = "lru" },
    L2 = { size = "1MiB", ways = 8, line = 64, policy = "lru" }, L3 = { size = "8MiB", ways = 16, line = 64, policy = "lru" },
  },
  tlb = { data = { entries = 48, ways = 48, page = "4KiB" } },
  features = { $3 },
}
MACHINE
}
write_machine sve32 aarch64 '"sve", "sve256"'
write_machine sve64 aarch64 '"sve", "sve2", "sve512"'
write_machine neon aarch64 '"asimd"'
write_machine v16 riscv64 '"v"'
write_machine v32 riscv64 '"v", "zvl256b"'
write_machine v64 riscv64 '"v", "zvl256b", "zvl512b"'
write_machine scalar riscv64 '"c"'

write_all()
{
    cat >"all$1.lua" <<RECIPE
local W = $1
benchmark { name = "near", sweep = { hit = { 0.37, 1 }, order = { "shuffled", "burst" } }, kernel = function(p) return {
  load { served_by = { L1 = p.hit, L2 = 1 - p.hit }, order = p.order, width = W }, add { count = 2 } } end }
benchmark { name = "far", kernel = function(p) return {
  load { served_by = { L1 = 0.6, L2 = 0.2, L3 = 0.15, MEM = 0.05 }, width = W }, xor { count = 2, width = W } } end }
benchmark { name = "walk", sweep = { bytes = { 4096, 3000000 } }, kernel = function(p) return { load { working_set = p.bytes, width = W } } end }
benchmark { name = "stores", kernel = function(p) return {
  load { miss_rate = { L1 = 0.1 } }, store { served_by = { L1 = 0.8, L2 = 0.2 }, width = W } } end }
benchmark { name = "branches", kernel = function(p) return {
  load { miss_rate = { L1 = 0.2 }, width = W }, add { count = 3, width = W }, branch { accuracy = 0.93 } } end }
benchmark { name = "code", kernel = function(p) return { code { served_by = { L1I = 0.7, L2 = 0.3 } }, fmul { count = 3, width = W } } end }
local make = { add = add, sub = sub, xor = xor, mul = mul, shift = shift, fadd = fadd, fmul = fmul, fdiv = fdiv, fsqrt = fsqrt, fma = fma }
local ops = { "add", "sub", "xor", "mul", "shift", "fadd", "fmul", "fdiv", "fsqrt", "fma" }
benchmark { name = "operations", sweep = { op = ops, chain = { 0, 4 } }, kernel = function(p)
  local f = { width = W, count = 4 }
  if p.chain > 0 then f.chain = p.chain end
  return { make[p.op](f), fadd {} } end }
benchmark { name = "data", sweep = { toggle = { 0.25, 0.5 }, op = { "xor", "fma", "mul" } }, kernel = function(p) return {
  load { served_by = { L1 = 1 } }, make[p.op] { width = W, count = 4, data = pattern.toggle(p.toggle) } } end }
benchmark { name = "patterns", sweep = { toggle = { 0.25, 0.5 } }, kernel = function(p) return {
  load { served_by = { L1 = 0.9, L2 = 0.1 }, width = W, data = pattern.toggle(p.toggle) } } end }
benchmark { name = "stored", sweep = { toggle = { 0.25, 0.5 } }, kernel = function(p) return {
  store { served_by = { L1 = 0.9, L2 = 0.1 }, width = W, data = pattern.toggle(p.toggle) }, fadd {} } end }
benchmark { name = "copies", kernel = function(p) return {
  load { working_set = 8192, width = W }, store { working_set = 8192, width = W, data = "loaded" } } end }
RECIPE
}

# Every promised rate passes by bytes and qemu, and at least $3 of them are seen.
expect_all()
{
    write_all "$2"
    expect_exit 0 "$TRAUMA" check "all$2.lua" -m "$1.lua" --counters bytes,qemu --json
    awk -v least="$3" '
        /"wanted":null/ || /branch.taken_rate/ { next }
        /"verdict":"pass( \(code\))?"/ { passed++ }
        /"verdict":"(fail|inconclusive|unobserved)"/ { print; wrong++ }
        END { if (passed < least) { print passed + 0 " passes"; wrong++ } exit wrong > 0 }' "$WORK/out" >"$WORK/wrong" ||
        fail "$1: $(head -c 2000 "$WORK/wrong")"
    grep -q '"metric":"data.toggle_rate"' "$WORK/out" || fail "$1: no toggle rate"
}

# refused MACHINE BEHAVIOUR WHY
refused()
{
    echo "benchmark { name = \"b\", kernel = function() return { $2 } end }" >refused.lua
    expect_exit 3 "$TRAUMA" gen refused.lua -m "$1.lua" -o refused
    expect_text err "$3"
}

# same_text SUITE ASSEMBLER... : another assembler's bytes of each program's code are ours.
same_text()
{
    suite=$1
    tools=$2
    shift 2
    find "$suite" -name program.s | sort | while read -r text; do
        expect_exit 0 "$@" "$text" -o theirs.o
        "$tools-objcopy" -O binary -j .text "${text%.s}.o" ours.bin
        "$tools-objcopy" -O binary -j .text theirs.o theirs.bin
        # It may fill the section up to its alignment.
        cmp -s -n "$(wc -c <ours.bin)" ours.bin theirs.bin || fail "$text: $1 gives other bytes"
    done
}
clang=$(command -v clang-19 || command -v clang || :)

if command -v qemu-aarch64 >/dev/null; then
    expect_all sve32 32 40
    expect_all sve64 64 40
fi
for machine in "sve32 32" "sve64 64"; do
    write_all "${machine#* }"
    expect_exit 0 "$TRAUMA" gen "all${machine#* }.lua" -m "${machine% *}.lua" -o "${machine% *}"
    if command -v aarch64-linux-gnu-as >/dev/null; then
        same_text "${machine% *}" aarch64-linux-gnu aarch64-linux-gnu-as
        [ -z "$clang" ] || same_text "${machine% *}" aarch64-linux-gnu "$clang" --target=aarch64-linux-gnu -c
    fi
done
# A load is one instruction, whose displacement counts vectors: nothing is spent on addresses that one base reaches.
grep -q 'ldr z23, \[x1, #[0-9]*, mul vl\]' sve32/near/hit=0.37,order=shuffled/program.s || fail "no load of a whole vector"
expect_same "$(json_document sve32/stores/default/manifest.json expected/body.share | awk '{ print ($NF > 0.98) }')" 1 "body.share"
if command -v qemu-aarch64 >/dev/null; then
    program=sve32/far/default/program
    expect_exit 0 qemu-aarch64 -cpu max,sve256=on "$program" 3
    for other in max,sve128=on max,sve512=on; do
        expect_exit 132 qemu-aarch64 -cpu "$other" "$program" 3
    done
fi

if command -v qemu-riscv64 >/dev/null; then
    expect_all v16 16 40
    expect_all v32 32 40
    expect_all v64 64 40
fi
for machine in "v16 16" "v32 32" "v64 64"; do
    write_all "${machine#* }"
    expect_exit 0 "$TRAUMA" gen "all${machine#* }.lua" -m "${machine% *}.lua" -o "${machine% *}"
    if command -v riscv64-linux-gnu-as >/dev/null; then
        same_text "${machine% *}" riscv64-linux-gnu riscv64-linux-gnu-as -march=rv64gc
        [ -z "$clang" ] || same_text "${machine% *}" riscv64-linux-gnu "$clang" --target=riscv64-linux-gnu -mno-relax -c
    fi
done
if command -v qemu-riscv64 >/dev/null; then
    program=v32/far/default/program
    expect_exit 0 qemu-riscv64 -cpu rv64,v=true,vext_spec=v1.0,vlen=256 "$program" 3
    expect_exit 0 qemu-riscv64 -cpu rv64,v=true,vext_spec=v1.0,vlen=512 "$program" 3
    expect_exit 132 qemu-riscv64 -cpu rv64,v=true,vext_spec=v1.0,vlen=128 "$program" 3
fi
# A program without vectors needs no V, whatever the machine has.
cat >plain.lua <<'RECIPE'
benchmark { name = "plain", kernel = function() return { fadd { count = 3 }, fma { width = 4 }, load { served_by = { L1 = 1 } } } end }
RECIPE
for machine in "v32 riscv64" "scalar riscv64"; do
    expect_exit 0 "$TRAUMA" gen plain.lua -m "${machine% *}.lua" -o "plain-${machine% *}"
done
cmp plain-v32/plain/default/program plain-scalar/plain/default/program || fail "a program without vectors depends on V"

refused neon 'load { served_by = { L1 = 1 }, width = 32 }' "it needs the feature sve256, which machine neon lacks"
refused sve64 'load { served_by = { L1 = 1 }, width = 32 }' "it needs the feature sve256, which machine sve64 lacks"
refused sve32 'fadd { width = 64 }' 'it needs the feature sve512, and the machine "sve32" has no such feature'
refused scalar 'store { served_by = { L1 = 1 }, width = 16 }' "it needs the feature v, which machine scalar lacks"
refused v16 'fma { width = 32 }' 'it needs the feature zvl256b'
refused v32 'load { served_by = { L1 = 1 }, width = 16 }, fadd { width = 32 }' \
    "load.width is 16 beside vectors of 32 bytes: on riscv64 all vectors of a kernel have one width"
