machine {
  name = "vectors", isa = "x86_64",
  caches = {
    L1I = { size = "32KiB", ways = 8, line = 64, policy = "lru" },
    L1D = { size = "4KiB", ways = 2, line = 64, policy = "lru" },
    L2  = { size = "64KiB", ways = 8, line = 64, policy = "lru" },
  },
  features = { "sse2", "avx", "fma", "avx2" },
}
