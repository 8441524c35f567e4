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

# It is so short that each line of its data misses all caches once, but few pages the TLB.
echo hello | "$PLAIN" clone --phases 1 -m skylake-sp -o cat.lua -- cat >out 2>err || fail "cat: $(cat err)"
expect_same "$(cat out)" hello "what cat printed"
awk '/^L3 misses per access/ { seen = $5 > 0.01; if ($NF > 0.01 || $NF < -0.01) bad = 1 }
     /^dtlb.miss_rate/ && ($NF > 0.01 || $NF < -0.01) { bad = 1 } END { exit bad || !seen }' err || fail "cat: $(cat err)"
# turns N: commands of sh that go round so often. What is short has the misses of its beginning, which take long to plan.
turns()
{
    echo "i=0; while [ \$i -lt $1 ]; do i=\$((i + 1)); done"
}
expect_exit 3 "$PLAIN" clone -q --phases 1 -m skylake-sp -o exit.lua -- sh -c "$(turns 20000); exit 3"

# Other programs are not counted, which is told; forked children that run none are, apart.
expect_exit 3 "$PLAIN" clone -q --phases 1 -m skylake-sp -o other.lua -- sh -c "$(turns 20000); /bin/true; exit 3"
expect_text other.lua "other programs, which its children tried to run 1 times"
expect_exit 0 "$PLAIN" clone -q --phases 1 -m skylake-sp -o fork.lua -- sh -c "$(turns 20000); ($(turns 20000)); :"
expect_no_text fork.lua "other programs"
grep "instructions of forked children: 0.[45]" fork.lua || fail "the child is as long as its parent: $(head -n 12 fork.lua)"
expect_exit 0 "$PLAIN" clone -q --phases 1 -m skylake-sp -o fork.lua -- sh -c "$(turns 20000); ($(turns 2000)); :"
grep "instructions of forked children: 0.0[789]" fork.lua || fail "the child is a tenth of its parent: $(head -n 12 fork.lua)"

# waits_alike WHAT: in the table on stderr, loads wait as far behind and in as many chains, and their words are the application's.
waits_alike()
{
    awk '/^(loads that wait|ones of bits loaded|flips of bits loaded)/ { seen++; if ($NF > 0.01 || $NF < -0.01) { print; bad = 1 } }
         /^of them, for ones/ { seen++; if ($NF > 0.05 || $NF < -0.05) { print; bad = 1 } }
         /^instructions to them/ { seen++; most = $4 / 5 > 2 ? $4 / 5 : 2; if ($NF > most || $NF < -most) { print; bad = 1 } }
         /^share of xor/ { if ($NF > 0.01 || $NF < -0.01) { print; bad = 1 } }
         END { exit bad || seen < 5 }' err || fail "$1: $(cat err)"
}

# ---- like the application ----

awk 'BEGIN { for (x = i = 1; i <= 6000; i++) print x = x * 69621 % 2147483647 }' >numbers
"$PLAIN" clone --phases 1 -m skylake-sp -o sort.lua -- sort --parallel=1 numbers >sorted 2>err || fail "sort: $(cat err)"
sort numbers | cmp - sorted || fail "sort under qemu"
awk '/^(loads|stores|branches|indirect jumps) per|^dtlb|^loads that wait|^branch\.|^L[123]D? misses|^l1d|^share of|^(ones|flips) of/ &&
     ($NF > 0.01 || $NF < -0.01) { print; bad = 1 } END { exit bad }' err || fail "the clone differs from the application"
waits_alike sort
for rate in "share of move" "share of compare" "ones of bits loaded" "flips of bits stored" "indirect jumps"; do
    expect_text err "$rate"
done
expect_text sort.lua 'test = "shared"'
expect_text sort.lua "misses of L1I, per instruction: 0.000"
expect_text sort.lua "What the recipe cannot express"
expect_text sort.lua 'address = "led"'
expect_exit 0 "$PLAIN" check sort.lua -m skylake-sp --counters bytes,qemu

# Most of its loads are of few bytes and wait, also those that miss.
if command -v gzip >/dev/null; then
    "$PLAIN" clone --phases 1 -m skylake-sp -o gzip.lua -- gzip -9 -c numbers >numbers.gz 2>err || fail "gzip: $(cat err)"
    waits_alike gzip
    expect_exit 0 "$PLAIN" check gzip.lua -m skylake-sp --counters bytes,qemu
fi

