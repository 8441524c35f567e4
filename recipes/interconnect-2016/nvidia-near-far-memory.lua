-- Adhinarayanan et al. 2016 on chips whose L2 has two parts, as nvidia-near-far, but from memory, of which half belongs to
-- each part. Every line is new to both parts, so each far line crosses the fabric once, whatever copies the parts keep.
benchmark {
  name    = "near-far-memory",
  fit     = "interconnect",
  title   = "Short and long path to memory: power over toggle rate",
  sweep   = { side = { "near", "far" }, toggle = { 0, 0.25, 0.5 }, bandwidth_share = 1 },
  target  = "ptx",
  kernel  = function(p)
    return { load { served_by = { MEM = 1 }, cache = "cg", width = 16, data = pattern.toggle(p.toggle), bus = 256 } }
  end,
  grid    = { threads = 512 },
  loop    = { units = 14 },
  place   = function(p) return { side = p.side } end,
  state   = { gpu_clock = "base" },
  measure = { time = 20, reps = 3, idle_before = 10, idle_after = 10, subtract_start = true },
  plot    = {
    { x = "toggle", y = "power.dynamic_w", by = "side", fit = "linear", title = "Power over toggle rate, from memory" },
    { x = "toggle", y = "l2.far_share", by = "side", kind = "points" },
  },
  tags    = { "interconnect-2016" },
}
