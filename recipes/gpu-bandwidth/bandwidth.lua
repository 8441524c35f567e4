-- Read and write bandwidth of each level of a GPU, by the width of a thread's access, threads per block and blocks per
-- multiprocessor. DSMEM, the shared memory of another block of the cluster, from sm_90 on.
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
    sweep  = function(m)
      local known = {}
      for _, level in ipairs(levels) do
        if level ~= "DSMEM" or tonumber(string.match(m.gpu.arch, "%d+")) >= 90 then known[#known + 1] = level end
      end
      return { level = known, width = { 4, 8, 16 }, threads = { 128, 256, 512, 1024 }, per_sm = { 1, 2 } }
    end,
    where  = function(p) return p.threads * p.per_sm <= 1024 end,
    grid   = function(p, m)
      local blocks = m.gpu.sm * p.per_sm
      if p.level ~= "DSMEM" then return { blocks = blocks, threads = p.threads } end
      return { blocks = blocks - blocks % 2, threads = p.threads, cluster = 2 }
    end,
    kernel = function(p) return { unit { served_by = { [p.level] = 1 }, width = p.width } } end,
    measure = { time = 1, reps = 3 },
    plot   = { x = "threads", y = bandwidths(levels), together = true, log = "xy", only = { width = 16, per_sm = 1 },
               title = op == "read" and "Read, 16 bytes a thread" or "Write, 16 bytes a thread", xlabel = "Threads of a block" },
  }
end

stream("read", { "SHARED", "DSMEM", "L1", "L2", "MEM" }, load)
stream("write", { "SHARED", "L2", "MEM" }, store)
