-- NVIDIA H100 SXM 80 GB (GH100). Sizes: NVIDIA H100 whitepaper (2022). Latencies in cycles: microbenchmarks of the PCIe card as
-- published. L1 and shared memory share 256 KiB.
-- Bandwidth in bytes a cycle: shared memory and L1 of a multiprocessor (32 banks of 4 bytes, CUDA programming guide), memory 3352
-- GB/s at this clock (data sheet); L2 as A100's, which measurements of the family agree with (up to 10.3 TB/s).
machine {
  name = "h100", isa = "ptx", vendor = "NVIDIA", clock_ghz = 1.98,
  caches = {
    L1 = { size = "256KiB", line = 128, sector = 32, policy = "unknown" },
    L2 = { size = "50MiB", line = 128, sector = 32, policy = "unknown" },
  },
  latency = { L1 = 34.5, L2 = 265 },
  gpu = {
    arch = "sm_90", sm = 132, sides = 2, shared = "48KiB", memory = "80GiB",
    bandwidth = { SHARED = 128, L1 = 128, L2 = 5120, MEM = 1693 },
  },
}
