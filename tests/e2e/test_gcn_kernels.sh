# What GCN kernels promise of their operations is held: chains, dependents, shares of the mix; and data no larger than is used.
. "$SOURCE/tests/e2e/lib.sh"

cat >r.lua <<'RECIPE'
local function one(name, unit, more)
  local all = { name = name, target = "gcn", grid = { blocks = 4, threads = 128 }, loop = { units = 4 }, kernel = function() return unit end }
  for key, value in pairs(more or {}) do all[key] = value end
  benchmark(all)
end
one("chase", { load { served_by = { L2 = 1 }, address = "chase" }, add { count = 2, dependents = 1 } })
one("store", { load { served_by = { L2 = 1 } }, store { served_by = { L2 = 1 } }, add { count = 2, dependents = 1 } })
one("two", { load { served_by = { L1 = 1 } }, load { served_by = { L2 = 1 } }, add { count = 2, dependents = 2 }, mul { count = 2 } })
one("chains", { load { served_by = { L1 = 1 } }, add { count = 3, chain = 4 }, fma { count = 2, chain = 4 }, xor {}, branch { divergence = 0.5 } })
one("shifts", { load { served_by = { L1 = 1 } }, shift { count = 4, chain = 2 }, shift { dependents = 1 }, nop { count = 3 } })
one("shared", { load { served_by = { SHARED = 1 }, address = "chase" }, shift { count = 3, dependents = 1 }, fma { count = 2, chain = 2 } })
one("mix", { load { served_by = { L1 = 1 } }, add { count = 3, dependents = 1 }, xor { count = 2 }, fma {} },
  { expect = { ["mix.add"] = { min = 0.3, max = 0.45 }, ["mix.load"] = { min = 0.1 }, ["mix.mul"] = { max = 0.001 },
    ["body.share"] = { min = 0.7, max = 0.999 } } })
RECIPE
for machine in w9100 fiji vega10 mi100 mi210 rdna2; do
    got=0
    "$TRAUMA" check r.lua -m $machine --counters wave >out 2>err </dev/null || got=$?
    ! grep -q 'needed program\|assembles nothing' err || skip "this LLVM assembles nothing for AMD's GPUs"
    [ $got -eq 0 ] || fail "$machine: exit $got: $(cat out)"
    expect_no_text out unobserved
    expect_empty err
done

# What multiplications work on keeps its size: their factor is below and above 1 in turn, from pass to pass.
cat >factor.lua <<'RECIPE'
benchmark { name = "factor", target = "gcn", sweep = { op = { "fmul", "fma" } },
  kernel = function(p) return { load { served_by = { L1 = 1 } }, ({ fmul = fmul, fma = fma })[p.op] { count = 4, chain = 4 } } end }
RECIPE
expect_exit 0 "$TRAUMA" gen factor.lua -m vega10 -o factor -q
turns() { sed -n '/^trauma_advance:/,$p' "factor/factor/op=$1/program.s" | grep -c 'v_sub_f32 v57, 2.0, v57'; }
expect_same "$(turns fmul) $(turns fma || true)" "1 0" "turns of the factor in a pass"

