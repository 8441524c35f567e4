-- A pointer chase: each load gives the next one its address, through memory that holds its own address.
benchmark {
  name   = "golden",
  loop   = { units = 20 },
  kernel = function()
    return { load { miss_rate = { L1 = 0.5 }, address = "chase", order = "even" }, add { chain = 1 } }
  end,
}
