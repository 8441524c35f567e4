# Two points' objects in one program: every object has names of its own, made from benchmark and point, beside the weak
# ones that all have; --prefix puts another word in front. On the three processor ISAs, and as GNU's assembler and clang
# make the objects of the text.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

# What none of the rules about names leaves alone, and pairs that only they tell apart.
cat >names.lua <<'RECIPE'
local function kernel(p) return { load { served_by = { L1 = 1 } } } end
benchmark { name = "small", sweep = { hit = { 0.5, 0.75 } }, loop = { units = 40 }, kernel = function(p)
    return { load { served_by = { L1 = p.hit, L2 = 1 - p.hit } }, add { dependents = 1 } } end }
benchmark { name = "a-b", loop = { units = 4 }, kernel = kernel }
benchmark { name = "a_b", loop = { units = 4 }, kernel = kernel }
benchmark { name = "a.b", loop = { units = 4 }, kernel = kernel }
benchmark { name = "a--b", loop = { units = 4 }, kernel = kernel }
benchmark { name = "_x", loop = { units = 4 }, kernel = kernel }
benchmark { name = "9", loop = { units = 4 }, kernel = kernel }
benchmark { name = "signs", sweep = { v = { -1, 1, 1.5, "1_5", "1-5", "1.5.0", "1e5" }, line_size = { 64 } },
    loop = { units = 4 }, kernel = kernel }
benchmark { name = "coded", loop = { instructions = 60000 }, kernel = function() return { load { served_by = { L1 = 1 } },
    add { count = 4 }, code { served_by = { L1I = 0.5, L2 = 0.5 } } } end }
RECIPE
long=$(printf 'n%.0s' $(seq 1 90))
cat >>names.lua <<RECIPE
benchmark { name = "$long", sweep = { $long = { 1, 2 } }, loop = { units = 4 }, kernel = kernel }
RECIPE

# The manifest's names.
symbols()
{
    json_document "$1/manifest.json" symbols
}

expect_exit 0 "$TRAUMA" gen names.lua -m zen5 -o x86_64
find x86_64 -name manifest.json | sed 's|/manifest.json||' | sort >programs
while read -r program; do
    symbols "$program"
done <programs >all
[ "$(wc -l <all)" -ge 17 ] || fail "$(wc -l <all) programs"
sort all | uniq -d >twice
expect_empty twice
if grep -vxE '[A-Za-z][A-Za-z0-9_]{1,230}' all >"$WORK/err"; then
    fail "no identifiers"
fi
# What is read out of them, and where a hash has to tell names apart.
expect_same "$(symbols x86_64/small/hit=0.5)" trauma_small__hit_0_5 "symbols"
expect_same "$(symbols x86_64/a-b/default)" trauma_a_b__default "symbols"
expect_same "$(symbols 'x86_64/signs/line_size=64,v=1.5')" trauma_signs__line_size_64__v_1_5 "symbols"
for program in a_b/default a.b/default a--b/default _x/default signs/line_size=64,v=-1 signs/line_size=64,v=1_5; do
    symbols "x86_64/$program" | grep -qE '_[0-9a-f]{8}$' || fail "$program: $(symbols "x86_64/$program") has no hash"
done
# Alone or among others, of another seed or machine: names are the point's.
expect_exit 0 "$TRAUMA" gen names.lua -m pentium-pro --seed 7 --filter '^a_b' -o alone
expect_same "$(symbols alone/a_b/default)" "$(symbols x86_64/a_b/default)" "symbols of a suite's only program"

# ---- --prefix ----
expect_exit 0 "$TRAUMA" gen names.lua -m zen5 --prefix fast --filter '^(small|coded)' -o fast
expect_same "$(symbols fast/small/hit=0.5)" fast_small__hit_0_5 "symbols with a prefix"
for program in small/hit=0.5 coded/default; do
    cmp "fast/$program/program" "x86_64/$program/program" || fail "a prefix changes the executable"
done
# The loop is found in it: by what inspects the bytes, and by what runs them.
expect_exit 0 "$TRAUMA" check fast --counters bytes,plan
expect_text out "pass"
# What differs is said of both.
expect_exit 0 "$TRAUMA" gen names.lua -m zen5 --prefix trauma --filter '^small' -o same
cmp same/small/hit=0.5/program.o x86_64/small/hit=0.5/program.o || fail "--prefix trauma changes the object"
for wrong in '' 2x _x a-b 'a b' "$long"; do
    expect_exit 2 "$TRAUMA" gen names.lua -m zen5 --prefix "$wrong" -o refused
    expect_text err "beginning with a letter"
    [ ! -e refused ] || fail "a suite was written"
