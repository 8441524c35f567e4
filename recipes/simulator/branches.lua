-- The same as caches.lua for predictors: branches with random outcomes in stated shares, and indirect branches that change
-- their target in a stated share.
benchmark {
  name   = "directions",
  title  = "Conditional branches of a stated accuracy",
  sweep  = { accuracy = { 1, 0.8 } },
  kernel = function(p) return { branch { accuracy = p.accuracy, taken = 0.6 }, add { count = 2 } } end,
}

benchmark {
  name   = "targets",
  title  = "Indirect branches of a stated accuracy",
  kernel = function() return { branch { accuracy = 0.9, kind = "indirect" }, add {} } end,
}
