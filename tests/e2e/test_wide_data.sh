# Data of vectors, and of words as wide as a line: what loads read and stores write, by a harness that reads the memory and
# by the text of the program, and not by trauma's own count alone.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
cd "$WORK"

cat >wide.lua <<'LUA'
local patterns = { third = pattern.toggle(0.3), words = pattern.words { 0, -1, 0xff }, ones = pattern.ones() }
benchmark { name = "loads",
  sweep = { pattern = { "third", "words", "ones" }, width = { 8, 16, 32, 64 }, bus = { 0, 512 }, miss = { 0, 0.37 } },
  kernel = function(p)
    return { load { miss_rate = { L1 = p.miss }, width = p.width, data = patterns[p.pattern], bus = p.bus > 0 and p.bus or nil },
             add {} }
  end,
  loop = { units = 100 } }
benchmark { name = "stores",
  sweep = { pattern = { "third", "words", "ones" }, width = { 16, 32, 64 } },
  kernel = function(p)
    return { store { served_by = { L1 = 0.5, L2 = 0.5 }, width = p.width, data = patterns[p.pattern] } }
  end,
  loop = { units = 120 } }
-- Stores of whole lines beside loads whose data must stay.
benchmark { name = "both",
  sweep = { width = { 8, 32, 64 }, bus = { 64, 512 } },
  where = function(p) return p.bus >= 8 * p.width or p.bus == 64 end,
  kernel = function(p)
    return { load { served_by = { L1 = 0.25, L2 = 0.5, MEM = 0.25 }, width = p.width, data = pattern.toggle(0.3),
                    bus = p.bus > 64 and p.bus or nil },
             store { served_by = { L1 = 0.5, L2 = 0.5 }, width = 64, data = pattern.ones() } }
  end,
  loop = { units = 40 } }
LUA
expect_exit 0 "$TRAUMA" check wide.lua -m zen5 --counters bytes,plan --json
json "$WORK/out" benchmark metric verdict | grep "	data\.toggle_rate	" >seen
expect_same "$(cut -f 3 seen | sort -u)" pass "verdicts of data"
expect_same "$(grep -c "^loads	data.toggle_rate" seen)" 48 "loads"
expect_same "$(grep -c "^stores	data.toggle_rate" seen)" 9 "stores"
expect_exit 0 "$TRAUMA" gen wide.lua -m zen5 -o suite -q

# ---- stores: the words put into vector registers before the loop, and which one each store writes ----
for width in 16 32 64; do
    text="suite/stores/pattern=third,width=$width/program.s"
    sed -n 's/^ *movabsq \$0x\([0-9a-f]*\), %.*$/word \1/p; s/^ *vmovq %[a-z0-9]*, %xmm\([0-9]*\)$/into \1/p
            s/^ *vmovaps %[xyz]mm\([0-9]*\), .*behaviour 1: .*/store \1/p' "$text" |
        awk 'function bits(a, b,   i, n, x, y) {
                 for (i = 1; i <= 16; i++) {
                     x = index("0123456789abcdef", substr(a, i, 1)) - 1
                     y = index("0123456789abcdef", substr(b, i, 1)) - 1
                     while (x > 0 || y > 0) { n += (x + y) % 2; x = int(x / 2); y = int(y / 2) }
                 }
                 return n + 0
             }
             $1 == "word" { last = $2 }
             $1 == "into" { word[$2] = last }
             $1 == "store" { if (stores++ == 0) first = word[$2]; else flips += bits(before, word[$2]); before = word[$2] }
             END { printf "%d %d\n", stores, flips + bits(before, first) }' >flips
    # 120 stores with 64 bits in every 8 bytes: 0.3 of these is 2304 flips, each in all the vector's numbers.
    expect_same "$(cat flips)" "120 2304" "stores of $width bytes and their flips"
done

# ---- loads: what the memory holds, before and after ----
if command -v cc >/dev/null 2>&1 && grep -qw avx512f /proc/cpuinfo; then
    cat >harness.c <<'SOURCE'
#include "trauma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* harness BYTES <ACCESSES: the share of bits that differ between the blocks of so many bytes in which the accesses lie,
 * and how many of the blocks the kernel changed. */
int main(int count, char **arguments)
{
    static unsigned char first[64], before[64];
    size_t bytes = count > 1 ? strtoul(arguments[1], NULL, 10) : 8;
    unsigned char *data = aligned_alloc(trauma_layout.align, trauma_size());
    unsigned char *start = malloc(trauma_size());
    unsigned long offset, accesses = 0, flips = 0, changed = 0;
    if (data == NULL || start == NULL)
        return 1;
    trauma_setup(data);
    memcpy(start, data, trauma_size());
    trauma_kernel(trauma_layout.warmup + 3 * trauma_layout.period, data);
    while (scanf("%lu", &offset) == 1) {
        const unsigned char *block = data + offset / bytes * bytes;
        changed += memcmp(block, start + offset / bytes * bytes, bytes) != 0;
        for (size_t i = 0; accesses > 0 && i < bytes; i++)
            flips += (unsigned long)__builtin_popcount(block[i] ^ before[i]);
        memcpy(accesses == 0 ? first : before, block, bytes);
        memcpy(before, block, bytes);
        accesses++;
    }
    for (size_t i = 0; i < bytes; i++)
        flips += (unsigned long)__builtin_popcount(first[i] ^ before[i]);
    printf("%.4f %lu\n", (double)flips / (double)(8 * bytes * accesses), changed);
    return 0;
}
SOURCE
    offsets() # MANIFEST: those of loads
    {
        json_document "$1" accesses | tr -d '[]' | tr ',' '\n' >all
        kinds=$(json_document "$1" access_kinds)
        case $kinds in
        *[a-z]*) awk -v kinds="$kinds" 'substr(kinds, (NR - 1) % length(kinds) + 1, 1) != "s"' all ;;
        *) cat all ;;
        esac
    }
    measure() # POINT BYTES: the harness's line
    {
        cc -std=c11 -D_DEFAULT_SOURCE -O1 -Isuite harness.c "suite/$1/program.o" -o harness 2>"$WORK/err" || fail "$1 does not link"
        offsets "suite/$1/manifest.json" | ./harness "$2"
    }
    for width in 8 16 32 64; do
        for miss in 0 0.37; do
            expect_same "$(measure "loads/bus=0,miss=$miss,pattern=third,width=$width" $width)" "0.3000 0" "$width bytes, missing $miss"
            expect_same "$(measure "loads/bus=512,miss=$miss,pattern=third,width=$width" 64)" "0.3000 0" "$width bytes of a line, missing $miss"
        done
        expect_same "$(measure "loads/bus=0,miss=0,pattern=ones,width=$width" $width)" "0.0000 0" "ones of $width bytes"
    done
    for width in 8 32 64; do
        expect_same "$(measure "both/bus=64,width=$width" $width)" "0.3000 0" "loads of $width bytes beside stores"
        expect_same "$(measure "both/bus=512,width=$width" 64)" "0.3000 0" "lines of loads of $width bytes beside stores"
    done
