# trauma patch: binaries of ROCm and of both Catalyst families, the words written, what is refused and how.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

text='s_mov_b32 s1, 0x81000210
s_add_i32 s0, s16, s2
s_movk_i32 s7, 0x7a5a
s_endpgm'
make()
{
    expect_exit 0 "$GCN_FILE" "$@"
}

# differs OLD NEW: each byte that differs, "offset old new" with octal bytes.
differs()
{
    cmp -l "$1" "$2" | awk '{ printf "%s%d:%s>%s", n++ ? " " : "", $1 - 1, $2, $3 }'
}

# The paper's figure 3, in each container: 81000210 becomes B9003204, and nothing else changes.
for kind in rocm catalyst-32 catalyst-64 raw-32 raw-64 hsa-32 hsa-64; do
    make $kind gfx701 in.bin "$text"
    expect_exit 0 "$TRAUMA" patch in.bin -o out.bin --replace 81000210 --field cu,sh,se --kernel first
    expect_text out "81000210"
    expect_text out "b9003204  s_getreg_b32 s0, hwreg(HW_REG_HW_ID, 8, 7)"
    expect_text out "gfx701: 1 instruction replaced, 3 bytes changed"
    expect_text out "cu at 3:0, sh at 4:4, se at 6:5"
    offset=$(($(sed -n 's/^first *\(0x[0-9a-f]*\) .*/\1/p' out)))
    expect_same "$(differs in.bin out.bin)" \
        "$offset:20>4 $((offset + 1)):2>62 $((offset + 3)):201>271" "bytes changed in $kind"
    # By text, the word is the same; by the marker it keeps the marker's register.
    expect_exit 0 "$TRAUMA" patch in.bin -o other.bin --kernel first --replace "s_add_i32 s0, s16, s2" \
        --with "s_getreg_b32 s0, hwreg(HW_REG_HW_ID, 8, 7)"
    cmp out.bin other.bin || fail "by text and by word differ in $kind"
    expect_exit 0 "$TRAUMA" patch in.bin -o other.bin --kernel first --marker --field se
    expect_text out "b9070b44  s_getreg_b32 s7, hwreg(HW_REG_HW_ID, 13, 2)"
    case $kind in
    catalyst*) expect_text err "warning: the binary still contains .llvmir" ;;
    *) expect_empty err ;;
    esac
done
make hsa-64 gfx900 in.bin "$text"
expect_exit 0 "$TRAUMA" patch in.bin -o out.bin --marker --field cu,sh,se
expect_text out "gfx900: 1 instruction replaced"
expect_text out "b8873204"

# A host program with code for two processors: one is chosen, the other stays as it is, and it is a program still.
make host gfx906 in.bin "$text"
chmod +x in.bin
expect_exit 2 "$TRAUMA" patch in.bin -o none.bin --marker --field se --kernel first
expect_text err "the binary has code for several processors: gfx701, gfx906; -t gfx701 selects one of them"
[ ! -e none.bin ] || fail "a file was written for no processor"
expect_exit 0 "$TRAUMA" patch in.bin -o out.bin --marker --field se --kernel first -t gfx906
expect_text out "gfx906: 1 instruction replaced"
expect_text out "b8870b44"
expect_same "$(cmp -l in.bin out.bin | wc -l)" 4 "bytes that differ"
[ -x out.bin ] || fail "the patched program is none"

# Several are told, not chosen; --dry-run and failures write nothing.
make rocm gfx906 in.bin "$text"
refused()
{
    code=$1
    words=$2
    shift 2
    expect_exit "$code" "$TRAUMA" patch in.bin -o none.bin "$@"
    expect_text err "$words"
    expect_same "$(wc -l <err)" 1 "lines of the error of $*"
    expect_empty out
    [ ! -e none.bin ] || fail "a file was written after $*"
}
refused 2 "2 instructions are '81000210', but only one may be replaced; they are at 0x" --replace 81000210 --field cu
refused 2 "there is no occurrence 3" --replace 81000210 --field cu --occurrence 3
refused 2 "did you mean 'second'?" --replace 81000210 --field cu --kernel secnod
refused 2 "are not adjacent" --marker --field cu,se
refused 2 "it has: wave simd" --marker --field core
refused 2 "is not an instruction of gfx906" --marker --with "s_getreg s0" --occurrence all
refused 2 "has 8 bytes, the placeholder at 0x" --marker --with "s_mov_b32 s0, 0x12345" --occurrence all
refused 2 "a patch keeps sizes, because branches and symbols depend on code addresses" --marker \
    --with "s_mov_b32 s0, 0x12345" --occurrence all
