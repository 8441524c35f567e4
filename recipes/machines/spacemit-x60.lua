-- SpacemiT X60, as in the SpacemiT K1: eight in two clusters, with vectors (V 1.0) of 256 bits.
-- Source: Linux, arch/riscv/boot/dts/spacemit/k1.dtsi: L1I and L1D 32 KiB with 128 sets (4-way), L2 512 KiB per cluster of four
-- with 512 sets (16-way), lines of 64 bytes, and the features that are named here. zvl256b: LLVM 19's -mcpu=spacemit-x60. No
-- replacement policy was read, so none is given. LLVM 19 has no scheduling model of it, so issue_width and per_cycle are left
-- out: `trauma machine probe -o FILE` measures them.
machine {
  name = "spacemit-x60", isa = "riscv64", vendor = "SpacemiT", cores = 8,
  caches = {
    L1I = { size = "32KiB",  ways = 4,  line = 64 },
    L1D = { size = "32KiB",  ways = 4,  line = 64 },
    L2  = { size = "512KiB", ways = 16, line = 64, shared_by = 4 },
  },
  features = { "m", "a", "f", "d", "c", "v", "zvl256b", "zba", "zbb", "zbc", "zbs", "zfh", "zicbop" },
}
