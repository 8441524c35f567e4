-- NVIDIA H200 SXM 141 GB (GH100 with HBM3e). Latencies in cycles: those published for the family's GH200 and H800.
-- Bandwidth in bytes a cycle: shared memory and L1 of a multiprocessor (32 banks of 4 bytes, CUDA programming guide), memory 4.8
-- TB/s at this clock (data sheet); L2 as A100's, which measurements agree with (9.7 to 10.3 TB/s).
machine {
  name = "h200", isa = "ptx", vendor = "NVIDIA", clock_ghz = 1.98,
  caches = {
    L1 = { size = "256KiB", line = 128, sector = 32, policy = "unknown" },
    L2 = { size = "50MiB", line = 128, sector = 32, policy = "unknown" },
  },
  latency = { SHARED = 29, L1 = 32.5, L2 = 280, L2_FAR = 414, MEM = 684 },
  gpu = {
    arch = "sm_90", sm = 132, sides = 2, shared = "48KiB", memory = "141GiB",
    bandwidth = { SHARED = 128, L1 = 128, L2 = 5120, MEM = 2424 },
  },
}