refused 2 "expected all or a number" --marker --field cu --occurrence 0
refused 2 "either --marker or --replace" --field cu
refused 2 "either --marker or --replace" --marker --replace 81000210 --field cu
refused 2 "either --with TEXT or --field" --marker
refused 2 "either --with TEXT or --field" --marker --field cu --with "s_nop 0"
refused 1 "bytes reversed" --replace 10020081 --field cu
refused 1 "no instruction is 's_nop 3'" --replace "s_nop 3" --field cu
expect_exit 2 "$TRAUMA" patch in.bin --marker --field cu
expect_text err "needs -o OUT"
expect_exit 2 "$TRAUMA" patch missing.bin -o none.bin --marker --field cu
expect_exit 0 "$TRAUMA" patch in.bin -o none.bin --marker --field cu --occurrence all --dry-run
expect_text out "nothing written"
expect_text out "confirmed by LLVM's assembler and disassembler"
[ ! -e none.bin ] || fail "--dry-run wrote"
if "$GCN_FILE" rocm gfx1200 in.bin "$text" 2>/dev/null; then # LLVM 17 knows none
    refused 2 "are not adjacent" --marker --field wgp,se --occurrence all
fi
make rocm gfx1030 in.bin "$text"
refused 2 "gfx1030 has no register HW_ID" --marker --with "s_getreg_b32 s7, hwreg(HW_REG_HW_ID, 8, 7)"
refused 2 "work-group processor" --marker --field cu,sh,se

expect_exit 0 "$TRAUMA" patch in.bin -o out.bin --marker --field simd,wgp --occurrence all --json
expect_same "$(json_document out target)" gfx1030 "JSON's target"
expect_same "$(json_document out replaced/0/word_after)" b9072a17 "JSON's word"
expect_same "$(json_document out replaced/1/kernel)" second "JSON's kernel"
expect_same "$(json_document out fields/1/name)" wgp "JSON's field"
expect_same "$(json_document out proof/disassembled)" true "JSON's proof"
offset=$(json_document out replaced/0/offset)
expect_same "$(od -An -tx4 -j "$offset" -N 4 out.bin | tr -d ' ')" b9072a17 "the word in the file"
# In place, and what was patched has no placeholder any more.
cp out.bin in.bin
refused 1 "no instruction is" --marker --field simd --occurrence all
expect_exit 0 "$TRAUMA" patch in.bin -o in.bin --replace b9072a17 --field wave --occurrence 2
expect_same "$(differs out.bin in.bin | wc -w)" 1 "bytes changed in place"

# A placeholder of 8 bytes: by its text or by both its words; what the read leaves is filled.
long='s_mov_b32 s5, 0x81000210
s_nop 3
s_endpgm
s_mov_b32 s6, 0x81000210'
for name in "s_mov_b32 s5, 0x81000210" "be8503ff 81000210" "0xBE8503FF 0x81000210"; do
    make rocm gfx701 in.bin "$long"
    expect_exit 0 "$TRAUMA" patch in.bin -o out.bin --replace "$name" --field cu,sh,se --kernel first
    expect_text out "be8503ff 81000210  s_mov_b32 s5, 0x81000210"
    expect_text out "b9053204 bf800000  s_getreg_b32 s5, hwreg(HW_REG_HW_ID, 8, 7); s_nop 0"
    expect_text out "1 s_nop 0 fills the room that the shorter instruction leaves"
