-- NVIDIA Jetson AGX Thor (T5000 module, compute capability 11.0). 20 multiprocessors, 32 MiB of L2 and 228 KiB of shared memory
-- of each: the driver's report as printed by its users (NVIDIA developer forum 356355; TVM's target tag nvidia/jetson-agx-thor
-- has the same); L1 and shared memory of 256 KiB are split as on B200. The clock follows from NVIDIA's 517 TFLOP/s of dense FP8
-- (developer blog, 2025) and the 16384 operations per multiprocessor and cycle that follow from B200's 4.5 PFLOP/s: 1.575 GHz.
-- No published latency was found: `trauma machine probe -t ptx` measures them.
-- Bandwidth in bytes per cycle: shared memory and L1 of a multiprocessor have 32 banks of 4 bytes (CUDA programming guide), memory, LPDDR5X
-- that it shares with the processor, 273 GB/s at this clock: reads are assumed to reach all of it. L2's is not published.
machine {
  name = "thor", isa = "ptx", vendor = "NVIDIA", clock_ghz = 1.575,
  caches = {
    L1 = { size = "256KiB", line = 128, sector = 32, policy = "unknown" },
    L2 = { size = "32MiB", line = 128, sector = 32, policy = "unknown" },
  },
  gpu = {
    arch = "sm_110", sm = 20, sides = 1, shared = "48KiB", memory = "128GiB",
    bandwidth = { SHARED = 128, L1 = 128, MEM = 173 },
  },
}
