-- my.lua
benchmark {
  name   = "my",
  sweep  = { miss = { 0.03, 0.37, 0.89 }, dependents = { 0, 2 } },
  kernel = function(p, m)
    return {                                                  -- one unit of the loop
      load { miss_rate = { L1 = p.miss }, address = "chase" },
      add  { count = 2, dependents = p.dependents },          -- how many of them consume the load
    }
  end,
}
