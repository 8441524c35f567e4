-- AMD Radeon R9 Fury X (Fiji, GFX8). Which channels lie near which shader engine is not published.
machine {
  name = "fiji", isa = "gcn", vendor = "AMD", clock_ghz = 1.05,
  caches = {
    L1 = { size = "16KiB", ways = 4, line = 64, policy = "lru" },
    L2 = { size = "2MiB", ways = 16, line = 64, policy = "lru" },
  },
  gpu = {
    arch = "gfx803", se = 4, sh_per_se = 1, cu_per_sh = 16, wave = 64, l2_channels = 16, interleave = "256B",
    shared = "32KiB", memory = "4GiB",
  },
}
