-- Misses that do not divide by the passes: one load misses in some passes of a period and hits in the others.
benchmark {
  name   = "golden",
  loop   = { units = 30 },
  kernel = function()
    return { load { served_by = { L1 = 0.63, L2 = 0.37 } }, add { dependents = 1 } }
  end,
}
