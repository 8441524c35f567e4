-- Joseph, Brooks, Martonosi 2001, figure 14: power while one value is read from L1 repeatedly. Values are 2^n (bit)
-- and 2^n - 1 (mask); in the paper 2^n is flat and 2^n - 1 rises with n.
benchmark {
  name   = "data-activity",
  title  = "Power against the bits of one value read from L1",
  sweep  = { n = range(0, 32, 1), value = { "bit", "mask" } },
  kernel = function(p, m)
    local bits = p.value == "bit" and pattern.bit(p.n) or pattern.mask(p.n)
    return { load { served_by = { L1 = 1 }, data = bits } }
  end,
  -- The differences are small relative to the power: its axis does not start at 0, as in the paper.
  plot   = {
    { x = "n", y = "power.dynamic_w", by = "value", zero = false, xlabel = "n of 2^n (bit) and 2^n - 1 (mask)" },
    { x = "n", y = "ipc", by = "value", xlabel = "n of 2^n (bit) and 2^n - 1 (mask)" },
  },
}
