-- NVIDIA A100 SXM 80 GB (GA100). Sizes: NVIDIA A100 whitepaper (2020). Latencies in cycles: microbenchmarks as published (L1
-- 33.6, near L2 206). L1 and shared memory share 192 KiB.
machine {
  name = "a100", isa = "ptx", vendor = "NVIDIA", clock_ghz = 1.41,
  caches = {
    L1 = { size = "192KiB", line = 128, sector = 32, policy = "unknown" },
    L2 = { size = "40MiB", line = 128, sector = 32, policy = "unknown" },
  },
  latency = { L1 = 33.6, L2 = 206 },
  gpu = { arch = "sm_80", sm = 108, sides = 2, shared = "48KiB", memory = "80GiB" },
}
