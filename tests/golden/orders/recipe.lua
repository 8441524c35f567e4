-- Two streams: one has its misses in a burst at the start of a pass, one has them evenly among its hits.
benchmark {
  name   = "golden",
  loop   = { units = 16 },
  kernel = function()
    return {
      load { served_by = { L1 = 0.75, L2 = 0.25 }, order = "burst", width = 4 },
      load { served_by = { L1 = 0.5, L2 = 0.5 }, order = "even" },
      nop  {},
    }
  end,
}
