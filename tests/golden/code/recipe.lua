-- Code in pieces: half of the lines miss L1I, beside loads and branches.
benchmark {
  name   = "golden",
  kernel = function(p, m)
    return {
      load   { miss_rate = { L1 = 0.5 } },
      add    { count = 2, dependents = 1 },
      code   { served_by = { L1I = 0.5, L2 = 0.5 } },
      branch { accuracy = 0.8 },
    }
  end,
  loop   = { units = 19 },
}
