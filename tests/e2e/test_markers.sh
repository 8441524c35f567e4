# --markers: a simulator's region markers around the measured passes, and nothing else changes.
. "$SOURCE/tests/e2e/lib.sh"

write_recipe small.lua
for kind in none gem5 cpuid; do
    option="--markers $kind"
    [ "$kind" != none ] || option=
    expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o $kind --filter hit=0.5 $option
    expect_same "$(json_document $kind/small/hit=0.5/manifest.json markers)" "$(echo $kind | sed s/none/-/)" "markers"
done
program=small/hit=0.5/program
for file in program.s program.o; do
    cmp none/small/hit=0.5/$file gem5/small/hit=0.5/$file || fail "markers change $file"
done

# Those by cpuid run everywhere.
expect_exit 0 cpuid/$program 1000
expect_same "$(json "$WORK/out" iterations)" 1000 "iterations between markers"
expect_exit 0 "$TRAUMA" run cpuid -o cpuid.jsonl --time 0.01 --reps 1 --counters bytes
expect_exit 0 "$TRAUMA" check cpuid --counters bytes

# gem5's run in gem5 alone: whoever asks for more is told.
for command in "run gem5 -o gem5.jsonl" "check gem5"; do
    expect_exit 4 "$TRAUMA" $command
    expect_text err "gem5's markers, which no processor executes"
done
expect_exit 2 "$TRAUMA" gen small.lua -m pentium-pro -o other --markers gem
expect_text err "did you mean 'gem5'?"
expect_exit 2 "$TRAUMA" run small.lua --markers gem5
expect_text err "takes no option --markers"

# Each stands once, the first before the passes are timed and the second after.
need_program objdump
order()
{
    objdump -d --start-address="$(readelf -sW $1/$program | sed -n 's/.*: *\([0-9a-f]*\).* _start$/0x\1/p')" \
        --stop-address="$(readelf -sW $1/$program | sed -n 's/.*: *\([0-9a-f]*\).* trauma_kernel$/0x\1/p')" $1/$program |
        grep '^ ' | sed -n 's/.*\(0f 04 5[ab] 00\).*/\1/p; s/.*\$0x\([12]4711\),%eax/\1/p; s/.*\(cpuid\).*/\1/p; s/.*\(rdtsc\).*/\1/p' |
        tr '\n' ' '
}
need_program readelf
expect_same "$(order none)" "rdtsc rdtsc " "markers of none"
expect_same "$(order cpuid)" "14711 cpuid rdtsc rdtsc 24711 cpuid " "markers by cpuid"
# objdump has no name for gem5's four bytes and may cut them anywhere.
bytes=$(od -An -v -tx1 gem5/$program | tr -d ' \n')
expect_same "$(echo "$bytes" | grep -o '0f045a00\|0f31\|0f045b00' | tr '\n' ' ')" "0f045a00 0f31 0f31 0f045b00 " "gem5's markers"

# gem5's on the other processors, as its util/m5 writes them: m5_work_begin is 0x5a, m5_work_end 0x5b.
while read -r machine begin end; do
    for kind in gem5 none; do
        option="--markers $kind"
        [ "$kind" != none ] || option=
        expect_exit 0 "$TRAUMA" gen small.lua -m $machine -o $machine.$kind --filter hit=0.5 $option
        od -An -v -tx4 $machine.$kind/$program | tr -s ' ' '\n' | grep -x "$begin\|$end" | tr '\n' ' ' >$machine.$kind.words || true
    done
    expect_same "$(cat $machine.gem5.words)" "$begin $end " "gem5's markers for $machine"
    expect_same "$(cat $machine.none.words)" "" "markers of none for $machine"
    cmp $machine.none/small/hit=0.5/program.o $machine.gem5/small/hit=0.5/program.o || fail "markers change the object for $machine"
done <<'WORDS'
neoverse-n1 ff5a0110 ff5b0110
sifive-u74 b400007b b600007b
WORDS

# The same by address, as gem5's util/m5 has them for x86-64 and AArch64: qemu finds a file in the place of /dev/mem, whose
# bytes at gem5's address the program maps; the two reads are where work_begin and work_end are.
mkdir -p memory/dev
truncate -s 4296015872 memory/dev/mem # 4 GiB and 1 MiB, of which none is written
while read -r machine isa address; do
    expect_exit 0 "$TRAUMA" gen small.lua -m $machine -o $machine.address --filter hit=0.5 --markers gem5-address
    expect_same "$(json_document $machine.address/small/hit=0.5/manifest.json markers)" gem5-address "markers"
    expect_exit 4 "$TRAUMA" check $machine.address
    command -v qemu-$isa >/dev/null || continue
    expect_exit 0 qemu-$isa -L memory -strace $machine.address/$program 100
    expect_text err ",$address) = 0x0000010000000000"
    expect_same "$(json "$WORK/out" iterations)" 100 "iterations between reads of /dev/mem"
    [ -e /dev/mem ] || expect_exit 1 qemu-$isa $machine.address/$program 100
done <<'ADDRESSES'
pentium-pro x86_64 0xffff0000
neoverse-n1 aarch64 0x10010000
ADDRESSES
expect_same "$(objdump -d pentium-pro.address/$program | sed -n 's/.*mov  *0x5\([ab]\)00(%rcx),%rax.*/\1/p' | tr '\n' ' ')" "a b " "reads"
expect_exit 2 "$TRAUMA" gen small.lua -m sifive-u74 -o other --markers gem5-address
expect_text err "they have gem5"
expect_exit 2 "$TRAUMA" gen small.lua -m sifive-u74 -o other --markers cpuid
expect_text err "programs for riscv64 have no such markers"
