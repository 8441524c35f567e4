machine {
  name = "orders", isa = "x86_64",
  caches = {
    L1I = { size = "1KiB", ways = 2, line = 64, policy = "lru" },
    L1D = { size = "4KiB", ways = 2, line = 64, policy = "lru" },
    L2  = { size = "64KiB", ways = 8, line = 64, policy = "lru" },
  },
}
