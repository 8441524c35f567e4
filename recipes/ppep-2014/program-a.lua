-- Su et al. 2014 (PPEP): program "A" keeps a core busy from L1 alone, so that nothing reaches the north bridge. Here it
-- runs alone, for its rates; power-gating.lua runs it on one compute unit after the other.
benchmark {
  name    = "program-a",
  fit     = "ppep",
  title   = "A busy core without north-bridge activity",
  kernel  = function(p, m)
    return {
      load { served_by = { L1 = 1 } },
      add  { count = m.issue_width and math.max(1, m.issue_width - 1) or 2 }, -- fills what is issued, where that is known
    }
  end,
  expect  = { ["l1d.miss_rate"] = { max = 0.001 } },
  measure = { time = 10, idle_before = 2 },
}
