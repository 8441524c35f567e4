# Loads that write back what they read, or on the stack: programs keep their rates beside misses, led loads, code{} and tlb{}; both accesses
# are counted, by simulators that are not ours, too; what makes no sense is refused.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
export TRAUMA_ROOT="$SOURCE"

cat >updates.lua <<'LUA'
local wide, small = pattern.words { 0x0f0f00000f0f, 0xf0f00000f0f0 }, pattern.words { 0xf0f0, 0x0f0f, 0xff00 }
benchmark {
  name   = "updates",
  target = "x86_64",
  sweep  = { miss = { 0, 0.25 } },
  kernel = function(p)
    return {
      code { misses = 2, count = 4 },
      load { served_by = { L1 = 1 }, count = 6, leads = true, data = wide },
      load { served_by = { L1 = 1 }, count = 10, address = "led", behind = 7, data = wide },
      load { served_by = { L1 = 1 }, count = 10, updates = true, data = wide },
      load { served_by = { L1 = 1 }, count = 7, updates = true, width = 4, data = small },
      load { miss_rate = { L1 = p.miss, L2 = 0.5 }, count = 12, data = wide },
      store { miss_rate = { L1 = p.miss }, count = 8, data = pattern.words { 0x7d55, 0x7aaa } },
      branch { accuracy = 0.9, count = 10, test = "shared" },
      add { count = 20 },
    }
  end,
}
benchmark {
  name   = "pages",
  target = "x86_64",
  kernel = function()
    return {
      load { served_by = { L1 = 1 }, count = 20, data = pattern.toggle(0.25) },
      load { served_by = { L1 = 1 }, count = 12, updates = true, data = pattern.toggle(0.25) },
      load { served_by = { L1 = 0.8, L2 = 0.1, MEM = 0.1 }, count = 10, data = pattern.toggle(0.25) },
      store { served_by = { L1 = 0.75, MEM = 0.25 }, count = 8 },
      tlb { miss_rate = 4 / 62 },
      add { count = 20 },
    }
  end,
}
benchmark {
  name   = "copies",
  target = "x86_64",
  sweep  = { miss = { 0, 0.25 } },
  kernel = function(p)
    return {
      load { served_by = { L1 = 1 }, count = 6, leads = true, logic = 8, data = wide },
      load { miss_rate = { L1 = p.miss, L2 = 0.5 }, count = 12, address = "led", behind = 7, data = wide },
      load { served_by = { L1 = 1 }, count = 10, copies = true, data = wide },
      load { served_by = { L1 = 1 }, count = 4, updates = true, data = wide },
      store { miss_rate = { L1 = p.miss }, count = 8, data = pattern.words { 0x7d55, 0x7aaa } },
      branch { accuracy = 0.9, count = 10, test = "shared" }, add { count = 20 },
    }
  end,
}
-- The stack's line is one of those that hit, of which an L1D of two ways has few in a set.
benchmark {
  name   = "stack",
  target = "x86_64",
  kernel = function()
    return {
      load { served_by = { L1 = 1 }, count = 20 },
      load { served_by = { L1 = 1 }, copies = true, count = 8 },
      load { served_by = { L1 = 0.8, L2 = 0.1, MEM = 0.1 }, count = 10 },
      store { served_by = { L1 = 0.75, L2 = 0.25 }, count = 8 },
      tlb { miss_rate = 3 / 62 },
      add { count = 20 },
    }
  end,
}
LUA
rates_hold updates.lua skylake-sp zen5 pentium-pro

# Nobody knows which page of an L1D without ways the stack's line is in: it moves with the environment.
cat >direct.lua <<'MACHINE'
machine { name = "direct", isa = "x86_64", clock_ghz = 2, issue_width = 4, features = { "sse2" },
  caches = { L1I = { size = "16KiB", ways = 1, line = 64 }, L1D = { size = "16KiB", ways = 1, line = 64, policy = "lru" },
    L2 = { size = "256KiB", ways = 4, line = 64, policy = "lru" }, L3 = { size = "2MiB", ways = 16, line = 64, policy = "lru" } } }
MACHINE
sed -n '/^  name   = "stack"/,/^}/p' updates.lua | sed '/tlb {/d; 1s/^/benchmark {\n/' >stack.lua
for more in 0 1200 2400 3600; do
    MORE=$(head -c $more /dev/zero | tr '\0' x)
    export MORE
    rates_hold stack.lua direct.lua
done

# Of 70 accesses, 17 of them what is written back, 5 miss L1D.
expect_exit 0 "$TRAUMA" gen updates.lua -m zen5 -o suite
updates=suite/updates/miss=0.25
units=$(sed -n 's/^ *"units": \([0-9]*\),$/\1/p' $updates/manifest.json)
expect_same "$(grep -c '\<add[ql] \$0, ' $updates/program.s)" "$((2 * 17 * units))" "updates in the loop and its twin"
expect_exit 0 "$TRAUMA" explain updates.lua -m zen5 --point miss=0.25
expect_text out "4 bytes wide, writes it back"
expect_text out "l1d.miss_rate"

