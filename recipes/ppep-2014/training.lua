-- Su et al. 2014 (PPEP): programs that each raise one of the dynamic power model's events, in four steps, beside independent
-- additions. Events of the paper's machine, "fx-8320", with codes: micro-operations (c1), assignments to the FPU (00), L1I
-- fetches (80), L1D accesses (40), L2 requests (7d), branches (c2), mispredicted ones (c3), L2 misses (7e), stalls (d1).
-- mixed has most events at once: it is for validation, because test data must not be part of the fit.
local unit_size = 16

-- Fills the rest of the unit.
local function beside(count)
  return count < unit_size and add { count = unit_size - count } or nil
end

-- Whether the machine can raise the event: programs that need a feature or a cache it lacks are dropped.
local function has(m, feature)
  for _, each in ipairs(m.features or {}) do
    if each == feature then return true end
  end
  return false
end

local function can_raise(event, m)
  if event == "l2_misses" then return m.caches.L3 ~= nil end
  if event == "fpu" then return has(m, "sse2") end
  if event == "fpu_fused" then return has(m, "fma") or has(m, "fma4") end
  return true
end

-- n of a unit's operations raise the event.
local events = {
  uops           = function(n) return { add { count = n }, n < 16 and add { count = 16 - n, chain = 16 - n } or nil } end,
  -- Additions and multiplications have separate pipes or share them, depending on the machine: half of each.
  fpu            = function(n) return { fadd { count = n // 2 }, fmul { count = n // 2 }, beside(n) } end,
  fpu_fused      = function(n) return { fma { count = n }, beside(n) } end,
  -- Long instructions need more fetches of 32 bytes than short ones.
  l1i_fetches    = function(n) return { mul { count = n }, n < 16 and nop { count = 16 - n } or nil } end,
  l1d_loads      = function(n) return { load { served_by = { L1 = 1 }, count = n }, beside(n) } end,
  l1d_stores     = function(n) return { store { served_by = { L1 = 1 }, count = n }, beside(n) } end,
  l2_requests    = function(n) return { load { served_by = { L2 = 1 }, count = n }, beside(n) } end,
  l2_misses      = function(n) return { load { served_by = { L3 = 1 }, count = n }, beside(n) } end,
  l3_misses      = function(n) return { load { served_by = { MEM = 1 }, count = n }, beside(n) } end,
  branches       = function(n) return { branch { accuracy = 1, count = n }, beside(n) } end,
  mispredictions = function(n) return { add { count = 8 }, branch { accuracy = 1 - n / 32 } } end,
  stalls         = function(n) return { mul { count = n, chain = n }, beside(n) } end,
}

benchmark {
  name   = "training",
  fit    = "ppep",
  title  = "One event of the dynamic power model at a time",
  sweep  = {
    event = { "uops", "fpu", "fpu_fused", "l1i_fetches", "l1d_loads", "l1d_stores", "l2_requests", "l2_misses",
              "l3_misses", "branches", "mispredictions", "stalls" },
    share = { 0.25, 0.5, 0.75, 1 },
  },
  where  = function(p, m) return can_raise(p.event, m) end,
  kernel = function(p) return events[p.event](math.tointeger(unit_size * p.share)) end,
  -- Fifty of the paper's samples, one every 200 ms.
  measure = { time = 10, idle_before = 2 },
  plot   = { { x = "share", y = { "power.dynamic_w", "ipc" }, by = "event" },
             { x = "ipc", y = "power.dynamic_w", by = "event" } },
}

benchmark {
  name   = "mixed",
  fit    = "ppep",
  title  = "All events of the dynamic power model at once",
  sweep  = { miss = { 0.02, 0.1, 0.3 }, accuracy = { 0.8, 0.95 } },
  kernel = function(p)
    return {
      load   { served_by = { L1 = 1 - p.miss, L2 = p.miss / 2, MEM = p.miss / 2 }, count = 4 },
      add    { count = 8, dependents = 8 },
      store  { served_by = { L1 = 1 } },
      mul    { count = 2, chain = 2 },
      branch { accuracy = p.accuracy },
    }
  end,
  measure = { time = 10, idle_before = 2 },
  plot   = { x = "miss", y = { "power.dynamic_w", "ipc" }, by = "accuracy" },
}
