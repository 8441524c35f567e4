-- NVIDIA A100 SXM 80 GB (GA100). Sizes: NVIDIA A100 whitepaper (2020). Latencies in cycles: microbenchmarks as published (L1
-- 33.6, near L2 206). L1 and shared memory share 192 KiB.
-- Bandwidth in bytes a cycle: shared memory and L1 of a multiprocessor (32 banks of 4 bytes, CUDA programming guide), L2 5120 (the
-- whitepaper), memory 2039 GB/s at this clock (data sheet).
machine {
  name = "a100", isa = "ptx", vendor = "NVIDIA", clock_ghz = 1.41,
  caches = {
    L1 = { size = "192KiB", line = 128, sector = 32, policy = "unknown" },
    L2 = { size = "40MiB", line = 128, sector = 32, policy = "unknown" },
  },
  latency = { L1 = 33.6, L2 = 206 },
  gpu = {
    arch = "sm_80", sm = 108, sides = 2, shared = "48KiB", memory = "80GiB",
    bandwidth = { SHARED = 128, L1 = 128, L2 = 5120, MEM = 1446 },
  },
}
