-- Arm Neoverse V2, as in NVIDIA Grace: 72 cores.
-- Source: what Linux reports on one (lstopo in open-mpi/hwloc, issue 689; lscpu in archspec/archspec-json, issue 83): L1I and
-- L1D 64 KiB, L2 1 MiB per core, L3 114 MiB, 72 cores, up to 3.474 GHz. Ways: 4 for L1 and 8 for L2, those of the Neoverse
-- N2 and V1 manuals, whose caches have the same sizes; the V2's own manual (102375) was not read. L3 is left out: its ways
-- are not published. No replacement policy was read, so none is given.
-- issue_width: Laukemann et al., "Microarchitectural Comparison and In-core Modeling of State-of-the-art CPUs" (2024), eight
-- micro-operations. features: LLVM 19's -mcpu=neoverse-v2. per_cycle and ports: its AArch64SchedNeoverseV2.td, by llvm-mca.
-- Left out are divisions and roots, whose time depends on the operands.
machine {
  name = "neoverse-v2", isa = "aarch64", vendor = "Arm", clock_ghz = 3.474, issue_width = 8, cores = 72,
  caches = {
    L1I = { size = "64KiB", ways = 4, line = 64 },
    L1D = { size = "64KiB", ways = 4, line = 64 },
    L2  = { size = "1MiB",  ways = 8, line = 64 },
  },
  features = { "fp", "asimd", "crc32", "atomics", "fphp", "asimdhp", "asimdrdm", "jscvt", "fcma", "lrcpc", "asimddp", "sve",
               "asimdfhm", "sve2", "svebitperm", "i8mm", "bf16" },
  ports    = { load = 3, store = 2 },
  per_cycle = { add = 6, sub = 6, xor = 6, mul = 2, shift = 6, fadd = 4, fmul = 4, fma = 4,
                ["add.16"] = 4, ["sub.16"] = 4, ["xor.16"] = 4, ["shift.16"] = 2, ["fadd.16"] = 4, ["fmul.16"] = 4,
                ["fma.16"] = 4 },
}
