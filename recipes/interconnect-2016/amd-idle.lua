-- Adhinarayanan et al. 2016, section IV.F, on AMD's GPUs: idle power is a cubic function of temperature. All compute units run
-- the code that draws most until the chip is hot; then nothing runs while it cools, and the interval is sampled. Clock and
-- voltage stay fixed. `trauma fit idle` takes the results; its fit is then subtracted.
local function work()
  return {
    load { served_by = { L1 = 1 }, cache = "l1", width = 16, data = pattern.random() },
    load { served_by = { SHARED = 1 }, data = pattern.random() },
    fma { count = 6 },
    mul {},
    add { count = 2, dependents = 1 },
  }
end

-- The clocks that the machine file lists, or those of its vf; `--set ghz=0.3,0.6` names others.
local function clocks(m)
  local found = m.frequencies or {}
  for i, state in ipairs(not m.frequencies and m.vf or {}) do found[i] = state.ghz end
  return #found > 0 and found or { m.clock_ghz or 1 }
end

benchmark {
  name    = "heating",
  fit     = "idle",
  title   = "Heat the chip",
  target  = "gcn",
  kernel  = work,
  loop    = { units = 16 },
  state   = { gpu_clock = "base" },
  measure = { time = 120, reps = 1 },
  plot    = { from = "trace", y = "temperature", title = "Temperature while the chip is heated" },
  tags    = { "interconnect-2016" },
}

benchmark {
  name    = "idle-temperature",
  fit     = "idle",
  title   = "Idle power while the chip cools",
  target  = "gcn",
  sweep   = function(m) return { ghz = clocks(m) } end,
  kernel  = work,
  loop    = { units = 16 },
  state   = function(p) return { gpu_clock = p.ghz } end,
  measure = { time = 120, reps = 1, idle_before = 30, idle_after = 300 },
  plot    = {
    { from = "idle_after", by = "ghz", fit = "cubic", title = "Idle power against temperature" },
    { from = "idle_after", x = "time", y = "temperature", by = "ghz", title = "Temperature while the chip cools" },
  },
  tags    = { "interconnect-2016" },
}
