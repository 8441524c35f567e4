-- Su et al. 2014 (PPEP): program "A" keeps a core busy from L1 alone, so that nothing reaches the north bridge. Here it
-- runs alone, for its rates; power-gating.lua runs it on one compute unit after the other.
benchmark {
  name    = "program-a",
  fit     = "ppep",
  title   = "A busy core without north-bridge activity",
  kernel  = function(p, m)
    return {
      load { served_by = { L1 = 1 } },
      add  { count = (m.issue_width or 3) - 1 },
    }
  end,
  expect  = { ["l1d.miss_rate"] = { max = 0.001 } },
  measure = { time = 10, idle_before = 2 },
}
