-- Bulk copies that nothing reads, and some of which operations consume what came a stage before.
benchmark { name = "golden", target = "ptx", grid = { blocks = 2, threads = 64 }, loop = { units = 12 },
  kernel = function()
    return { load { served_by = { L2 = 1 }, source = "tma", stages = 2 },
             load { served_by = { L2 = 1 }, source = "tma", stages = 3, count = 2, width = 8 }, add { dependents = 1 } }
  end }
