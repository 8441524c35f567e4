-- AMD Radeon RX 7900 XTX (Navi 31, GFX11). Waves of 32; L1 in this file is RDNA's L0. HW_ID1 identifies a wave's place only to
-- the work-group processor, so that is a cu here: 48 of them, each with two compute units with an L0 of their own, of which only
-- one L0 is assumed. The 256 KiB that eight units share are left out. L3 is the 96 MiB of Infinity Cache beside memory. Units,
-- L0, L2 and the boost clock of 2.5 GHz: AMD's RDNA 3 product pages and the Linux kernel (kfd_crat.c), lines of 128 bytes there
-- too. Ways are assumed, as on RDNA 2, and L3's lines.
-- No published latency or bandwidth of this card was found.
machine {
  name = "rx7900", isa = "gcn", vendor = "AMD", clock_ghz = 2.5,
  caches = {
    L1 = { size = "32KiB", ways = 4, line = 128, policy = "lru" },
    L2 = { size = "6MiB", ways = 16, line = 128, policy = "lru" },
    L3 = { size = "96MiB", ways = 16, line = 128, policy = "lru" },
  },
  gpu = {
    arch = "gfx1100", se = 6, sh_per_se = 2, cu_per_sh = 4, wave = 32, shared = "32KiB", memory = "24GiB",
  },
}
