-- Intel Xeon Gold 6148 (Skylake-SP, 20 cores).
-- Source: Intel, "64 and IA-32 Architectures Optimization Reference Manual", Skylake Server microarchitecture: L1I
-- and L1D 32 KiB 8-way, L2 1 MiB 16-way, 4 and 14 cycles, four µops issued per cycle, data TLB for pages of 4 KiB with
-- 64 entries, 4-way. L3: 20 slices of 1.375 MiB, 11-way, are 27.5 MiB; 40960 sets, not a power of two. The manual gives
-- 50 to 70 cycles for it, depending on the slice's distance, so no single number is given. clock: Intel's nominal 2.4 GHz.
-- Intel publishes no replacement policy, so none is given.
machine {
  name = "skylake-sp", isa = "x86_64", vendor = "Intel", clock_ghz = 2.4, issue_width = 4,
  caches = {
    L1I = { size = "32KiB",    ways = 8,  line = 64 },
    L1D = { size = "32KiB",    ways = 8,  line = 64 },
    L2  = { size = "1MiB",     ways = 16, line = 64 },
    L3  = { size = "28160KiB", ways = 11, line = 64 },
  },
  tlb      = { data = { entries = 64, ways = 4, page = "4KiB" } },
  features = { "sse2", "sse3", "ssse3", "sse4_1", "sse4_2", "popcnt", "aes", "avx", "f16c", "fma", "bmi1", "bmi2",
               "avx2", "avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl", "clflushopt", "pclmulqdq", "movbe", "rdrand",
               "abm", "rdseed", "adx", "clwb" },
  latency  = { L1D = 4, L2 = 14 },
}
