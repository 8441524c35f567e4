-- The cost of mispredicted branches: instructions per cycle over the share that a good predictor predicts, with more or less
-- work between branches. The loss is greatest with little work, because each misprediction empties the pipeline.
benchmark {
  name   = "branch-predictor",
  title  = "Cost of mispredicted branches",
  sweep  = { accuracy = range(0.5, 1, 0.05), work = { 2, 8, 32 } },
  kernel = function(p) return { add { count = p.work }, branch { accuracy = p.accuracy } } end,
  measure = { time = 0.05, reps = 5 },
  plot   = { x = "accuracy", y = "ipc", by = "work", xlabel = "Share of branches that are predicted" },
}
