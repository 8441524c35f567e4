-- For `trauma check SUITE --simulator NAME --import STATS`: programs whose rates distinguish the faults of a simulator's
-- caches. A walk through lines that a cache's ways or sets just hold, or just do not hold, reveals another size; a small walk
-- beside a large one reveals the policy; rates kept by eviction sets reveal what is counted.
local function levels(m)
  local list = {}
  for _, name in ipairs { "L1D", "L2", "L3" } do
    if m.caches[name] then list[#list + 1] = name end
  end
  return list
end

-- Number of accesses in a pass: a divisor of the walk's number, so that passes go through all of it; small where lines are
-- far apart, because base registers must reach them.
local function units(accesses, stride)
  for count = math.min(accesses, stride < 1024 and 100 or 16), 1, -1 do
    if accesses % count == 0 then return count end
  end
end

-- Number of lines, and their distance in lines. All sets of a cache have the same number of them, or one set has all.
local walks = {
  fits    = function(sets, ways) return sets * ways, 1 end,
  over    = function(sets, ways) return sets * (ways + 1), 1 end,
  most    = function(sets, ways) return sets * (ways * 3 // 4), 1 end,
  double  = function(sets, ways) return sets * ways * 2, 1 end,
  second  = function(sets, ways) return sets * ways, 2 end,
  columns = function(sets, ways) return ways * 2, sets * 2 end,
}

local function walk(p, m)
  local cache = m.caches[p.level]
  local lines, apart = walks[p.walk](cache.size // cache.line // cache.ways, cache.ways)
  return lines, apart * cache.line
end

benchmark {
  name   = "walk",
  title  = "Walks through lines that a cache just holds, or just does not",
  sweep  = function(m)
    return { level = levels(m), walk = { "fits", "over", "most", "double", "second", "columns" } }
  end,
  loop   = function(p, m) return { units = units(walk(p, m)) } end,
  kernel = function(p, m)
    local lines, stride = walk(p, m)
    return { load { working_set = lines * stride, stride = stride, prefetch = "invite" } }
  end,
}

-- Lines of a single set. In L1D they are more than half of the ways. In further levels they are half of the ways, beside a
-- walk through twice the size of the level before, without which they would stay in that level: together with this walk they
-- fit into half of the sets, but not into half of the ways.
local function column(p, m)
  local ways = m.caches[p.level].ways
  return p.level == "L1D" and ways // 2 + 1 or ways // 2
end

local function column_units(p, m) return math.max(80 // column(p, m), 1) * column(p, m) end

benchmark {
  name   = "column",
  title  = "Lines of a single set, kept out of the level above",
  sweep  = function(m) return { level = levels(m) } end,
  loop   = function(p, m) return { units = column_units(p, m) } end,
  kernel = function(p, m)
    local cache = m.caches[p.level]
    local above = m.caches[p.level == "L3" and "L2" or "L1D"]
    local way = cache.size // cache.ways
    local pass = column_units(p, m) * above.line
    return {
      load { working_set = column(p, m) * way, stride = way, prefetch = "invite" },
      p.level ~= "L1D" and load { working_set = math.ceil(above.size * 2 / pass) * pass, stride = above.line, prefetch = "invite" },
    }
  end,
}

benchmark {
  name   = "pair",
  title  = "A walk through a quarter of a cache beside one through twice the cache: LRU keeps the first",
  sweep  = function(m) return { level = levels(m) } end,
  loop   = function(p, m)
    local cache = m.caches[p.level]
    return { units = units(cache.size // cache.line // 4, cache.line) }
  end,
  kernel = function(p, m)
    local cache = m.caches[p.level]
    return {
      load { working_set = cache.size // 4, stride = cache.line, prefetch = "invite" },
      load { working_set = cache.size * 2, stride = cache.line, prefetch = "invite" },
    }
  end,
}

benchmark {
  name   = "loads",
  title  = "Loads that miss L1D at a stated rate",
  sweep  = { miss = { 0, 0.3, 1 } },
  kernel = function(p) return { load { miss_rate = { L1 = p.miss } }, add { count = 2 } } end,
}

benchmark {
  name   = "stores",
  title  = "Loads and stores that miss L1D at rates of their own",
  sweep  = { miss = { 0.1, 0.5 } },
  loop   = { units = 40 },
  kernel = function(p) return { load { miss_rate = { L1 = 0.25 } }, store { miss_rate = { L1 = p.miss } } } end,
}

benchmark {
  name   = "deep",
  title  = "Loads and stores that miss each level half of the time, down to a stated one",
  sweep  = function(m) return { level = levels(m) } end,
  loop   = { units = 40 },
  kernel = function(p, m)
    local rates = {}
    for _, name in ipairs(levels(m)) do
      rates[name == "L1D" and "L1" or name] = 0.5
      if name == p.level then break end
    end
    return { load { miss_rate = rates }, store { miss_rate = rates } }
  end,
}
