-- How long the short and the long path of nvidia-near-far.lua are: one thread a multiprocessor goes from line to line. In a file of its
-- own, as the model of the 2016 paper takes results of what moves data.
benchmark {
  name    = "near-far-latency",
  title   = "Short and long path: latency",
  sweep   = { side = { "near", "far" } },
  target  = "ptx",
  kernel  = function() return { load { served_by = { L2 = 1 }, cache = "cg", address = "chase" } } end,
  grid    = { threads = 1 },
  place   = function(p) return { side = p.side } end,
  state   = { gpu_clock = "base" },
  plot    = { x = "side", y = "l2.far_share", kind = "bars" },
  tags    = { "interconnect-2016" },
}
