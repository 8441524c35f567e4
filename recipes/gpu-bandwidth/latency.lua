-- Latency of each level of a GPU, in cycles of its multiprocessors, from a chase by one thread. L1 as loads with "ca" find it.
benchmark {
  name   = "gpu-latency",
  title  = "Load latency of a GPU's levels",
  target = "ptx",
  sweep  = { level = { "SHARED", "L1", "L2", "MEM" }, order = { "ordered", "random" } },
  grid   = { blocks = 1, threads = 1 },
  kernel = function(p)
    -- One line per hop; in order, the chase meets memory pages and rows one after the other.
    return { load { served_by = { [p.level] = 1 }, address = "chase",
                    stride = p.order == "random" and "random" or 128, lane = p.order == "random" and 128 or nil } }
  end,
  measure = { time = 0.5, reps = 5 },
  plot   = { x = "level", y = "ticks_per_load", by = "order", kind = "bars", xlabel = "Level", ylabel = "Latency (cycles)" },
}
