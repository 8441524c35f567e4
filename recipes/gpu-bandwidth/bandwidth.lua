-- Read and write bandwidth of each level of a GPU, by the width of a thread's access, threads per block and blocks per
-- multiprocessor.
local function bandwidths(levels)
  local metrics = {}
  for i, level in ipairs(levels) do metrics[i] = "bandwidth." .. level end
  return metrics
end

local function stream(op, levels, unit)
  benchmark {
    name   = "gpu-" .. op,
    title  = "Bandwidth of a GPU's levels, " .. op,
    target = "ptx",
    sweep  = { level = levels, width = { 4, 8, 16 }, threads = { 128, 256, 512, 1024 }, per_sm = { 1, 2 } },
    where  = function(p) return p.threads * p.per_sm <= 1024 end,
    grid   = function(p, m) return { blocks = m.gpu.sm * p.per_sm, threads = p.threads } end,
    kernel = function(p) return { unit { served_by = { [p.level] = 1 }, width = p.width } } end,
    measure = { time = 1, reps = 3 },
    plot   = { x = "threads", y = bandwidths(levels), together = true, log = "xy", only = { width = 16, per_sm = 1 },
               title = op == "read" and "Read, 16 bytes a thread" or "Write, 16 bytes a thread", xlabel = "Threads of a block" },
  }
end

stream("read", { "SHARED", "L1", "L2", "MEM" }, load)
stream("write", { "SHARED", "L2", "MEM" }, store)
