-- Latency of each level of a GPU, in cycles of its multiprocessors, from a chase by one thread. L1 is measured by loads with
-- "ca". DSMEM, the shared memory of another block of the cluster, from sm_90 on.
local levels = { "latency.SHARED", "latency.DSMEM", "latency.L1", "latency.L2", "latency.MEM" }

benchmark {
  name   = "gpu-latency",
  title  = "Load latency of a GPU's levels",
  target = "ptx",
  sweep  = function(m)
    local clusters = tonumber(string.match(m.gpu.arch, "%d+")) >= 90
    return { level = clusters and { "SHARED", "DSMEM", "L1", "L2", "MEM" } or { "SHARED", "L1", "L2", "MEM" },
             order = { "ordered", "random" } }
  end,
  -- DSMEM: two blocks of a thread, each of which reads the other's shared memory.
  grid   = function(p)
    if p.level == "DSMEM" then return { blocks = 2, threads = 1, cluster = 2 } end
    return { blocks = 1, threads = 1 }
  end,
  kernel = function(p)
    -- One line per step; by address, so that the chase goes through memory's pages and rows in turn.
    return { load { served_by = { [p.level] = 1 }, address = "chase",
                    stride = p.order == "random" and "random" or 128, lane = p.order == "random" and 128 or nil } }
  end,
  measure = { time = 0.5, reps = 5 },
  plot   = {
    { x = "level", y = levels, together = true, only = { order = "random" }, kind = "bars", title = "In random order",
      xlabel = "Level", ylabel = "Latency (cycles)" },
    { x = "level", y = levels, together = true, only = { order = "ordered" }, kind = "bars", title = "One line after the other",
      xlabel = "Level", ylabel = "Latency (cycles)" },
  },
}
