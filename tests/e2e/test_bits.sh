# Operations on bits, a row for each ISA that has them, and copies and comparisons: rotate, andn, popcount, shadd and move meet their shares, dependences and
# data rates by bytes, run, and need what their machine must have.
. "$SOURCE/tests/e2e/lib.sh"

cat >bits.lua <<'RECIPE'
local make = { rotate = rotate, andn = andn, popcount = popcount, shadd = shadd, move = move, compare = compare }
benchmark { name = "plain", sweep = { op = { "rotate", "andn", "popcount", "shadd", "move" } }, kernel = function(p) return {
  load { served_by = { L1 = 1 } }, make[p.op] { count = 3 }, add {}, make[p.op] { count = 4, chain = 2 } } end }
benchmark { name = "dependent", sweep = { op = { "andn", "popcount", "shadd", "move", "compare" } }, kernel = function(p) return {
  load { served_by = { L1 = 1 } }, make[p.op] { count = 2, dependents = 1 } } end }
benchmark { name = "data", sweep = { op = { "andn", "shadd", "popcount", "move", "compare" } }, kernel = function(p) return {
  make[p.op] { count = 4, data = pattern.toggle(0.25) } } end }
benchmark { name = "narrow", sweep = { op = { "rotate", "popcount" } }, kernel = function(p) return { make[p.op] { count = 4, width = 4 } } end }
RECIPE
expect_exit 0 "$TRAUMA" check bits.lua -m skylake-sp --counters bytes
expect_no_text out "  fail "
expect_text out "mix.popcount"
expect_exit 0 "$TRAUMA" gen bits.lua -m skylake-sp -o x86
if grep -qw bmi1 /proc/cpuinfo && [ "$(uname -m)" = x86_64 ]; then
    find x86 -name program -type f >programs
    while read -r program; do
        expect_exit 0 "$program" 10
    done <programs
fi

expect_exit 0 "$TRAUMA" check bits.lua -m spacemit-x60 --counters bytes
expect_no_text out "  fail "
expect_exit 0 "$TRAUMA" gen bits.lua -m spacemit-x60 -o rv
grep -q 'cpop ' "rv/plain/op=popcount/program.s" || fail "no cpop"
expect_same "$(json_document "rv/plain/op=shadd/manifest.json" features)" '["zba"]' "features of shadd"
# In no other place does a program ask for them: not where the machine merely has them.
echo 'benchmark { name = "none", kernel = function() return { add {} } end }' >none.lua
expect_exit 0 "$TRAUMA" gen none.lua -m spacemit-x60 -o none
expect_same "$(json_document none/none/default/manifest.json features)" '[]' "features of add"
if command -v qemu-riscv64 >/dev/null; then
    expect_exit 0 qemu-riscv64 "rv/plain/op=shadd/program" 10
    expect_exit 0 qemu-riscv64 "rv/narrow/op=popcount/program" 10
fi
if command -v riscv64-linux-gnu-as >/dev/null; then
    for op in rotate andn popcount shadd; do
        expect_exit 0 riscv64-linux-gnu-as -march=rv64gc "rv/plain/op=$op/program.s" -o theirs.o
        riscv64-linux-gnu-objcopy -O binary -j .text "rv/plain/op=$op/program.o" ours.bin
        riscv64-linux-gnu-objcopy -O binary -j .text theirs.o theirs.bin
        cmp -s -n "$(wc -c <ours.bin)" ours.bin theirs.bin || fail "$op: GNU's assembler gives other bytes"
    done
fi

cat >arm.lua <<'RECIPE'
benchmark { name = "rotate", kernel = function() return { rotate { count = 4 }, rotate { width = 4, chain = 2, count = 2 } } end }
benchmark { name = "andn", kernel = function() return { load { served_by = { L1 = 1 } }, andn { count = 2, dependents = 1 }, andn { width = 4 } } end }
RECIPE
expect_exit 0 "$TRAUMA" check arm.lua -m neoverse-n1 --counters bytes
expect_no_text out "  fail "
# popcount{} is there where Armv8.9's CSSC is.
sed 's/name = "neoverse-v2"/name = "later"/; s/"sve",/"sve", "cssc",/' "$SOURCE/recipes/machines/neoverse-v2.lua" >later.lua
echo 'benchmark { name = "ones", kernel = function() return { popcount { count = 4 }, popcount { chain = 2, count = 2 } } end }' >ones.lua
expect_exit 0 "$TRAUMA" check ones.lua -m later.lua --counters bytes
expect_no_text out "  fail "
refused()
{
    echo "benchmark { name = \"b\", kernel = function() return { $2 } end }" >refused.lua
    expect_exit 3 "$TRAUMA" gen refused.lua -m "$1" -o refused
    expect_text err "$3"
}
refused neoverse-n1 'popcount {}' "popcount.width is 8: it needs the feature cssc"
refused neoverse-n1 'shadd {}' "shadd{}: no instruction of aarch64 programs is one"
refused sifive-u74 'rotate {}' "it needs the feature zbb"
expect_text err "machine spacemit-x60 has it"
refused pentium-pro 'andn {}' "it needs the feature bmi1"
