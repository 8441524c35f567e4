-- So few misses a pass that no eviction set fits in one: each pass of a period has lines of its own.
benchmark {
  name   = "golden",
  loop   = { units = 50 },
  kernel = function()
    return { load { served_by = { L1 = 0.98, L2 = 0.02 } }, add {} }
  end,
}
