-- Nothing but one instruction: what the core fetches, decodes and executes of it at most. The loop is as long as L1I
-- allows, so that less than one instruction in 5,000 is the loop's own where L1I has 32 KiB.
benchmark {
  name  = "issue",
  title = "Instructions a cycle, of one kind alone",
  sweep = { op = { "nop", "add" } },
  loop  = { fill = "L1I" },
  kernel = function(p)
    return { p.op == "nop" and nop {} or add {} }
  end,
}
