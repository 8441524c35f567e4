-- Latency that the prefetchers hide: a chase through the lines of each level in address order, which they follow, and in
-- random order, which they cannot follow.
benchmark {
  name   = "prefetcher",
  title  = "Load latency with and without the prefetchers' help",
  sweep  = { level = { "L1", "L2", "L3", "MEM" }, prefetch = { "invite", "defeat" } },
  where  = function(p, m) return p.level ~= "L3" or m.caches.L3 ~= nil end,
  kernel = function(p, m)
    return { load { served_by = { [p.level] = 1 }, address = "chase", prefetch = p.prefetch,
                    stride = p.prefetch == "invite" and p.level ~= "L1" and m.caches.L1D.line or nil } }
  end,
  measure = { time = 0.1, reps = 5 },
  plot   = { x = "level", y = { "latency.L1_ns", "latency.L2_ns", "latency.L3_ns", "latency.MEM_ns" }, by = "prefetch",
             together = true, kind = "bars", log = "y", xlabel = "Level that serves the load", ylabel = "Latency (ns)" },
}
