-- A level at a share of its peak bandwidth: idle instructions fill the time, by the machine file's gpu.bandwidth. For a
-- machine without it, such as a detected one, each level runs at its peak only.
benchmark {
  name   = "gpu-throttle",
  title  = "Power over bandwidth",
  target = "ptx",
  sweep  = function(m)
    local all, levels = { "SHARED", "L1", "L2", "MEM" }, {}
    if not m.gpu.bandwidth then return { level = all, duty = 1, threads = 512 } end
    for _, level in ipairs(all) do
      if m.gpu.bandwidth[level] then levels[#levels + 1] = level end
    end
    return { level = levels, duty = { 1, 0.8, 0.6, 0.4, 0.2 }, threads = 512 }
  end,
  grid   = function(p, m) return { blocks = m.gpu.sm, threads = p.threads } end,
  kernel = function(p, m)
    return { load { served_by = { [p.level] = 1 }, width = 16 }, m.gpu.bandwidth and throttle { duty = p.duty } }
  end,
  loop   = { units = 8 }, -- short, as each unit may have many idle instructions
  measure = { time = 8, reps = 3, idle_before = 10, idle_after = 10 },
  plot   = { { x = "duty", y = { "bandwidth.SHARED", "bandwidth.L1", "bandwidth.L2", "bandwidth.MEM" }, together = true,
               log = "y", title = "Bandwidth that is left", xlabel = "Share of the peak that is asked for" },
             { x = "loads_per_tick", y = "power.dynamic_w", by = "level", kind = "points", log = "x",
               title = "Power over bandwidth", xlabel = "Loads of 16 bytes a cycle" } },
}
