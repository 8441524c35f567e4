machine {
  name = "rings", isa = "x86_64",
  caches = {
    L1I = { size = "16KiB", ways = 4, line = 64, policy = "lru" },
    L1D = { size = "2KiB", ways = 2, line = 64, policy = "lru" },
    L2  = { size = "8KiB", ways = 4, line = 64, policy = "lru" },
    L3  = { size = "64KiB", ways = 8, line = 64, policy = "lru" },
  },
}