# Of its loads many wait, and it has few logic operations: what leads reads zeros.
for i in 1 2 3 4 5 6 7 8; do cat "$SOURCE/docs/reference/recipes.md"; done >lines
"$PLAIN" clone --phases 1 -m skylake-sp -o cut.lua -- cut -c 2-5 lines >cut 2>err || fail "cut: $(cat err)"
waits_alike cut
expect_text cut.lua "leads = true, data = pattern.constant(0x0)"
expect_exit 0 "$PLAIN" check cut.lua -m skylake-sp --counters bytes,qemu

# Stores of two widths: the bits that follow one another flip as the application's.
"$PLAIN" clone --phases 1 -m skylake-sp -o fold.lua -- fold -w 30 "$SOURCE/README.md" >folded 2>err || fail "fold: $(cat err)"
awk '/^flips of bits stored/ { seen = 1; if ($NF > 0.015 || $NF < -0.015) bad = 1 } END { exit bad || !seen }' err || fail "fold: $(cat err)"
expect_exit 0 "$PLAIN" check fold.lua -m skylake-sp --counters bytes,qemu

# With few logic operations not all loads that lead read zeros.
"$PLAIN" clone --phases 1 -m skylake-sp -o expand.lua -- expand lines >expanded 2>err || fail "expand: $(cat err)"
expect_text expand.lua "leads = true, data = pattern.constant(0x0)"
expect_text expand.lua "leads = true, width = 4, data = pattern.words"
awk '/^(ones|flips) of bits loaded/ { seen++; if ($NF > 0.015 || $NF < -0.015) bad = 1 } END { exit bad || seen != 2 }' err ||
    fail "expand: $(cat err)"

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

# Two of four loads wait for the one of them before, one and six instructions behind it, as the others' addresses come from none.
if command -v cc >/dev/null; then
    cat >chase.c <<'C'
static void *cell = &cell;
int main(void)
{
    void *at = &cell;
    long turns = 600000, spare;
    __asm__ volatile("1: movq (%0), %0\n movq (%0), %0\n movq (%3), %2\n xorl %k2, %k2\n movq (%3,%2), %2\n decq %1\n jnz 1b"
                     : "+&r"(at), "+&r"(turns), "=&r"(spare) : "r"(&cell));
    return 0;
}
C
    cc -O2 -o chase chase.c
    expect_exit 0 "$PLAIN" clone --phases 1 -m skylake-sp -o chase.lua -- ./chase
    awk '/^loads that wait/ && $6 < 0.505 && $6 > 0.495 && $NF < 0.01 && $NF > -0.01 { waits = 1 }
         /^instructions to them/ && $4 < 3.8 && $4 > 3.4 { distance = 1 } END { exit !(waits && distance) }' err ||
        fail "loads that wait for loads: $(cat err)"
fi

# Functions that take turns, more of them than L1I holds, with a loop between: their misses are stated, and its branches seen.
cat >wide.awk <<'AWK'
BEGIN {
    print "static volatile long x;"
    for (i = 0; i < 2000; i++)
        printf "__attribute__((noinline)) static long f%d(long a) { if (a & %d) x += a; return a * %d + x; }\n", i, i % 7 + 1, 2 * i + 3
    print "static long (*const all[])(long) = {"
    for (i = 0; i < 2000; i++)
        printf "f%d,", i
    print "};\nint main(void)\n{\n    long sum = 1;"
    print "    for (int i = 0; i < 20000; i++) {\n        sum = all[i % 2000](sum);"
    print "        for (int j = 0; j < 50; j++)\n            if ((sum = sum * 5 + j) != 0 && j % 4 == 0)\n                x++;\n    }"
    print "    return (int)(sum & 0);\n}"
}
AWK
awk -f wide.awk >wide.c
# like_code CC MACHINE: the clone of wide.c for the machine has its misses of L1I, and its check passes.
like_code()
{
    "$1" -O2 -static -o wide wide.c || fail "$1: wide.c"
    expect_exit 0 "$PLAIN" clone --phases 1 -m "$2" -o wide.lua -- ./wide
    awk '/^L1I misses per instruction/ { seen = $5 > 0.001; if ($NF > 0.1 * $5 || -$NF > 0.1 * $5) { print; bad = 1 } }
         /^(loads|stores|branches) per|^branch\./ && ($NF > 0.01 || $NF < -0.01) { print; bad = 1 } END { exit bad || !seen }' err ||
        fail "$2: $(cat err)"
    expect_text wide.lua "code(served.code)"
    expect_no_text wide.lua "misses of L1I, per instruction"
    "$PLAIN" check wide.lua -m "$2" --counters bytes,qemu >out 2>err || true # few misses of random caches are inconclusive
    grep -q "l1i.miss_rate .* pass (code)" out && grep -q "branch.taken_rate .* pass (code)" out || fail "$2: $(cat out err)"
    ! grep -q "unobserved\|fail" out || fail "$2: $(cat out)"
}
if command -v cc >/dev/null; then
    like_code cc skylake-sp
