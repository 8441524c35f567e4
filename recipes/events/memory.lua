-- Programs for `trauma events` that miss caches: loads and stores separately, each level of the machine in several shares,
-- chased and independent, in an order that prefetchers follow and in an order that they do not.
local function levels(m)
  return m.caches.L3 and { "L2", "L3", "MEM" } or { "L2", "MEM" }
end

benchmark {
  name    = "level",
  title   = "Counts of accesses by the level that serves them",
  sweep   = function(m) return { level = levels(m), op = { "load", "store" }, share = { 0.1, 0.25 } } end,
  kernel  = function(p)
    local served = { L1 = 1 - p.share, [p.level] = p.share }
    return { p.op == "load" and load { served_by = served } or store { served_by = served }, nop { count = 2 } }
  end,
  loop    = { instructions = 400 },
  measure = { time = 0.05, reps = 3 },
  tags    = { "events" },
}

benchmark {
  name    = "both",
  title   = "Counts of loads and stores that miss together",
  sweep   = function(m) return { level = levels(m) } end,
  kernel  = function(p)
    return { load { served_by = { L1 = 0.8, [p.level] = 0.2 } }, store { served_by = { L1 = 0.9, [p.level] = 0.1 } }, nop {} }
  end,
  loop    = { instructions = 400 },
  measure = { time = 0.05, reps = 3 },
  tags    = { "events" },
}

benchmark {
  name    = "chase",
  title   = "Counts of loads that wait for each other",
  sweep   = function(m) return { level = levels(m) } end,
  kernel  = function(p)
    return { load { served_by = { L1 = 0.75, [p.level] = 0.25 }, address = "chase" }, nop { count = 3 } }
  end,
  loop    = { instructions = 400 },
  measure = { time = 0.05, reps = 3 },
  tags    = { "events" },
}

-- The programs above in an order that prefetchers follow, which shows whether events also count the prefetchers' misses.
benchmark {
  name    = "followed",
  title   = "Counts of accesses that prefetchers follow",
  sweep   = function(m) return { level = levels(m), op = { "load", "store" } } end,
  kernel  = function(p)
    local served = { L1 = 0.75, [p.level] = 0.25 }
    local op = p.op == "load" and load or store
    return { op { served_by = served, prefetch = "invite" }, nop { count = 2 } }
  end,
  loop    = { instructions = 400 },
  measure = { time = 0.05, reps = 3 },
  tags    = { "events" },
}

-- A share of the accesses miss the data TLB, and all hit L1. A machine whose file has no TLB has no such program.
benchmark {
  name    = "pages",
  title   = "Counts of accesses whose page is not in the data TLB",
  sweep   = function(m) return { miss = m.tlb and { 0.05, 0.2 } or { 0 }, op = { "load", "store" } } end,
  kernel  = function(p)
    return { p.op == "load" and load { served_by = { L1 = 1 } } or store { served_by = { L1 = 1 } }, nop { count = 3 },
             p.miss > 0 and tlb { miss_rate = p.miss } }
  end,
  loop    = { instructions = 400 },
  measure = { time = 0.05, reps = 3 },
  tags    = { "events" },
}
