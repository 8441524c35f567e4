-- Su et al. 2014 (PPEP): the same programs at each of the machine's states of voltage and frequency, vf = { ... } in its
-- machine file, from cores that never wait to cores that mostly wait for memory. Predicting one state from another's counters
-- shows the errors of cycles and power; power over voltage determines its exponent. --allow-state sets the clock; the voltage
-- goes with it.
local mixes = {
  integer  = function() return { add { count = 12 }, mul { count = 4, chain = 2 } } end,
  floating = function() return { fadd { count = 6 }, fmul { count = 6 }, add { count = 4 } } end,
  cached   = function() return { load { served_by = { L1 = 1 }, count = 4 }, store { served_by = { L1 = 1 } }, add { count = 8 } } end,
  l2       = function() return { load { served_by = { L1 = 0.5, L2 = 0.5 }, count = 4 }, add { count = 8, dependents = 4 } } end,
  memory2  = function() return { load { served_by = { L1 = 0.98, MEM = 0.02 }, count = 4 }, add { count = 8, dependents = 4 } } end,
  memory10 = function() return { load { served_by = { L1 = 0.9, MEM = 0.1 }, count = 4 }, add { count = 8, dependents = 4 } } end,
  memory50 = function() return { load { served_by = { L1 = 0.5, MEM = 0.5 }, count = 4 }, add { count = 8, dependents = 4 } } end,
  branches = function() return { branch { accuracy = 0.9, count = 3 }, add { count = 8 } } end,
}

benchmark {
  name    = "across-vf",
  fit     = "ppep",
  title   = "The same programs at every voltage and frequency",
  sweep   = {
    mix = { "integer", "floating", "cached", "l2", "memory2", "memory10", "memory50", "branches" },
    vf  = range(1, 32),
  },
  -- Without a table of states, only the present state is measured.
  where   = function(p, m) return p.vf <= math.max(1, #(m.vf or {})) end,
  state   = function(p, m)
    return m.vf and { frequency = m.vf[p.vf].ghz, boost = false } or nil
  end,
  kernel  = function(p) return mixes[p.mix]() end,
  measure = { time = 10, reps = 3, idle_before = 2 },
  plot    = { x = "vf", y = { "power.dynamic_w", "ipc" }, by = "mix" },
}
