# trauma explain describes the whole kernel, and states nothing that does not hold for the machine.
. "$SOURCE/tests/e2e/lib.sh"

cat >all.lua <<'LUA'
benchmark {
  name = "all",
  loop = { units = 20 },
  kernel = function()
    return {
      load { served_by = { L1 = 0.5, L2 = 0.5 }, width = 4, data = pattern.ones() },
      add { count = 4, dependents = 1 },
      xor { count = 4, chain = 2 },
      branch { accuracy = 0.9, taken = 0.5 },
    }
  end,
}
LUA
expect_exit 0 "$TRAUMA" explain all.lua -m pentium-pro --counters plan
expect_text out "4 bytes wide, data 0xffffffff"
expect_text out "4 add: 1 of them consumes the last load"
expect_text out "4 xor: 0 of them consume the last load, in chains of 2"
expect_text out "1 branch: accuracy 0.9, 0.5 taken"
expect_text out "branches per pass"
expect_text out "all hits read one line in L1D set 0"
expect_no_text out "1 eviction sets"

golden=$SOURCE/tests/golden/one-set
expect_exit 0 "$TRAUMA" explain "$golden/recipe.lua" -m "$golden/machine.lua" --counters plan
expect_text out "each hit reads the line of the miss before it"
expect_no_text out "all hits read one line in"
expect_text out "1 eviction set,"

# Working sets: how many lines come to a set of each cache, or, past L2, how many times what a cache holds comes by.
golden=$SOURCE/tests/golden/rings
expect_exit 0 "$TRAUMA" explain "$golden/recipe.lua" -m "$golden/machine.lua" --counters plan
expect_text out "L3   64 KiB, 8-way"
expect_text out "1 load: 0.45 from L1, 0.2 from L2, 0.15 from L3, 0.2 from MEM, hits and misses even, independent, 8 bytes wide"
expect_text out "1 store: 0.9 from L1, 0 from L2, 0.1 from MEM"
expect_text out "10 loads and 10 stores per pass"
expect_text out "3 working sets"
expect_text out "for L2: 4 lines over 6 KiB, all read in 2 passes"
expect_text out "L1D  4 to 4 lines per set of 2 ways: every access misses"
expect_text out "for L3, by capacity: 104 lines, all read once in 104 passes"
expect_text out "L2   3.25 times its number of lines is read before a line is read again: every access misses"
expect_text out "L3   0.406 times its number of lines is read before a line is read again: all lines stay"
expect_text out "for MEM, by capacity: 5640 lines, all read once in 1880 passes"
expect_no_text out "eviction set"
expect_no_text out "some lines stay"
expect_exit 0 "$TRAUMA" explain "$golden/recipe.lua" -m "$golden/machine.lua" --index virtual --counters plan
expect_text out "for L3: 24 lines over 48 KiB, all read in 16 passes"

cat >walk.lua <<'LUA'
benchmark {
  name = "walk",
  kernel = function()
    return { load { working_set = 1 << 20, stride = 256, prefetch = "invite", data = pattern.toggle(0.25) } }
  end,
}
LUA
expect_exit 0 "$TRAUMA" explain walk.lua -m pentium-pro --counters plan
expect_text out "a walk through 1 MiB"
expect_text out "256 bytes apart, lines in address order (prefetch = \"invite\"), data that toggle 0.25 of their bits"
expect_text out "its rates are predicted, not promised"

# The lines of every level: with three, those of L2 are read in every pass, in L1D sets that they overfill.
cat >three.lua <<'LUA'
benchmark {
  name = "three",
  kernel = function()
    return { load { served_by = { L1 = 0.5, L2 = 0.3, L3 = 0.2 }, address = "chase" }, add {} }
  end,
}
LUA
expect_exit 0 "$TRAUMA" explain three.lua -m zen5 --counters plan
expect_text out "0.2 from L3, hits and misses shuffled, chase, 8 bytes wide"
expect_text out "for L3"
lines=$(sed -n 's/^    for L2, in every pass: \([0-9]*\) lines, in L1D sets that get more than their 12 ways$/\1/p' out)
[ "${lines:-0}" -gt 12 ] || fail "the lines of L2: '$lines'"
expect_same "$(awk '/in every pass/ { on = 1; next } on && $1 == "set" { if ($3 <= 12) exit 1; sum += $3; next } { on = 0 }
    END { print sum }' out)" "$lines" "lines of its sets"

# A stride that finds no room says how much it needs.
sed 's/address = "chase"/stride = 128/' three.lua >stride.lua
expect_exit 3 "$TRAUMA" explain stride.lua -m zen5 --counters plan
expect_text err "a stride of 128 bytes in accesses that L3 serves takes 32 of the 64 positions"
expect_text err "a stride of 4096 bytes takes one"
expect_no_text err "too many levels"

# Phases are told apart; that no operation waits for a load is worth a word only where one could.
cat >phases.lua <<'LUA'
benchmark {
  name = "phases",
  kernel = function()
    return { phases = { { load { served_by = { L1 = 1 } }, add { count = 2 } }, { fadd { chain = 3 }, nop {} } } }
  end,
}
LUA
expect_exit 0 "$TRAUMA" explain phases.lua -m pentium-pro --counters plan
sed -n '/phase 1/,/^$/p' out | sed 's/:.*//' | tr -s ' \n' ' ' >phases
expect_same "$(cat phases)" " phase 1 1. 1 load 2. 2 add phase 2 3. 1 fadd 4. 1 nop " "phases and what is in them"
expect_text out "2 add: 0 of them consume the last load"
expect_text out "1 fadd: in chains of 3"
expect_no_text out "1 nop:"

# A throttle is told by its duty and its idle instructions; a walk is no level's.
cat >throttled.lua <<'LUA'
benchmark { name = "throttled", kernel = function() return { load { served_by = { L1 = 1 }, count = 4 }, throttle { duty = 0.5 } } end }
benchmark { name = "walk", kernel = function() return { load { working_set = 4096 } } end }
benchmark { name = "far", kernel = function() return { load { working_set = 400000, stride = 64 } } end }
LUA
expect_exit 0 "$TRAUMA" explain throttled.lua -m zen5 --counters bytes --filter throttled
expect_text out "  2. throttle: 2 idle instructions, which leave the rest 0.5 of its peak rate"
expect_exit 0 "$TRAUMA" gen throttled.lua -m zen5 -o walks
for walk in walk far; do
    ! grep -n 'MEM' walks/$walk/default/program.s || fail "a walk is said to be memory's"
    grep -q 'a walk: line 1 of' walks/$walk/default/program.s || fail "a walk is not told"
done
expect_same "$(json_document walks/far/default/manifest.json data/bases/0/walk data/bases/0/level)" "true	-" \
    "the base of a walk, whose level nobody states"

# A store of what was loaded has no words of its own.
cat >copy.lua <<'RECIPE'
benchmark { name = "copy", kernel = function() return { load { served_by = { L1 = 1 } }, store { served_by = { L1 = 1 }, data = "loaded" } } end }
RECIPE
expect_exit 0 "$TRAUMA" explain copy.lua -m zen5
expect_text out "8 bytes wide, the data of the last load"
expect_no_text out "0 words"
