# Recipes of AMD's GPUs that tests share, and what they expect of them; begins a test, after lib.sh.
cat >kinds.lua <<'LUA'
local l2 = { L2 = 1 }
local function toggling(rate) return rate > 0.5 and pattern.toggle(rate, { order = "program" }) or pattern.toggle(rate) end
local kinds = {
  wide     = function() return { load { served_by = l2, width = 16 }, load { served_by = { L1 = 0.5, MEM = 0.5 }, width = 8 } } end,
  stream   = function() return { load { served_by = l2, cache = "stream" } } end,
  shared   = function() return { load { served_by = { SHARED = 0.5, L2 = 0.5 }, width = 8, data = pattern.toggle(0.25) } } end,
  chases   = function() return { load { served_by = { SHARED = 0.25, L1 = 0.25, L2 = 0.5 }, address = "chase" } } end,
  random   = function() return { load { served_by = l2, address = "chase", stride = "random" } } end,
  memory   = function() return { load { served_by = { MEM = 1 }, address = "chase" } } end,
  stores   = function() return { load { served_by = { L1 = 1 } }, store { served_by = { MEM = 1 }, width = 16, cache = "stream", data = pattern.ones() } } end,
  shelves  = function() return { load { served_by = l2 }, store { served_by = { SHARED = 1 } } } end,
  work     = function() return { load { served_by = l2 }, add { dependents = 1 }, sub { count = 2, dependents = 1 }, mul {}, xor { dependents = 1 }, shift {}, fadd {}, fmul {}, fma {}, nop { count = 2 } } end,
  quads    = function() return { load { served_by = { SHARED = 0.5, L2 = 0.5 }, width = 16 }, store { served_by = { SHARED = 1 }, width = 16 } } end,
  bus      = function() return { load { served_by = { SHARED = 1 }, width = 16, data = pattern.toggle(0.3) } } end,
  buses    = function() return { load { served_by = { SHARED = 0.5, L1 = 0.5 }, data = toggling(1) }, load { served_by = { L2 = 1 }, count = 2, width = 8, data = pattern.toggle(0.25) } } end,
  narrow   = function() return { load { served_by = { SHARED = 0.5, L2 = 0.5 }, data = pattern.toggle(0.25, { bus = 256 }) } } end,
  branches = function() return { load { served_by = { L2 = 1 } }, branch { divergence = 0.375 }, branch {} } end,
  alone    = function() return { add {}, sub {}, fma {}, branch { divergence = 0.5 } } end,
  parting  = function() return { load { served_by = { SHARED = 1 } }, branch { divergence = 1, count = 2 } } end,
  chains   = function() return { load { served_by = l2 }, add { chain = 4, count = 8 } } end,
}
local names = {}
for name in pairs(kinds) do names[#names + 1] = name end
table.sort(names)
benchmark { name = "kinds", target = "gcn", sweep = { kind = names }, grid = { threads = 128 }, kernel = function(p) return kinds[p.kind]() end }
LUA
cat >places.lua <<'LUA'
local function read(rate, width)
  local data = rate > 0.5 and pattern.toggle(rate, { order = "program" }) or pattern.toggle(rate)
  return { load { served_by = { L2 = 1 }, width = width, data = data } }
end
benchmark { name = "engine", target = "gcn", sweep = { toggle = { 0, 0.3, 1 } }, place = { se = 1, l2_channels = { 0, 1, 2, 3 } },
  kernel = function(p) return read(p.toggle, 4) end }
benchmark { name = "units", target = "gcn", grid = { threads = 64 }, place = { se = 0, sh = 0, cu = { 0, 3, 7 }, l2_channels = { 4, 5, 6, 7 } },
  kernel = function() return read(0.5, 16) end }
benchmark { name = "ring", target = "gcn", grid = { threads = 64 }, place = { se = { 1, 2 }, l2_channels = { 8, 9 } },
  kernel = function() return { load { served_by = { L2 = 1 }, address = "chase" } } end }
benchmark { name = "sums", target = "gcn", place = { se = 1 }, kernel = function() return { mul {} } end }
LUA
expect_exit 0 "$TRAUMA" gen places.lua -m w9100 -o suite
[ -s suite/ring/default/program.co ] || skip "this LLVM assembles nothing for AMD's GPUs"

# all_pass WORDS: everything that was wanted was seen.
all_pass()
{
    expect_text out " pass"
    ! grep -Eq '(fail|unobserved|unclear|did not run)' out || fail "$1: $(grep -Ev ' pass ' out)"
}

# random_recipe SEED COUNT LANES: random kernels, the same for every run, in groups of whole waves: random.lua.
random_recipe()
{
    awk -v seed="$1" -v count="$2" -v lanes="$3" 'function pick(n) { return int(rand() * n) }
    function share(rate) { return rate > 0.5 ? rate ", { order = \"program\" }" : rate }
    BEGIN {
        srand(seed)
        split("4 8 16", width, " "); split("l2 stream", cache, " ")
        for (i = 0; i < count; i++) {
            w = width[1 + pick(3)]
            one = w == 16 ? 1 : (1 + pick(4)) * 0.25
            printf "benchmark { name = \"r%d\", target = \"gcn\", grid = { blocks = %d, threads = %d }, loop = { units = %d }, ", i, 8 + pick(80), lanes * (1 + pick(256 / lanes)), 4 * (1 + pick(6))
            if (pick(2)) printf "place = { se = %d }, ", pick(4)
            printf "kernel = function() return { load { served_by = { L2 = %g, SHARED = %g }, width = %d, cache = \"%s\", data = pattern.toggle(%s), order = \"%s\" }", one, 1 - one, w, cache[1 + pick(2)], share(pick(9) / 8), pick(2) ? "even" : "burst"
            if (w == 4 && pick(2)) printf ", add { count = %d, dependents = 1 }", 1 + pick(3)
            if (pick(3) == 0) printf ", store { served_by = { L2 = 1 }, width = %d }", width[1 + pick(3)]
            print " } end }"
        }
    }' >random.lua
}
