-- Copies write words of their own. Less than a line apart, each write takes the line from the other copies.
benchmark {
  name   = "false-sharing",
  title  = "Time of a store by the distance of the copies' words",
  sweep  = { apart = { 8, 16, 32, 64, 128, 256 } },
  threads = 2,
  kernel = function(p) return { store { shared = "words", apart = p.apart } } end,
  measure = { time = 0.01, reps = 15 },
  plot    = { x = "apart", y = { "coherence.store_ns" }, log = "x", zero = true, xlabel = "bytes from one copy's word to the next's" },
}

-- Plain stores gather in a store buffer and take the line once for several stores. Atomic additions take the line each time.
benchmark {
  name   = "counters",
  title  = "Time of an atomic addition by the distance of the copies' counters",
  sweep  = { apart = { 8, 16, 32, 64, 128, 256 } },
  threads = 2,
  kernel = function(p) return { atomic { op = "add", shared = "words", apart = p.apart } } end,
  measure = { time = 0.01, reps = 15 },
  plot    = { x = "apart", y = { "coherence.atomic_ns" }, log = "x", zero = true, xlabel = "bytes from one copy's word to the next's" },
}
