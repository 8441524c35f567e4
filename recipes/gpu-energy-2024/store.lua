-- Delestrac et al. 2024, section V-B: the same as load.lua with stores. L1 keeps no stores, so the levels are shared memory,
-- L2 and memory. The paper counts a store as a load, which is a lower bound; this recipe shows how far below it is.
benchmark {
  name   = "store",
  fit    = "access-energy",
  title  = "Energy of stores by level",
  tags   = { "gpu-energy-2024" },
  target = "ptx",
  sweep  = {
    level   = { "SHARED", "L2", "MEM" },
    threads = { 1, 4, 32, 128, 512, 1024 },
    seconds = { 4, 8, 12 },
    per_sm  = 1,
  },
  grid    = function(p, m) return { blocks = m.gpu.sm * p.per_sm, threads = p.threads } end,
  kernel  = function(p)
    return { store { served_by = { [p.level] = 1 }, width = 8,
                     stride = p.level == "MEM" and p.threads < 16 and 128 or nil } }
  end,
  state   = { gpu_clock = "base" },
  measure = function(p)
    return { time = p.seconds, reps = 3, idle_before = 10, idle_after = 10, subtract_start = true }
  end,
  plot    = {
    { x = "seconds", y = "energy.dynamic_j", by = "level", only = { threads = 1024, per_sm = 1 }, fit = "linear",
      title = "Stores of 1024 threads", xlabel = "Length of a repetition (s)" },
    { x = "threads", y = "power.dynamic_w", by = "level", only = { seconds = 12, per_sm = 1 }, log = "x",
      title = "Power of stores", xlabel = "Threads of a block" },
  },
}
