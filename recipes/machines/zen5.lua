-- AMD Zen 5, as in the Ryzen 9 9950X: one core and the 32 MiB L3 of its die of eight cores.
-- Source: AMD, "Software Optimization Guide for the AMD Zen5 Microarchitecture" (58455): L1I 32 KiB 8-way, L1D 48 KiB
-- 12-way with 4 cycles to an integer load, L2 1 MiB 16-way with 14 cycles, L3 16-way, L1 data TLB of 96 entries,
-- fully associative, eight macro-ops dispatched, four loads and two stores per cycle. clock: the 9950X's base, 4.3 GHz.
-- AMD publishes no replacement policy, so none is given; nor L3 cycles, which depend on the fabric's clock.
-- per_cycle: LLVM's X86ScheduleZnver5.td, after 58455's execution units (six ALUs, three of which multiply and three shift;
-- four vector pipes). Left out is what its sources disagree on: div, fsqrt (their time depends on the operands) and 64 bytes.
machine {
  name = "zen5", isa = "x86_64", vendor = "AMD", clock_ghz = 4.3, issue_width = 8,
  caches = {
    L1I = { size = "32KiB", ways = 8,  line = 64 },
    L1D = { size = "48KiB", ways = 12, line = 64 },
    L2  = { size = "1MiB",  ways = 16, line = 64 },
    L3  = { size = "32MiB", ways = 16, line = 64 },
  },
  tlb      = { data = { entries = 96, ways = 96, page = "4KiB" } },
  features = { "sse2", "sse3", "ssse3", "sse4_1", "sse4_2", "popcnt", "aes", "avx", "f16c", "fma", "bmi1", "bmi2",
               "avx2", "avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl", "avx512_vnni", "clflushopt",
               "pclmulqdq", "movbe", "rdrand", "abm", "rdseed", "adx", "clwb", "sha_ni", "gfni", "vaes", "vpclmulqdq",
               "avx_vnni", "avx512ifma", "avx512vbmi", "avx512_vbmi2", "avx512_bitalg", "avx512_vpopcntdq", "avx512_bf16" },
  latency  = { L1D = 4, L2 = 14 },
  ports    = { load = 4, store = 2 },
  per_cycle = { add = 6, sub = 6, xor = 6, mul = 3, shift = 3, fadd = 2, fmul = 2, fma = 2, fdiv = 0.2, ["fdiv.4"] = 0.3333,
                ["add.16"] = 4, ["sub.16"] = 4, ["xor.16"] = 4, ["mul.16"] = 2, ["shift.16"] = 2, ["fadd.16"] = 2,
                ["fmul.16"] = 2, ["fma.16"] = 2, ["fdiv.16"] = 0.2,
                ["add.32"] = 4, ["sub.32"] = 4, ["xor.32"] = 4, ["mul.32"] = 2, ["shift.32"] = 2, ["fadd.32"] = 2,
                ["fmul.32"] = 2, ["fma.32"] = 2, ["fdiv.32"] = 0.2 },
}
