-- `trauma validate`: lines that two cores share, in each state in which the other core leaves them. The metrics of a
-- benchmark's plot are the rates that the scorecard shows.
benchmark {
  name    = "shared-lines",
  title   = "Lines shared with another core",
  sweep   = { state = { "modified", "exclusive", "shared" }, bytes = { "8KiB", "64KiB" } },
  place   = { cores = { 0, 1 } },
  kernel  = function(p)
    return { load { shared = "lines", coherence = p.state, working_set = p.bytes, address = "chase" } }
  end,
  measure = { time = 0.05, reps = 3 },
  plot    = { x = "bytes", by = "state", together = true,
              y = { "coherence.left_modified", "coherence.left_exclusive", "coherence.left_shared", "coherence.common_lines" } },
}
