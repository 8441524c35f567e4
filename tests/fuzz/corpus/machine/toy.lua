machine {
  name = "toy", isa = "x86_64", vendor = "v", clock_ghz = 2.5, issue_width = 4,
  caches = {
    L1I = { size = "32KiB", ways = 8, line = 64, policy = "lru" },
    L1D = { size = "4KiB", ways = 2, line = 64, policy = "lru" },
    L2  = { size = 65536, ways = 8, line = 64, policy = "tree-plru" },
  },
  tlb = { data = { entries = 64, ways = 4, page = "4KiB" } },
  features = { "sse2" }, latency = { L1D = 4, L2 = 14 },
}
