-- NVIDIA H100 SXM 80 GB (GH100). Multiprocessors and sizes: NVIDIA H100 whitepaper (2022); 1.98 GHz is the highest clock. L1 and
-- shared memory share 256 KiB, L2 has two parts.
-- Latencies in cycles: those of the PCIe card, at 1755 MHz, as published by gpu-benches (te42kyfo on GitHub); L2_FAR is for arrays of
-- 35 to 47 MB, which one part does not hold.
-- Bandwidth in bytes per cycle: shared memory and L1 of a multiprocessor have 32 banks of 4 bytes (CUDA programming guide; L1 was
-- measured at 126). L2 is as measured on the family's H200, memory 3352 GB/s by the data sheet: reads are assumed to reach all of it.
machine {
  name = "h100", isa = "ptx", vendor = "NVIDIA", clock_ghz = 1.98,
  caches = {
    L1 = { size = "256KiB", line = 128, sector = 32, policy = "unknown" },
    L2 = { size = "50MiB", line = 128, sector = 32, policy = "unknown" },
  },
  latency = { L1 = 34.2, L2 = 265.5, L2_FAR = 475, MEM = 650 },
  gpu = {
    arch = "sm_90", sm = 132, sides = 2, shared = "48KiB", memory = "80GiB",
    bandwidth = { SHARED = 128, L1 = 128, L2 = 5120, MEM = 1693 },
  },
}
