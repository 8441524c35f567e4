-- Apple M1, a performance core (Firestorm) as Linux sees it.
-- Source: Linux, arch/arm64/boot/dts/apple/t8103.dtsi: L1I 192 KiB, L1D 128 KiB, and 12 MiB of L2 for the four cores of the
-- cluster. Linux states no ways and lines for it, and Apple publishes none: those here are the ones that Ravichandran et al.,
-- "PACMAN" (ISCA 2022), report from the core's CCSIDR registers (cited, not checked again for this file). No replacement policy
-- is published, so none is given; the system cache behind L2 is left out, as its ways are not published either.
-- issue_width, ports and per_cycle: eight instructions decoded, six integer units of which two multiply, four vector units,
-- three loads and two stores (D. Johnson, "Apple Microarchitecture Research", Firestorm). Left out are divisions and roots, and
-- shifts, for which the units were not read. clock: 3.204 GHz (the same). features: LLVM 19's -mcpu=apple-m1.
machine {
  name = "apple-m1", isa = "aarch64", vendor = "Apple", clock_ghz = 3.204, issue_width = 8,
  caches = {
    L1I = { size = "192KiB", ways = 6,  line = 64 },
    L1D = { size = "128KiB", ways = 8,  line = 64 },
    L2  = { size = "12MiB",  ways = 12, line = 128, shared_by = 4 },
  },
  features = { "fp", "asimd", "aes", "pmull", "sha1", "sha2", "crc32", "atomics", "fphp", "asimdhp", "asimdrdm", "jscvt",
               "fcma", "lrcpc", "sha3", "asimddp", "sha512", "asimdfhm" },
  ports    = { load = 3, store = 2 },
  per_cycle = { add = 6, sub = 6, xor = 6, mul = 2, fadd = 4, fmul = 4, fma = 4,
                ["add.16"] = 4, ["sub.16"] = 4, ["xor.16"] = 4, ["fadd.16"] = 4, ["fmul.16"] = 4, ["fma.16"] = 4 },
}
