-- Su et al. 2014 (PPEP): program A on none, one and up to all compute units, with and without power gating. A fits in
-- L1 and gives the north bridge no work, so what changes from point to point is the units' own idle power:
-- P_idle(CU), P_idle(NB) and P_idle(base) follow from the differences. The deepest idle state gates power:
-- without gating, no idle state may be entered (state, set by --allow-state).
benchmark {
  name    = "power-gating",
  title   = "Power against busy compute units, power gating on and off",
  sweep   = { busy = range(0, 128), gating = { true, false } },
  where   = function(p, m) return p.busy <= (m.cu or 1) end,
  threads = function(p) return p.busy end,
  place   = { cu = "all" }, -- one copy on each unit before any has a second
  state   = function(p) return { idle_states = p.gating } end,
  kernel  = function(p, m)
    return {
      load { served_by = { L1 = 1 } },
      add  { count = m.issue_width and math.max(1, m.issue_width - 1) or 2 }, -- fills what is issued, where that is known
    }
  end,
  measure = { time = 10, reps = 3, idle_before = 10 },
  plot    = { x = "busy", y = { "power.static_w", "power.dynamic_w" }, by = "gating",
              xlabel = "Busy compute units" },
}
