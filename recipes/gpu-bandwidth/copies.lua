-- Bandwidth of asynchronous copies (cp.async) from a GPU's levels to shared memory, by the number of units whose copies are
-- in flight (stages); 0 stages are plain loads of the same width. For compute capability 8.0 and later.
benchmark {
  name   = "gpu-copies",
  title  = "Bandwidth of asynchronous copies",
  target = "ptx",
  sweep  = { level = { "L1", "L2", "MEM" }, threads = { 128, 256, 512 }, stages = { 0, 1, 2, 4 } },
  grid   = function(p) return { threads = p.threads } end,
  kernel = function(p)
    local copies = p.stages > 0
    return { load { served_by = { [p.level] = 1 }, width = 16, source = copies and "async" or nil,
                    stages = copies and p.stages or nil } }
  end,
  measure = { time = 1, reps = 3 },
  plot   = { x = "stages", y = { "bandwidth.L1", "bandwidth.L2", "bandwidth.MEM" }, together = true, only = { threads = 256 },
             title = "16 bytes a thread, 256 threads", xlabel = "Units whose copies are under way; 0: plain loads" },
}

-- The same by bulk copies (TMA), which one thread of a block makes for all threads; they bypass L1. For compute capability
-- 9.0 and later; older GPUs have only the plain loads.
benchmark {
  name   = "gpu-bulk-copies",
  title  = "Bandwidth of bulk copies",
  target = "ptx",
  sweep  = { level = { "L2", "MEM" }, threads = { 128, 256, 512 }, stages = { 0, 1, 2, 4 } },
  grid   = function(p) return { threads = p.threads } end,
  where  = function(p, m) return p.stages == 0 or tonumber(string.match(m.gpu.arch, "%d+")) >= 90 end,
  kernel = function(p)
    local copies = p.stages > 0
    return { load { served_by = { [p.level] = 1 }, width = 16, source = copies and "tma" or nil,
                    stages = copies and p.stages or nil } }
  end,
  measure = { time = 1, reps = 3 },
  plot   = { x = "stages", y = { "bandwidth.L2", "bandwidth.MEM" }, together = true, only = { threads = 256 },
             title = "16 bytes a thread, 256 threads", xlabel = "Units whose copies are under way; 0: plain loads" },
}

-- A chase by bulk copies beside one by loads: a step is a meeting of two threads, a copy of 16 bytes, its wait, and a read of
-- shared memory.
benchmark {
  name   = "gpu-bulk-latency",
  title  = "Latency of bulk copies",
  target = "ptx",
  sweep  = { level = { "L2", "MEM" }, copies = { 0, 1 } },
  grid   = function(p) return { blocks = 1, threads = 1 + p.copies } end,
  where  = function(p, m) return p.copies == 0 or tonumber(string.match(m.gpu.arch, "%d+")) >= 90 end,
  kernel = function(p)
    local copies = p.copies == 1
    return { load { served_by = { [p.level] = 1 }, source = copies and "tma" or nil, address = "chase", stride = "random",
                    lane = not copies and 128 or nil } }
  end,
  measure = { time = 0.5, reps = 5 },
  plot   = { x = "copies", y = { "latency.L2", "latency.MEM" }, together = true, kind = "points",
             title = "A step in random order", xlabel = "0: a load; 1: a bulk copy of 16 bytes", ylabel = "Latency (cycles)" },
}
