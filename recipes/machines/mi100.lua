-- AMD Instinct MI100 (Arcturus, GFX9). Sizes: AMD CDNA whitepaper (2020); lines of L2 are 128 B, those of L1 64 B.
-- L2 asks memory for 64 B at most (rocprof: TCC_EA_RDREQ counts requests of 32 and 64 B): a sector each.
machine {
  name = "mi100", isa = "gcn", vendor = "AMD", clock_ghz = 1.502,
  caches = {
    L1 = { size = "16KiB", ways = 4, line = 64, policy = "lru" },
    L2 = { size = "8MiB", ways = 16, line = 128, sector = 64, policy = "lru" },
  },
  gpu = {
    arch = "gfx908", se = 8, sh_per_se = 1, cu_per_sh = 15, wave = 64, l2_channels = 32, interleave = "256B",
    shared = "32KiB", memory = "32GiB",
  },
}
