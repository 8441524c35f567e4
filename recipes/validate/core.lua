-- `trauma validate`: a core's behaviour at stated rates: branches, lines of code, data words, the mix of operations, and
-- shares of the peak rate. The metrics of a benchmark's plot are the rates that the scorecard shows.
benchmark {
  name    = "branches",
  title   = "Mispredicted branches",
  sweep   = { miss = { 0.01, 0.03, 0.1, 0.25, 0.45 } },
  kernel  = function(p) return { branch { accuracy = 1 - p.miss }, add { count = 4 } } end,
  measure = { time = 0.05, reps = 3 },
  plot    = { x = "miss", y = "branch.miss_rate" },
}

benchmark {
  name    = "taken-branches",
  title   = "Taken branches",
  sweep   = { taken = { 0.1, 0.3, 0.5, 0.7, 0.9 } },
  kernel  = function(p) return { branch { accuracy = 0.95, taken = p.taken }, add { count = 4 } } end,
  measure = { time = 0.05, reps = 3 },
  plot    = { x = "taken", y = "branch.taken_rate" },
}

benchmark {
  name    = "code",
  title   = "Misses of the instruction cache",
  sweep   = { miss = { 0.05, 0.25, 0.5, 0.75, 0.95 } },
  kernel  = function(p) return { add { count = 3 }, code { served_by = { L1I = 1 - p.miss, L2 = p.miss } } } end,
  measure = { time = 0.05, reps = 3 },
  plot    = { x = "miss", y = "l1i.miss_rate" },
}

benchmark {
  name    = "data",
  title   = "Flipping bits of loaded data",
  sweep   = { toggles = { 0, 0.125, 0.25, 0.375, 0.5 } },
  kernel  = function(p) return { load { served_by = { L1 = 1 }, data = pattern.toggle(p.toggles) } } end,
  measure = { time = 0.05, reps = 3 },
  plot    = { x = "toggles", y = "data.toggle_rate" },
}

benchmark {
  name    = "mix",
  title   = "Mix of operations",
  sweep   = { loads = { 1, 4, 7 } },
  kernel  = function(p)
    return { load { served_by = { L1 = 1 }, count = p.loads }, add { count = 8 - p.loads }, mul { count = 1 } }
  end,
  measure = { time = 0.05, reps = 3 },
  plot    = { x = "loads", y = { "mix.load", "mix.add", "mix.mul" }, together = true },
}

local function has_ports(m)
  return m.issue_width ~= nil and m.ports ~= nil and m.ports.load ~= nil
end

benchmark {
  name    = "throttle",
  title   = "Throttled loads",
  sweep   = function(m) return { duty = has_ports(m) and { 0.1, 0.2, 0.25, 1 / 3, 0.5 } or { 0.5 } } end,
  loop    = { units = 8 },
  kernel  = function(p, m)
    if not has_ports(m) then
      error("needs issue_width and ports of the machine file: trauma machine probe measures them")
    end
    return { load { served_by = { L1 = 1 }, count = 12 }, throttle { duty = p.duty } }
  end,
  measure = { time = 0.05, reps = 3 },
  plot    = { x = "duty", y = "throttle.duty" },
}
