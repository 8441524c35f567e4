# AMD's GPUs with a cache beside memory (L3 of the machine file): loads from it, from what is before and behind it; machines without
# one, and one that is too small, are refused; a suite whose L3 is smaller at the check fails.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

cat >l3.lua <<'RECIPE'
benchmark {
  name = "l3", target = "gcn",
  sweep = { what = { "walk", "memory", "mixture", "chase", "random" } },
  grid = function(p)
    if p.what == "chase" or p.what == "random" then return { blocks = 1, threads = 64 } end
    return { blocks = 48, threads = 256 }
  end,
  kernel = function(p)
    if p.what == "memory" then return { load { served_by = { L3 = 0.25, MEM = 0.75 }, count = 4 } } end
    if p.what == "mixture" then return { load { served_by = { L1 = 0.2, L2 = 0.3, L3 = 0.5 }, count = 10 }, add { count = 3 } } end
    return { load { served_by = { L3 = 1 }, address = p.what ~= "walk" and "chase" or nil,
                    stride = p.what == "random" and "random" or nil } }
  end,
}
RECIPE
plain_program
program=$PLAIN
sed 's/blocks = 48/blocks = 32/' l3.lua >whole.lua # a region that is just half of L3 is a whole number of these
for machine in rdna2 rx7900; do
    expect_exit 0 "$program" check l3.lua -m $machine --counters wave
    expect_no_text out unobserved
    expect_no_text out refused
    expect_text out 'l3/what=mixture  served.L3      0.5  pass (code)'
    expect_text out 'l3/what=random   served.L3        1  pass (code)'
done
# Its L3 is eight times its L2, and the mixture wants more.
expect_exit 0 "$program" check whole.lua -m rx9070 --counters wave --filter 'what=(walk|memory|chase|random)'
expect_no_text out unobserved
expect_no_text out refused
expect_text out 'l3/what=memory  served.L3     0.25  pass (code)'
expect_text out 'l3/what=random  served.L3        1  pass (code)'

# With less of it, the same program is served by memory.
expect_exit 0 "$program" gen l3.lua -m rx7900 -o suite
sed -i 's/"size": 100663296/"size": 16777216/' suite/suite.json
expect_exit 5 "$program" check suite --counters wave --as-is
expect_text out 'served.L3        1  fail'
sed 's/96MiB/16MiB/' "$SOURCE/recipes/machines/rx7900.lua" >small.lua

expect_exit 3 "$program" check l3.lua -m small.lua
expect_text out 'a machine file with a larger L3'
expect_exit 3 "$program" check l3.lua -m mi210
expect_text err 'has no L3 cache'
sed 's/"gcn"/"ptx"/' l3.lua >ptx.lua
expect_exit 3 "$program" check ptx.lua -m h100
expect_text err "NVIDIA's GPUs have the levels SHARED, L1, L2 and MEM"
sed 's/L2 = {/L3 = { size = "64MiB" }, L2 = {/' "$SOURCE/recipes/machines/h100.lua" >h100.lua
expect_exit 3 "$program" check l3.lua -m h100.lua
expect_text err "only AMD's GPUs have a cache beside memory"
