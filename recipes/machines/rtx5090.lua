-- NVIDIA GeForce RTX 5090 (GB202). Multiprocessors, sizes and clock: NVIDIA RTX Blackwell whitepaper (2025). L1 and shared memory share
-- 128 KiB; L2 is one part.
-- No published latency of this card was found: `trauma machine probe -t ptx` measures them.
-- Bandwidth in bytes per cycle: shared memory and L1 of a multiprocessor have 32 banks of 4 bytes (CUDA programming guide), memory 1792
-- GB/s at this clock (whitepaper): reads are assumed to reach all of it. L2's is not published.
machine {
  name = "rtx5090", isa = "ptx", vendor = "NVIDIA", clock_ghz = 2.407,
  caches = {
    L1 = { size = "128KiB", line = 128, sector = 32, policy = "unknown" },
    L2 = { size = "96MiB", line = 128, sector = 32, policy = "unknown" },
  },
  gpu = {
    arch = "sm_120", sm = 170, sides = 1, shared = "48KiB", memory = "32GiB",
    bandwidth = { SHARED = 128, L1 = 128, MEM = 744 },
  },
}
