-- Joseph, Brooks, Martonosi 2001, section 3: programs with a stated I-cache miss rate, set by the size and layout of their
-- code. A unit is a load that hits, two additions and a jump to another line of code, as in the D-cache programs; the hit
-- rate is that of all lines of code that the loop enters.
benchmark {
  name   = "icache",
  title  = "Power and IPC against L1 instruction-cache hit rate",
  sweep  = { hit = range(0, 1, 0.1) },
  kernel = function(p, m)
    return {
      load { served_by = { L1 = 1 } },
      add  { count = 2 },
      code { served_by = { L1I = p.hit, L2 = 1 - p.hit } },
    }
  end,
  plot   = { x = "hit", y = { "power.dynamic_w", "ipc" },
             xlabel = "L1 instruction-cache hit rate" },
}