done
expect_exit 2 "$TRAUMA" gen names.lua -m h200 --prefix fast -o refused
expect_text err "programs for ptx are loaded, not linked"
expect_exit 2 "$TRAUMA" run names.lua --prefix fast
expect_text err "takes no option --prefix"

# ---- the symbols, as other assemblers make them of the text ----
# table OBJECT: its exported symbols: name, binding, type, size, value; and the local ones that readers look for.
table()
{
    readelf -sW "$1" | awk '$4 == "FUNC" || $4 == "OBJECT" { print $8, $5, $4, $3, $2 }' | sort
}
# same_object NAME OTHER OWN: the same when they are linked, as assemblers leave distances of RISC-V to that.
same_object()
{
    for object in "other $2" "own $3"; do
        "$lld" -e 0 --no-relax --image-base=0x10000 --section-start=.rodata=0x20000 -Ttext=0x100000 "${object#* }" \
            -o "${object%% *}.linked" 2>"$WORK/err" || fail "$1: $2 is not linked"
        table "${object%% *}.linked" >"${object%% *}.table"
    done
    diff other.table own.table >"$WORK/err" || fail "$1: the symbols of $3"
    [ "$(grep -c GLOBAL own.table)" = 3 ] && [ "$(grep -c WEAK own.table)" = 3 ] || fail "$1: $(cat own.table)"
    for section in .text .rodata; do
        "$objcopy" -O binary -j $section other.linked other.bytes
        "$objcopy" -O binary -j $section own.linked own.bytes
        [ -s own.bytes ] || fail "$3 has no $section"
        # GNU as fills a section of RISC-V up to its alignment.
        cmp -s -n "$(wc -c <own.bytes)" other.bytes own.bytes || fail "$1: $section of $3"
    done
}

# A harness without a libc: both programs run on data of their own, and a wrong period is the exit code.
cat >bare.c <<'SOURCE'
#include "trauma.h"
#define CALLED(name) NAMED(name)
#define NAMED(name) TRAUMA_DECLARE(name); static const struct trauma_program of_##name = TRAUMA_PROGRAM(name);
CALLED(FIRST)
CALLED(SECOND)
#define OF(name) OF_(name)
#define OF_(name) of_##name
static _Alignas(1 << 21) unsigned char first[FIRST_BYTES], second[SECOND_BYTES];

static int run(const struct trauma_program *program, void *data, uint64_t period)
{
    trauma_program_setup(program, data);
    program->kernel(program->layout->warmup, data);
    program->kernel(program->layout->period, data);
    return program->layout->period == period;
}

static _Noreturn void leave(long code)
{
#if defined __x86_64__
    __asm__ volatile("syscall" : : "a"(231L), "D"(code));
#elif defined __aarch64__
    register long number __asm__("x8") = 94, first __asm__("x0") = code;
    __asm__ volatile("svc 0" : : "r"(number), "r"(first));
#else
    register long number __asm__("a7") = 94, first __asm__("a0") = code;
    __asm__ volatile("ecall" : : "r"(number), "r"(first));
#endif
    __builtin_unreachable();
}

void begin(void);
void begin(void)
{
    int good = run(&OF(FIRST), first, FIRST_PERIOD) && run(&OF(SECOND), second, SECOND_PERIOD);
    /* Compilers take functions of two names for two. */
    void (*volatile common)(uint64_t, void *) = trauma_kernel, (*volatile own)(uint64_t, void *) = OF(FIRST).kernel;
    leave(good && common == own && own != OF(SECOND).kernel ? 42 : 1);
}
__asm__(".globl _start\n_start:\n"
#if defined __x86_64__
        "andq $-16, %rsp\ncall begin\n"
#elif defined __aarch64__
        "bl begin\n"
#else
        "andi sp, sp, -16\ncall begin\n"
#endif
);
SOURCE

# linked RUNNER FIRST SECOND COMPILER...: both are linked by their own names, without an option, and run; the common name
# is the first one's.
linked()
{
    runner=$1
    one=$2
    two=$3
    shift 3
    expect_exit 0 "$@" -O1 -ffreestanding -nostdlib -static -I"${one%%/*}" -DFIRST="$(symbols "$one")" -DSECOND="$(symbols "$two")" \
        -DFIRST_BYTES="$(json_document "$one/manifest.json" data/bytes)" -DFIRST_PERIOD="$(json_document "$one/manifest.json" period)" \
        -DSECOND_BYTES="$(json_document "$two/manifest.json" data/bytes)" \
        -DSECOND_PERIOD="$(json_document "$two/manifest.json" period)" bare.c "$one/program.o" "$two/program.o" -o both
    # shellcheck disable=SC2086 # no runner, or one
    expect_exit 42 $runner ./both
}

