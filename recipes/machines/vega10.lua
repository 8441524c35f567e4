-- AMD Radeon RX Vega 64 (Vega 10, GFX9). Shader engines, arrays, units and 16 L2 caches: the Linux kernel (gfx_v9_0.c); 256 KiB each:
-- Mesa (ac_gpu_info.c), consistent with the kernel's 4 MiB with lines of 64 bytes (kfd_crat.c); 256 bytes between them: GB_ADDR_CONFIG
-- 0x2a114042. That only bits 11 to 8 choose them is assumed: its successors hash more bits. Ways are GCN's. The channels near each
-- shader engine are not published.
-- Bandwidth in bytes per cycle: 64 for each L1 and each L2 cache, as in all of GCN; memory 484 GB/s (data sheet).
machine {
  name = "vega10", isa = "gcn", vendor = "AMD", clock_ghz = 1.546,
  caches = {
    L1 = { size = "16KiB", ways = 4, line = 64, policy = "lru" },
    L2 = { size = "4MiB", ways = 16, line = 64, policy = "lru" },
  },
  gpu = {
    arch = "gfx900", se = 4, sh_per_se = 1, cu_per_sh = 16, wave = 64, l2_channels = 16, interleave = "256B",
    shared = "32KiB", memory = "8GiB",
    bandwidth = { L1 = 64, L2 = 1024, MEM = 313 },
  },
}
