-- AMD Radeon RX Vega 64 (Vega 10, GFX9). Which channels lie near which shader engine is not published.
machine {
  name = "vega10", isa = "gcn", vendor = "AMD", clock_ghz = 1.546,
  caches = {
    L1 = { size = "16KiB", ways = 4, line = 64, policy = "lru" },
    L2 = { size = "4MiB", ways = 16, line = 64, policy = "lru" },
  },
  gpu = {
    arch = "gfx900", se = 4, sh_per_se = 1, cu_per_sh = 16, wave = 64, l2_channels = 16, interleave = "256B",
    shared = "32KiB", memory = "8GiB",
  },
}
