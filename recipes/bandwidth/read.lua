-- Read bandwidth of each level: every word of a working set, in the order of addresses, by loads of each width that
-- the machine has. The sizes are some way below the caches': what else comes by shall not push lines out.
-- --set size=BYTES walks through another size; level then only names it.
local levels = { L1 = "L1D", L2 = "L2", L3 = "L3" }

-- Bytes that the level holds and no nearer one does; memory's are twice the last cache's, from 256 MiB to 1 GiB.
local function working_set(p, m)
  if p.size > 0 then return p.size end
  local caches = m.caches
  if p.level == "MEM" then
    local last = (caches.L3 or caches.L2).size
    return math.max(256 << 20, math.min(2 * last, 1 << 30))
  end
  local own = caches[levels[p.level]].size
  if p.level == "L1" then return own // 2 // 4096 * 4096 end
  local nearer = caches[p.level == "L2" and "L1D" or "L2"].size
  return math.min(own // 2, 8 * nearer) // 4096 * 4096
end

local needs = { [16] = "sse2", [32] = "avx", [64] = "avx512f" }

local function has_width(width, m)
  if not needs[width] then return true end
  for _, feature in ipairs(m.features or { "sse2" }) do
    if feature == needs[width] then return true end
  end
  return false
end

benchmark {
  name  = "read",
  title = "Read bandwidth by level and width",
  sweep = { level = { "L1", "L2", "L3", "MEM" }, width = { 8, 16, 32, 64 }, size = 0 },
  where = function(p, m)
    return (p.level == "MEM" or m.caches[levels[p.level]] ~= nil) and has_width(p.width, m)
  end,
  kernel = function(p, m)
    return { load { working_set = working_set(p, m), width = p.width, stride = p.width, prefetch = "invite" } }
  end,
}
