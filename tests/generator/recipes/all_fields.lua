-- Every field of a benchmark, as a constant here and as a function below.
benchmark {
  name = "constants", title = "All fields", tags = { "one", "two" }, target = { "x86_64", "ptx" },
  sweep = { zip { a = { 1, 2, 3 }, b = { "x y", "-", true } }, c = 7, d = { 0.5, false } },
  where = function(p, m) return not (p.a == 2 and p.d) end,
  kernel = function(p, m)
    p.a = "changed"
    return {
      load { miss_rate = { L1 = 0.3, L2 = 0 }, order = "even", address = "chase", count = 4 },
      add { count = 3, chain = 2 }, nop {},
    }
  end,
  loop = { units = 5 }, measure = { reps = 3, time = 0.5 }, threads = 2, place = { cores = { 3, 0 } },
  state = { boost = false, governor = "performance", idle_states = "C1" },
  expect = { ipc = { min = 1.5 }, ["mix.load"] = 0.5 }, tolerance = { ["l1d.miss_rate"] = 0.02 },
  plot = { { x = "a", y = "ipc" }, { x = "ipc", y = { "served.L1" }, by = "d", title = "Second", xlabel = "IPC" } },
}

benchmark {
  name = "functions", sweep = { n = { 1, 2 } },
  kernel = function(p, m) return { p.n > 2 and mul {}, load { served_by = { L1 = 1 }, width = 4 }, nop { count = m.caches.L2.size // 1024 } } end,
  target = function(p, m) return "x86_64" end,
  loop = function(p, m) return { instructions = 100 * p.n } end,
  threads = function(p, m) return p.n - 1 end,
  place = function(p, m) return { cu = p.n == 2 and "all" or 3 } end,
  measure = function(p, m) if p.n == 2 then return { warmup = 1 } end end,
  expect = function(p, m) return { dpc = { max = p.n } } end,
  tolerance = function(p, m) return p.n / 100 end,
}