clang=$(command -v clang-19 || command -v clang || :)
lld=$(command -v ld.lld-19 || command -v ld.lld || :)
tested=
for isa in x86_64 aarch64 riscv64; do
    case $isa in
    x86_64) machine=zen5 options='' ;;
    aarch64) machine=neoverse-n1 options='' ;;
    riscv64) machine=sifive-u74 options='-march=rv64gc' ;;
    esac
    as=$(command -v "$isa-linux-gnu-as" || :)
    objcopy=$(command -v "$isa-linux-gnu-objcopy" || :)
    [ -d $isa ] || expect_exit 0 "$TRAUMA" gen names.lua -m $machine --filter '^(small|coded)' -o $isa
    [ -d $isa-fast ] || expect_exit 0 "$TRAUMA" gen names.lua -m $machine --filter '^(small|coded)' --prefix fast -o $isa-fast
    for program in $isa/small/hit=0.5 $isa/coded/default $isa-fast/small/hit=0.5 $isa-fast/coded/default; do
        [ -n "$as" ] && [ -n "$objcopy" ] && [ -n "$lld" ] || continue
        # shellcheck disable=SC2086 # no option, or one
        expect_exit 0 "$as" $options "$program/program.s" -o gnu.o
        same_object "GNU as" gnu.o "$program/program.o"
        [ -n "$clang" ] || continue
        # shellcheck disable=SC2086
        expect_exit 0 "$clang" --target=$isa-linux-gnu $options -c "$program/program.s" -o clang.o
        same_object clang clang.o "$program/program.o"
        tested="$tested $isa"
    done
    runner=
    if [ "$(uname -m)" != $isa ]; then
        runner=$(command -v qemu-$isa || :)
        [ -n "$runner" ] || continue
    fi
    if [ -n "$clang" ] && [ -n "$lld" ]; then
        for pair in "$isa/small/hit=0.5 $isa/small/hit=0.75" "$isa/small/hit=0.75 $isa/coded/default" \
            "$isa/small/hit=0.5 $isa-fast/small/hit=0.5"; do
            # shellcheck disable=SC2086 # the words
            linked "$runner" $pair "$clang" --target=$isa-linux-gnu $options -fuse-ld=lld -Wall -Wextra -Werror
        done
        tested="$tested $isa"
    fi
    gcc=$(command -v $isa-linux-gnu-gcc || :)
    [ -z "$gcc" ] || linked "$runner" $isa/small/hit=0.75 $isa/small/hit=0.5 "$gcc" -Wall -Wextra -Werror
done

# ---- the example, with a libc ----
if command -v cc >/dev/null 2>&1 && [ "$(uname -m)" = x86_64 ]; then
    tested="$tested cc"
    expect_exit 0 "$TRAUMA" gen "$SOURCE/examples/my.lua" -m zen5 --filter dependents=2 -o suite
    expect_exit 0 cc -O2 -Wall -Wextra -Wpedantic -Werror -I suite "$SOURCE/examples/pair.c" "suite/my/dependents=2,miss=0.03/program.o" \
        "suite/my/dependents=2,miss=0.89/program.o" -o pair
    expect_exit 0 ./pair
    expect_same "$(grep -cE '^miss=0.03 [0-9.]+ ns, miss=0.89 [0-9.]+ ns$' "$WORK/out")" 5 "lines of the pair"
    # A harness that names trauma_kernel links with any of them, and with several.
    expect_exit 0 cc -O2 -Wall -Wextra -Werror -I suite "$SOURCE/examples/harness.c" suite/my/dependents=2,miss=0.*/program.o -o harness
    expect_exit 0 ./harness
    # The same object twice is an error of the linker, as it should be: nothing of it is dropped.
    expect_exit 1 cc -I suite "$SOURCE/examples/harness.c" "suite/my/dependents=2,miss=0.03/program.o" \
        "suite/my/dependents=2,miss=0.03/program.o" -o harness
    expect_text err "multiple definition"
fi
[ -n "$tested" ] || skip "needs a compiler: cc, or clang with lld"
