-- The highest rate at which the core fetches, decodes and executes a single instruction. The loop fills L1I, so that loop
-- overhead is below one instruction in 5,000 where L1I has 32 KiB.
benchmark {
  name  = "issue",
  title = "Instructions a cycle, of one kind alone",
  sweep = { op = { "nop", "add" } },
  loop  = { fill = "L1I" },
  kernel = function(p)
    return { p.op == "nop" and nop {} or add {} }
  end,
}
