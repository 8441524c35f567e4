-- NVIDIA V100 SXM2 32 GB (GV100). Multiprocessors, sizes and clock: NVIDIA V100 whitepaper (2017). L1 and shared memory share 128
-- KiB; L2 is one part. Its line is 64 bytes for software, which fetches two sectors; tags cover 128 bytes.
-- Latencies in cycles: Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking" (arXiv:1804.06826, 2018), at
-- 1380 MHz, for memory where the TLB hits.
-- Bandwidth in bytes per cycle: shared memory and L1 of a multiprocessor have 32 banks of 4 bytes (CUDA programming guide), memory 900
-- GB/s at this clock (whitepaper): reads are assumed to reach all of it. L2's is not published.
-- ptxas of CUDA 13 does not support sm_70; that of CUDA 12 does.
machine {
  name = "v100", isa = "ptx", vendor = "NVIDIA", clock_ghz = 1.53,
  caches = {
    L1 = { size = "128KiB", line = 128, sector = 32, policy = "unknown" },
    L2 = { size = "6MiB", line = 128, sector = 32, policy = "unknown" },
  },
  latency = { L1 = 28, L2 = 193, MEM = 375 },
  gpu = {
    arch = "sm_70", sm = 80, sides = 1, shared = "48KiB", memory = "32GiB",
    bandwidth = { SHARED = 128, L1 = 128, MEM = 588 },
  },
}
