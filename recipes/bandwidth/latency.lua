-- Load latency of each level: a chase, in which each load waits for the previous one, served by that level alone.
benchmark {
  name  = "latency",
  title = "Load latency by level",
  sweep = { level = { "L1", "L2", "L3", "MEM" } },
  where = function(p, m) return p.level ~= "L3" or m.caches.L3 ~= nil end,
  kernel = function(p)
    return { load { served_by = { [p.level] = 1 }, address = "chase" } }
  end,
  plot = {
    { x = "level", y = { "latency.L1", "latency.L2", "latency.L3", "latency.MEM" }, kind = "bars", together = true, log = "y",
      title = "Load latency in cycles", xlabel = "Level that serves the load" },
    { x = "level", y = { "latency.L1_ns", "latency.L2_ns", "latency.L3_ns", "latency.MEM_ns" }, kind = "bars",
      together = true, log = "y", title = "Load latency in nanoseconds", xlabel = "Level that serves the load" },
  },
}
