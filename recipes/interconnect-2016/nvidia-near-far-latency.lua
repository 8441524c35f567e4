-- The latency of the short and the long path of nvidia-near-far.lua: one thread per multiprocessor goes from line to line. It has
-- its own file because the model of the 2016 paper takes results of programs that move data. By operator, as the near part of L2 may
-- keep lines from the far one (nvidia-near-far.lua): where l2.far_share of the far side is not 1, a near copy was measured. Atomic
-- operations do not use copies: their two latencies are in each result, under device sides.
benchmark {
  name    = "near-far-latency",
  title   = "Short and long path: latency",
  sweep   = { side = { "near", "far" }, cache = { "cg", "cv", "no_allocate" } },
  target  = "ptx",
  kernel  = function(p) return { load { served_by = { L2 = 1 }, cache = p.cache, address = "chase" } } end,
  grid    = { threads = 1 },
  place   = function(p) return { side = p.side } end,
  state   = { gpu_clock = "base" },
  plot    = {
    { x = "side", y = "ticks_per_load", by = "cache", kind = "bars", ylabel = "Latency (cycles)" },
    { x = "side", y = "l2.far_share", by = "cache", kind = "bars" },
  },
  tags    = { "interconnect-2016" },
}
