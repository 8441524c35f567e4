# Toggle rates as hardware sees them: words of emitted images and registers, dealt by deal.py to load ports, queues and by address.
. "$SOURCE/tests/e2e/lib.sh"
cd "$WORK"

cat >dealt.lua <<'LUA'
local shares = { 0, 0.03, 0.1, 0.25, 0.3, 0.4, 0.5 }
benchmark { name = "loads", sweep = { toggle = shares, width = { 4, 8, 64 } }, kernel = function(p)
  return { load { served_by = { L1 = 1 }, width = p.width, data = pattern.toggle(p.toggle) } } end }
benchmark { name = "bus", sweep = { toggle = shares }, kernel = function(p)
  return { load { served_by = { L1 = 0.5, L2 = 0.5 }, data = pattern.toggle(p.toggle, { bus = 512 }) }, add {} } end }
benchmark { name = "deep", sweep = { level = { "L2", "L3", "MEM" } }, kernel = function(p)
  return { load { served_by = { [p.level] = 1 }, data = pattern.random() } } end }
benchmark { name = "walk", sweep = { stride = { 8, 64, 192 } }, kernel = function(p)
  return { load { working_set = "96KiB", stride = p.stride, data = pattern.toggle(0.3) } } end }
benchmark { name = "few", sweep = { units = { 5, 6, 7, 8, 9, 13, 31 } }, loop = function(p) return { units = p.units } end, kernel = function()
  return { load { served_by = { L1 = 1 }, data = pattern.toggle(0.35) } } end }
benchmark { name = "half", kernel = function() return { load { served_by = { L1 = 1 }, data = pattern.half_random() } } end }
benchmark { name = "operands", sweep = { toggle = shares }, kernel = function(p)
  return { add { data = pattern.toggle(p.toggle) }, store { served_by = { L1 = 0.9, L2 = 0.1 }, data = pattern.toggle(p.toggle) }, nop {} } end }
benchmark { name = "crowded", kernel = function()
  return { load { served_by = { L1 = 0.9, L2 = 0.1 }, count = 3, data = pattern.toggle(0.2) }, branch { accuracy = 0.9 },
           add { count = 2, data = pattern.random() }, store { served_by = { L1 = 1 }, data = pattern.half_random() } } end }
benchmark { name = "program", sweep = { toggle = { 0.2, 0.75, 1 } }, kernel = function(p)
  return { load { served_by = { L1 = 1 }, data = pattern.toggle(p.toggle, { order = "program" }) } } end }
LUA
for machine in zen5 skylake-sp; do
    expect_exit 0 "$TRAUMA" gen dealt.lua -m $machine -o $machine -q
    python3 "$SOURCE/tests/e2e/deal.py" $machine >seen || fail "dealt on $machine: $(grep BAD seen)"
    expect_same "$(grep -c ok seen)" "$(wc -l <seen | tr -d ' ')" "streams dealt on $machine"
done
expect_same "$(wc -l <seen | tr -d ' ')" 62 "streams"
# What flips in program order alone hardly does at two ports.
expect_same "$(grep 'program/toggle=1	' seen | cut -f 3,4)" "1	0.0000" "all bits at two ports"
# The whole image that bases step through: neighbours, and every second word.
expect_exit 0 "$TRAUMA" gen dealt.lua -m pentium-pro -o image -q --filter 'walk/|deep/level=(L2|MEM)'
python3 "$SOURCE/tests/e2e/deal.py" image --image >seen || fail "the image: $(grep BAD seen)"

# The verdicts, by trauma's own count.
expect_exit 0 "$TRAUMA" check zen5 --counters bytes --json
json "$WORK/out" benchmark metric verdict | grep 'data\.toggle_rate' >verdicts
expect_same "$(grep -v '^program	' verdicts | cut -f 3 | sort -u)" pass "verdicts"
expect_same "$(grep -v '^program	' verdicts | grep -c 'data.toggle_rate.dealt')" 50 "rates as dealt"
expect_same "$(grep '^program	' verdicts | sort | uniq -c | tr -s ' ')" " 3 program	data.toggle_rate	pass
 3 program	data.toggle_rate.dealt	observed" "rates in program order alone"
expect_exit 0 "$TRAUMA" check zen5 --counters bytes --filter 'program/'
expect_text out "it holds in program order alone, and depends on how hardware deals the accesses out"

# A program whose words alternate, as one that promises more would have them: the inspection sees it.
sed -i 's/"targets": *{/&"data.toggle_rate.dealt": 1, /' zen5/program/toggle=1/manifest.json
expect_exit 5 "$TRAUMA" check zen5 --as-is --counters bytes --filter 'program/toggle=1'
expect_text out "wanted 1 ± 0.02, bytes saw 0"

# Too few words are refused, with the number that works.
cat >few.lua <<'LUA'
benchmark { name = "few", loop = { units = 4 }, kernel = function() return { load { served_by = { L1 = 1 }, data = pattern.random() } } end }
LUA
expect_exit 3 "$TRAUMA" gen few.lua -m zen5 -o few
expect_text err "load.data toggles 0.5 of the bits, but a pass has only 4 words of it"
expect_text err "expected at least 5 words in a pass, such as loop = { units = 5 }"
cat >odd.lua <<'LUA'
benchmark { name = "odd", loop = { units = 5 }, kernel = function()
  return { load { served_by = { L1 = 1 }, data = pattern.toggle(1, { order = "program" }) } } end }
benchmark { name = "rounds", loop = { units = 700 }, kernel = function()
  return { load { working_set = "96KiB", stride = 192, data = pattern.toggle(0.3) } } end }
benchmark { name = "close", kernel = function()
  return { load { working_set = "96KiB", stride = 4, width = 4, data = pattern.toggle(0.3) } } end }
LUA
expect_exit 3 "$TRAUMA" gen odd.lua -m zen5 -o odd
expect_text err "load.data toggles 1 of the bits, but its 5 words in a pass cannot: all words together toggle 0.8 instead of 1"
expect_text err "load.data toggles 0.3 of the bits, but its 700 words in a pass cannot"
expect_text err "load.stride is 4: with data on a bus of 64 bits, loads closer than 8 bytes share words"
cat >more.lua <<'LUA'
benchmark { name = "few", loop = { units = 5 }, kernel = function() return { load { served_by = { L1 = 1 }, data = pattern.random() } } end }
benchmark { name = "one", loop = { units = 1 }, kernel = function()
  return { load { served_by = { L1 = 1 }, data = pattern.toggle(0, { order = "program" }) } } end }
LUA
expect_exit 0 "$TRAUMA" gen more.lua -m zen5 -o more
