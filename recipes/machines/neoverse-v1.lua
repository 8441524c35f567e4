-- Arm Neoverse V1, as in AWS's Graviton3: 64 cores, SVE with vectors of 256 bits.
-- Source: Arm, "Neoverse V1 Core Technical Reference Manual" (101427), chapter 2, as QEMU's target/arm/tcg/cpu64.c quotes it: L1I
-- and L1D 64 KiB 4-way, L2 512 KiB or 1 MiB 8-way, lines of 64 bytes, SVE lengths of 128 and 256 bits. No replacement policy was
-- read, so none is given. Clock, cores: WikiChip, Neoverse V1: 2.6 GHz, 64. L3 is left out: its ways are not published.
-- issue_width is left out: what was read disagrees. features: LLVM 19's -mcpu=neoverse-v1, and sve256 for the length. per_cycle
-- and ports: its AArch64SchedNeoverseV1.td, by llvm-mca. Left out are divisions and roots, whose time depends on the operands.
machine {
  name = "neoverse-v1", isa = "aarch64", vendor = "Arm", clock_ghz = 2.6, cores = 64,
  caches = {
    L1I = { size = "64KiB", ways = 4, line = 64 },
    L1D = { size = "64KiB", ways = 4, line = 64 },
    L2  = { size = "1MiB",  ways = 8, line = 64 },
  },
  features = { "fp", "asimd", "aes", "pmull", "sha1", "sha2", "crc32", "atomics", "fphp", "asimdhp", "asimdrdm", "jscvt", "fcma",
               "lrcpc", "sha3", "sm3", "sm4", "asimddp", "sha512", "sve", "sve256", "asimdfhm", "i8mm", "bf16" },
  ports    = { load = 3, store = 2 },
  per_cycle = { add = 4, sub = 4, xor = 4, mul = 2, shift = 4, fadd = 4, fmul = 4, fma = 4,
                ["add.16"] = 4, ["sub.16"] = 4, ["xor.16"] = 4, ["mul.16"] = 2, ["shift.16"] = 2, ["fadd.16"] = 4, ["fmul.16"] = 4,
                ["fma.16"] = 4, ["add.32"] = 2, ["sub.32"] = 2, ["xor.32"] = 2, ["mul.32"] = 0.5, ["shift.32"] = 1,
                ["fadd.32"] = 2, ["fmul.32"] = 2, ["fma.32"] = 2 },
}
