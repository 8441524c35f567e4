-- AMD Instinct MI210 (Aldebaran, one die, GFX9). Sizes: AMD CDNA 2 whitepaper (2021); 104 compute units.
-- L2 asks memory for 64 B at most (rocprof: TCC_EA_RDREQ counts requests of 32 and 64 B): a sector each.
machine {
  name = "mi210", isa = "gcn", vendor = "AMD", clock_ghz = 1.7,
  caches = {
    L1 = { size = "16KiB", ways = 4, line = 64, policy = "lru" },
    L2 = { size = "8MiB", ways = 16, line = 128, sector = 64, policy = "lru" },
  },
  gpu = {
    arch = "gfx90a", se = 8, sh_per_se = 1, cu_per_sh = 13, wave = 64, l2_channels = 32, interleave = "256B",
    shared = "32KiB", memory = "64GiB",
  },
}
