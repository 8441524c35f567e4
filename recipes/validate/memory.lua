-- `trauma validate`: accesses that each level serves at stated rates, and accesses to pages that miss the data TLB. The
-- metrics of a benchmark's plot are the rates that the scorecard shows.
local shares = { 0.05, 0.25, 0.5, 0.75, 0.95 }
local served = { "served.L1", "served.L2", "served.L3", "served.MEM" }

local function levels(m)
  return m.caches.L3 and { "L2", "L3", "MEM" } or m.caches.L2 and { "L2", "MEM" } or { "MEM" }
end

local misses = { "l1d.miss_rate", "l2.miss_rate", "l3.miss_rate" }

local function behaviour(name, title, metrics, access)
  benchmark {
    name    = name,
    title   = title,
    sweep   = function(m) return { level = levels(m), share = shares } end,
    kernel  = function(p) return { access { L1 = 1 - p.share, [p.level] = p.share }, add { count = 2 } } end,
    measure = { time = 0.05, reps = 3 },
    plot    = { x = "share", y = metrics, by = "level", together = true },
  }
end

behaviour("loads", "Independent loads, by level", served,
          function(rates) return load { served_by = rates } end)
behaviour("chased-loads", "Chased loads, by level", served,
          function(rates) return load { served_by = rates, address = "chase" } end)
behaviour("stores", "Stores, by level", misses,
          function(rates) return store { served_by = rates } end)

benchmark {
  name    = "all-levels",
  title   = "Chased loads of all levels",
  sweep   = { first = { 0.3, 0.6, 0.9 } },
  kernel  = function(p, m)
    local list = levels(m)
    local rates = { L1 = p.first }
    for _, level in ipairs(list) do rates[level] = (1 - p.first) / #list end
    return { load { served_by = rates, address = "chase" }, add { count = 2 } }
  end,
  measure = { time = 0.05, reps = 3 },
  plot    = { x = "first", y = served, together = true },
}

local function has_tlb(m)
  return m.tlb ~= nil and m.tlb.data ~= nil
end

benchmark {
  name    = "tlb",
  title   = "Misses of the data TLB",
  sweep   = function(m) return { miss = has_tlb(m) and { 0.02, 0.05, 0.1, 0.25 } or { 0.1 } } end,
  kernel  = function(p, m)
    if not has_tlb(m) then error("needs the data TLB of the machine file: trauma machine probe measures it") end
    return { load { served_by = { L1 = 1 } }, add { count = 2 }, tlb { miss_rate = p.miss } }
  end,
  measure = { time = 0.05, reps = 3 },
  plot    = { x = "miss", y = "dtlb.miss_rate" },
}
