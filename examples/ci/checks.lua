-- A small set of promises for continuous integration: the L1 and L2 shares of loads and the misses of branches that a
-- program of yours might depend on. Replace it by recipes of your own.
benchmark {
  name   = "loads",
  title  = "Loads by level, beside branches",
  sweep  = { miss = { 0, 0.25 } },
  kernel = function(p)
    return {
      load   { miss_rate = { L1 = p.miss }, address = "chase" },
      add    { count = 2, dependents = 1 },
      branch { accuracy = 0.95 },
    }
  end,
}
