-- The loop of figure 6 of Joseph, Brooks, Martonosi 2001, in full: of each unit's two additions one waits for the
-- load; half of the loads miss.
benchmark {
  name   = "golden",
  kernel = function()
    return {
      load { served_by = { L1 = 0.5, L2 = 0.5 } },
      add  { count = 2, dependents = 1 },
    }
  end,
}