cat >many.lua <<'RECIPE'
benchmark { name = "many", target = "gcn", kernel = function()
  local unit = { load { served_by = { L1 = 1 } } }
  for _, operation in ipairs { add, xor, mul, fma, sub } do unit[#unit + 1] = operation { chain = 16 } end
  return unit
end }
RECIPE
expect_exit 3 "$TRAUMA" gen many.lua -m w9100 -o many
expect_text err "a multiple of their chain"

# Early eviction: both of L2's models agree, or it is refused.
cat >early.lua <<'RECIPE'
local function one(name, unit) benchmark { name = name, target = "gcn", grid = { blocks = 44, threads = 128 }, kernel = function() return unit end } end
one("l2", { load { served_by = { L2 = 1 }, cache = "stream" } })
one("memory", { load { served_by = { MEM = 1 }, cache = "stream", width = 16 } })
one("beside", { load { served_by = { L2 = 1 }, cache = "stream" }, load { served_by = { MEM = 1 } } })
RECIPE
expect_exit 0 "$TRAUMA" check early.lua -m w9100 --counters wave --filter '^l2/'
expect_exit 3 "$TRAUMA" check early.lua -m w9100 --counters wave --filter '^memory/'
expect_text err 'if L2 evicts such lines first'
expect_exit 3 "$TRAUMA" check early.lua -m w9100 --counters wave --filter '^beside/'
expect_text err 'may evict these lines first'

# One compute unit's blocks share a region, which needs no room for those that leave.
cat >place.lua <<'RECIPE'
benchmark { name = "one", target = "gcn", grid = function(_, m) return { blocks = 4 * m.gpu.sm, threads = 256 } end,
  place = { se = 1, cu = 3 }, kernel = function() return { load { served_by = { MEM = 1 } } } end }
RECIPE
for machine in mi100 mi210; do
    expect_exit 0 "$TRAUMA" check place.lua -m $machine --counters wave
    "$TRAUMA" gen place.lua -m $machine -o $machine >/dev/null
    bytes=$(sed -n 's/.*"data": *{"bytes": *\([0-9]*\).*/\1/p' $machine/one/default/manifest.json | head -n 1)
    [ -n "$bytes" ] || bytes=$(tr -d '\n' <$machine/one/default/manifest.json | sed -n 's/.*"data": *{ *"bytes": *\([0-9]*\).*/\1/p')
    [ "$bytes" -lt 134217728 ] || fail "$machine: one compute unit has $bytes bytes of data"
done

# Operations of 8 bytes, of halves and of bytes, and those that consume loads; refused where a processor lacks them.
cat >operations.lua <<'RECIPE'
local function one(name, unit)
  table.insert(unit, 1, load { served_by = { L1 = 1 }, data = pattern.random() })
  benchmark { name = name, target = "gcn", grid = { blocks = 4, threads = 128 }, loop = { units = 4 }, kernel = function() return unit end }
end
one("floats", { fadd { count = 2, dependents = 1 }, fmul { dependents = 1 }, fma { count = 2, dependents = 1 }, fma { width = 8, count = 2, dependents = 1 } })
one("longs", { add { width = 8, count = 2, dependents = 1 }, xor { width = 8, count = 2, dependents = 1 }, sub { width = 8 }, shift { width = 8, count = 2, chain = 2 } })
one("longchains", { add { width = 8, count = 3, chain = 4 }, shift { width = 8, count = 4, chain = 4 }, xor { width = 8, count = 2, chain = 2 } })
RECIPE
cat >halves.lua <<'RECIPE'
local function one(name, unit)
  table.insert(unit, 1, load { served_by = { L1 = 1 }, data = pattern.random() })
  benchmark { name = name, target = "gcn", grid = { blocks = 4, threads = 128 }, loop = { units = 4 }, kernel = function() return unit end }
end
one("halves", { hadd { count = 2, dependents = 1 }, hmul { dependents = 1 }, hfma { count = 2, dependents = 1 } })
one("halfchains", { hadd { count = 4, chain = 4 }, hmul { count = 2, chain = 2 }, hfma { count = 3, chain = 2 } })
RECIPE
sed 's/^one("halves.*/one("dots", { dot { count = 2, dependents = 1 }, dot { count = 4, chain = 2 } })/; /^one("halfchains/d' halves.lua >dots.lua
for machine in w9100 vega10 mi100 rdna2; do
    expect_exit 0 "$TRAUMA" check operations.lua -m $machine --counters wave
    expect_no_text out unobserved
    case $machine in
    w9100) expect_exit 3 "$TRAUMA" check halves.lua -m $machine --counters wave ;;
    *) expect_exit 0 "$TRAUMA" check halves.lua -m $machine --counters wave ;;
    esac
    case $machine in
    w9100 | vega10) expect_exit 3 "$TRAUMA" check dots.lua -m $machine --counters wave ;;
    *) expect_exit 0 "$TRAUMA" check dots.lua -m $machine --counters wave ;;
    esac
done