done
expect_exit 0 "$TRAUMA" patch in.bin -o out.bin --replace "$name" --field cu,sh,se --kernel first --json
expect_same "$(json_document out replaced/0/bytes)" 8 "JSON's bytes"
expect_same "$(json_document out replaced/0/filling)" 1 "JSON's filling"
refused 1 'begins with it at 0x' --replace be8503ff --field cu --kernel first
refused 1 '--replace "be8503ff 81000210" gives all its words' --replace be8503ff --field cu --kernel first

# What stands behind the end is left out, and said, until it is asked for.
refused 1 "2 instructions that control flow does not reach from an entry were left out, the first at 0x" \
    --replace "be8603ff 81000210" --field cu
refused 1 "--unreached includes them" --replace "be8603ff 81000210" --field cu
expect_exit 0 "$TRAUMA" patch in.bin -o out.bin --replace "be8603ff 81000210" --field cu --unreached --occurrence 1
expect_same "$(differs in.bin out.bin | wc -w)" 8 "bytes changed behind the end"
make rocm gfx701 in.bin "s_movk_i32 s7, 0x7a5a
s_endpgm
s_movk_i32 s7, 0x7a5a"
expect_exit 0 "$TRAUMA" patch in.bin -o out.bin --marker --field cu --kernel first
expect_text out "left out: 1 more that control flow does not reach (--unreached includes it)"
expect_exit 0 "$TRAUMA" patch in.bin -o out.bin --marker --field cu --kernel first --json
expect_same "$(json_document out left_out)" 1 "JSON's left_out"

# The header of an old object's function is no code, whatever option is given.
make old gfx900 in.bin "$text"
expect_exit 0 "$TRAUMA" patch in.bin -o out.bin --marker --field cu --occurrence all
expect_text out "2 instructions replaced"
cmp -n 320 in.bin out.bin || fail "the first header was changed"
refused 1 "no instruction is '00000100'" --replace 00000100 --with "s_nop 0" --occurrence all --unreached
make old gfx900 in.bin s_endpgm
refused 1 "are outside all functions" --marker --field cu --occurrence all --unreached

# What is there to patch, in words and in JSON, of all generations.
for target in gfx701 gfx906 gfx1030; do
    make rocm $target in.bin "$text
s_nop 7"
    expect_exit 0 "$TRAUMA" patch in.bin --list
    grep -qE "^$target +first +0x[0-9a-f]+ +81000210 +s_add_i32 s0, s16, s2\$" out || fail "list of $target: $(cat out)"
    grep -qE "^$target +second +0x[0-9a-f]+ +bf800007 +s_nop (0x)?7 +\(not reached\)\$" out || fail "list: $(cat out)"
    expect_text out "2 functions, 10 instructions, of which control flow reaches 8"
    expect_exit 0 "$TRAUMA" patch in.bin --list --kernel second --json
    expect_same "$(json_document out kernels/0/kernel)" second "JSON's kernel"
    expect_same "$(json_document out kernels/0/instructions/2/text)" "s_movk_i32 s7, 0x7a5a" "JSON's text"
    offset=$(json_document out kernels/0/instructions/2/offset)
    expect_exit 0 "$TRAUMA" patch in.bin -o out.bin --marker --field simd --kernel second
    expect_text out "$(printf '0x%x' "$offset")"
done
make host gfx906 in.bin "$text"
expect_exit 0 "$TRAUMA" patch in.bin --list -t gfx701 --kernel first
expect_no_text out gfx906
expect_exit 2 "$TRAUMA" patch in.bin --list --kernel fisrt
expect_text err "did you mean 'first'?"
expect_exit 2 "$TRAUMA" patch in.bin --list --marker
expect_text err "--list patches nothing"
expect_exit 1 "$TRAUMA" patch "$SOURCE/README.md" --list

# What is not taken is named.
make gallium gfx701 in.bin "$text"
refused 1 "a Gallium binary of Mesa's OpenCL (clover)" --marker --field cu
make raw gfx906 in.bin "$text"
refused 1 "raw machine code without a container" --marker --field cu

