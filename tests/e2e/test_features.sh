# Features of the machine that a recipe's own instructions need: those that it has are accepted, stated in the manifest and
# told to assemblers; what it lacks is refused with its name and a machine that has it.
. "$SOURCE/tests/e2e/lib.sh"

write()
{
    echo "benchmark { name = \"b\", kernel = function() return { load { served_by = { L1 = 1 } }, $1 } end }" >own.lua
}

# takes MACHINE TEXT FEATURE...: the manifest's features are those.
takes()
{
    machine=$1
    write "$2"
    shift 2
    expect_exit 0 "$TRAUMA" gen own.lua -m "$machine" -o own
    json_document own/b/default/manifest.json features | tr -d '[]" ' | tr ',' '\n' | sort | tr '\n' ' ' >found
    for feature in "$@"; do echo "$feature"; done | sort | tr '\n' ' ' >wanted
    expect_same "$(cat found)" "$(cat wanted)" "features of $machine's text"
}

# refuses MACHINE TEXT WHY
refuses()
{
    write "$2"
    expect_exit 3 "$TRAUMA" gen own.lua -m "$1" -o none
    expect_text err "$3"
}

sve='asm { aarch64 = "ptrue p3.d; fmla z20.d, p3/m, z21.d, z21.d; fadd z20.d, z20.d, z21.d; cntd {r3}", registers = { "z20", "z21", "p3", "x19" } }'
takes neoverse-v2 "$sve" sve
if command -v qemu-aarch64 >/dev/null; then
    expect_exit 0 "$TRAUMA" check own.lua -m neoverse-v2 --counters bytes,qemu
    expect_no_text out "  fail "
    expect_text out "mix.asm"
fi
if command -v aarch64-linux-gnu-as >/dev/null; then
    expect_exit 0 aarch64-linux-gnu-as own/b/default/program.s -o theirs.o
    aarch64-linux-gnu-objcopy -O binary -j .text own/b/default/program.o ours.bin
    aarch64-linux-gnu-objcopy -O binary -j .text theirs.o theirs.bin
    cmp -s ours.bin theirs.bin || fail "GNU's assembler gives other bytes"
fi
refuses neoverse-n1 "$sve" "it needs sve, which the machine neoverse-n1 lacks; machines neoverse-n2, neoverse-v1 and neoverse-v2 have it"
takes neoverse-v2 'asm { aarch64 = "mul z20.d, z20.d, z21.d", registers = { "z20", "z21" } }' sve sve2
refuses neoverse-v1 'asm { aarch64 = "mul z20.d, z20.d, z21.d", registers = { "z20", "z21" } }' "it needs sve2, which the machine neoverse-v1 lacks"
refuses neoverse-v2 'asm { aarch64 = "fmla z20.d, p2/m, z21.d, z21.d", registers = { "z20", "z21", "p3" } }' "it uses p2, which is not in asm.registers"
refuses neoverse-v2 'asm { aarch64 = "fadd z20.d, z20.d, z21.d", registers = { "v20", "v21" } }' "it uses z20, which is not in asm.registers"
refuses neoverse-v2 'asm { aarch64 = "ptrue p0.d", registers = { "p0" } }' "p0 cannot be given"
refuses neoverse-v2 'asm { aarch64 = "ldr z20, {memory}", registers = { "z20" }, memory = 64 }' "its 256 bytes from byte 0 on are not all within the 64 bytes"

# Atomics (LSE; Linux calls them so): their addresses have no displacement, wherever other texts' memory lies.
lse='asm { aarch64 = "ldr {r0}, 8+{memory}", registers = 1, memory = 64 },
  asm { aarch64 = "ldaddal {r0}, {r1}, {memory}; cas {r0}, {r1}, {memory}; swpb {r0:32}, {r1:32}, {memory}", registers = 2, memory = 64 }'
takes neoverse-n1 "$lse" atomics
if command -v qemu-aarch64 >/dev/null; then
    expect_exit 0 qemu-aarch64 own/b/default/program 5
fi
refuses cortex-a72 "$lse" "it needs atomics, which the machine cortex-a72 lacks; machines apple-m1, neoverse-n1, neoverse-n2 and 2 more have it"
refuses neoverse-n1 "asm { aarch64 = \"swp {r0}, {r1}, 8+{memory}\", registers = 2, memory = 64 }" "expected {memory} alone"
refuses neoverse-n1 'asm { aarch64 = "swp {r0}, {r1}, {memory}", registers = 2, memory = 4 }' "its 8 bytes from byte 0 on are not all within"
refuses neoverse-n1 'asm { aarch64 = "swp {r0}, {r1}, {memory}", registers = 2, memory = 64 },
  asm { aarch64 = "swp {r0}, {r1}, {memory}", registers = 2, memory = 64 }' "expected these instructions in one asm{}"
takes neoverse-n1 'asm { aarch64 = "sdot v20.4s, v21.16b, v21.16b; crc32b {r2:32}, {r2:32}, {r2:32}", registers = { "v20", "v21", "x19" } }' asimddp crc32
refuses neoverse-n1 'asm { aarch64 = "sdot v20.4s, v22.16b, v21.16b", registers = { "v20", "v21" } }' "it uses v22"
refuses neoverse-n1 'asm { aarch64 = "pacga {r0}, {r0}, {r1}", registers = 2 }' "it needs LLVM's feature pauth, and no text may have its instructions"

takes spacemit-x60 'asm { riscv64 = "bset {r0}, {r0}, {r1}; clmul {r0}, {r0}, {r1}", registers = 2 }' zbs zbc
takes spacemit-x60 'asm { riscv64 = "andn {r0}, {r0}, {r1}; sh2add {r0}, {r0}, {r1}", registers = 2 }' zba zbb
refuses sifive-u74 'asm { riscv64 = "andn {r0}, {r0}, {r1}", registers = 2 }' "it needs zbb, which the machine sifive-u74 lacks; machine spacemit-x60 has it"
refuses sifive-u74 'asm { riscv64 = "vadd.vv v1, v2, v3" }' "it needs v, which the machine sifive-u74 lacks; machine spacemit-x60 has it"
refuses spacemit-x60 'asm { riscv64 = "vadd.vv v1, v2, v3" }' "how many elements it uses is unknown here"
refuses sifive-u74 'asm { riscv64 = "c.add {r0}, {r1}", registers = 2 }' "it needs LLVM's feature c"

refuses interlagos 'asm { x86_64 = "vpaddd %ymm14, %ymm14, %ymm14", registers = { "ymm14" } }' \
    "it needs avx2, which the machine interlagos lacks; machines skylake-sp and zen5 have it"
# The same for what TraumaGen's own rows need.
refuses interlagos 'fma { width = 64 }' 'the machine "interlagos" has no such feature; machines skylake-sp and zen5 have it'
refuses interlagos 'load { served_by = { L1 = 1 }, width = 64 }' "expected 4, 8, 16 or 32 bytes, or another machine: machines skylake-sp and zen5 have it"
refuses neoverse-v2 'fadd { width = 32 }' "it needs the feature sve256"
expect_text err "machine neoverse-v1 has it"
