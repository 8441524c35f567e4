-- Throughput of tensor cores: 4 products of 64 by 128 numbers by four warps together (wgmma, of compute capability 9.0 alone)
-- beside the 64 of 16 by 8 that each of four warps makes alone for the same work (mma.sync). Each multiprocessor has one
-- block; 128 threads make 8 x 64 x 128 x depth operations per unit. The depth is 16, for numbers of 4 bytes 8, of one
-- byte 32.
benchmark {
  name   = "gpu-tensor",
  title  = "Products of matrices by four warps and by one",
  target = "ptx",
  sweep  = { type = { "f16", "bf16", "tf32", "fp8", "int8" }, warps = { 1, 4 }, threads = { 128, 512 } },
  grid   = function(p, m) return { blocks = m.gpu.sm, threads = p.threads } end,
  where  = function(p, m)
    local arch = tonumber(string.match(m.gpu.arch, "%d+"))
    if p.warps == 4 then return arch == 90 end
    return p.type == "f16" or arch >= 80 and p.type ~= "tf32" and (p.type ~= "fp8" or arch == 89 or arch >= 120)
  end,
  kernel = function(p)
    local one = { f16 = mma, bf16 = mma_bf16, fp8 = mma_fp8, int8 = mma_int8 }
    local four = { f16 = wgmma_f16, bf16 = wgmma_bf16, tf32 = wgmma_tf32, fp8 = wgmma_fp8, int8 = wgmma_int8 }
    local op = p.warps == 4 and four[p.type] or one[p.type]
    return { op { count = p.warps == 4 and 4 or 64, data = p.type ~= "tf32" and pattern.toggle(0.4) or nil } }
  end,
  expect = function(p)
    return { ["mix." .. (p.warps == 4 and "wgmma_" .. p.type or p.type == "f16" and "mma" or "mma_" .. p.type)] = { min = 0.4 } }
  end,
  measure = { time = 1, reps = 3 },
  plot   = { x = "threads", y = "unit.ns", by = "warps", only = { type = "f16" }, log = "xy", title = "Halves, by four warps and by one",
             xlabel = "Threads of a block", ylabel = "Time of a unit" },
}
