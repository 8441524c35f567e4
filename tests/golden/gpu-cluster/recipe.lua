benchmark {
  name = "golden", target = "ptx", loop = { units = 4 }, grid = { blocks = 12, threads = 96, cluster = 3 },
  kernel = function()
    return {
      load { served_by = { SHARED = 0.25, DSMEM = 0.5, L2 = 0.25 }, order = "even", width = 16, data = pattern.toggle(0.25), bus = 256 },
      add { count = 2, dependents = 1 },
      load { served_by = { DSMEM = 1 }, address = "chase", stride = "random" },
    }
  end,
}
