-- The cost of an atomic when copies contend for one word, and when each copy has a line of its own.
benchmark {
  name   = "atomics",
  title  = "Time of an atomic by the number of copies",
  sweep  = function(m)
    local threads = {}
    for count = 1, math.min(m.cores or 1, 4) do threads[count] = count end
    return { op = { "add", "cas", "swap" }, threads = threads, apart = { 0, 256 } }
  end,
  threads = function(p) return p.threads end,
  kernel  = function(p) return { atomic { op = p.op, shared = "words", apart = p.apart } } end,
  measure = { time = 0.01, reps = 9 },
  plot    = {
    { x = "threads", y = { "coherence.atomic_ns" }, by = "op", only = { apart = 0 }, title = "One word for all copies" },
    { x = "threads", y = { "coherence.atomic_ns" }, by = "op", only = { apart = 256 }, title = "Each copy its own line" },
  },
}
