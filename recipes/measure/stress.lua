-- The mix of instructions that draws the most power here, in the manner of FIRESTARTER (Hackenberg et al. 2013): vectors of
-- multiply-adds, with loads and stores that stream through the caches down to one level, on all cores, on data of which half
-- of the bits change. `trauma measure stress` runs the sweep and names the mix, by power where there is a sensor, else by the
-- number of vector bits that the cores process per cycle. To heat a machine with one mix:
--
--     trauma run measure/stress --set reach=L2,fma=4,width=64B --time 600 --reps 1
local cache_of = { L1 = "L1D", L2 = "L2", L3 = "L3" }
local widths = { { 64, "avx512f" }, { 32, "fma" }, { 16, "fma" } }

local function has(m, feature)
  for _, name in ipairs(m.features or {}) do
    if name == feature then return true end
  end
  return false
end

-- The widest vectors, and vectors of half that width: some cores lower their clock for the widest.
local function widths_of(m)
  if m.isa == "aarch64" then return { "16B" } end
  if m.isa == "riscv64" then return { "8B" } end
  local found = {}
  for _, width in ipairs(widths) do
    if has(m, width[2]) and #found < 2 then found[#found + 1] = width[1] .. "B" end
  end
  return found[1] and found or { "8B" }
end

local function reaches(m)
  local found = { "none", "L1" }
  for _, level in ipairs { "L2", "L3" } do
    if m.caches[cache_of[level]] then found[#found + 1] = level end
  end
  found[#found + 1] = "MEM"
  return found
end

-- Bytes that this level holds and no nearer level does, divided among the copies; for memory more than the last cache.
local function working_set(level, m, copies)
  local caches = m.caches
  local last = caches.L3 or caches.L2
  if level == "MEM" then return math.min(math.max(64 << 20, 2 * last.size), 512 << 20) // copies // 4096 * 4096 end
  local own = caches[cache_of[level]]
  local part = (own.effective or own.size) // 2
  if level == "L3" then part = part // copies end
  return part // 4096 * 4096
end

local deeper = { "L2", "L3", "MEM" }

benchmark {
  name    = "stress",
  title   = "Power by mix",
  sweep   = function(m)
    return { reach = reaches(m), fma = { 2, 4 }, width = widths_of(m), threads = m.cores or 1 }
  end,
  threads = function(p) return p.threads end,
  loop    = function(p) return p.reach == "none" and { instructions = 400 } or { units = 32 } end,
  kernel  = function(p, m)
    local data = pattern.random()
    local can_multiply_add = p.width == 8 or m.isa ~= "x86_64" or has(m, "fma") or has(m, "fma4")
    local work = can_multiply_add and p.width <= 8 and not (has(m, "fma") or has(m, "fma4") or m.isa ~= "x86_64")
      and fmul { count = p.fma, data = data } or fma { count = p.fma, width = p.width, data = data }
    if p.reach == "none" then return { work } end
    local function walk(level)
      return { working_set = working_set(level, m, p.threads), stride = p.width, width = p.width, prefetch = "invite",
               data = data }
    end
    local unit = { load(walk("L1")), work, store(walk("L1")) }
    for _, level in ipairs(deeper) do
      if p.reach == "L1" then break end
      if level == "MEM" or m.caches[cache_of[level]] then unit[#unit + 1] = load(walk(level)) end
      if level == p.reach then break end
    end
    return unit
  end,
  plot    = { { x = "reach", y = "power.dynamic_w", by = "width", byunit = "bytes", kind = "bars", only = { fma = 2 } },
              { x = "reach", y = "ipc", by = "width", byunit = "bytes", kind = "bars", only = { fma = 2 } } },
}
