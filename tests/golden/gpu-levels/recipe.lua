benchmark {
  name = "golden", target = "ptx", loop = { units = 4 }, grid = { blocks = 264, threads = 96 },
  kernel = function()
    return {
      load { served_by = { SHARED = 0.25, L1 = 0.25, L2 = 0.25, MEM = 0.25 }, order = "even", width = 8 },
      add { count = 2, dependents = 1 },
      store { served_by = { L2 = 1 }, width = 8, data = pattern.ones() },
    }
  end,
}
