-- Port contention: four additions beside more and more operations of another kind. If the other kind has ports of its own,
-- the rate rises to the issue width; if it shares ports, or has few, the rate falls.
local others = {
  add   = function(n) return add { count = n } end,
  mul   = function(n) return mul { count = n } end,
  shift = function(n) return shift { count = n } end,
  load  = function(n) return load { served_by = { L1 = 1 }, count = n } end,
  store = function(n) return store { served_by = { L1 = 1 }, count = n } end,
}

benchmark {
  name   = "ports",
  title  = "Four additions beside other operations",
  sweep  = { beside = { "add", "mul", "shift", "load", "store" }, count = range(0, 8) },
  kernel = function(p)
    return { add { count = 4 }, p.count > 0 and others[p.beside](p.count) }
  end,
  measure = { time = 0.05, reps = 5 },
  plot   = { x = "count", y = "ipc", by = "beside", xlabel = "Operations beside four additions" },
}
