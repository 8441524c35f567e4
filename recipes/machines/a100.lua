-- NVIDIA A100 SXM 80 GB (GA100). Multiprocessors, sizes and clock: NVIDIA A100 whitepaper (2020). L1 and shared memory share 192
-- KiB, L2 has two parts. The 2024 paper's card has the PCIe board's base clock (1065 MHz); the chip is the same.
-- Latencies in cycles: a chase by one warp at 1410 MHz as published by gpu-benches (te42kyfo on GitHub); L2_FAR is for arrays of
-- 32 to 39 MB, which one part does not hold. Other measurements found 33.6 for L1 and 206 for near L2.
-- Bandwidth in bytes per cycle: shared memory and L1 of a multiprocessor have 32 banks of 4 bytes (CUDA programming guide; L1 was
-- measured at 126). L2 and memory are the rates that reads reached there, 5.4 and 1.73 TB/s, because a throttle is a share of the
-- attainable rate: the whitepaper states 5120 bytes per cycle for L2, the data sheet 2039 GB/s for memory.
machine {
  name = "a100", isa = "ptx", vendor = "NVIDIA", clock_ghz = 1.41,
  caches = {
    L1 = { size = "192KiB", line = 128, sector = 32, policy = "unknown" },
    L2 = { size = "40MiB", line = 128, sector = 32, policy = "unknown" },
  },
  latency = { L1 = 36, L2 = 211, L2_FAR = 424, MEM = 571 },
  gpu = {
    arch = "sm_80", sm = 108, sides = 2, shared = "48KiB", memory = "80GiB",
    bandwidth = { SHARED = 128, L1 = 128, L2 = 3830, MEM = 1227 },
  },
}
