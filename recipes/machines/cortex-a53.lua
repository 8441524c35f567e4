-- Arm Cortex-A53, as in the Broadcom BCM2837 of the Raspberry Pi 3.
-- Source: Arm, "Cortex-A53 MPCore Processor Technical Reference Manual" (DDI 0500): L1D 4-way, pseudo-random replacement
-- (section 2.1.6), data micro TLB of 10 entries, fully associative (5.1). The rest as Linux has it for this chip
-- (arch/arm/boot/dts/bcm2837.dtsi, after the same manual): L1I 32 KiB 2-way, L1D 32 KiB, L2 512 KiB 16-way, lines of 64
-- bytes. The policies of L1I and L2 were not read, so none is given.
-- features: LLVM 19's -mcpu=cortex-a53, without the cryptographic ones, which are optional. per_cycle and ports: LLVM 19's
-- AArch64SchedA53.td, by llvm-mca. Left out are divisions and roots, whose time depends on the operands, and operations on 16
-- bytes, which the model does not distinguish from those on 8.
machine {
  name = "cortex-a53", isa = "aarch64", vendor = "Arm", issue_width = 2, cores = 4,
  caches = {
    L1I = { size = "32KiB",  ways = 2,  line = 64 },
    L1D = { size = "32KiB",  ways = 4,  line = 64, policy = "random" },
    L2  = { size = "512KiB", ways = 16, line = 64 },
  },
  tlb      = { data = { entries = 10, ways = 10, page = "4KiB" } },
  features = { "fp", "asimd", "crc32" },
  ports    = { load = 1, store = 1 },
  per_cycle = { add = 2, sub = 2, xor = 2, mul = 1, shift = 2, fadd = 1, fmul = 1, fma = 1 },
}
