-- Load latency against bandwidth: core 0 follows a chase that one level serves, while other cores read, write or copy data of that
-- level at a throttled rate. `trauma measure loaded` prints a curve per mix of reads and writes, with its knee and peak.
--
-- The chase uses served_by: single lines at random distances, which no prefetcher predicts, with most of its data in huge
-- pages where the system provides them. The bytes of the streams count while the chase runs. duty = 0 is the chase alone. A
-- duty is a share of the rate at which a stream's L1 would serve it, kept by a number of idle instructions; it is not a
-- bandwidth. Stores read a line before they write it, unless the processor detects that all of it is written: the bandwidth
-- counts the bytes that the program loads and stores. node = N places the data of chase and streams on that NUMA node.
local widths = { { 64, "avx512f" }, { 32, "avx" }, { 16, "sse2" } }

local function widest(m)
  local has = {}
  for _, feature in ipairs(m.features or { m.isa == "x86_64" and "sse2" }) do has[feature] = true end
  for _, width in ipairs(widths) do
    if has[width[2]] then return width[1] end
  end
  return m.isa == "aarch64" and 16 or 8
end

-- Number of cores that can stream beside the chase: those that share its L3, or all others.
local function others(level, m)
  local cores = m.cores or 2
  if level == "L3" then cores = math.min(cores, m.caches.L3 and m.caches.L3.shared_by or 1) end
  return cores - 1
end

-- Reads and writes of a mix.
local function parts_of(op)
  if op == "read" then return 1, 0 end
  if op == "write" then return 0, 1 end
  if op == "copy" then return 1, 1 end
  local reads, writes = op:match("^(%d+):(%d+)$")
  reads, writes = tonumber(reads), tonumber(writes)
  if not reads or reads + writes < 1 or reads + writes > 16 then
    error("op is '" .. op .. "': expected read, write, copy or N:M, reads to writes, of 1 to 16 together", 0)
  end
  return reads, writes
end

-- Bytes of all streams of one core: for L3, all cores together use half of the cache, and each more than L2; for memory
-- several times the cache.
local function stream_bytes(level, m, streams)
  local caches = m.caches
  local last = caches.L3 or caches.L2
  if level == "MEM" then return math.max(64 << 20, math.min(4 * last.size, 1 << 30) // streams) end
  local bytes = (last.effective or last.size) // 2 // streams
  if bytes < 2 * caches.L2.size then
    error(("L3 gives each of %d streams %d KiB, and L2 keeps %d KiB: fewer streams (--streams) leave L2"):format(
          streams, bytes // 1024, caches.L2.size // 1024), 0)
  end
  return bytes
end

-- The NUMA node of the data; nil: any.
local function node_of(p, m)
  if p.node == "any" then return nil end
  local known = {}
  for _, node in ipairs(m.nodes or { { id = 0 } }) do
    if node.id == p.node then return p.node end
    known[#known + 1] = node.id
  end
  error(("node is %s: the machine %s has %s"):format(p.node, m.name, (#known == 1 and "node " or "the nodes ")
        .. table.concat(known, ", ")), 0)
end

local function stream(p, m, streams)
  local reads, writes = parts_of(p.op)
  local width, walks = widest(m), (reads > 0 and 1 or 0) + (writes > 0 and 1 or 0)
  local bytes = stream_bytes(p.level, m, streams) // walks // 65536 * 65536
  local times = 8 // math.min(8, reads + writes)
  local function walk(count, data)
    return { working_set = bytes, width = width, stride = width, prefetch = "invite", count = count * times, data = data,
             node = node_of(p, m) }
  end
  return {
    reads > 0 and load(walk(reads)),
    writes > 0 and store(walk(writes, p.op == "copy" and "loaded" or nil)),
    p.duty < 1 and throttle { duty = p.duty, peak = "ports" },
  }
end

benchmark {
  name   = "loaded",
  title  = "Load latency against the bandwidth of other cores",
  sweep  = function(m)
    local levels = others("L3", m) > 0 and { "L3", "MEM" } or { "MEM" }
    return { level = levels, op = { "read", "write", "copy" }, duty = { 0, 0.002, 0.005, 0.01, 0.02, 0.05, 1 },
             streams = math.max(others("MEM", m), 1), node = "any" }
  end,
  loop   = { units = 1 },
  kernel = function(p, m)
    if p.level == "L3" and m.caches.L3 and others("L3", m) < 1 then
      error("no other core shares core 0's L3, as caches.L3.shared_by states: nothing can stream there; level = MEM can", 0)
    end
    local cores = { [0] = { load { served_by = { [p.level] = 1 }, address = "chase", count = math.min(1000, m.caches.L1I.size // 32),
                                    node = node_of(p, m) } } }
    local streams = p.level == "L3" and math.min(p.streams, math.max(others("L3", m), 1)) or p.streams
    if streams < 1 then error("streams is " .. p.streams .. ": expected at least 1 core that streams", 0) end
    for core = 1, p.duty > 0 and streams or 0 do cores[core] = stream(p, m, streams) end
    return { cores = cores }
  end,
  measure = { time = 0.03, reps = 5 },
  plot    = {
    { x = "loaded.bandwidth", y = "loaded.latency_ns", by = "op", kind = "lines", only = { level = "MEM" }, title = "Memory" },
    { x = "loaded.bandwidth", y = "loaded.latency_ns", by = "op", kind = "lines", only = { level = "L3" }, title = "L3" },
  },
}
