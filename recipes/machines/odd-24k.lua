-- An invented machine whose L1D size is not a power of two: 24 KiB, 6-way. It models no single processor, though Intel's Atoms
-- had such an L1D ("64 and IA-32 Architectures Optimization Reference Manual", Atom). It is for trying recipes and plans with an
-- unusual number of ways. Its numbers of sets are powers of two and its policy is LRU, so cachegrind can simulate it exactly.
-- It has no per_cycle, so throttle{} beside operations is refused.
machine {
  name = "odd-24k", isa = "x86_64",
  caches = {
    L1I = { size = "32KiB",  ways = 8, line = 64, policy = "lru" },
    L1D = { size = "24KiB",  ways = 6, line = 64, policy = "lru" },
    L2  = { size = "512KiB", ways = 8, line = 64, policy = "lru" },
  },
  features = { "sse2" },
}
