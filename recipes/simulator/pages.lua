-- The same as caches.lua for the data TLB, which the machine file must state: a line on each page of a walk through pages
-- that the TLB's ways or entries just hold, or just do not hold. Simulators put all data in pages of the TLB's size.
local function data_tlb(m)
  if not (m.tlb and m.tlb.data) then error("needs the data TLB of the machine file") end
  return m.tlb.data
end

-- Number of accesses in a pass: a multiple or a divisor of the walk's number, and small enough for base registers to reach
-- them.
local function units(pages)
  local most = 16
  if pages <= most then return most // pages * pages end
  for count = most, 1, -1 do
    if pages % count == 0 then return count end
  end
end

-- Number of pages, and their distance in pages. Each line is one line further into its page, so that lines spread over the
-- caches' sets.
local walks = {
  fits    = function(sets, ways) return sets * ways, 1 end,
  over    = function(sets, ways) return sets * (ways + 1), 1 end,
  most    = function(sets, ways) return sets * ways * 3 // 4, 1 end,
  double  = function(sets, ways) return sets * ways * 2, 1 end,
  four    = function(sets, ways) return sets * ways * 4, 1 end,
  column  = function(sets, ways) return ways // 2 + 1, sets end,
  columns = function(sets, ways) return ways * 2, sets * 2 end,
}

local function walk(p, m)
  local entries, ways = data_tlb(m).entries, data_tlb(m).ways
  return walks[p.walk](entries // ways, ways)
end

benchmark {
  name   = "walk",
  title  = "Walks through pages that the data TLB just holds, or just does not",
  sweep  = { walk = { "fits", "over", "most", "double", "four", "column", "columns" } },
  loop   = function(p, m) return { units = units(walk(p, m)) } end,
  kernel = function(p, m)
    local pages, apart = walk(p, m)
    local stride = apart * data_tlb(m).page + m.caches.L1D.line
    return { load { working_set = pages * stride, stride = stride, prefetch = "invite" } }
  end,
}

benchmark {
  name   = "pair",
  title  = "A walk through a quarter of the data TLB beside one through twice its pages: LRU keeps the first",
  loop   = function(_, m) -- a divisor of both walks, or all of the first
    local pages = data_tlb(m).entries
    local first, count = pages // 4, 8
    while 2 * pages % count ~= 0 or (first % count ~= 0 and count % first ~= 0) do count = count - 1 end
    return { units = count }
  end,
  kernel = function(_, m)
    local pages, stride = data_tlb(m).entries, data_tlb(m).page + m.caches.L1D.line
    return {
      load { working_set = pages // 4 * stride, stride = stride, prefetch = "invite" },
      load { working_set = pages * 2 * stride, stride = stride, prefetch = "invite" },
    }
  end,
}

benchmark {
  name   = "misses",
  title  = "Loads and stores whose pages the data TLB lacks at a stated rate",
  sweep  = { miss = { 0.1, 0.3 } },
  loop   = { units = 10 },
  kernel = function(p)
    return { load { served_by = { L1 = 1 }, count = 2 }, store { served_by = { L1 = 1 }, count = 2 }, tlb { miss_rate = p.miss } }
  end,
}
