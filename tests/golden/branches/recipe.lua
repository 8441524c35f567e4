-- Branches of every kind, a back edge that is one of them, and the twin that makes both arms of each equal.
benchmark {
  name   = "golden",
  kernel = function(p, m)
    return {
      load   { miss_rate = { L1 = 0.5 } },
      add    { count = 2, dependents = 1 },
      branch { accuracy = 0.8 },
    }
  end,
  loop   = { units = 20 },
}
