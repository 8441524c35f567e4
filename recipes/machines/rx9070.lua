-- AMD Radeon RX 9070 XT (Navi 48, GFX12). Waves of 32; L1 in this file is RDNA's L0. HW_ID1 identifies a wave's place only to the
-- work-group processor, so that is a cu here: 32 of them, each with two compute units with an L0 of their own, of which only one
-- L0 is assumed. L3 is the 64 MiB of Infinity Cache beside memory. Units, L0, L2, L3 and the boost clock of 2.97 GHz: AMD's RDNA
-- 4 product pages and ROCm's page "AMD GPU specifications"; four shader engines: ROCr's trap handler for GFX12. Two arrays in
-- each and lines of 128 bytes are assumed as on RDNA 3, ways as on RDNA 2.
-- No published latency or bandwidth of this card was found.
machine {
  name = "rx9070", isa = "gcn", vendor = "AMD", clock_ghz = 2.97,
  caches = {
    L1 = { size = "32KiB", ways = 4, line = 128, policy = "lru" },
    L2 = { size = "8MiB", ways = 16, line = 128, policy = "lru" },
    L3 = { size = "64MiB", ways = 16, line = 128, policy = "lru" },
  },
  gpu = {
    arch = "gfx1201", se = 4, sh_per_se = 2, cu_per_sh = 4, wave = 32, shared = "32KiB", memory = "16GiB",
  },
}
