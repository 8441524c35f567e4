benchmark {
  name = "all", title = "t", tags = { "a" },
  sweep = { hit = { 0.5, 1 }, zip { a = range(1, 2), b = { 3, 4 } } },
  where = function(p) return p.hit < 1 end,
  loop = { units = 10 }, expect = { ipc = { min = 0.1 } }, measure = { time = 0.1, reps = 2 },
  plot = { x = "hit", y = "ipc" },
  kernel = function(p, m)
    return {
      load { served_by = { L1 = p.hit, L2 = 1 - p.hit }, order = "even", count = 2 },
      asm { x86_64 = "addq {r0}, {r1}; movq {memory}, %rax", registers = { "r9", "r10", "rax" }, memory = 64 },
      add { count = 2, dependents = 1 }, mul { chain = 2 }, nop { count = 3 },
      branch { accuracy = 0.9 }, branch { accuracy = 0.8, kind = "indirect" },
    }
  end,
}
