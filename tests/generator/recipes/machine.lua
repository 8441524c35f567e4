machine {
  name = "pentium-pro", isa = "x86_64", vendor = "Intel", clock_ghz = 0.2, issue_width = 3,
  caches = {
    L1I = { size = "8KiB",   ways = 4, line = 32, policy = "lru" },
    L1D = { size = "8KiB",   ways = 2, line = 32, policy = "lru" },
    L2  = { size = "256KiB", ways = 4, line = 32, policy = "lru" },
  },
  tlb = { data = { entries = 64, ways = 4, page = "4KiB" } }, features = {}, latency = { L1D = 3, L2 = 6 },
}
