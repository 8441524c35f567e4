-- NVIDIA GeForce RTX 4090 (AD102). Multiprocessors, sizes and clock: NVIDIA Ada whitepaper (2022). L1 and shared memory share 128 KiB; L2 is
-- one part.
-- Latencies in cycles: those of the L40, the same chip with 96 MB of L2, at 2490 MHz as published by gpu-benches (te42kyfo on GitHub).
-- Bandwidth in bytes per cycle: shared memory and L1 of a multiprocessor have 32 banks of 4 bytes (CUDA programming guide), memory 1008
-- GB/s at this clock (whitepaper). L2's is not published; the L40's reads reached 5.2 TB/s, 2090 bytes per cycle, with 142 multiprocessors.
machine {
  name = "ada", isa = "ptx", vendor = "NVIDIA", clock_ghz = 2.52,
  caches = {
    L1 = { size = "128KiB", line = 128, sector = 32, policy = "unknown" },
    L2 = { size = "72MiB", line = 128, sector = 32, policy = "unknown" },
  },
  latency = { L1 = 36, L2 = 276.5, MEM = 631 },
  gpu = {
    arch = "sm_89", sm = 128, sides = 1, shared = "48KiB", memory = "24GiB",
    bandwidth = { SHARED = 128, L1 = 128, MEM = 400 },
  },
}
