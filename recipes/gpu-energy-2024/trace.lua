-- Delestrac et al. 2024, section V-B and figure 4: power over time around ten seconds of multiply-adds on a vector of millions of
-- values, at the base clock and at the highest (boost). Memory stays allocated in the idle intervals, as in the paper's idle phase;
-- `trauma sensors --measure` reports the power of the chip asleep, with none allocated.
benchmark {
  name    = "trace",
  title   = "Power over time around a kernel",
  tags    = { "gpu-energy-2024" },
  target  = "ptx",
  sweep   = { clock = { "base", "boost" } },
  grid    = function(_, m) return { blocks = 2 * m.gpu.sm, threads = 256 } end,
  kernel  = function()
    return { load { served_by = { MEM = 1 }, width = 16 }, fma { count = 16 } }
  end,
  state   = function(p, m) return { gpu_clock = p.clock == "base" and "base" or m.clock_ghz or 1 } end,
  measure = { time = 10, reps = 1, idle_before = 10, idle_after = 20 },
  plot    = { { from = "trace", y = "power", right = "clock", title = "Power around a kernel" },
              { from = "trace", y = "temperature", title = "Temperature around a kernel" } },
}
