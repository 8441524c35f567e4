-- Su et al. 2014 (PPEP), power gating: program "A" keeps a core busy from L1 alone, so that nothing comes to the north
-- bridge and what changes with the number of busy compute units is their own.
benchmark {
  name    = "program-a",
  title   = "A busy core without north-bridge activity",
  kernel  = function()
    return { load { served_by = { L1 = 1 } }, add { count = 2, dependents = 1 }, store { served_by = { L1 = 1 } } }
  end,
  expect  = { ["l1d.miss_rate"] = { max = 0.001 } },
  measure = { time = 10, idle_before = 2 },
}
