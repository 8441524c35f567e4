-- The figures of the five papers as a recipe's `plot` asks for them. What the programs do is of no interest here: the
-- points are made up (points.awk), and so are those that other machines would measure.
local function idle() return { nop {} } end

local function figure(name, title, sweep, plot)
  benchmark { name = name, title = title, sweep = sweep, plot = plot, kernel = idle, loop = { units = 1 } }
end

-- Joseph et al. 2001
figure("f2001-8", "Power and IPC against L1 data-cache hit rate and load dependence",
  { hit = range(0, 1, 0.1), dependents = { 0, 1, 2 } },
  { { x = "hit", y = "power.dynamic_w", by = "dependents", title = "2001, figure 8", xlabel = "L1 data-cache hit rate" },
    { x = "hit", y = "ipc", by = "dependents", title = "2001, figure 9", xlabel = "L1 data-cache hit rate",
      reference = { kind = "blocking-cache", y = "ipc", penalty = 5 } } })
figure("f2001-12", "2001, figures 12 and 13", { accuracy = range(0.5, 1, 0.1), distance = { 0, 1, 4, 10 } },
  { x = "accuracy", y = { "power.dynamic_w", "dpc" }, by = "distance", xlabel = "Branch prediction accuracy" })
figure("f2001-14", "2001, figure 14", { n = range(0, 32, 4), value = { "mask", "bit" } },
  { x = "n", y = "power.dynamic_w", right = "ipc", by = "value", zero = false, xlabel = "n of 2^n (bit) and 2^n - 1 (mask)" })

-- Kestor et al. 2013
figure("f2013-3", "2013, figure 3: a power profile", { program = { "MB_NOP", "MB_L2" } },
  { from = "trace", y = "power", right = "temperature", only = { program = "MB_L2" } })
figure("f2013-7", "2013, figures 6 and 7: energy by level",
  { application = { "MG", "FT", "CG", "LULESH" }, level = { "L1", "L2", "L3", "MEM" } },
  { x = "application", y = "energy.dynamic_j", by = "level", kind = "stacked" })

-- Su et al. 2014
figure("f2014", "2014: idle power against temperature", { ghz = { 1.4, 2.3, 3.5 } },
  { { from = "idle_after", by = "ghz", fit = "linear" }, { from = "idle_after", x = "time", by = "ghz" } })

-- Adhinarayanan et al. 2016
figure("f2016-4", "2016, figure 4: idle power against temperature", { state = { "DPM7" } },
  { from = "idle_after", by = "state", fit = "cubic" })
figure("f2016-5", "2016, figure 5: distance", zip { mm = { 0, 3.5, 7, 10.5 }, path = { "short", "a", "b", "long" } },
  { { x = "path", y = "power.dynamic_w", kind = "bars", only = { path = { "short", "long" } }, relative = { path = "short" } },
    { x = "mm", y = "power.dynamic_w", fit = "linear", zero = false, xlabel = "Additional distance (mm)" } })
figure("f2016-7", "2016, figure 7: toggle rate and pattern",
  { pattern = { "zeros", "ones", "As", "half random", "random" }, path = { "short", "long" } },
  { x = "pattern", y = "power.dynamic_w", by = "path", kind = "bars", relative = { pattern = "random" } })
figure("f2016-8", "2016, figure 8: DVFS states",
  { zip { state = { "300 MHz", "600 MHz", "930 MHz" }, v2f = { 0.2, 0.5, 1 } }, path = { "short", "long" } },
  { { x = "state", y = { "power.dynamic_w", "power.static_w" }, kind = "bars", together = true, only = { path = "long" } },
    { x = "v2f", y = "power.dynamic_w", by = "path", fit = "linear", xlabel = "V^2 f, in shares of the highest" } })
figure("f2016-9", "2016, figure 9: bandwidth", { nops = { 0, 8 }, path = { "short", "long" } },
  { x = "nops", y = { "power.dynamic_w" }, by = "path", kind = "bars", xlabel = "Idle instructions between loads" })

-- Delestrac et al. 2024
figure("f2024-2", "2024, figure 2: miss rate over array size",
  { bytes = { 1e3, 1e4, 1e5, 15e4, 19e4, 1e6, 1e7, 2e7, 4e7, 1e8, 1e9 } },
  { x = "bytes", y = { "l1d.miss_rate", "l2.miss_rate" }, together = true, log = "x", xlabel = "Array size (bytes)" })
figure("f2024-4", "2024, figure 4: a power trace", { threads = { 1, 1024 } },
  { from = "trace", y = "power", only = { threads = 1024 } })
figure("f2024-5", "2024, figures 5 to 7: energy against accesses",
  { accesses = { 1e9, 1e10, 5e10, 1e11 }, threads = { 1, 1024 } },
  { { x = "accesses", y = "energy.dynamic_j", by = "threads", fit = "linear", xlabel = "Accesses" },
    { x = "accesses", y = "energy.dynamic_j", by = "threads", log = "xy", xlabel = "Accesses" },
    { x = "ipc", y = "power.dynamic_w", by = "threads" } })
