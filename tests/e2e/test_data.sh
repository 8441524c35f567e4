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
expect_exit 5 "$TRAUMA" check suite --counters bytes --filter mask

# Words that change: their shares of bits that differ are exact over loops of any shape, in a run and in the bytes.
cat >changing.lua <<'LUA'
local patterns = { random = pattern.random(), half = pattern.half_random(), third = pattern.toggle(0.3),
                   all = pattern.toggle(1), words = pattern.words { 0, -1, 0xff } }
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
