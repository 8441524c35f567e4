-- AMD Instinct MI210 (Aldebaran, one die, GFX9): 104 compute units and clock by AMD's CDNA 2 whitepaper (2021). Sizes and lines, 64 bytes
-- in L1 and 128 in L2: the Linux kernel (kfd_crat.c). Eight shader engines of 13 units each are assumed: 14 are built, one is off. L2
-- requests at most 64 B from memory (rocprof: TCC_EA_RDREQ counts requests of 32 and 64 B): one sector each.
-- L2 has 32 channels of 256 bytes in turn, chosen by an unpublished hash (ROCm Compute Profiler, "L2 cache"): l2_channels and
-- interleave are left out, and so place = { l2_channels = } is refused here.
-- Latencies in cycles: a chase at 1700 MHz (gpu-benches, te42kyfo on GitHub). Bandwidth in bytes per cycle: 64 for each L1, 128 for each
-- channel (5.1 TB/s of L2 were measured there), memory 1.64 TB/s (data sheet).
machine {
  name = "mi210", isa = "gcn", vendor = "AMD", clock_ghz = 1.7,
  caches = {
    L1 = { size = "16KiB", ways = 4, line = 64, policy = "lru" },
    L2 = { size = "8MiB", ways = 16, line = 128, sector = 64, policy = "lru" },
  },
  latency = { L1 = 125, L2 = 237, MEM = 572 },
  gpu = {
    arch = "gfx90a", se = 8, sh_per_se = 1, cu_per_sh = 13, wave = 64, shared = "32KiB", memory = "64GiB",
    bandwidth = { L1 = 64, L2 = 4096, MEM = 964 },
  },
}
