-- AMD Instinct MI300X (gfx942) in the partition mode SPX, in which a program runs on all eight dies (XCD): 38 of 40 compute units
-- of each are on, in four shader engines; which two are off differs from die to die, and is assumed to be the last ones here.
-- Compute units, sizes of L1 and L2, memory: ROCm's table "AMD GPU specifications"; lines, L2's ways and clock: AMD's CDNA 3
-- whitepaper (2023). Four engines a die, two bits of HW_ID, and the die's number in XCC_ID: HIP's headers. Blocks go to the dies
-- in turn (ROCm, "MI300X workload optimization").
-- A program in the mode CPX sees one die (mi300x-cpx.lua); in DPX and QPX copy this file with xcc = 4 and 2.
-- L2's 16 channels per die are chosen by an unpublished hash: l2_channels is left out. L3 is Infinity Cache, beside memory and for all
-- dies: 256 MiB (ROCm's table), 16 ways, 17.2 TB/s (whitepaper).
-- Assumed: L1's ways and its 64 bytes per cycle, L3's lines. L2: 2048 bytes per cycle of each die (CDNA 3 whitepaper), memory 5.3 TB/s
-- (data sheet).
machine {
  name = "mi300x", isa = "gcn", vendor = "AMD", clock_ghz = 2.1,
  caches = {
    L1 = { size = "32KiB", ways = 64, line = 128, policy = "lru" },
    L2 = { size = "4MiB", ways = 16, line = 128, policy = "lru" },
    L3 = { size = "256MiB", ways = 16, line = 128, policy = "lru" },
  },
  gpu = {
    arch = "gfx942", xcc = 8, cu_per_xcc = 38, se = 4, sh_per_se = 1, cu_per_sh = 10, wave = 64, shared = "32KiB",
    memory = "192GiB", bandwidth = { L1 = 64, L2 = 16384, L3 = 8190, MEM = 2524 },
  },
}
