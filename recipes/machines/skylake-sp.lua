-- Intel Xeon Gold 6148 (Skylake-SP, 20 cores).
-- Source: Intel, "64 and IA-32 Architectures Optimization Reference Manual", Skylake Server microarchitecture: L1I
-- and L1D 32 KiB 8-way, L2 1 MiB 16-way, 4 and 14 cycles, four µops issued per cycle, data TLB for pages of 4 KiB with
-- 64 entries, 4-way, one for pages of 2 MiB with 32 entries, 4-way (CPUID's descriptor 63h says the same). L3: 20 slices
-- of 1.375 MiB, 11-way, are 27.5 MiB; 40960 sets, not a power of two. The manual gives 50 to 70 cycles for it, depending on the slice's distance, so no single number is given. clock: Intel's nominal 2.4 GHz.
-- Intel publishes no replacement policy, so none is given.
-- per_cycle: fadd and fdiv up to 32 bytes: uops.info, Skylake-X, measured; integer operations up to 16 bytes, and div of
-- operands like the kernels' own (64 and 32 bits by half as many): InstLatx64, GenuineIntel 0050654; the rest: LLVM's
-- X86SchedSkylakeServer.td, with the two 512-bit units of this model. fsqrt is left out: 4 to 6 cycles, by its operand.
machine {
  name = "skylake-sp", isa = "x86_64", vendor = "Intel", clock_ghz = 2.4, issue_width = 4,
  caches = {
    L1I = { size = "32KiB",    ways = 8,  line = 64 },
    L1D = { size = "32KiB",    ways = 8,  line = 64 },
    L2  = { size = "1MiB",     ways = 16, line = 64 },
    L3  = { size = "28160KiB", ways = 11, line = 64 },
  },
  tlb      = { data = { entries = 64, ways = 4, page = "4KiB" }, huge = { entries = 32, ways = 4 } },
  features = { "sse2", "sse3", "ssse3", "sse4_1", "sse4_2", "popcnt", "aes", "avx", "f16c", "fma", "bmi1", "bmi2",
               "avx2", "avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl", "clflushopt", "pclmulqdq", "movbe", "rdrand",
               "abm", "rdseed", "adx", "clwb" },
  latency  = { L1D = 4, L2 = 14 },
  per_cycle = { add = 4, sub = 4, xor = 4, mul = 1, shift = 2, div = 0.04724, ["div.4"] = 0.1667, fadd = 2, fmul = 2, fma = 2,
                fdiv = 0.25, ["fdiv.4"] = 0.3333,
                ["add.16"] = 3, ["sub.16"] = 3, ["xor.16"] = 3, ["mul.16"] = 2, ["shift.16"] = 2, ["fadd.16"] = 2,
                ["fmul.16"] = 2, ["fma.16"] = 2, ["fdiv.16"] = 0.25,
                ["add.32"] = 3, ["sub.32"] = 3, ["xor.32"] = 3, ["mul.32"] = 2, ["shift.32"] = 2, ["fadd.32"] = 2,
                ["fmul.32"] = 2, ["fma.32"] = 2, ["fdiv.32"] = 0.125,
                ["xor.64"] = 2, ["mul.64"] = 2, ["shift.64"] = 1, ["fadd.64"] = 2, ["fmul.64"] = 2, ["fma.64"] = 2,
                ["fdiv.64"] = 0.0625 },
}
