-- AMD Radeon RX 6900 XT (Navi 21, GFX10.3). Waves of 32; the L1 of the contract is RDNA's L0. What HW_ID1 tells of a wave's place
-- is the work-group processor, so that is a cu here: 40 of them, each two compute units with an L0 of their own, of which one is
-- counted on. The L1 of a shader array and the Infinity Cache are left out.
machine {
  name = "rdna2", isa = "gcn", vendor = "AMD", clock_ghz = 2.25,
  caches = {
    L1 = { size = "16KiB", ways = 4, line = 128, policy = "lru" },
    L2 = { size = "4MiB", ways = 16, line = 128, policy = "lru" },
  },
  gpu = {
    arch = "gfx1030", se = 4, sh_per_se = 2, cu_per_sh = 5, wave = 32, l2_channels = 16, interleave = "256B",
    shared = "32KiB", memory = "16GiB",
  },
}