fi

# One word in ten lies anywhere in 4 MiB: its page misses the data TLB, and its line comes from L2, L3 or memory.
cat >pages.c <<'C'
#include <stdint.h>
enum { WORDS = 1 << 20, NEAR = 512 };
static uint32_t far[WORDS], near[NEAR];
int main(void)
{
    uint32_t at = 1, sum = 0;
    for (long i = 0; i < 200000; i++) {
        at = at * 1664525 + 1013904223;
        sum += far[at >> 12]++;
        for (int j = 0; j < 16; j++)
            near[(i + j) % NEAR] = near[(sum + j) % NEAR] + j;
    }
    return sum == 77;
}
C
# like_pages CC MACHINE: the clone of pages.c for the machine has its misses, and its check passes.
like_pages()
{
    "$1" -O2 -static -o pages pages.c || fail "$1: pages.c"
    expect_exit 0 "$PLAIN" clone --phases 1 -m "$2" -o pages.lua -- ./pages
    awk '/^dtlb.miss_rate/ { seen = $2 > 0.02 }
         /^(loads|stores|branches) per|^branch\.|^dtlb|^L[123]D? misses|^l1d|^share of (compare|xor|shift|add|branch|jump) / &&
         ($NF > 0.01 || $NF < -0.01) { print; bad = 1 } END { exit bad || !seen }' err || fail "$2: $(cat err)"
    expect_exit 0 "$PLAIN" check pages.lua -m "$2" --counters bytes,qemu
    expect_no_text out unobserved
}
if command -v cc >/dev/null; then
    like_pages cc skylake-sp
fi
loads_plugins qemu-riscv64 && command -v riscv64-linux-gnu-gcc >/dev/null && like_pages riscv64-linux-gnu-gcc sifive-u74
loads_plugins qemu-aarch64 && command -v aarch64-linux-gnu-gcc >/dev/null && like_pages aarch64-linux-gnu-gcc cortex-a72

# Of a longer one windows are watched: one load in ten misses, in bursts that are shorter than what is between windows, and
# reads ones; all branches but those at a loop's end are taken.
if command -v cc >/dev/null; then
    cat >bursts.c <<'C'
#include <stdlib.h>
#include <string.h>
enum { HITS = 360000, MISSES = 40000, BIG = 8 << 20 };
static long small[512];
int main(void)
{
    char *big = malloc(BIG + 64), *at = big;
    for (long i = 0; i < BIG / 8; i++)
        ((volatile long *)big)[i] = -1;
    for (int i = 0; i < 100; i++) {
        long turns = HITS, place = 0, word;
        __asm__ volatile("1: movq (%3,%1,8), %2\n addq $1, %1\n andq $511, %1\n decq %0\n jnz 1b"
                         : "+&r"(turns), "+&r"(place), "=&r"(word) : "r"(small));
        for (int j = 0; j < MISSES; j += 2000) {
            turns = 2000;
            __asm__ volatile("1: movq (%1), %2\n addq $64, %1\n decq %0\n jnz 1b" : "+&r"(turns), "+&r"(at), "=&r"(word));
            if (at - big > BIG - 2000 * 64)
                at = big;
        }
    }
    return 0;
}
C
    cc -O2 -o bursts bursts.c
    expect_exit 0 "$PLAIN" clone --phases 1 -m skylake-sp,zen5 -o bursts.lua -- ./bursts
    awk 'function near(value, goal) { seen++; if (value < goal - 0.002 || value > goal + 0.002) { print; bad = 1 } }
         /^L1D misses per load/ || /^ones of bits loaded/ { near($(NF - 2), 0.1) } /^branch.taken_rate/ { near($2, 1) }
         /^loads per instruction/ { near($4, 0.1995) } END { exit bad || seen != 8 }' err || fail "bursts: $(cat err)"
fi

# Of 64 loops that hit and 64 that miss, each is executed in one burst, most of them between windows.
if command -v cc >/dev/null; then
    cat >once.c <<'C'
