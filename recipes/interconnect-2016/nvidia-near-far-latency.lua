-- How long the short and the long path of nvidia-near-far.lua are: one thread a multiprocessor goes from line to line. In a file of its
-- own, as the model of the 2016 paper takes results of what moves data. By operator, as the near part of L2 may keep what comes from
-- the far one (nvidia-near-far.lua): where l2.far_share of the far side is not 1, what was measured is a near copy. Atomic operations
-- do not take copies: their two latencies are in each result, under device sides.
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
