-- Operations of every kind side by side: vector accumulators are apart by what they hold, operands have registers of
-- their own, and data goes there and back between two words.
benchmark {
  name   = "golden",
  kernel = function(p, m)
    return {
      load  { served_by = { L1 = 1 } },
      add   { data = pattern.toggle(0.25) },
      fma   { width = 32, count = 2, chain = 4 },
      fmul  { width = 4 },
      sub   { width = 16, data = pattern.toggle(0.3) },
      fsqrt { chain = 2 },
      div   { width = 4, dependents = 1 },
      prefetch {},
    }
  end,
  loop   = { units = 10 },
}
