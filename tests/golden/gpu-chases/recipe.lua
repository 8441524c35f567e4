benchmark {
  name = "golden", target = "ptx", loop = { units = 4 }, grid = { threads = 32 }, place = { sm = { 0, 1, 107 } },
  kernel = function()
    return {
      load { served_by = { SHARED = 0.5, L2 = 0.5 }, address = "chase", stride = "random" },
      fma { chain = 2 }, branch { divergence = 0.5 }, nop {},
    }
  end,
}
