-- Programs for `trauma events` on GPUs: accesses by the level that serves them, each in several shares, loads and stores.
benchmark {
  name    = "gpu-level",
  title   = "Counts of loads by the level that serves them",
  sweep   = { level = { "SHARED", "L2", "MEM" }, share = { 0.25, 0.5 } },
  kernel  = function(p)
    return { load { served_by = { L1 = 1 - p.share, [p.level] = p.share }, count = 4 } }
  end,
  grid    = { blocks = 4, threads = 128 },
  measure = { time = 0.05, reps = 3 },
  target  = { "ptx", "gcn" },
}

benchmark {
  name    = "gpu-only",
  title   = "Counts of accesses that one level serves",
  sweep   = { level = { "SHARED", "L1", "L2", "MEM" }, zip { count = { 2, 5 }, width = { 4, 16 } } },
  kernel  = function(p) return { load { served_by = { [p.level] = 1 }, count = p.count, width = p.width } } end,
  grid    = { blocks = 4, threads = 128 },
  measure = { time = 0.05, reps = 3 },
  target  = { "ptx", "gcn" },
}

benchmark {
  name    = "gpu-store",
  title   = "Counts of stores by the level that takes them",
  sweep   = { level = { "SHARED", "L2", "MEM" }, count = { 1, 3 } },
  kernel  = function(p) return { store { served_by = { [p.level] = 1 }, count = p.count } } end,
  grid    = { blocks = 4, threads = 128 },
  measure = { time = 0.05, reps = 3 },
  target  = { "ptx", "gcn" },
}
