-- The recipe's own instructions: one text takes any registers, the other names its own, which the roles that had them
-- do without, and has memory.
benchmark {
  name   = "golden",
  kernel = function(p, m)
    return {
      load { miss_rate = { L1 = 0.5 }, address = "chase" },
      asm  { x86_64 = "bswapq {r0}; xorl {r0:32}, {r1:32}", registers = 2, count = 2 },
      asm  {
        x86_64 = [[
          mulq {r2}
          movq %rdx, 8+{memory}
          paddq %xmm7, {r3}
        ]],
        registers = { "rax", "rdx", "r11", "xmm6", "xmm7" },
        memory = 64,
      },
      add  { count = 2, dependents = 1 },
    }
  end,
  loop   = { units = 6 },
}
