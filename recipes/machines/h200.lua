-- NVIDIA H200 SXM 141 GB (GH100 with HBM3e), with all 60 MiB of L2 (PyTorch prints 60 MB for an H200; an H100 has 50). Multiprocessors
-- as in the H100, memory by the data sheet; 1.98 GHz is the highest clock.
-- Latencies in cycles: SHARED, near and far L2 as published for the family's H800 and GH200 (Luo et al. 2025 among them), none for an H200.
-- Bandwidth in bytes per cycle: shared memory and L1 of a multiprocessor have 32 banks of 4 bytes (CUDA programming guide). L2
-- 5120 is from A100's whitepaper; reads of an H200 were published at 9.7 to 10.5 TB/s (gpu-benches, te42kyfo on GitHub), 4900 to
-- 5300 at this clock. Memory is the rate that they reached, 3.89 TB/s, because a throttle is a share of the attainable rate; the
-- data sheet states 4.8.
machine {
  name = "h200", isa = "ptx", vendor = "NVIDIA", clock_ghz = 1.98,
  caches = {
    L1 = { size = "256KiB", line = 128, sector = 32, policy = "unknown" },
    L2 = { size = "60MiB", line = 128, sector = 32, policy = "unknown" },
  },
  latency = { SHARED = 29, L1 = 32.5, L2 = 280, L2_FAR = 414, MEM = 684 },
  gpu = {
    arch = "sm_90", sm = 132, sides = 2, shared = "48KiB", memory = "141GiB",
    bandwidth = { SHARED = 128, L1 = 128, L2 = 5120, MEM = 1964 },
  },
}
