benchmark {
  name = "golden", target = "ptx", loop = { units = 4 }, grid = { blocks = 2, threads = 64 },
  kernel = function()
    return {
      load { served_by = { L1 = 1 }, width = 4, lane = 8, data = pattern.toggle(0.25, { bus = 256 }) },
      load { served_by = { L1 = 1 }, width = 8, data = pattern.words { 0, 1, -1 } },
      throttle { duty = 0.25 },
    }
  end,
}
