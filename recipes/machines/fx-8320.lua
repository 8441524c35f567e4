-- AMD FX-8320 (Vishera, family 15h model 02h, "Piledriver"): the machine of Su et al. 2014 (PPEP).
-- Sources: AMD, "Software Optimization Guide for AMD Family 15h Processors" (47414): L1D 16 KiB 4-way with 4 cycles,
-- L1I 64 KiB 2-way and L2 2 MiB 16-way with about 20 cycles, both shared by a module's two cores, four macro-ops
-- dispatched per cycle. Data TLB of 64 entries, fully associative (Bulldozer had 32), and an L3 of 8 MiB in 64 ways:
-- CPUID leaves 8000_0005h and 8000_0006h of this model. clock: the paper's VF5, 3.5 GHz; frequencies and vf: VF1 to VF5.
-- cu and cores: four modules of two cores.
-- AMD publishes no replacement policy, so none is given.
-- per_cycle: InstLatx64, AuthenticAMD 0600F20 (an FX-8350, the same cores), of one core alone in its module; div of operands like
-- the kernels' own (64 and 32 bits by half as many). fsqrt is left out: its forms differ by a fifth.
machine {
  name = "fx-8320", isa = "x86_64", vendor = "AMD", clock_ghz = 3.5, issue_width = 4, sockets = 1, cu = 4,
  cores = 8, frequencies = { 1.4, 1.7, 2.3, 2.9, 3.5 },
  vf = { { volts = 0.888, ghz = 1.4 }, { volts = 1.008, ghz = 1.7 }, { volts = 1.128, ghz = 2.3 },
         { volts = 1.242, ghz = 2.9 }, { volts = 1.320, ghz = 3.5 } },
  caches = {
    L1I = { size = "64KiB", ways = 2,  line = 64 },
    L1D = { size = "16KiB", ways = 4,  line = 64 },
    L2  = { size = "2MiB",  ways = 16, line = 64 },
    L3  = { size = "8MiB",  ways = 64, line = 64 },
  },
  tlb      = { data = { entries = 64, ways = 64, page = "4KiB" } },
  features = { "sse2", "sse3", "ssse3", "sse4_1", "sse4_2", "popcnt", "aes", "avx", "f16c", "fma", "fma4", "xop",
               "bmi1", "pclmulqdq", "abm" },
  latency  = { L1D = 4, L2 = 20 },
  per_cycle = { add = 2, sub = 2, xor = 2, shift = 2, mul = 0.25, ["mul.4"] = 0.48, div = 0.02326, ["div.4"] = 0.03704, fadd = 2,
                fmul = 2, fdiv = 0.1111, ["fdiv.4"] = 0.1188,
                ["add.16"] = 2, ["sub.16"] = 2, ["xor.16"] = 2, ["mul.16"] = 1, ["shift.16"] = 1, ["fadd.16"] = 2,
                ["fmul.16"] = 2, ["fdiv.16"] = 0.1111, ["fadd.32"] = 1, ["fmul.32"] = 1, ["fma.32"] = 0.9259,
                ["fdiv.32"] = 0.05556 },
}
