-- All levels of an AMD GPU, a chase and a store beside them, and work that waits for loads.
benchmark {
  name   = "golden",
  target = "gcn",
  loop   = { units = 8 },
  grid   = { threads = 128 },
  kernel = function()
    return {
      load  { served_by = { SHARED = 0.25, L1 = 0.25, L2 = 0.25, MEM = 0.25 }, order = "even" },
      load  { served_by = { L2 = 1 }, address = "chase" },
      store { served_by = { L2 = 1 }, width = 8 },
      add   { dependents = 1 },
      fma   {},
    }
  end,
}
