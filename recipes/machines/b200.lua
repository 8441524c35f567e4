-- NVIDIA B200 SXM (GB100), two dies that appear as one GPU: 148 multiprocessors, 126 MB of L2 in two parts, one of each die. Sizes: the
-- driver's report as printed by public device queries, and Chips and Cheese, "Nvidia's B200" (2025), whose L1 and shared memory of 256 KiB
-- are split as on H100. 1.965 GHz is the highest clock.
-- Latencies in cycles at that clock: 19.6 ns for L1 and some 150 ns for the near part of L2 (the same article). For L2_FAR and
-- MEM no published number was found: `trauma machine probe -t ptx` measures them.
-- Bandwidth in bytes per cycle: shared memory and L1 of a multiprocessor have 32 banks of 4 bytes (CUDA programming guide), memory 8 TB/s
-- by the data sheet: reads are assumed to reach all of it. L2's is not published.
machine {
  name = "b200", isa = "ptx", vendor = "NVIDIA", clock_ghz = 1.965,
  caches = {
    L1 = { size = "256KiB", line = 128, sector = 32, policy = "unknown" },
    L2 = { size = "126MiB", line = 128, sector = 32, policy = "unknown" },
  },
  latency = { L1 = 39, L2 = 295 },
  gpu = {
    arch = "sm_100", sm = 148, sides = 2, shared = "48KiB", memory = "180GiB",
    bandwidth = { SHARED = 128, L1 = 128, MEM = 4071 },
  },
}