static char big[8 << 20];
static long small[512];
int main(void)
{
    long turns, place = 0, at = 0, word;
    for (long i = 0; i < (8 << 20); i += 4096)
        ((volatile char *)big)[i] = 1;
    __asm__ volatile(".rept 64\n movl $360000, %k0\n"
                     "1: movq (%4,%1,8), %3\n addq $1, %1\n andq $511, %1\n decq %0\n jnz 1b\n"
                     "movl $20000, %k0\n"
                     "1: movq (%5,%2), %3\n addq $64, %2\n andq $8388607, %2\n decq %0\n jnz 1b\n .endr"
                     : "=&r"(turns), "+&r"(place), "+&r"(at), "=&r"(word) : "r"(small), "r"(big));
    return 0;
}
C
    cc -O2 -o once once.c
    expect_exit 0 "$PLAIN" clone --phases 1 -m skylake-sp -o once.lua -- ./once
    awk '/^L1D misses per load/ { seen = $(NF - 2) } END { exit !(seen > 0.0506 && seen < 0.0546) }' err || fail "once: $(cat err)"

    # Two in nine change a word in memory, and one copies a word to another place.
    cat >updates.c <<'C'
int main(void)
{
    static long words[512];
    long i = 0, word = 0, place = 0;
    unsigned turns = 400000;
    __asm__ volatile("1: addq $1, (%3,%1,8)\n addl $3, 2048(%3,%1,8)\n movq 8(%3,%1,8), %2\n pushq 16(%3)\n popq %2\n"
                     "leaq 8(%4), %2\n addq $1, %1\n andq $127, %1\n decl %0\n jnz 1b\n"
                     : "+&r"(turns), "+&r"(i), "+&r"(word) : "r"(words), "r"(place) : "memory");
    return 0;
}
C
    cc -O2 -mno-red-zone -o updates updates.c
    expect_exit 0 "$PLAIN" clone --phases 1 -m skylake-sp -o updates.lua -- ./updates
    awk '/^updates per instruction/ { seen = $(NF - 2) > 0.19 && $(NF - 2) < 0.21 }
         /^(updates|loads|stores) per instruction/ && ($NF > 0.01 || $NF < -0.01) { print; bad = 1 }
         END { exit bad || !seen }' err || fail "updates: $(cat err)"
    expect_exit 0 "$PLAIN" check updates.lua -m skylake-sp --counters bytes,qemu
fi

# One in twelve loads a word and stores it on the stack.
if command -v cc >/dev/null; then
    cat >copies.c <<'C'
int main(void)
{
    static long words[512];
    long i = 0, word = 0;
    unsigned turns = 400000;
    __asm__ volatile("1: pushq (%3,%1,8)\n popq %2\n movq 8(%3,%1,8), %2\n movq %2, 2048(%3,%1,8)\n movq %2, 16(%3)\n"
                     ".rept 4\n addq $3, %2\n .endr\n addq $1, %1\n andq $127, %1\n decl %0\n jnz 1b\n"
                     : "+&r"(turns), "+&r"(i), "+&r"(word) : "r"(words) : "memory");
    return 0;
}
C
    cc -O2 -mno-red-zone -o copies copies.c
    expect_exit 0 "$PLAIN" clone --phases 1 -m skylake-sp -o copies.lua -- ./copies
    awk '/^share of load/ { seen = $(NF - 2) > 0.14 && $(NF - 2) < 0.17 }
         /^(loads|stores) per instruction|^share of (load|store|move|compare) / && ($NF > 0.01 || $NF < -0.01) { print; bad = 1 }
         END { exit bad || !seen }' err || fail "copies: $(cat err)"
    expect_text copies.lua "copies = true"
    expect_exit 0 "$PLAIN" check copies.lua -m skylake-sp --counters bytes,qemu
fi

# Three in twelve are logic of 32 bytes, and six additions.
if command -v cc >/dev/null; then
    cat >wide32.c <<'C'
int main(void)
{
    unsigned turns = 400000;
    __asm__ volatile("1: vpxor %%ymm1, %%ymm2, %%ymm3\n vpand %%ymm1, %%ymm2, %%ymm4\n vpor %%ymm1, %%ymm2, %%ymm5\n"
                     ".rept 6\n vpaddd %%ymm1, %%ymm2, %%ymm6\n .endr\n leaq 8(%%rcx), %%rax\n decl %0\n jnz 1b\n vzeroupper"
                     : "+&r"(turns) : : "rax", "xmm3", "xmm4", "xmm5", "xmm6");
    return 0;
}
C
    cc -O2 -o wide32 wide32.c
    expect_exit 0 "$PLAIN" clone --phases 1 -m skylake-sp -o wide32.lua -- ./wide32
    awk '/^share of xor of 32/ { seen = $(NF - 2) > 0.23 && $(NF - 2) < 0.26 }
         /^share of (xor|add) of 32/ && ($NF > 0.01 || $NF < -0.01) { print; bad = 1 } END { exit bad || !seen }' err ||
        fail "vectors: $(cat err)"
fi

