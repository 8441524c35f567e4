-- Delestrac et al. 2024, section VI-D and figure 8: a division after each load. Its cost is the difference from the loads
-- alone, at the same level and number of threads, divided by the divisions per sector: one for each thread that shares the
-- sector, four from four threads on. `trauma fit access-energy` reports it (div.L1 and so on). The paper finds about 2 nJ.
benchmark {
  name   = "load-div",
  fit    = "access-energy",
  title  = "Energy of a division",
  tags   = { "gpu-energy-2024" },
  target = "ptx",
  sweep  = {
    level   = { "L1", "L2", "MEM" },
    threads = { 1, 4, 8, 32, 128, 512, 1024 },
    div     = { 0, 1 },
    seconds = { 4, 8, 12 },
    per_sm  = 1,
  },
  grid    = function(p, m) return { blocks = m.gpu.sm * p.per_sm, threads = p.threads } end,
  kernel  = function(p)
    local unit = { load { served_by = { [p.level] = 1 }, address = "chase",
                          stride = p.level == "MEM" and p.threads < 16 and 128 or nil } }
    if p.div > 0 then unit[2] = div { count = p.div } end
    return unit
  end,
  state   = { gpu_clock = "base" },
  measure = function(p)
    return { time = p.seconds, reps = 3, idle_before = 10, idle_after = 10, subtract_start = true }
  end,
  plot    = {
    { x = "threads", y = { "energy.per_access_j.L1", "energy.per_access_j.L2", "energy.per_access_j.MEM" }, by = "div",
      together = true, only = { seconds = 12, per_sm = 1 }, log = "xy", title = "Loads with and without a division",
      xlabel = "Threads of a block" },
  },
}
