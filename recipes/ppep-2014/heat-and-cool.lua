-- Su et al. 2014 (PPEP): idle power against temperature, P_idle = W1(V) * T + W0(V), for each clock of the machine, or, if
-- it lists none, of the FX-8320. All cores run the code that draws most until the chip is hot; then nothing runs while it
-- cools, and the interval is sampled.
-- --allow-state sets the clock; the voltage goes with it.
benchmark {
  name    = "heat-and-cool",
  fit     = "idle",
  title   = "Idle power while the chip cools",
  sweep   = function(m) return { ghz = m.frequencies or { 1.4, 1.7, 2.3, 2.9, 3.5 } } end,
  place   = { cores = "all" },
  state   = function(p) return { frequency = p.ghz, boost = false } end,
  kernel  = function(p, m)
    return {
      load { served_by = { L1 = 1 }, data = pattern.random(), count = 2 },
      mul  {},
      -- fills what is issued, where that is known
      add  { count = m.issue_width and math.max(1, m.issue_width - 3) or 1, dependents = 1 },
      xor  {},
    }
  end,
  measure = { time = 120, reps = 1, idle_before = 30, idle_after = 300 },
  plot    = {
    { from = "idle_after", by = "ghz", fit = "linear", title = "Idle power against temperature" },
    { from = "idle_after", x = "time", y = "temperature", by = "ghz", title = "Temperature while the chip cools" },
    { x = "ghz", y = { "power.static_w", "power.dynamic_w" }, together = true, xlabel = "Clock (GHz)" },
  },
}
