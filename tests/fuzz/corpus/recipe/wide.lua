-- What recipes may say, small.
benchmark {
  name = "wide", title = "t", tags = { "a" }, target = "x86_64", threads = 2, tolerance = { ["*"] = 0.02 },
  sweep = { hit = { 0.5, 1 }, zip { a = range(1, 2), b = { "x", "y" } }, on = { true, false } },
  where = function(p) return p.on end,
  loop = { instructions = 100 }, expect = { ipc = { min = 0.1, max = 9 } },
  state = { frequency = 2.4e9, boost = false }, place = { cores = "all" },
  measure = { time = 0.1, reps = 2, warmup = 1, idle_before = 1, idle_after = 2 },
  plot = { x = "hit", y = { "power.dynamic_w", "ipc" }, by = "a" },
  kernel = function(p, m)
    return { phases = {
      { store { working_set = m.caches.L1D.size / 2, stride = 64, data = pattern.toggle(0.25) } },
      { load { miss_rate = { L1 = p.hit }, prefetch = "invite", data = pattern.words { 1, 2, 3 } },
        fma { count = 2, width = 32 }, xor { data = pattern.mask(5) }, shift { chain = 3 } },
    } }
  end,
}
benchmark { name = "cores", kernel = { cores = { [0] = { load { served_by = { L1 = 1 } } }, [1] = { nop { count = 9 } } } } }
benchmark { name = "code", kernel = { code { served_by = { L1I = 0.5, L2 = 0.5 } }, tlb { miss_rate = 0.1 },
  throttle { duty = 0.5 }, branch { taken = 0.5, accuracy = 0.9 } } }
