-- NVIDIA GeForce RTX 4090 (AD102). Sizes: NVIDIA Ada whitepaper (2022). L1 and shared memory share 128 KiB; L2 is one part.
-- Bandwidth in bytes a cycle: shared memory and L1 of a multiprocessor (32 banks of 4 bytes, CUDA programming guide), memory 1008
-- GB/s at this clock (whitepaper); L2's is not published.
machine {
  name = "ada", isa = "ptx", vendor = "NVIDIA", clock_ghz = 2.52,
  caches = {
    L1 = { size = "128KiB", line = 128, sector = 32, policy = "unknown" },
    L2 = { size = "72MiB", line = 128, sector = 32, policy = "unknown" },
  },
  gpu = {
    arch = "sm_89", sm = 128, sides = 1, shared = "48KiB", memory = "24GiB",
    bandwidth = { SHARED = 128, L1 = 128, MEM = 400 },
  },
}
