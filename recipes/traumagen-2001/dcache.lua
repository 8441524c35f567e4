-- Joseph, Brooks, Martonosi 2001, figures 8 and 9
benchmark {
  name   = "dcache",
  title  = "Power and IPC against L1 data-cache hit rate and load dependence",
  sweep  = { hit = range(0, 1, 0.1), dependents = { 0, 1, 2 } },
  kernel = function(p, m)
    return {
      load { served_by = { L1 = p.hit, L2 = 1 - p.hit }, order = "shuffled" },
      add  { count = 2, dependents = p.dependents },
    }
  end,
  plot   = {
    x = "hit", y = { "power.dynamic_w", "ipc" }, by = "dependents", xlabel = "L1 data-cache hit rate",
    -- The paper's equation 1: the IPC of a cache that blocks on a miss.
    reference = { kind = "blocking-cache", y = "ipc" },
  },
}
