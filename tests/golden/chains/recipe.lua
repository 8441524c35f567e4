-- Dependency chains: each begins with a register that nothing before it wrote, keeps to it for its length, and two
-- behaviours with chains of different length keep theirs apart.
benchmark {
  name   = "golden",
  kernel = function(p, m)
    return {
      load { served_by = { L1 = 1 } },
      add  { count = 5, chain = 3 },
      mul  { count = 2, chain = 4 },
      xor  { count = 2 },
    }
  end,
  loop   = { units = 6 },
}
