-- AMD FirePro W9100 (Hawaii), the machine of Adhinarayanan et al. 2016. L2 has one partition for each of 16 channels, which
-- address bits 11 to 8 choose. A quadrant is four of them; the paper does not say which: in order, that is an assumption.
machine {
  name = "w9100", isa = "gcn", vendor = "AMD", clock_ghz = 0.93, vf = { { volts = 1.1687, ghz = 0.93 } },
  caches = {
    L1 = { size = "16KiB", ways = 4, line = 64, policy = "lru" },
    L2 = { size = "1MiB", ways = 16, line = 64, policy = "lru" },
  },
  gpu = {
    arch = "gfx701", se = 4, sh_per_se = 1, cu_per_sh = 11, wave = 64, block_threads = 256, l2_channels = 16,
    interleave = "256B", shared = "32KiB", memory = "16GiB",
    quadrants = { { 0, 1, 2, 3 }, { 4, 5, 6, 7 }, { 8, 9, 10, 11 }, { 12, 13, 14, 15 } },
    bandwidth = { L1 = 64, L2 = 1024 }, -- bytes a cycle: 64 B for each L1 and for each of 16 partitions
    distance_mm = { register_l1 = 3.5, l1_l2 = 10.5, l2_mc = 11.5 },
  },
}
