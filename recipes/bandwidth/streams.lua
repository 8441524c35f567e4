-- Bandwidth of each level: every word of a working set in address order, read, written, or copied from one half to the other
-- (a copy's bytes count twice, read and written), by accesses of each width that the machine has. --set size=BYTES sets
-- another size (for a copy, the size of both halves together); the level is then only a name.
local cache_of = { L1 = "L1D", L2 = "L2", L3 = "L3" }
local needs = { [16] = "sse2", [32] = "avx", [64] = "avx512f" }

local function has_width(width, m)
  if not needs[width] then return true end
  for _, feature in ipairs(m.features or { m.isa == "x86_64" and "sse2" }) do
    if feature == needs[width] then return true end
  end
  return false
end

-- Bytes that this level holds and no nearer level does; for memory twice the last cache, between 256 MiB and 1 GiB.
local function working_set(p, m)
  if p.size > 0 then return p.size end
  local caches = m.caches
  if p.level == "MEM" then
    local last = (caches.L3 or caches.L2).size
    return math.max(256 << 20, math.min(2 * last, 1 << 30))
  end
  local own = caches[cache_of[p.level]].size
  if p.level == "L1" then return own // 2 // 4096 * 4096 end
  local nearer = caches[p.level == "L2" and "L1D" or "L2"].size
  return math.min(own // 2, 8 * nearer) // 4096 * 4096
end

-- In L1 a long loop makes loop overhead negligible. Beyond L1 the loop is short, because prefetchers that track instructions
-- follow a few loads but not hundreds. A pass of narrow reads still has several lines, in L1 too: with one line, a taken
-- branch every eight loads costs a tenth.
local function loop(op, p, bytes)
  if op == "read" and p.width == 8 then return { units = p.level == "L1" and bytes >= 16384 and 48 or 64 } end
  if op == "write" or p.level == "L1" then return { instructions = 800 } end
  return { units = p.width == 64 and 4 or p.width == 8 and 16 or 8 }
end

local function stream(op, title, unit)
  benchmark {
    name   = op,
    title  = title .. " bandwidth by level and width",
    sweep  = { level = { "L1", "L2", "L3", "MEM" }, width = { 8, 16, 32, 64 }, size = 0 },
    where  = function(p, m) return (p.level == "MEM" or m.caches[cache_of[p.level]] ~= nil) and has_width(p.width, m) end,
    loop   = function(p, m) return loop(op, p, working_set(p, m)) end,
    kernel = function(p, m)
      local function walk(bytes, data)
        return { working_set = bytes, width = p.width, stride = p.width, prefetch = "invite", data = data }
      end
      return unit(walk, working_set(p, m))
    end,
    plot   = { x = "width", y = { "bandwidth.L1", "bandwidth.L2", "bandwidth.L3", "bandwidth.MEM" }, together = true,
               log = "xy", xlabel = "Bytes per access" },
  }
end

stream("read", "Read", function(walk, bytes) return { load(walk(bytes)) } end)
stream("write", "Write", function(walk, bytes) return { store(walk(bytes)) } end)
stream("copy", "Copy", function(walk, bytes) return { load(walk(bytes // 2)), store(walk(bytes // 2, "loaded")) } end)
