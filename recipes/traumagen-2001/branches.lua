-- Joseph, Brooks, Martonosi 2001, figures 10 to 13: power and decoded instructions per cycle against prediction accuracy
-- and the distance between branches. A cycle of work is a load that hits and two additions, the Pentium Pro's issue width;
-- wider machines get more additions.
benchmark {
  name   = "branches",
  title  = "Power and throughput against branch prediction accuracy and branch distance",
  sweep  = { accuracy = range(0.5, 1, 0.05), distance = { 0, 1, 2, 4, 7, 10 } },
  kernel = function(p, m)
    local unit = {}
    for _ = 1, p.distance do
      unit[#unit + 1] = load { served_by = { L1 = 1 } }
      unit[#unit + 1] = add { count = (m.issue_width or 3) - 1 }
    end
    unit[#unit + 1] = branch { accuracy = p.accuracy }
    return unit
  end,
  plot   = { x = "accuracy", y = { "power.dynamic_w", "dpc", "ipc" }, by = "distance",
             xlabel = "Branch prediction accuracy" },
}