else
    echo "the memory is not looked at: no cc, or a processor without AVX-512"
fi

# ---- vectors are aligned, also where lines are visited word by word ----
cat >aligned.lua <<'LUA'
benchmark { name = "mixed", sweep = { units = { 100, 300 } }, loop = function(p) return { units = p.units } end,
  kernel = function(p)
    return { load { served_by = { L1 = 0.3, L2 = 0.7 }, data = pattern.toggle(0.3) },
             load { served_by = { L1 = 0.3, L2 = 0.7 }, width = 16 } }
  end }
benchmark { name = "stores", sweep = { units = { 100, 200 }, w = { 16, 32 } }, loop = function(p) return { units = p.units } end,
  kernel = function(p)
    return { load { served_by = { L1 = 0.3, L2 = 0.7 }, data = pattern.toggle(0.3) },
             store { served_by = { L1 = 0.3, L2 = 0.7 }, width = p.w } }
  end }
LUA
expect_exit 0 "$TRAUMA" gen aligned.lua -m zen5 -o aligned -q
for point in aligned/*/*/; do
    grep -qw avx /proc/cpuinfo || continue
    expect_exit 0 "$point/program" 300
    if command -v cc >/dev/null 2>&1 && [ -f harness.c ]; then
        cc -std=c11 -D_DEFAULT_SOURCE -O1 -Ialigned harness.c "$point/program.o" -o harness 2>"$WORK/err" || fail "$point does not link"
        case $point in
        *stores*) expect_same "$(offsets "$point/manifest.json" | ./harness 8)" "0.3000 0" "$point" ;;
        esac
    fi
done

# ---- AArch64: NEON, by the program's run ----
sed -e 's/width = { 8, 16, 32, 64 }/width = { 8, 16 }/; s/width = { 16, 32, 64 }/width = { 16 }/; s/width = { 8, 32, 64 }/width = { 16 }/' \
    -e 's/width = 64,/width = 16,/' wide.lua >neon.lua
expect_exit 0 "$TRAUMA" check neon.lua -m neoverse-n1 --counters bytes --json
json "$WORK/out" benchmark metric verdict | grep "	data\.toggle_rate	" >seen
expect_same "$(cut -f 3 seen | sort -u)" pass "verdicts of data in NEON's vectors"

# ---- what cannot be is refused, with what can ----
refuses() # KERNEL TEXTS...
{
    printf 'benchmark { name = "no", loop = { units = 4 }, kernel = function() return { %s } end }\n' "$1" >no.lua
    shift
    expect_exit 3 "$TRAUMA" gen no.lua -m "${MACHINE:-zen5}" -o no
    for text in "$@"; do
        expect_text err "$text"
    done
}
refuses 'load { served_by = { L1 = 1 }, bus = 512 }' 'load.bus needs data'
refuses 'load { served_by = { L1 = 1 }, data = pattern.ones(), width = 32, bus = 128 }' 'load.bus is 128 bits' 'at least 256'
refuses 'load { served_by = { L1 = 1 }, data = pattern.ones(), bus = 100 }' 'load.bus is 100' '64, 128, 256 or 512 bits'
refuses 'store { served_by = { L1 = 1 }, data = pattern.ones(), bus = 512 }' 'store.bus is 512 bits' 'expected width = 64'
refuses 'load { working_set = "64KiB", stride = 8, data = pattern.toggle(0.3), bus = 512 }' 'load.stride is 8' \
    'expected a multiple of 64 bytes, or a bus of at most 64 bits'
refuses 'load { working_set = "64KiB", stride = 24, width = 32 }' 'load.stride is 24' 'expected a multiple of 32 bytes, or width = 8'
MACHINE=pentium-pro
refuses 'load { served_by = { L1 = 1 }, data = pattern.ones(), bus = 512 }' 'load.bus is 512 bits' 'line of L1D, 256 bits'
MACHINE=fx-8320
refuses 'store { served_by = { L1 = 1 }, data = pattern.ones(), width = 64 }' 'store.width is 64' 'avx512f'
expect_exit 3 "$TRAUMA" gen wide.lua -m sifive-u74 -o no
MACHINE=zen5
refuses 'store { served_by = { L1 = 1 }, width = 64, data = pattern.words { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 } }' \
    'store.data: 16 words need a register each'
