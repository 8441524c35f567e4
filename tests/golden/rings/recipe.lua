-- All levels at once, by loads and stores. Ten loads do not divide into these shares: the levels of one of them change
-- from pass to pass.
benchmark {
  name   = "golden",
  loop   = { units = 10 },
  kernel = function()
    return {
      load { served_by = { L1 = 0.45, L2 = 0.2, L3 = 0.15, MEM = 0.2 }, order = "even" },
      add { dependents = 1 },
      store { served_by = { L1 = 0.9, MEM = 0.1 } },
    }
  end,
}
