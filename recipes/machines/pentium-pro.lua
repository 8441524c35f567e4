-- Intel Pentium Pro, 200 MHz: the machine of Joseph, Brooks and Martonosi 2001.
-- Sources: the paper (clock, L1D 8 KiB 2-way with lines of 32 B, three cycles per load, three instructions per cycle);
-- Intel, "Pentium Pro Family Developer's Manual" and "Intel Architecture Optimization Manual" (L1I 4-way, L2 of
-- 256 KiB in the package, data TLB of 64 entries, 4-way; L2 at 6 cycles, three more than L1D; one load
-- and one store per cycle).
-- policy: assumed LRU, on which the paper's conflicting lines rely.
-- features: the real chip lacks SSE2. The x86-64 templates need it: code for this machine has the Pentium Pro's
-- cache geometry and runs on present processors.
-- per_cycle: by the P6 core's execution units (two ALUs, one of which multiplies and shifts), as they are commonly
-- described; not checked against a manual, nor measured. Left out are floating point, which was the x87's, and divisions, which had no 64 bits.
-- Its counters are those of the P6 family: `trauma sensors --events pentium-pro`.
machine {
  name = "pentium-pro", isa = "x86_64", vendor = "Intel", clock_ghz = 0.2, issue_width = 3,
  caches = {
    L1I = { size = "8KiB",   ways = 4, line = 32, policy = "lru" },
    L1D = { size = "8KiB",   ways = 2, line = 32, policy = "lru" },
    L2  = { size = "256KiB", ways = 4, line = 32, policy = "lru" },
  },
  tlb      = { data = { entries = 64, ways = 4, page = "4KiB" } },
  features = { "sse2" },
  latency  = { L1D = 3, L2 = 6 },
  ports    = { load = 1, store = 1 },
  per_cycle = { add = 2, sub = 2, xor = 2, mul = 1, shift = 1 },
}
