-- AMD FirePro W9100 (Hawaii), the machine of Adhinarayanan et al. 2016: units, sizes, clock, voltage and distances are from its table
-- I, section VIII and table II. Shader engines, arrays and 16 L2 caches agree with the Linux kernel (gfx_v7_0.c), 64 KiB each with
-- Mesa (ac_gpu_info.c), L1's line with the kernel (kfd_crat.c). Address bits 11 to 8 choose the channel (the paper; the kernel's
-- GB_ADDR_CONFIG 0x12011003 says 256 bytes).
-- A quadrant is four channels; the paper does not say which: taking them in order is an assumption. L1's 4 and L2's 16 ways are GCN's.
-- Bandwidth in bytes per cycle: 64 for each L1 and each of 16 partitions (the paper, section VI), memory 512 bits at 5 GHz (data sheet).
-- The long path is 10.5 mm longer than the short one. The distances of quadrants 2 and 3 are not published: distance_mm = {
-- quadrant_1 =, quadrant_2 =, quadrant_3 = } in your own file (how much farther than quadrant 0 from engine 0) makes four-units a line.
-- One state of voltage and clock is published (the paper, table I and section VIII: 1.1687 V at 930 MHz, memory at 1250 MHz). A
-- card's other clocks are in its firmware and show in amdgpu's pp_dpm_sclk, pp_dpm_mclk: add vf or frequencies for more points of
-- dvfs, which --allow-state sets (state = { gpu_clock =, gpu_memory_clock =, gpu_fan = }; the paper ran the fan at high speed).
machine {
  name = "w9100", isa = "gcn", vendor = "AMD", clock_ghz = 0.93, vf = { { volts = 1.1687, ghz = 0.93 } },
  caches = {
    L1 = { size = "16KiB", ways = 4, line = 64, policy = "lru" },
    L2 = { size = "1MiB", ways = 16, line = 64, policy = "lru" },
  },
  gpu = {
    arch = "gfx701", se = 4, sh_per_se = 1, cu_per_sh = 11, wave = 64, block_threads = 256, l2_channels = 16,
    interleave = "256B", shared = "32KiB", memory = "16GiB",
    quadrants = { { 0, 1, 2, 3 }, { 4, 5, 6, 7 }, { 8, 9, 10, 11 }, { 12, 13, 14, 15 } },
    bandwidth = { L1 = 64, L2 = 1024, MEM = 344 },
    distance_mm = { register_l1 = 3.5, l1_l2 = 10.5, l2_mc = 11.5 },
  },
}
