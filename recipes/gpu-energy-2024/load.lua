-- Delestrac et al. 2024, sections V-B and VI-C: energy of a load from each level, by threads per block and by the number of
-- loads. Each thread chases 8-byte addresses, so that four neighbours share a sector; loops of three lengths give the line
-- E = accesses * epsilon + delta. `trauma fit access-energy` takes its results.
local function kernel(p)
  return { load { served_by = { [p.level] = 1 }, address = "chase",
                  -- Memory transfers two sectors at a time: rows of at least a line never read a sector that came with
                  -- another row.
                  stride = p.level == "MEM" and p.threads < 16 and 128 or nil } }
end

local function measure(p)
  return { time = p.seconds, reps = 3, idle_before = 10, idle_after = 10, subtract_start = true }
end

benchmark {
  name   = "load",
  fit    = "access-energy",
  title  = "Energy of loads by level",
  tags   = { "gpu-energy-2024", "access-energy" },
  target = "ptx",
  sweep  = {
    level   = { "SHARED", "L1", "L2", "MEM" },
    threads = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024 },
    seconds = { 4, 8, 12 },
    per_sm  = 1, -- blocks; --set per_sm=1,2 and so on until energy per access stops falling
  },
  grid    = function(p, m) return { blocks = m.gpu.sm * p.per_sm, threads = p.threads } end,
  kernel  = kernel,
  state   = { gpu_clock = "base" },
  measure = measure,
  plot    = {
    { x = "threads", y = { "energy.per_access_j.SHARED", "energy.per_access_j.L1", "energy.per_access_j.L2",
                           "energy.per_access_j.MEM" }, together = true, only = { seconds = 12, per_sm = 1 },
      log = "xy", title = "Energy of an access of 32 bytes", xlabel = "Threads of a block" },
    { x = "seconds", y = "energy.dynamic_j", by = "threads", only = { level = "L1", threads = { 1, 1024 } },
      fit = "linear", title = "L1 by length", xlabel = "Length of a repetition (s)" },
    { from = "trace", y = "power", only = { level = "L2", threads = 1024, seconds = 12 }, title = "Power of one run" },
  },
}

-- Not from the paper: blocks on half and on a quarter of the multiprocessors, served by the multiprocessors' own levels, so
-- that each does the same while the chip does less. Every epsilon includes any constant power while a loop runs, and power
-- that is not linear in the load; these points reveal both. Not for L2 and memory, which all share: fewer multiprocessors
-- would have a larger share, and wait less.
benchmark {
  name    = "shares",
  fit     = "access-energy",
  title   = "Energy of loads on a share of the chip",
  tags    = { "gpu-energy-2024", "access-energy" },
  target  = "ptx",
  sweep   = { level = { "SHARED", "L1" }, share = { 0.5, 0.25 }, threads = 1024, seconds = 12, per_sm = 1 },
  grid    = function(p, m) return { blocks = math.ceil(m.gpu.sm * p.per_sm * p.share), threads = p.threads } end,
  kernel  = kernel,
  state   = { gpu_clock = "base" },
  measure = measure,
  plot    = { x = "share", y = "power.dynamic_w", by = "level", title = "Power by the share of the chip" },
}
