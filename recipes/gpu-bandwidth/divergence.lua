-- The cost of branches whose threads diverge: both sides run, one after the other.
benchmark {
  name   = "divergence",
  title  = "Branches that diverge",
  target = "ptx",
  sweep  = { divergence = { 0, 0.125, 0.25, 0.5, 0.75, 1 }, threads = { 32, 256 } },
  grid   = function(p, m) return { blocks = m.gpu.sm, threads = p.threads } end,
  kernel = function(p)
    return { load { served_by = { L1 = 1 } }, branch { divergence = p.divergence } }
  end,
  measure = { time = 0.5, reps = 5 },
  plot   = { x = "divergence", y = "ticks_per_load", by = "threads", zero = true,
             xlabel = "Share of branches that diverge", ylabel = "Cycles of the grid a load" },
}