# Of 64 accesses, 20 of them what is copied by the stack and 4 what is written back, 5 miss L1D.
copies=suite/copies/miss=0.25
units=$(sed -n 's/^ *"units": \([0-9]*\),$/\1/p' $copies/manifest.json)
expect_same "$(grep -c 'pushq [0-9]*(%r' $copies/program.s)" "$((2 * 10 * units))" "copies in the loop and its twin"
expect_same "$(grep -c 'andq \$0, ' $copies/program.s)" "$((2 * 6 * units))" "conjunctions of 8 bytes"
python3 - $copies/manifest.json <<'PY' || fail "counts of copies"
import json, sys
manifest = json.load(open(sys.argv[1]))
units, counts = manifest["units"], manifest["counts"]
assert counts["loads"] == 42 * units and counts["stores"] == 22 * units, counts
assert abs(manifest["expected"]["l1d.miss_rate"] - 5 / 64) < 1e-9, manifest["expected"]
PY
expect_exit 0 "$TRAUMA" explain updates.lua -m zen5 --filter copies --point miss=0.25
expect_text out "writes it on the stack"

# Of the orders that branches have the program try, one is taken in which words dealt to ports keep their toggle rate.
cat >dealt.lua <<'LUA'
benchmark { name = "dealt", kernel = function()
  return { code { misses = 2, count = 4 },
           load { served_by = { L1 = 1 }, count = 20, data = pattern.toggle(0.25) },
           load { served_by = { L1 = 1 }, count = 12, updates = true, data = pattern.toggle(0.25) },
           load { served_by = { L1 = 0.8, L2 = 0.1, MEM = 0.1 }, count = 10, data = pattern.toggle(0.25) },
           store { served_by = { L1 = 0.75, MEM = 0.25 }, count = 8 },
           tlb { miss_rate = 4 / 62 }, add { count = 20 }, branch { accuracy = 0.9, count = 10, test = "shared" } }
end }
LUA
expect_exit 0 "$TRAUMA" check dealt.lua -m pentium-pro --counters bytes,plan --json
expect_same "$(json "$WORK/out" metric verdict | grep '^data.toggle_rate.dealt')" "data.toggle_rate.dealt	pass" "words dealt to ports"

refused()
{
    echo "benchmark { name = \"b\", kernel = function() return { $1 } end }" >refused.lua
    expect_exit 3 "$TRAUMA" gen refused.lua -m "${3:-zen5}" -o refused
    expect_text err "$2"
}
refused 'store { served_by = { L1 = 1 }, updates = true }' "expected it of loads"
refused 'load { served_by = { L1 = 1 }, updates = 1 }' "expected true or false"
refused 'load { served_by = { L1 = 1 }, updates = true, width = 16 }' "expected 4 or 8 bytes"
refused 'load { served_by = { L1 = 1 }, updates = true, address = "chase" }' 'expected address = "independent"'
refused 'load { served_by = { L1 = 1 }, updates = true, leads = true }' "no leads"
refused 'load { served_by = { L1 = 0.5, L2 = 0.5 }, updates = true, count = 2 }' "expected served_by = { L1 = 1 }"
refused 'load { working_set = "4KiB", updates = true }' "expected served_by = { L1 = 1 }"
refused 'load { served_by = { L1 = 1 }, updates = true }, add { dependents = 1 }' "without dependents"
refused 'load { served_by = { L1 = 1 }, updates = true, width = 4 }' "has no such instruction of 4 bytes" cortex-a72
refused 'load { served_by = { L1 = 1 }, updates = true }' "has no such instruction of 8 bytes" sifive-u74
refused 'load { served_by = { L1 = 1 }, copies = true, width = 4 }' "expected 8 bytes"
refused 'load { served_by = { L1 = 1 }, copies = true, updates = true }' "expected one of them"
refused 'store { served_by = { L1 = 1 }, copies = true }' "expected it of loads"
refused 'load { served_by = { L1 = 0.5, L2 = 0.5 }, copies = true, count = 2 }' "expected served_by = { L1 = 1 }"
refused 'load { served_by = { L1 = 1 }, copies = true }' "load.copies is true: aarch64 has no such instruction" cortex-a72
refused 'load { served_by = { L1 = 1 }, logic = 8 }' "expected leads = true beside it"
refused 'load { served_by = { L1 = 1 }, leads = true, logic = 5 }, load { served_by = { L1 = 1 }, address = "led" }' "expected 4 or 8"
refused 'load { served_by = { L1 = 1 }, leads = true, logic = 4 }, load { served_by = { L1 = 1 }, address = "led" }' \
    "has a conjunction of 8 bytes alone" sifive-u74
