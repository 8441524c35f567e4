-- AMD Opteron 6272 (Interlagos, family 15h model 01h, "Bulldozer"): the machine of Kestor et al. 2013.
-- Sources: AMD, "Software Optimization Guide for AMD Family 15h Processors" (47414): L1D 16 KiB 4-way, L1I 64 KiB 2-way and L2 2
-- MiB 16-way, both shared by a module's two cores, L1 data TLB of 32 entries, fully associative, four macro-ops dispatched per
-- cycle. The paper states 64 KB for L1D; the chip has 16.
-- L3: 8 MiB on each of the package's two dies (the paper, section V), 64-way (CPUID leaf 8000_0006h).
-- latency: the paper, section IV: 4, 20, 60 and 150 cycles. ports: the paper, section IV, two loads per cycle; 47414, one store.
-- sockets, cu and cores: two packages of eight modules of two cores. clock: AMD's nominal 2.1 GHz.
-- AMD publishes no replacement policy, so none is given.
-- per_cycle, not measured on this core: add, sub, xor, shift, fadd and fmul up to 16 bytes from InstLatx64 of the next core,
-- Piledriver (AuthenticAMD 0600F20), which has as many units (two ALUs; two FMACs, which a module's cores share); the rest from
-- LLVM's X86ScheduleBdVer2.td. Left out are divisions and roots, whose time depends on the operands.
machine {
  name = "interlagos", isa = "x86_64", vendor = "AMD", clock_ghz = 2.1, issue_width = 4, sockets = 2,
  cu = 16, cores = 32,
  caches = {
    L1I = { size = "64KiB", ways = 2,  line = 64 },
    L1D = { size = "16KiB", ways = 4,  line = 64 },
    L2  = { size = "2MiB",  ways = 16, line = 64 },
    L3  = { size = "8MiB",  ways = 64, line = 64 },
  },
  tlb      = { data = { entries = 32, ways = 32, page = "4KiB" } },
  features = { "sse2", "sse3", "ssse3", "sse4_1", "sse4_2", "popcnt", "aes", "avx", "fma4", "xop", "pclmulqdq", "abm" },
  latency  = { L1D = 4, L2 = 20, L3 = 60, MEM = 150 },
  ports    = { load = 2, store = 1 },
  per_cycle = { add = 2, sub = 2, xor = 2, shift = 2, mul = 0.25, ["mul.4"] = 0.5, fadd = 2, fmul = 2,
                ["add.16"] = 2, ["sub.16"] = 2, ["xor.16"] = 2, ["mul.16"] = 1, ["shift.16"] = 1, ["fadd.16"] = 2,
                ["fmul.16"] = 2, ["fadd.32"] = 1, ["fmul.32"] = 1 },
}
