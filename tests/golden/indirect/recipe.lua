-- Indirect branches beside conditional ones: both lead to loop and twin, and gaps keep the indirect ones on entries of
-- their own. Accumulators give up two registers.
benchmark {
  name   = "golden",
  kernel = function(p, m)
    return {
      load   { miss_rate = { L1 = 0.5 } },
      branch { accuracy = 0.9, kind = "indirect" },
      add    { count = 2, dependents = 1 },
      branch { accuracy = 0.9 },
    }
  end,
  loop   = { units = 20 },
}
