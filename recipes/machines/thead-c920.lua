-- T-Head C920, as in the Sophgo SG2042: clusters of four cores.
-- Source: Linux, arch/riscv/boot/dts/sophgo/sg2042-cpus.dtsi: L1I and L1D 64 KiB with 512 sets (2-way), L2 1 MiB per cluster
-- with 1024 sets (16-way), lines of 64 bytes, rv64imafdc; its vectors are of a draft (0.7.1) that differs from RISC-V's V, so
-- they are not a feature. Sophgo, "SG2042 Technical Reference Manual" (abstract): 64 cores, 2.0 GHz, L3 64 MiB, which is left
-- out, as its ways are not published. No replacement policy was read, so none is given. LLVM 19 has no scheduling model of it
-- and T-Head publishes no rates, so per_cycle is left out: `trauma machine probe -o FILE` measures it.
machine {
  name = "thead-c920", isa = "riscv64", vendor = "T-Head", clock_ghz = 2, cores = 64,
  caches = {
    L1I = { size = "64KiB", ways = 2,  line = 64 },
    L1D = { size = "64KiB", ways = 2,  line = 64 },
    L2  = { size = "1MiB",  ways = 16, line = 64, shared_by = 4 },
  },
  features = { "m", "a", "f", "d", "c" },
}
