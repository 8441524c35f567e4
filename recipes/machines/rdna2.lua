-- AMD Radeon RX 6900 XT (Navi 21, GFX10.3). Waves of 32; L1 in this file is RDNA's L0. HW_ID1 identifies a wave's place only to
-- the work-group processor, so that is a cu here: 40 of them, each with two compute units with an L0 of their own, of which only
-- one L0 is assumed. The 128 KiB that ten units share are left out. L3 is the 128 MiB of Infinity Cache beside memory. Sizes and
-- lines of 128 bytes: the Linux kernel (kfd_crat.c); 16 L2 caches of 256 KiB: Mesa (ac_gpu_info.c). Ways, L3's lines, and that
-- only bits 11 to 8 choose the L2 cache, are assumed. 2.25 GHz is the boost clock.
-- Latencies in cycles: a chase at 2570 MHz (gpu-benches, te42kyfo on GitHub); that of memory, beyond L3, is not published there.
-- Bandwidths are left out: the 1790 bytes per cycle measured there include hits in the 128 KiB that ten units share.
machine {
  name = "rdna2", isa = "gcn", vendor = "AMD", clock_ghz = 2.25,
  caches = {
    L1 = { size = "16KiB", ways = 4, line = 128, policy = "lru" },
    L2 = { size = "4MiB", ways = 16, line = 128, policy = "lru" },
    L3 = { size = "128MiB", ways = 16, line = 128, policy = "lru" },
  },
  latency = { L1 = 73, L2 = 200, L3 = 400 },
  gpu = {
    arch = "gfx1030", se = 4, sh_per_se = 2, cu_per_sh = 5, wave = 32, l2_channels = 16, interleave = "256B",
    shared = "32KiB", memory = "16GiB",
  },
}
