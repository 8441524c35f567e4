-- Too few misses for a set to overflow: a piece of the code has copies, and another one is entered in some passes.
benchmark {
  name   = "golden",
  kernel = function(p, m)
    return { add { count = 2 }, code { served_by = { L1I = 0.96, L2 = 0.04 } } }
  end,
  loop   = { units = 14 },
}
