-- The ladder of a GPU's latencies: a chase of one thread through arrays from a few KiB to several times L2. Each step is a
-- level.
local function sizes(m)
  local list, size = {}, 1 << 13
  local most = math.min(4 * m.caches.L2.size, (m.gpu.memory or math.huge) // 2)
  while size <= most do
    list[#list + 1] = size
    size = 2 * size
  end
  return list
end

benchmark {
  name    = "gpu-latency-ladder",
  title   = "Latency of a GPU's levels",
  target  = { "ptx", "gcn" },
  sweep   = function(m) return { size = sizes(m) } end,
  grid    = function(_, m) return { blocks = 1, threads = m.isa == "ptx" and 1 or m.gpu.wave } end,
  kernel  = function(p, m)
    return { load { working_set = p.size, address = "chase", stride = m.isa == "ptx" and m.caches.L2.line or nil } }
  end,
  measure = { time = 0.2, reps = 3 },
  plot    = { x = "size", y = "ticks_per_load", log = "x", xunit = "bytes", xlabel = "Array", ylabel = "Cycles per load" },
}
