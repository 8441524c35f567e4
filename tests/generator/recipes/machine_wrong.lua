-- The error is of the call below.
machine {
  name = "toy", isa = "x86_64",
  caches = {
    L1I = { size = "8KiB", ways = 4, line = 32 },
    L1D = { size = "8KiB", ways = 2, line = 32 },
    L2  = { size = "many", ways = 4, line = 32 },
  },
}
