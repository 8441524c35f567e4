-- The machine that the checks are for. Any runner simulates it, so verdicts do not depend on where CI runs.
machine {
  name = "ci", isa = "x86_64",
  caches = {
    L1I = { size = "32KiB", ways = 8,  line = 64, policy = "lru" },
    L1D = { size = "32KiB", ways = 8,  line = 64, policy = "lru" },
    L2  = { size = "1MiB",  ways = 16, line = 64, policy = "lru" },
  },
}
