-- Load latency of a GPU's L2 and memory against the bandwidth of other blocks: grid 0 is blocks of one thread that follow a
-- chase, grid 1 blocks that stream from the same level meanwhile. `trauma measure loaded -m h100` prints a curve for each level,
-- of reads and of writes.
--
-- Both grids are launched at the same time, each on a stream of its own. duty = 0 is the chase alone. If the machine file has
-- the level's bandwidth, a duty is a share of it, kept by idle instructions. Otherwise, as for a detected machine, a duty is
-- the share of the blocks that stream, as fast as they can. The bandwidth of a row is measured, whatever its duty.

-- Number of multiprocessors that chase with one thread; all others can stream. Several, because their distances from a level
-- differ.
local function chasers(m) return math.max(m.gpu.sm // 32, 1) end

local function throttled(p, m) return m.gpu.bandwidth and m.gpu.bandwidth[p.level] ~= nil end

-- Reads and writes of a unit.
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

benchmark {
  name   = "loaded",
  title  = "Load latency against the bandwidth of other blocks",
  target = "ptx",
  sweep  = function(m)
    return { level = { "L2", "MEM" }, op = { "read", "write" }, duty = { 0, 0.125, 0.25, 0.5, 0.75, 1 },
             streams = m.gpu.sm - chasers(m) }
  end,
  grid   = function(p, m)
    if p.grid == 0 then return { blocks = chasers(m), threads = 1 } end
    return { blocks = throttled(p, m) and p.streams or math.max(math.floor(p.streams * p.duty), 1), threads = 512 }
  end,
  loop   = function(p)
    local reads, writes = parts_of(p.op)
    -- Short, as units may have many idle instructions.
    return p.grid == 1 and { units = math.max(4 // (reads + writes), 1) } or nil
  end,
  kernel = function(p, m)
    local served = { [p.level] = 1 }
    local chase = { load { served_by = served, address = "chase", stride = "random", lane = 128 } }
    local reads, writes = parts_of(p.op)
    if p.duty == 0 then return { grids = { [0] = chase } } end
    return { grids = { [0] = chase, [1] = {
      reads > 0 and load { served_by = served, width = 16, count = reads },
      writes > 0 and store { served_by = served, width = 16, count = writes },
      p.duty < 1 and throttled(p, m) and throttle { duty = p.duty },
    } } }
  end,
  measure = { time = 0.05, reps = 5 },
  plot    = {
    { x = "loaded.bandwidth", y = "loaded.latency_ns", by = "op", kind = "lines", only = { level = "MEM" }, title = "Memory",
      xlabel = "Bandwidth of the other blocks (GB/s)", ylabel = "Load latency (ns)" },
    { x = "loaded.bandwidth", y = "loaded.latency_ns", by = "op", kind = "lines", only = { level = "L2" }, title = "L2",
      xlabel = "Bandwidth of the other blocks (GB/s)", ylabel = "Load latency (ns)" },
  },
}