# Two in twenty jump, each to the place that a word in memory holds: in the clone, too, these are loads.
if command -v cc >/dev/null; then
    cat >jumps.c <<'C'
int main(void)
{
    static void *places[2];
    long word = 0, sum = 0;
    unsigned turns = 400000;
    __asm__ volatile("leaq 2f(%%rip), %1\n movq %1, (%3)\n leaq 3f(%%rip), %1\n movq %1, 8(%3)\n"
                     "1: movq (%3), %1\n addq $1, %2\n jmp *(%3)\n nop\n 2: .rept 12\n addq $3, %2\n .endr\n"
                     "jmp *8(%3)\n 3: movq 8(%3), %1\n decl %0\n jnz 1b\n"
                     : "+&r"(turns), "+&r"(word), "+&r"(sum) : "r"(places) : "memory");
    return 0;
}
C
    cc -O2 -o jumps jumps.c
    expect_exit 0 "$PLAIN" clone --phases 1 -m skylake-sp -o jumps.lua -- ./jumps
    awk '/^indirect jumps per instruction/ { seen = $(NF - 2) > 0.095 && $(NF - 2) < 0.105 }
         /^(indirect jumps|loads|stores) per instruction|^share of (load|jump) / && ($NF > 0.01 || $NF < -0.01) { print; bad = 1 }
         END { exit bad || !seen }' err || fail "jumps: $(cat err)"
    expect_text jumps.lua 'through = "memory"'
    expect_exit 0 "$PLAIN" check jumps.lua -m skylake-sp --counters bytes,qemu
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
    awk '/^(loads|stores|branches) per|^share of/ && !/of nop / && ($NF > 0.01 || $NF < -0.01) { print; bad = 1 }
         $1 " " $3 == "share other" && $4 > 0.001 { print; bad = 1 } END { exit bad }' err || fail "RISC-V: $(cat err)"
    expect_exit 0 "$PLAIN" check short.lua -m sifive-u74 --counters bytes,qemu
fi

# ---- real programs of other processors, static and dynamic ----

# A list that is built in random order and walked: its loads wait, and their pages miss the data TLB.
cat >list.c <<'C'
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; unsigned long key, value; };
static struct node *heads[4096];
int main(void)
{
    unsigned long x = 1, sum = 0;
    for (unsigned i = 0; i < 30000; i++) {
        x = x * 69621 % 2147483647;
        struct node *node = malloc(sizeof *node);
        *node = (struct node){heads[x & 4095], x, i};
        heads[x & 4095] = node;
    }
    for (unsigned i = 0, j = 1; i < 40000; i++, j = j * 5 + 1)
        for (struct node *node = heads[j >> 20]; node != NULL && node->key % 8 != 0; node = node->next)
            sum += node->value;
    printf("%lu\n", sum);
    return 0;
}
C
for way in aarch64:cortex-a72 riscv64:sifive-u74; do
    isa=${way%%:*} machine=${way#*:}
    loads_plugins "qemu-$isa" && command -v "$isa-linux-gnu-gcc" >/dev/null || continue
    echo '#include <stdio.h>' | "$isa-linux-gnu-gcc" -E - >/dev/null 2>&1 || continue
    for link in -static -rdynamic; do
        "$isa-linux-gnu-gcc" -O2 $link -o list list.c || fail "$isa: list.c"
        QEMU_LD_PREFIX=/usr/$isa-linux-gnu "$PLAIN" clone --phases 1 -m "$machine" -o list.lua -- ./list >out 2>err ||
            fail "$isa $link: $(cat err)"
        grep -qE '^[0-9]+$' out || fail "$isa $link printed: $(cat out)"
        expect_text list.lua 'address = "led"'
        # Waiting loads that stand closer in the application than evenly spread ones can are as far apart as these.
        awk '/^instructions to them/ && ($NF > 4 || $NF < -2) { print; bad = 1 }
             /^(ones|flips) of bits loaded/ && ($NF > 0.01 || $NF < -0.01) { print; bad = 1 }
             /^(loads|stores|branches) per|^branch\.|^l1d|^loads that wait/ && ($NF > 0.015 || $NF < -0.015) { print; bad = 1 }
             /^share of access/ && $NF > 0.01 { print; bad = 1 }
             /^dtlb.miss_rate/ { seen = 1; if ($NF > 0.03 || $NF < -0.03) { print; bad = 1 } } END { exit bad || !seen }' err ||
            fail "$isa $link: $(cat err)"
        expect_exit 0 "$PLAIN" check list.lua -m "$machine" --counters bytes,qemu
    done
    like_code "$isa-linux-gnu-gcc" "$machine"
done

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
