-- Store forwarding: how long a value takes from a store to a load that needs it. Forwarding is fast where the load lies within
-- the store; where it needs bytes of two stores, it waits until both have left the store buffer.
local texts = {
  x86_64 = {
    same      = "movq {r0}, {memory}; movq {memory}, {r0}",
    low_half  = "movq {r0}, {memory}; movl {memory}, {r0:32}",
    high_half = "movq {r0}, {memory}; movl 4+{memory}, {r0:32}",
    two_stores = "movl {r0:32}, {memory}; movl {r0:32}, 4+{memory}; movq {memory}, {r0}",
  },
  aarch64 = {
    same      = "str {r0}, {memory}; ldr {r0}, {memory}",
    low_half  = "str {r0}, {memory}; ldr {r0:32}, {memory}",
    high_half = "str {r0}, {memory}; ldr {r0:32}, 4+{memory}",
    two_stores = "str {r0:32}, {memory}; str {r0:32}, 4+{memory}; ldr {r0}, {memory}",
  },
  riscv64 = {
    same      = "sd {r0}, {memory}; ld {r0}, {memory}",
    low_half  = "sd {r0}, {memory}; lw {r0}, {memory}",
    high_half = "sd {r0}, {memory}; lw {r0}, 4+{memory}",
    two_stores = "sw {r0}, {memory}; sw {r0}, 4+{memory}; ld {r0}, {memory}",
  },
}

benchmark {
  name   = "store-forwarding",
  title  = "From a store to the load of its bytes",
  sweep  = { load = { "same", "low_half", "high_half", "two_stores" } },
  where  = function(p, m) return (texts[m.isa] or {})[p.load] ~= nil end,
  -- The loop is one chain; its own closing instructions run beside the chain.
  loop   = { units = 1 },
  kernel = function(p, m) return { asm { [m.isa] = texts[m.isa][p.load], registers = 1, memory = 64 } } end,
  measure = { time = 0.05, reps = 5 },
  plot   = { x = "load", y = "pass.cycles", kind = "bars", xlabel = "What the load reads of the stored 8 bytes",
             ylabel = "Cycles from load to load" },
}
