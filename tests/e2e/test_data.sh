# Data patterns: the word in the emitted object, read by od and not by trauma, and its share of ones.
. "$SOURCE/tests/e2e/lib.sh"

cat >data.lua <<'LUA'
local words = { zeros = pattern.zeros(), ones = pattern.ones(), alternating = pattern.alternating(),
                bit = pattern.bit(33), mask = pattern.mask(12), constant = pattern.constant(0x123456789abcdef) }
benchmark {
  name = "data",
  sweep = { word = { "zeros", "ones", "alternating", "bit", "mask", "constant" } },
  kernel = function(p) return { load { miss_rate = { L1 = 0.5 }, data = words[p.word] }, add { dependents = 1 } } end,
}
LUA
expect_exit 0 "$TRAUMA" gen data.lua -m odd-24k -o suite
expect_exit 0 "$TRAUMA" check suite --counters bytes,plan --json
json "$WORK/out" point metric verdict observations/0/value >seen

while read -r name word ones; do
    # The first of trauma_runs stands after struct trauma_layout: offset, step, count, value.
    objcopy -O binary -j .rodata "suite/data/word=$name/program.o" layout 2>/dev/null || skip "objcopy is not installed"
    expect_same "$(od -An -tx8 -j80 -N8 layout | tr -d ' ')" "$word" "the word of $name"
    expect_same "$(grep "^word=$name	data.ones_rate	" seen)" "word=$name	data.ones_rate	pass	$ones" "ones of $name"
    expect_same "$(grep "^word=$name	data.toggle_rate	" seen | cut -f 3)" pass "toggles of $name"
done <<'TABLE'
zeros 0000000000000000 0
ones ffffffffffffffff 1
alternating aaaaaaaaaaaaaaaa 0.5
bit 0000000200000000 0.015625
mask 0000000000000fff 0.1875
constant 0123456789abcdef 0.5
TABLE

# A word that is not what the recipe asked for is a miss.
sed -i 's/"data.ones_rate": 0.1875/"data.ones_rate": 0.25/' suite/data/word=mask/manifest.json
expect_exit 5 "$TRAUMA" check suite --as-is --counters bytes --filter mask

# Words that change: their shares of bits that differ are exact over loops of any shape, in a run and in the bytes.
cat >changing.lua <<'LUA'
local patterns = { random = pattern.random(), half = pattern.half_random(), third = pattern.toggle(0.3),
                   all = pattern.toggle(1, { order = "program" }), words = pattern.words { 0, -1, 0xff } }
benchmark {
  name = "changing",
  sweep = { pattern = { "random", "half", "third", "all", "words" }, miss = { 0, 0.37, 1 }, width = { 4, 8 } },
  where = function(p) return p.pattern ~= "words" or p.width == 8 end,
  kernel = function(p)
    return { load { miss_rate = { L1 = p.miss }, data = patterns[p.pattern], width = p.width }, add { count = 2 } }
  end,
}
LUA
for machine in pentium-pro odd-24k interlagos; do
    expect_exit 0 "$TRAUMA" check changing.lua -m $machine --counters bytes,plan --json
    json "$WORK/out" point metric verdict wanted >seen
    expect_same "$(grep -c '	data.toggle_rate	pass	' seen)" 27 "toggle rates that pass on $machine"
    expect_same "$(grep 'pattern=third' seen | grep -c '	data.toggle_rate	pass	0.3$')" 6 "toggle rates of exactly 0.3 on $machine"
done
if command -v valgrind >/dev/null 2>&1; then
    expect_exit 0 "$TRAUMA" check changing.lua -m odd-24k --counters cachegrind --filter 'width=8'
fi

# Stores write the pattern's words in turn, wherever they go, and leave what loads read alone.
cat >stores.lua <<'LUA'
benchmark {
  name = "stores",
  sweep = { share = { 0, 0.25, 0.3, 0.37, 1 }, width = { 4, 8 } },
  kernel = function(p)
    local data = pattern.toggle(p.share, p.share > 0.5 and { order = "program" } or nil)
    return { store { served_by = { L1 = 0.5, L2 = 0.5 }, width = p.width, data = data },
             store { served_by = { L1 = 1 } } }
  end,
  loop = { units = 100 },
}
benchmark {
  name = "both",
  kernel = function()
    return { store { served_by = { L1 = 1 }, data = pattern.words { 1, 2, 4 } },
             load { served_by = { L1 = 0.5, L2 = 0.5 }, data = pattern.ones() } }
  end,
  loop = { units = 99 },
}
LUA
expect_exit 0 "$TRAUMA" gen stores.lua -m zen5 -o stores -q
expect_exit 0 "$TRAUMA" check stores --counters bytes,plan --json
json "$WORK/out" point metric verdict | grep "data\.toggle_rate	" >seen
expect_same "$(cut -f 3 seen | sort -u)" pass "toggles of stores"
expect_same "$(wc -l <seen | tr -d ' ')" 11 "points with toggles"
# By the text of the program: which register each store writes, and what was put there before the loop.
sed -n 's/^ *movabsq \$0x\([0-9a-f]*\), %\([a-z0-9]*\)$/\2 \1/p' "stores/stores/share=0.3,width=8/program.s" >words
grep -c . words >count
expect_same "$(cat count)" 3 "words of a share"
sed -n 's/^    movq %\([a-z0-9]*\), .*behaviour 1: .*/\1/p' "stores/stores/share=0.3,width=8/program.s" |
    awk 'function bits(a, b,   i, n, x, y) {
             for (i = 1; i <= 16; i++) {
                 x = index("0123456789abcdef", substr(a, i, 1)) - 1
                 y = index("0123456789abcdef", substr(b, i, 1)) - 1
                 while (x > 0 || y > 0) { n += (x + y) % 2; x = int(x / 2); y = int(y / 2) }
             }
             return n + 0
         }
         BEGIN { while ((getline line <"words") > 0) { split(line, part, " "); word[part[1]] = part[2] } }
         { now = word[$1]; if (NR == 1) first = now; else flips += bits(before, now); before = now }
         END { printf "%d %d\n", NR, flips + bits(before, first) }' >flips
