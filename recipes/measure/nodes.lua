-- Load latency and bandwidth of memory by NUMA node, also nodes without processors such as CXL memory: the rows are where the
-- program runs, the columns where its data is. The program binds its data to the node, queries the kernel for the node of
-- each page, and refuses to run if that is another node. `trauma measure latency --node all` and
-- `trauma measure bandwidth --node all` print the matrix, --node N one column.
--
-- Without nodes in the machine file, node 0 is measured from the processors of node 0. The bandwidth is that of all
-- processors of the node together: each runs a copy of the program.
local widths = { { 64, "avx512f" }, { 32, "avx" }, { 16, "sse2" } }

local function widest(m)
  local has = {}
  for _, feature in ipairs(m.features or { m.isa == "x86_64" and "sse2" }) do has[feature] = true end
  for _, width in ipairs(widths) do
    if has[width[2]] then return width[1] end
  end
  return m.isa == "aarch64" and 16 or 8
end

local function nodes(m)
  return m.nodes or { { id = 0, cores = m.cores or 1 } }
end

-- Numbers of all nodes, or of the nodes with processors.
local function numbers(m, processors)
  local found = {}
  for _, node in ipairs(nodes(m)) do
    if not processors or node.cores > 0 then found[#found + 1] = node.id end
  end
  return found
end

local function check(p, m)
  local known = numbers(m)
  for _, number in ipairs(known) do
    if number == p.node then return end
  end
  error(("node is %s: the machine %s has %s"):format(p.node, m.name, (#known == 1 and "node " or "the nodes ")
        .. table.concat(known, ", ")), 0)
end

-- Bytes of one copy: together several times the last cache.
local function bytes(p, m)
  local last, copies = (m.caches.L3 or m.caches.L2).size, 1
  for _, node in ipairs(nodes(m)) do
    if node.id == p.from then copies = math.max(node.cores, 1) end
  end
  return math.max(16 << 20, math.min(math.max(256 << 20, 4 * last), 1 << 30) // copies) // 65536 * 65536
end

benchmark {
  name   = "node-latency",
  title  = "Load latency of memory by NUMA node",
  sweep  = function(m) return { from = numbers(m, true), node = numbers(m) } end,
  kernel = function(p, m)
    check(p, m)
    return { load { served_by = { MEM = 1 }, address = "chase", node = p.node } }
  end,
  threads = 1,
  place  = function(p) return { node = p.from } end,
  plot   = { x = "node", y = "latency.MEM_ns", by = "from", kind = "bars", xlabel = "Node of the data" },
}

benchmark {
  name   = "node-bandwidth",
  title  = "Bandwidth of memory by NUMA node",
  sweep  = function(m) return { from = numbers(m, true), node = numbers(m), op = { "read" } } end,
  loop   = { units = 8 },
  kernel = function(p, m)
    check(p, m)
    local size, width = bytes(p, m), widest(m)
    local function walk(part, data)
      return { working_set = part, width = width, stride = width, prefetch = "invite", data = data, node = p.node }
    end
    if p.op == "read" then return { load(walk(size)) } end
    if p.op == "write" then return { store(walk(size)) } end
    if p.op == "copy" then return { load(walk(size // 2)), store(walk(size // 2, "loaded")) } end
    error("op is '" .. p.op .. "': expected read, write or copy", 0)
  end,
  place  = function(p) return { node = p.from } end,
  plot   = { x = "node", y = "bandwidth.MEM", by = "from", kind = "bars", xlabel = "Node of the data" },
}
