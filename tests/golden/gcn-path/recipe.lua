-- The long path of Adhinarayanan et al. 2016: shader engine 1 reads the quadrant near engine 0, at an exact toggle rate.
benchmark {
  name   = "golden",
  target = "gcn",
  loop   = { units = 8 },
  place  = { se = 1, cu = { 0, 1, 2, 3 }, l2_channels = { 0, 1, 2, 3 } },
  kernel = function() return { load { served_by = { L2 = 1 }, data = pattern.toggle(0.25) } } end,
}
