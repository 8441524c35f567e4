# Wide loads and stores: one access each, within a line; each incompatible combination has its own message.
. "$SOURCE/tests/e2e/lib.sh"
need_program valgrind

cat >wide.lua <<'LUA'
benchmark {
  name = "wide",
  sweep = { width = { 16, 32 }, chase = { 0, 1 } },
  kernel = function(p)
    return { load { served_by = { L1 = 0.7, L2 = 0.3 }, width = p.width },
             p.chase == 1 and load { served_by = { L1 = 1 }, address = "chase" } or nop {},
             store { served_by = { L1 = 0.47, L2 = 0.28, MEM = 0.25 }, width = p.width },
             fma { width = p.width }, add { count = 2 } }
  end,
}
benchmark { name = "plain", kernel = function() return { load { miss_rate = { L1 = 0.37 }, width = 16 } } end }
LUA
expect_exit 0 "$TRAUMA" check wide.lua -m fx-8320 --json
json "$WORK/out" metric verdict | grep -v "not applicable\|	observed$" >verdicts
expect_same "$(grep '^mix\|^body' verdicts | cut -f 2 | sort -u)" pass "verdicts of the bytes"
expect_same "$(grep -v '^mix\|^body' verdicts | cut -f 2 | sort -u)" "pass (code)" "other verdicts"
grep -q "served.L2	pass (code)" verdicts || fail "L2 is not observed"
expect_exit 0 "$TRAUMA" gen wide.lua -m fx-8320 -o suite -q
expect_same "$(grep -c 'vmovaps .*(%.*), %ymm15' "suite/wide/chase=0,width=32/program.s")" \
    "$(json_document "suite/wide/chase=0,width=32/manifest.json" loads)" "loads of 32 bytes"
expect_same "$(grep -c 'vmovaps %ymm14, .*(%' "suite/wide/chase=0,width=32/program.s")" \
    "$(json_document "suite/wide/chase=0,width=32/manifest.json" stores)" "stores of 32 bytes"
grep -q vzeroupper "suite/wide/chase=0,width=32/program.s" || fail "the upper halves are left as they are"

cat >narrow.lua <<'LUA'
machine { name = "narrow", isa = "x86_64", features = { "sse2", "avx", "avx512f" },
  caches = { L1I = { size = "8KiB", ways = 4, line = 32 }, L1D = { size = "8KiB", ways = 2, line = 32 },
             L2 = { size = "256KiB", ways = 4, line = 32 } } }
LUA

# refused SENTENCE UNIT [MACHINE]
refused()
{
    echo "benchmark { name = 'no', kernel = function() return { $2 } end }" >no.lua
    expect_exit 3 "$TRAUMA" gen no.lua -m "${3:-zen5}" -o no
    expect_text err "$1"
}

refused "load.width is 12: expected 4, 8, 16, 32 or 64 bytes" 'load { served_by = { L1 = 1 }, width = 12 }'
refused "it needs the feature avx512f, which machine interlagos lacks" 'load { served_by = { L1 = 1 }, width = 64 }' \
    interlagos
refused "load.width is 64: expected at most a line of L1D, 32 bytes" 'load { served_by = { L1 = 1 }, width = 64 }' "$WORK/narrow.lua"
refused "no independent load precedes it in the unit" 'store { served_by = { L1 = 1 }, data = "loaded" }'
refused "the load before it has 16 bytes" \
    'load { served_by = { L1 = 1 }, width = 16 }, store { served_by = { L1 = 1 }, width = 32, data = "loaded" }'
refused "only a store can write the loaded value" 'load { served_by = { L1 = 1 }, data = "loaded" }'
refused "which have 8 bytes" 'load { served_by = { L1 = 1 }, width = 16, address = "chase" }'
refused "the load before it has 32 bytes, and operations of 8 bytes consume loads of 4 and 8 bytes" \
    'load { served_by = { L1 = 1 }, width = 32 }, add { dependents = 1 }'

# A copy stores the register that was loaded, to a walk of its own; stores of every word stay within theirs.
cat >copy.lua <<'LUA'
benchmark {
  name = "copy", sweep = { width = { 4, 8, 16, 32 } },
  kernel = function(p)
    local function walk(data) return { working_set = 65536, width = p.width, stride = p.width, prefetch = "invite", data = data } end
    return { load(walk()), store(walk("loaded")) }
  end,
}
benchmark {
  name = "past", sweep = { width = { 8, 16, 32 } },
  kernel = function(p)
    return { store { working_set = 65536, width = p.width, stride = p.width, prefetch = "invite", cache = "nt" } }
  end,
}
benchmark {
  name = "words", sweep = { size = { 4096, 8192, 24576 } },
  kernel = function(p) return { store { working_set = p.size, stride = 8, prefetch = "invite" } } end,
}
LUA
expect_exit 0 "$TRAUMA" gen copy.lua -m fx-8320 -o copies -q
expect_same "$(grep -c 'vmovaps %ymm15, .*(%' "copies/copy/width=32/program.s")" \
    "$(json_document "copies/copy/width=32/manifest.json" stores)" "stores of what was loaded"
expect_same "$(grep -c 'vmovntps %ymm14, .*(%' "copies/past/width=32/program.s")" \
    "$(json_document "copies/past/width=32/manifest.json" stores)" "stores past the caches"
grep -q 'movq %r8, 0(%rbx)' "copies/words/size=24576/program.s" || fail "the walk does not begin at its first word"
for size in 4096 8192 24576; do
    expect_exit 0 "copies/words/size=$size/program" 1000
done
expect_exit 0 "copies/copy/width=8/program" 1000