# Graphics drivers' ELF files are told by their system, where their flags name no processor; with one they are code like any.
# byte OFFSET OCTAL: of in.bin
byte()
{
    printf "\\$2" | dd of=in.bin bs=1 seek="$1" conv=notrunc 2>/dev/null
}
# elf_of SYSTEM FLAGS: a code object of gfx906 whose header says so.
elf_of()
{
    make rocm gfx906 in.bin "$text"
    byte 7 "$1"
    for at in 48 49 50 51; do
        [ "$2" = gfx906 ] || byte $at 0
    done
}
elf_of 102 none # ELFOSABI_AMDGPU_MESA3D
refused 1 "Mesa's (Gallium's) ELF file, which does not name its processor: flags 0x0; supported are ROCm code objects and Catalyst's OpenCL 1.2 and 2.0 binaries" --marker --field cu
elf_of 101 none # ELFOSABI_AMDGPU_PAL
refused 1 "a pipeline's ELF file of AMD's PAL, which does not name its processor: flags 0x0" --marker --field cu
elf_of 100 none # ELFOSABI_AMDGPU_HSA
refused 1 "the binary does not name its processor: ELF machine 0xe0, flags 0x0" --marker --field cu
for system in 101 102; do
    elf_of $system gfx906
    expect_exit 0 "$TRAUMA" patch in.bin -o out.bin --marker --field cu --occurrence 1
    expect_text out "gfx906: 1 instruction replaced"
done
if command -v llvm-objcopy-19 >/dev/null 2>&1; then
    elf_of 100 none
    llvm-objcopy-19 --add-section .AMDGPU.config=/etc/hostname in.bin config.bin && mv config.bin in.bin
    refused 1 "Mesa's (Gallium's) ELF file" --marker --field cu
fi

# A placeholder that writes two registers is taken with a word of warning, one that writes none is refused.
make rocm gfx906 in.bin "s_mov_b64 s[4:5], 0
v_mov_b32 v0, 7
s_endpgm"
expect_exit 0 "$TRAUMA" patch in.bin -o out.bin --replace "s_mov_b64 s[4:5], 0" --field cu --kernel first
expect_text err "the placeholder writes 2 registers, but the new instruction writes only the first"
refused 2 "writes no scalar register that a read could take over: v_mov_b32" --replace "v_mov_b32 v0, 7" --field cu \
    --kernel first

# A processor that LLVM does not know is said to be one: exit code 4.
make rocm gfx906 in.bin "$text"
printf '\117' | dd of=in.bin bs=1 seek=48 conv=notrunc 2>/dev/null # gfx950, in LLVM from 20 on
expect=$("$GCN_FILE" rocm gfx950 known.bin "$text" 2>/dev/null && echo 0 || echo 4)
expect_exit "$expect" "$TRAUMA" patch in.bin -o known.bin --marker --field xcc --occurrence 1
[ "$expect" = 0 ] || expect_text err "this LLVM does not support gfx950"

# Damage is a sentence and exit code 1, and leaves what was there.
printf 'before' >kept.bin
make rocm gfx701 in.bin "$text"
for size in 0 3 20 63 64 200 500; do
    head -c $size in.bin >cut.bin
    expect_exit 1 "$TRAUMA" patch cut.bin -o kept.bin --marker --field cu
    expect_same "$(wc -l <err)" 1 "lines of the error"
done
expect_exit 1 "$TRAUMA" patch "$TRAUMA" -o kept.bin --marker --field cu
expect_text err "not a binary for a known AMD processor"
expect_exit 1 "$TRAUMA" patch "$SOURCE/README.md" -o kept.bin --marker --field cu
expect_same "$(cat kept.bin)" before "what a failure left"

# Code objects of the toolchain, and an independent disassembler: from assembly, and from OpenCL C.
for program in llvm-mc-19 llvm-objdump-19 ld.lld-19; do
    command -v "$program" >/dev/null 2>&1 || {
        echo "$program is not installed: objects of the toolchain are not tried"
        exit 0
    }
