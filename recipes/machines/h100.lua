-- NVIDIA H100 SXM 80 GB (GH100). Sizes: NVIDIA H100 whitepaper (2022). Latencies in cycles: microbenchmarks of the PCIe card as
-- published. L1 and shared memory share 256 KiB.
machine {
  name = "h100", isa = "ptx", vendor = "NVIDIA", clock_ghz = 1.98,
  caches = {
    L1 = { size = "256KiB", line = 128, sector = 32, policy = "unknown" },
    L2 = { size = "50MiB", line = 128, sector = 32, policy = "unknown" },
  },
  latency = { L1 = 34.5, L2 = 265 },
  gpu = { arch = "sm_90", sm = 132, sides = 2, shared = "48KiB", memory = "80GiB" },
}
