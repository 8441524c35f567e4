-- A Vega 10 of which only what a program depends on is told.
machine {
  name = "small-vega", isa = "gcn", clock_ghz = 1.5,
  caches = { L1 = { size = "16KiB", ways = 4, line = 64 }, L2 = { size = "4MiB", ways = 16, line = 64 } },
  gpu = { arch = "gfx900", se = 4, sh_per_se = 1, cu_per_sh = 16, wave = 64, l2_channels = 16, interleave = "256B" },
}
