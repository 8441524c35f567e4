-- False sharing: two copies add to counters of their own. Less than a line apart, each addition takes the line from the other
-- copy.
benchmark {
  name    = "false-sharing",
  title   = "Two counters on one line, and on two",
  sweep   = function(m) return { apart = range { 8, 4 * m.caches.L1D.line, factor = 2 } } end,
  threads = 2,
  kernel  = function(p) return { atomic { op = "add", shared = "counters", apart = p.apart } } end,
  measure = { time = 0.02, reps = 15 },
  plot    = { x = "apart", y = "coherence.atomic_ns", log = "x", zero = true, xlabel = "Bytes from one counter to the other" },
}
