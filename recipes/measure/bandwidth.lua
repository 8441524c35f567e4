-- Bytes per second of each level: a working set that the level holds is read, written, or copied from one half to the other
-- (a copy's bytes count twice, read and written), in address order, by the widest accesses of the machine or, with --set
-- width=32, by accesses of that width. `trauma measure bandwidth` prints GB/s; threads are copies on cores of their own,
-- which share L3 and memory. recipes/bandwidth/streams.lua sweeps over widths.
local cache_of = { L1 = "L1D", L2 = "L2", L3 = "L3" }
local widths = { { 64, "avx512f" }, { 32, "avx" }, { 16, "sse2" } }

local function widest(m)
  local has = {}
  for _, feature in ipairs(m.features or { m.isa == "x86_64" and "sse2" }) do has[feature] = true end
  for _, width in ipairs(widths) do
    if has[width[2]] then return width[1] end
  end
  return m.isa == "aarch64" and 16 or 8
end

-- Bytes for one copy that this level holds and no nearer level does; for memory several times the last cache.
local function working_set(p, m)
  local caches = m.caches
  local last = caches.L3 or caches.L2
  if p.level == "MEM" then return math.max(64 << 20, math.min(math.max(256 << 20, 4 * last.size), 1 << 30) // p.threads) end
  local own = caches[cache_of[p.level]]
  if p.level == "L1" then return own.size // 2 // 4096 * 4096 end
  local nearer = caches[p.level == "L2" and "L1D" or "L2"].size
  local shared = p.level == "L3" and p.threads or 1
  return math.min((own.effective or own.size) // 2 // shared, 8 * nearer) // 4096 * 4096
end

benchmark {
  name    = "bandwidth",
  title   = "Bandwidth by level",
  sweep   = function(m)
    return { op = { "read", "write", "copy" }, level = { "L1", "L2", "L3", "MEM" }, threads = 1, width = widest(m) }
  end,
  where   = function(p, m) return p.level == "MEM" or m.caches[cache_of[p.level]] ~= nil end,
  threads = function(p) return p.threads end,
  -- Prefetchers that track instructions follow a few loads but not hundreds; a long loop has less overhead.
  loop    = function(p) return (p.level == "L1" or p.op == "write") and { instructions = 800 } or { units = 8 } end,
  kernel  = function(p, m)
    local bytes, width = working_set(p, m), p.width
    local function walk(size, data)
      return { working_set = size, width = width, stride = width, prefetch = "invite", data = data }
    end
    if p.op == "read" then return { load(walk(bytes)) } end
    if p.op == "write" then return { store(walk(bytes)) } end
    return { load(walk(bytes // 2)), store(walk(bytes // 2, "loaded")) }
  end,
  plot    = { x = "level", y = { "bandwidth.L1", "bandwidth.L2", "bandwidth.L3", "bandwidth.MEM" }, by = "op", kind = "bars",
              together = true, log = "y", xlabel = "Level" },
}
