-- AMD Instinct MI325X: an MI300X (mi300x.lua has the sources) with 256 GiB of memory at 6 TB/s (data sheet).
machine {
  name = "mi325x", isa = "gcn", vendor = "AMD", clock_ghz = 2.1,
  caches = {
    L1 = { size = "32KiB", ways = 64, line = 128, policy = "lru" },
    L2 = { size = "4MiB", ways = 16, line = 128, policy = "lru" },
    L3 = { size = "256MiB", ways = 16, line = 128, policy = "lru" },
  },
  gpu = {
    arch = "gfx942", xcc = 8, cu_per_xcc = 38, se = 4, sh_per_se = 1, cu_per_sh = 10, wave = 64, shared = "32KiB",
    memory = "256GiB", bandwidth = { L1 = 64, L2 = 16384, L3 = 8190, MEM = 2857 },
  },
}
