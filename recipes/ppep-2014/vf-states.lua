-- Su et al. 2014 (PPEP): the same programs at each of the machine's clocks, from one that never waits for memory to one that
-- always does. The core's own events per instruction are the same at every clock (observation 1), and so are its cycles
-- without those in which it waits (observation 2); waiting for memory takes more cycles the faster the core is. --allow-state
-- sets the clock and restores it; the actual clock is recorded (state.observed.clock of each point).
benchmark {
  name    = "vf-states",
  title   = "CPI and power over clocks, from bound by the core to bound by memory",
  sweep   = function(m) return { ghz = m.frequencies or { m.clock_ghz or 1 }, mem = { 0, 0.5, 1 } } end,
  state   = function(p) return { frequency = p.ghz, boost = false } end,
  kernel  = function(p)
    return {
      load { served_by = { L1 = 1 - p.mem, MEM = p.mem }, address = "chase" },
      add  { count = 6, dependents = 1 },
    }
  end,
  measure = { time = 10, idle_before = 2 },
  plot    = { x = "ghz", xlabel = "Clock (GHz)", y = { "power.dynamic_w", "ipc" }, by = "mem" },
}
