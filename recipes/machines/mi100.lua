-- AMD Instinct MI100 (Arcturus, GFX9): 120 compute units, clock and sizes by AMD's CDNA whitepaper (2020). Eight shader engines of one
-- array: Mesa (ac_gpu_info.c). L2's 8 MiB with lines of 64 bytes: the Linux kernel (kfd_crat.c, as Vega 20) and Mesa; lines of 128
-- came with MI200. 16 ways: the whitepaper.
-- L2 has 32 channels of 256 bytes in turn, chosen by an unpublished hash (ROCm Compute Profiler, "L2 cache"): l2_channels and
-- interleave are left out, and so place = { l2_channels = } is refused here.
-- Bandwidth in bytes per cycle: 64 for each L1 and each channel (2.7 TB/s of L2 were measured: gpu-benches), memory 1.23 TB/s (data sheet).
machine {
  name = "mi100", isa = "gcn", vendor = "AMD", clock_ghz = 1.502,
  caches = {
    L1 = { size = "16KiB", ways = 4, line = 64, policy = "lru" },
    L2 = { size = "8MiB", ways = 16, line = 64, policy = "lru" },
  },
  gpu = {
    arch = "gfx908", se = 8, sh_per_se = 1, cu_per_sh = 15, wave = 64, shared = "32KiB", memory = "32GiB",
    bandwidth = { L1 = 64, L2 = 2048, MEM = 818 },
  },
}
