-- Power in steps: the same loop at shares of its peak rate, the rest of the time filled with idle instructions. Dynamic power
-- should lie on a line through that of the idle loop. The machine file states the peak rate (ports, which trauma machine
-- probe measures).
benchmark {
  name    = "throttle",
  title   = "Power over the share of the peak rate",
  sweep   = { duty = { 0.1, 0.2, 0.25, 1 / 3, 0.5, 1 }, op = { "load", "add" } },
  where   = function(p, m)
    return p.duty == 1 or m.issue_width ~= nil and (p.op == "load" and m.ports ~= nil and m.ports.load ~= nil
                                                    or p.op == "add" and m.per_cycle ~= nil and m.per_cycle.add ~= nil)
  end,
  loop    = { units = 8 },
  kernel  = function(p)
    local work = p.op == "load" and load { served_by = { L1 = 1 }, count = 12 } or add { count = 12 }
    return { work, p.duty < 1 and throttle { duty = p.duty } }
  end,
  measure = { time = 5, reps = 3, idle_before = 5, idle_after = 5 },
  plot    = { x = "duty", y = "power.dynamic_w", by = "op", fit = "linear", xlabel = "Share of the peak rate" },
}
