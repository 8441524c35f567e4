-- Arm Cortex-A72, as in the Annapurna Labs Alpine V3: a cluster of four cores.
-- Source: Linux, arch/arm64/boot/dts/amazon/alpine-v3.dtsi: L1I 48 KiB with 256 sets (3-way), L1D 32 KiB with 256 sets (2-way),
-- L2 2 MiB with 2048 sets (16-way), lines of 64 bytes. Arm, "Cortex-A72 MPCore Processor Technical Reference Manual" (100095):
-- L2's policy is pseudo-LRU or pseudo-random, as software chooses (section 7.1), so none is given; L1's was not read.
-- Data TLB: 32 entries, fully associative, and three instructions decoded per cycle (Wikipedia, ARM Cortex-A72).
-- features: LLVM 19's -mcpu=cortex-a72. per_cycle and ports: LLVM 19's model of it, AArch64SchedA57.td, by llvm-mca. Left out
-- are divisions and roots, whose time depends on the operands.
machine {
  name = "cortex-a72", isa = "aarch64", vendor = "Arm", issue_width = 3,
  caches = {
    L1I = { size = "48KiB", ways = 3,  line = 64 },
    L1D = { size = "32KiB", ways = 2,  line = 64 },
    L2  = { size = "2MiB",  ways = 16, line = 64 },
  },
  tlb      = { data = { entries = 32, ways = 32, page = "4KiB" } },
  features = { "fp", "asimd", "aes", "pmull", "sha1", "sha2", "crc32" },
  ports    = { load = 1, store = 1 },
  per_cycle = { add = 2, sub = 2, xor = 2, mul = 1, shift = 2, fadd = 2, fmul = 2, fma = 2,
                ["add.16"] = 2, ["sub.16"] = 2, ["xor.16"] = 2, ["shift.16"] = 2, ["fadd.16"] = 1, ["fmul.16"] = 1,
                ["fma.16"] = 1 },
}
