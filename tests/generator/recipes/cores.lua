-- A kernel a core: points that know of each other.
benchmark {
  name = "pair", sweep = { zeta = { 0.5 }, alpha = { "x" } },
  kernel = function(p)
    return { cores = { [3] = { nop {} }, [0] = { add { count = 2 } } } }
  end,
}
benchmark { name = "plain", kernel = function() return { cores = { [1] = { nop {} } } } end }