done
{
    printf '.text\n'
    for kernel in near far; do
        printf '.globl %s\n.p2align 8\n.type %s,@function\n%s:\n%s\n.L%s:\n.size %s, .L%s-%s\n' \
            $kernel $kernel $kernel "$text" $kernel $kernel $kernel $kernel
    done
} >kernels.s
for target in gfx803 gfx900 gfx906 gfx90a gfx1030; do
    llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu=$target --amdhsa-code-object-version=4 -filetype=obj kernels.s -o kernels.o
    ld.lld-19 -shared kernels.o -o kernels.co
    expect_exit 0 "$TRAUMA" patch kernels.co -o patched.co --marker --field simd --kernel far
    llvm-objdump-19 -d --mcpu=$target kernels.co | sed 1,3d >before.s
    llvm-objdump-19 -d --mcpu=$target patched.co | sed 1,3d >after.s
    [ "$(diff before.s after.s | grep -c '^>')" = 1 ] || fail "not one line of $target differs: $(diff before.s after.s)"
    diff before.s after.s | grep -q '^>.*s_getreg_b32 s7, hwreg(HW_REG_HW_ID1\{0,1\}, [48], 2)' ||
        fail "$target: $(diff before.s after.s)"
done

command -v clang-19 >/dev/null 2>&1 || exit 0
cat >place.cl <<'SOURCE'
__kernel void place(__global int *out)
{
    unsigned id;
    __asm__ volatile("s_movk_i32 %0, 0x7a5a" : "=s"(id));
    if ((id >> 5 & 3) == 0)
        out[__builtin_amdgcn_workitem_id_x()] = id + 0xb0007a5a;
}
SOURCE
for target in gfx600 gfx701 gfx803 gfx906; do
    clang-19 -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu=$target -nogpulib -O2 -c place.cl -o place.o 2>err ||
        continue # a clang without AMD's GPUs
    ld.lld-19 -shared place.o -o place.co
    expect_exit 0 "$TRAUMA" patch place.co -o placed.co --marker --field cu,sh,se --kernel place
    expect_text out "hwreg(HW_REG_HW_ID, 8, 7)"
done

# A compressed bundle beside a plain one is named, by what patches, by what lists and by what finds nothing.
le64() # NUMBER: its eight bytes, the least first
{
    number=$1
    for _ in 1 2 3 4 5 6 7 8; do
        printf "\\$(printf '%03o' $((number % 256)))"
        number=$((number / 256))
    done
}
expect_exit 0 "$GCN_FILE" rocm gfx906 object.bin "$text"
entry=hipv4-amdgcn-amd-amdhsa--gfx906
{
    printf '__CLANG_OFFLOAD_BUNDLE__' && le64 1 && le64 4096 && le64 "$(wc -c <object.bin)" && le64 ${#entry}
    printf '%s' $entry && head -c $((4096 - 24 - 32 - ${#entry})) /dev/zero && cat object.bin
} >plain.bin
{ cat plain.bin && printf 'CCOB\2\0\1\0packed'; } >beside.bin
at=$(printf '0x%x' "$(wc -c <plain.bin)")
said="not read, and not patched: a compressed offload bundle at $at"
expect_exit 0 "$TRAUMA" patch beside.bin --marker --field cu,sh,se --occurrence all -o out.bin
expect_text out "$said"
expect_exit 0 "$TRAUMA" patch beside.bin --list
expect_text out "$said"
expect_exit 0 "$TRAUMA" patch beside.bin --list --json
expect_text out '"what": "a compressed offload bundle"'
expect_exit 0 "$TRAUMA" patch beside.bin --marker --field cu,sh,se --occurrence all --json --dry-run
expect_text out '"what": "a compressed offload bundle"'
expect_exit 2 "$TRAUMA" patch beside.bin --list --kernel absent
expect_text err "a compressed offload bundle at $at is not read"
expect_exit 0 "$TRAUMA" patch plain.bin --list
expect_no_text out "not read"
