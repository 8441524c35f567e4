-- AMD Radeon R9 Fury X (Fiji, GFX8). Shader engines, arrays, units and 16 L2 caches: the Linux kernel (gfx_v8_0.c); 128 KiB each: Mesa
-- (ac_gpu_info.c); 256 bytes between them: GB_ADDR_CONFIG 0x22011003. That only bits 11 to 8 choose them is assumed from Hawaii.
-- L1's line: the kernel (kfd_crat.c); ways are GCN's. The channels near each shader engine are not published.
-- Bandwidth in bytes per cycle: 64 for each L1 and each L2 cache, as in all of GCN; memory 512 GB/s (data sheet).
machine {
  name = "fiji", isa = "gcn", vendor = "AMD", clock_ghz = 1.05,
  caches = {
    L1 = { size = "16KiB", ways = 4, line = 64, policy = "lru" },
    L2 = { size = "2MiB", ways = 16, line = 64, policy = "lru" },
  },
  gpu = {
    arch = "gfx803", se = 4, sh_per_se = 1, cu_per_sh = 16, wave = 64, l2_channels = 16, interleave = "256B",
    shared = "32KiB", memory = "4GiB",
    bandwidth = { L1 = 64, L2 = 1024, MEM = 488 },
  },
}
