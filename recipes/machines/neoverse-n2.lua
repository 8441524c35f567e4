-- Arm Neoverse N2, as in the Alibaba Yitian 710.
-- Source: Arm, "Neoverse N2 Core Technical Reference Manual" (102099), tables 7-1, 8-1 and 9-1, as QEMU's
-- target/arm/tcg/cpu64.c quotes them: L1I and L1D 64 KiB 4-way with lines of 64 bytes, L2 512 KiB or 1 MiB (here) 8-way.
-- Its replacement policies were not read, so none is given; nor is a cache behind L2, which is each chip's own.
-- clock: up to 3.2 GHz; five instructions per cycle (Chips and Cheese, "ARM's Neoverse N2: Cortex A710 for Servers").
-- features: LLVM 19's -mcpu=neoverse-n2. per_cycle and ports: LLVM 19's AArch64SchedNeoverseN2.td, by llvm-mca; the article
-- found three adders where LLVM has four. Left out are divisions and roots, whose time depends on the operands.
machine {
  name = "neoverse-n2", isa = "aarch64", vendor = "Arm", clock_ghz = 3.2, issue_width = 5,
  caches = {
    L1I = { size = "64KiB", ways = 4, line = 64 },
    L1D = { size = "64KiB", ways = 4, line = 64 },
    L2  = { size = "1MiB",  ways = 8, line = 64 },
  },
  features = { "fp", "asimd", "crc32", "atomics", "fphp", "asimdhp", "asimdrdm", "jscvt", "fcma", "lrcpc", "asimddp", "sve",
               "asimdfhm", "sve2", "svebitperm", "i8mm", "bf16" },
  ports    = { load = 3, store = 2 },
  per_cycle = { add = 4, sub = 4, xor = 4, mul = 2, shift = 4, fadd = 2, fmul = 2, fma = 2,
                ["add.16"] = 2, ["sub.16"] = 2, ["xor.16"] = 2, ["shift.16"] = 1, ["fadd.16"] = 2, ["fmul.16"] = 2,
                ["fma.16"] = 2 },
}
