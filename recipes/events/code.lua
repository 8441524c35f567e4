-- Programs for `trauma events` that branch and that miss the instruction cache.
benchmark {
  name    = "branch",
  title   = "Counts of conditional branches by accuracy and direction",
  sweep   = { accuracy = { 1, 0.9, 0.75 }, taken = { 0.3, 0.7 } },
  kernel  = function(p) return { branch { accuracy = p.accuracy, taken = p.taken }, add { count = 3 } } end,
  loop    = { instructions = 400 },
  measure = { time = 0.05, reps = 3 },
  tags    = { "events" },
}

benchmark {
  name    = "often",
  title   = "Counts of many conditional branches of one direction",
  sweep   = { taken = { 0, 1 } },
  kernel  = function(p) return { branch { accuracy = 1, taken = p.taken }, nop {} } end,
  loop    = { instructions = 200 },
  measure = { time = 0.05, reps = 3 },
  tags    = { "events" },
}

benchmark {
  name    = "indirect",
  title   = "Counts of branches through a register",
  sweep   = { accuracy = { 1, 0.8 } },
  kernel  = function(p) return { branch { kind = "indirect", accuracy = p.accuracy }, nop { count = 6 } } end,
  loop    = { instructions = 400 },
  measure = { time = 0.05, reps = 3 },
  tags    = { "events" },
}

benchmark {
  name    = "lines",
  title   = "Counts of lines of code that are not in L1I",
  sweep   = { miss = { 0, 0.25, 0.5 }, nops = { 3, 9 } },
  kernel  = function(p) return { nop { count = p.nops }, code { served_by = { L1I = 1 - p.miss, L2 = p.miss } } } end,
  loop    = { instructions = 600 },
  measure = { time = 0.05, reps = 3 },
  tags    = { "events" },
}
