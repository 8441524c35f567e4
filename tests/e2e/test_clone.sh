# An application is counted in qemu-user as it runs, and the recipe that stands for it passes its check and has the
# application's rates, by cachegrind, at a thousandth of the instructions.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
plain_program
export TRAUMA_ROOT="$SOURCE"

# ---- what is refused, before anything runs ----

expect_exit 2 "$TRAUMA" clone -o none.lua sort
expect_text err "trauma clone -o none.lua -- sort"
expect_exit 4 "$TRAUMA" clone -m skylake-sp -o none.lua -- no-such-program
expect_text err "no executable program"
printf '#!/bin/sh\ntouch ran\n' >script
chmod +x script
expect_exit 4 "$TRAUMA" clone -m skylake-sp -o none.lua -- ./script
expect_text err "name its interpreter"
[ ! -e ran ] && [ ! -e none.lua ] || fail "it ran, or left a file"

loads_plugins qemu-x86_64 || exit 0
[ "$(uname -m)" = x86_64 ] || skip "the applications are this host's"
expect_exit 2 "$TRAUMA" clone -m cortex-a72 -o none.lua -- touch ran
expect_text err "the command is x86_64"
expect_exit 2 "$TRAUMA" clone -m skylake-spp -o none.lua -- touch ran
[ ! -e ran ] && [ ! -e none.lua ] || fail "it ran, or left a file"

# ---- as it is ----

echo hello | "$PLAIN" clone -q --phases 1 -m skylake-sp -o cat.lua -- cat >out 2>err || fail "cat: $(cat err)"
expect_same "$(cat out)" hello "what cat printed"
expect_exit 3 "$PLAIN" clone -q --phases 1 -m skylake-sp -o exit.lua -- sh -c 'exit 3'

# Other programs are not counted, which is told; forked children that run none are, apart.
expect_exit 3 "$PLAIN" clone -q --phases 1 -m skylake-sp -o other.lua -- sh -c '/bin/true; exit 3'
expect_text other.lua "what 1 other programs do that its children tried to run"
expect_exit 0 "$PLAIN" clone -q --phases 1 -m skylake-sp -o fork.lua -- sh -c '(i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done); :'
expect_no_text fork.lua "other programs do"
grep "what forked children execute: 0.[1-9]" fork.lua || fail "children's instructions: $(head -n 12 fork.lua)"

# ---- like the application ----

awk 'BEGIN { for (x = i = 1; i <= 6000; i++) print x = x * 69621 % 2147483647 }' >numbers
"$PLAIN" clone --phases 1 -m skylake-sp -o sort.lua -- sort --parallel=1 numbers >sorted 2>err || fail "sort: $(cat err)"
sort numbers | cmp - sorted || fail "sort under qemu"
awk '/^(loads|stores|branches|indirect jumps) per|^branch\.|^L[123]D? misses|^l1d|^share of|^(ones|flips) of/ &&
     ($NF > 0.01 || $NF < -0.01) { print; bad = 1 } END { exit bad }' err || fail "the clone differs from the application"
for rate in "share of move" "share of compare" "ones of bits loaded" "flips of bits stored" "indirect jumps"; do
    expect_text err "$rate"
done
expect_text sort.lua 'test = "shared"'
expect_text sort.lua "misses of L1I, per instruction: 0.000"
expect_text sort.lua "What the recipe cannot say"
expect_exit 0 "$PLAIN" check sort.lua -m skylake-sp --counters bytes,qemu

# A machine that lacks the application's vectors has narrower ones, which is told, and all else as it is.
if grep -qw avx2 /proc/cpuinfo; then
    expect_exit 0 "$PLAIN" clone --phases 1 -m skylake-sp,fx-8320 -o old.lua -- sort --parallel=1 numbers
    expect_no_text err "additions stand for"
    awk '/^share of (move|compare|xor of 4|load|store)/ && ($NF > 0.01 || $NF < -0.01) { print; bad = 1 } END { exit bad }' err ||
        fail "the clone for two machines differs from the application"
    if grep -q "add of 32 bytes *0.0[1-9]" err; then
        expect_text err "a machine has no add of 32 bytes: add of 16 bytes stands for"
    fi
    expect_exit 0 "$PLAIN" check old.lua -m fx-8320 --counters bytes,qemu
fi

# ---- of another processor, whose instructions have two lengths ----

if loads_plugins qemu-riscv64 && command -v riscv64-linux-gnu-gcc >/dev/null; then
    cat >short.c <<'C'
static long words[64];
void _start(void)
{
    long sum = 1;
    for (int i = 0; i < 200000; i++) {
        sum = sum * 5 + (words[i % 64] ^ i);
        if (i & 8)
            words[sum & 63] += sum >> 3;
    }
    register long call __asm__("a7") = 94, code __asm__("a0") = 0;
    __asm__ volatile("ecall" : : "r"(call), "r"(code));
}
C
    riscv64-linux-gnu-gcc -O2 -static -nostdlib -march=rv64gc -o short short.c
    expect_exit 0 "$PLAIN" clone --phases 1 -m sifive-u74 -o short.lua -- ./short
    awk '/^(loads|stores|branches) per|^share of/ && !/of (flow|nop) / && ($NF > 0.01 || $NF < -0.01) { print; bad = 1 }
         $1 " " $3 == "share other" && $4 > 0.001 { print; bad = 1 } END { exit bad }' err || fail "RISC-V: $(cat err)"
    expect_exit 0 "$PLAIN" check short.lua -m sifive-u74 --counters bytes,qemu
fi

# ---- by another counter: shares of loads and stores, misses of L1D per load ----

command -v valgrind >/dev/null || { echo "not run: valgrind is not installed, and nothing else counts both"; exit 0; }
# counted COMMAND...: instructions, loads, stores and the loads that miss L1D.
counted()
{
    valgrind --tool=cachegrind --cache-sim=yes --vex-iropt-level=0 --I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64 \
        --cachegrind-out-file=/dev/null "$@" 2>&1 >/dev/null | tr -d ',()' |
        awk '$2 " " $3 == "I refs:" { i = $4 } $2 " " $3 == "D refs:" { rd = $5; wr = $8 } $2 " " $3 == "D1 misses:" { miss = $5 }
             END { print i, rd, wr, miss }'
}
expect_exit 0 "$PLAIN" gen sort.lua -m skylake-sp -o clones -q
program=clones/sort/default/program
echo "$(counted "$program" 20) $(counted "$program" 120) $(counted sort --parallel=1 numbers)" >counts
awk '{ n = $5 - $1
       print "loads", ($6 - $2) / n, $10 / $9; print "stores", ($7 - $3) / n, $11 / $9; print "misses", ($8 - $4) / ($6 - $2), $12 / $10 }
     END { if (NF != 12 || n <= 0) exit 1 }' counts >shares || fail "no counts of both: $(cat counts)"
awk '$2 - $3 > 0.01 || $3 - $2 > 0.01 { exit 1 }' shares || fail "clone and application by cachegrind: $(cat shares)"
