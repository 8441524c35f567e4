-- Delestrac et al. 2024, section V-A and figure 2: the latency of a load, and what serves it, over the size of the array that
-- one thread chases through. "ca" shows where L1 ends, "cg", which bypasses L1, where L2 ends.
-- The paper's stride is a sector, 32 bytes; here it is a line, as memory may bring two sectors at once. --set stride=32 restores it.
local function sizes()
  local list = {}
  for octave = 10, 29 do
    for quarter = 4, 7 do list[#list + 1] = (1 << octave) * quarter // 4 // 128 * 128 end
  end
  list[#list + 1] = 1 << 30
  return list
end

benchmark {
  name   = "identify",
  title  = "Latency over array size",
  tags   = { "gpu-energy-2024" },
  target = "ptx",
  sweep  = { cache = { "ca", "cg" }, size = sizes(), stride = 128 },
  where  = function(p, m)
    return p.size >= 8 * p.stride and (p.cache == "ca" or p.size >= 1 << 20) and p.size <= (m.gpu.memory or math.huge) // 2
  end,
  grid   = { blocks = 1, threads = 1 },
  kernel = function(p)
    return { load { working_set = p.size, address = "chase", stride = p.stride, cache = p.cache } }
  end,
  measure = { time = 0.2, reps = 3 },
  plot   = {
    { x = "size", y = "ticks_per_load", by = "cache", log = "x", title = "Latency over array size",
      xlabel = "Array", xunit = "bytes", ylabel = "Latency (cycles)" },
    { x = "size", y = { "served.L1", "served.L2", "served.MEM" }, together = true, only = { cache = "ca" }, log = "x",
      title = "What serves it", xlabel = "Array", xunit = "bytes" },
    { x = "size", y = { "l1d.miss_rate", "l2.miss_rate" }, together = true, only = { cache = "ca" }, log = "x",
      title = "Miss rates (figure 2)", xlabel = "Array", xunit = "bytes", ylabel = "Miss rate" },
  },
}
