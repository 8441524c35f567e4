-- SiFive U74, as in the SiFive FU740-C000 (HiFive Unmatched): four of them.
-- Source: Linux, arch/riscv/boot/dts/sifive/fu740-c000.dtsi: L1I 32 KiB with 128 sets (4-way), L1D 32 KiB with 64 sets (8-way),
-- L2 2 MiB with 2048 sets (16-way), lines of 64 bytes, data TLB of 40 entries in one set. SiFive, "U74 Core Complex Manual":
-- random replacement in both L1 caches (cited, not checked again for this file); L2's policy was not found.
-- issue_width, ports and per_cycle: LLVM 19's RISCVSchedSiFive7.td, by llvm-mca. Left out are divisions and roots, whose time
-- depends on the operands.
machine {
  name = "sifive-u74", isa = "riscv64", vendor = "SiFive", issue_width = 2, cores = 4,
  caches = {
    L1I = { size = "32KiB", ways = 4,  line = 64, policy = "random" },
    L1D = { size = "32KiB", ways = 8,  line = 64, policy = "random" },
    L2  = { size = "2MiB",  ways = 16, line = 64 },
  },
  tlb      = { data = { entries = 40, ways = 40, page = "4KiB" } },
  features = { "m", "a", "f", "d", "c" },
  ports    = { load = 1, store = 1 },
  per_cycle = { add = 2, sub = 2, xor = 2, mul = 1, shift = 2, fadd = 1, fmul = 1, fma = 1 },
}
