-- A die of an AMD Instinct MI300X in the partition mode CPX, in which a program sees one of eight (mi300x.lua has the sources): an L2, and,
-- in the memory mode NPS4, a quarter of memory and of the Infinity Cache beside it. Bandwidth of memory: an eighth of the whole.
machine {
  name = "mi300x-cpx", isa = "gcn", vendor = "AMD", clock_ghz = 2.1,
  caches = {
    L1 = { size = "32KiB", ways = 64, line = 128, policy = "lru" },
    L2 = { size = "4MiB", ways = 16, line = 128, policy = "lru" },
    L3 = { size = "64MiB", ways = 16, line = 128, policy = "lru" },
  },
  gpu = {
    arch = "gfx942", xcc = 1, cu_per_xcc = 38, se = 4, sh_per_se = 1, cu_per_sh = 10, wave = 64, shared = "32KiB",
    memory = "48GiB", bandwidth = { L1 = 64, L2 = 2048, MEM = 315 },
  },
}
