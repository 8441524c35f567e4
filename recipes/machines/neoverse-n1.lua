-- Arm Neoverse N1, as in the Ampere Altra.
-- Source: Arm, "Neoverse N1 Core Technical Reference Manual" (100616), sections A6.1 and A7.1, as pytorch/cpuinfo (pull
-- request 75) and QEMU's target/arm/tcg/cpu64.c quote it: L1I and L1D 64 KiB 4-way with lines of 64 bytes, L2 up to 1 MiB
-- 8-way. The manual says "pseudo-LRU" for L1, not which kind, so no policy is given. L2 of 1 MiB: pytorch/cpuinfo, pull
-- request 268. L3, the mesh's system cache: 32 MiB (Chips and Cheese, "Hot Chips 2023: Arm's Neoverse V2"), 16-way (WikiChip,
-- Neoverse N1). clock: up to 3 GHz (the former). WikiChip: four instructions decoded per cycle, 4 cycles to L1D.
-- features: LLVM 19's -mcpu=neoverse-n1. per_cycle and ports: LLVM 19's AArch64SchedNeoverseN1.td, by llvm-mca. Left out are
-- divisions and roots, whose time depends on the operands.
machine {
  name = "neoverse-n1", isa = "aarch64", vendor = "Arm", clock_ghz = 3, issue_width = 4,
  caches = {
    L1I = { size = "64KiB", ways = 4,  line = 64 },
    L1D = { size = "64KiB", ways = 4,  line = 64 },
    L2  = { size = "1MiB",  ways = 8,  line = 64 },
    L3  = { size = "32MiB", ways = 16, line = 64 },
  },
  features = { "fp", "asimd", "aes", "pmull", "sha1", "sha2", "crc32", "atomics", "fphp", "asimdhp", "asimdrdm", "lrcpc",
               "asimddp" },
  latency  = { L1D = 4 },
  ports    = { load = 2, store = 2 },
  per_cycle = { add = 3, sub = 3, xor = 3, mul = 0.3333, ["mul.4"] = 1, shift = 3, fadd = 2, fmul = 2, fma = 2,
                ["add.16"] = 2, ["sub.16"] = 2, ["xor.16"] = 2, ["shift.16"] = 1, ["fadd.16"] = 2, ["fmul.16"] = 2,
                ["fma.16"] = 2 },
}
