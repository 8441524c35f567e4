-- Time of a GPU's atomics by operation, scope, and the threads that share a word: one thread, a warp, a block, or all blocks.
-- Words of blocks less than a line apart share the line, except where dies with an L2 each would share it.
benchmark {
  name   = "atomics",
  title  = "Time of an atomic by who shares its word",
  target = { "ptx", "gcn" },
  sweep  = { op = { "add", "cas" }, address = { "thread", "warp", "block", "one" }, scope = { "gpu", "sys" } },
  where  = function(p, m) return (m.gpu.xcc or 1) == 1 or p.address ~= "one" end,
  grid   = function(p, m) return { blocks = m.gpu.sm, threads = 256 } end,
  kernel = function(p) return { atomic { op = p.op, address = p.address, scope = p.scope } } end,
  plot   = { x = "address", y = "atomic.ns", by = "op", only = { scope = "gpu" }, log = "y" },
}

benchmark {
  name   = "lines",
  title  = "Time of an atomic by the blocks that share its line",
  target = { "ptx", "gcn" },
  sweep  = { apart = { 4, 16, 32, 64, 128 } },
  where  = function(p, m) return (m.gpu.xcc or 1) == 1 or p.apart >= m.caches.L2.line end,
  grid   = function(p, m) return { blocks = m.gpu.sm, threads = 32 } end,
  kernel = function(p) return { atomic { op = "add", address = "block", apart = p.apart } } end,
  plot   = { x = "apart", y = "atomic.ns", log = "x" },
}