expect_same "$(cat flips)" "100 1920" "stores and their flips"
cat >many.lua <<'LUA'
benchmark { name = "many", kernel = function()
  return { store { served_by = { L1 = 1 }, data = pattern.words { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 } } }
end }
LUA
expect_exit 3 "$TRAUMA" gen many.lua -m zen5 -o many
expect_text err "store.data: 12 words need a register each"

# Words in vector registers: more than general ones have room for, of two widths that share them.
cat >vector.lua <<'LUA'
benchmark {
  name = "vector",
  sweep = { miss = { 0, 0.25 } },
  kernel = function(p)
    local words = { 0xf55500007d55, 0xfaaa00007aaa, 0x1, 0xff00ff00ff, 0x5, 0x7, 0x90, 0x1f0000000000 }
    return { load { served_by = { L1 = 1 }, count = 8 },
             store { miss_rate = { L1 = p.miss }, count = 11, from = "vector", data = pattern.words(words) },
             store { served_by = { L1 = 1 }, count = 9, width = 4, from = "vector", data = pattern.words { 0x7d55, 0x7aaa, 0x1 } },
             branch { accuracy = 0.9, count = 8 }, mul { count = 4 }, div {}, add { count = 12, width = 16 } }
  end,
}
LUA
for machine in zen5 fx-8320 cortex-a72; do
    expect_exit 0 "$TRAUMA" check vector.lua -m $machine --counters bytes,plan --json
    json "$WORK/out" metric verdict | grep -E "^(data.(toggle|ones)_rate|mix.store)	" | sort | uniq -c | tr -s ' ' >seen
    printf ' 2 data.ones_rate\tpass\n 2 data.toggle_rate\tpass\n 2 mix.store\tpass\n' >expected
    expect_same "$(cat seen)" "$(cat expected)" "stores from vector registers on $machine"
done
expect_exit 0 "$TRAUMA" explain vector.lua -m zen5 --point miss=0
expect_text out "4 bytes wide, from vector registers"
expect_exit 3 "$TRAUMA" gen vector.lua -m sifive-u74 -o vector
sed 's/, from = "vector"//' vector.lua >general.lua
expect_exit 3 "$TRAUMA" gen general.lua -m zen5 -o vector
expect_text err "store.data: 8 words need a register each"
from()
{
    echo "benchmark { name = \"b\", kernel = function() return { $1 } end }" >from.lua
    expect_exit 3 "$TRAUMA" gen from.lua -m "${3:-zen5}" -o from
    expect_text err "$2"
}
from 'load { served_by = { L1 = 1 }, data = pattern.ones(), from = "vector" }' "loads have none"
from 'store { served_by = { L1 = 1 }, from = "vector" }' "expected data = PATTERN beside it"
from 'store { served_by = { L1 = 1 }, from = "vector", data = "loaded" }' "expected data = PATTERN beside it"
from 'store { served_by = { L1 = 1 }, width = 16, data = pattern.ones(), from = "vector" }' "in vector registers in any case"
from 'store { served_by = { MEM = 1 }, cache = "nt", data = pattern.ones(), from = "vector" }' "expected one of the two"
from 'store { served_by = { L1 = 1 }, data = pattern.ones(), from = "vector" }' "has no store of 8 bytes" sifive-u74

# Beside code{}, whose pieces lie in an order of their own, the words are followed as they are executed.
cat >pieces.lua <<'LUA'
benchmark {
  name = "pieces",
  sweep = { store = { 1, 2 } },
  kernel = function(p)
    local stored = { pattern.ones(), pattern.toggle(0.5) }
    return { load { served_by = { L1 = 0.8, L2 = 0.2 }, data = pattern.zeros() }, code { served_by = { L1I = 0.8, L2 = 0.2 } },
             store { served_by = { L1 = 1 }, data = stored[p.store] } }
  end,
}
LUA
expect_exit 0 "$TRAUMA" check pieces.lua -m zen5 --counters bytes --json
json "$WORK/out" point metric verdict wanted | grep "data\..*pass" >seen
printf 'store=1\tdata.toggle_rate\tpass\t0\nstore=1\tdata.ones_rate\tpass\t0.5\nstore=2\tdata.toggle_rate\tpass\t0.25\n' >expected
printf 'store=2\tdata.toggle_rate.dealt\tpass\t0.25\n' >>expected
diff expected seen >"$WORK/err" || fail "words beside code{}"
