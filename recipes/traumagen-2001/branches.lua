-- Joseph, Brooks, Martonosi 2001, figures 10 to 13: power and decoded instructions per cycle against prediction accuracy and
-- the distance between branches. A cycle of work is as many instructions as the machine issues per cycle: a load that hits,
-- and additions (two on the Pentium Pro). Without a known issue width the point is refused.
benchmark {
  name   = "branches",
  title  = "Power and throughput against branch prediction accuracy and branch distance",
  sweep  = { accuracy = range(0.5, 1, 0.05), distance = { 0, 1, 2, 4, 7, 10 } },
  kernel = function(p, m)
    local unit = {}
    if p.distance > 0 and not m.issue_width then
      error("a distance of cycles needs the machine's issue_width: its file states it, and "
        .. "trauma check --probe measures this machine's")
    end
    for _ = 1, p.distance do
      unit[#unit + 1] = load { served_by = { L1 = 1 } }
      if m.issue_width > 1 then unit[#unit + 1] = add { count = m.issue_width - 1 } end
    end
    unit[#unit + 1] = branch { accuracy = p.accuracy }
    return unit
  end,
  -- On silicon, mispredictions lengthen it; noise of the clock may shorten it a little.
  expect = function(p) return p.distance > 0 and { ["branch.distance"] = { min = 0.95 * p.distance } } or {} end,
  plot   = { x = "accuracy", y = { "power.dynamic_w", "dpc", "ipc" }, by = "distance",
             xlabel = "Branch prediction accuracy" },
}
