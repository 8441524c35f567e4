-- Load latency of a GPU's L2 and memory against the bandwidth of other blocks: grid 0 is blocks of one thread that follow a
-- chase, grid 1 blocks that stream from the same level meanwhile. `trauma measure loaded -m h100` prints a curve per level and kind of access.
--
-- Both grids are launched at the same time, each on a stream of its own. duty = 0 is the chase alone. Where the machine file has the
-- level's bandwidth, a duty is a share of it, by idle instructions, on all other multiprocessors; elsewhere, as for a detected
-- machine, so many blocks stream as fast as they can. The bandwidth of a row is counted, whatever its duty.

-- Multiprocessors whose one thread chases; all others can stream. Several, as they are not equally far from a level.
local function chasers(m) return math.max(m.gpu.sm // 32, 1) end

benchmark {
  name   = "loaded",
  title  = "Load latency against the bandwidth of other blocks",
  target = "ptx",
  sweep  = function(m)
    local others = m.gpu.sm - chasers(m)
    local sweep = { level = { "L2", "MEM" }, op = { "read", "write", "copy" }, duty = { 0, 1 }, streams = { others } }
    if m.gpu.bandwidth then
      sweep.duty = { 0, 0.1, 0.2, 0.4, 0.6, 0.8, 1 }
    else
      for _, part in ipairs { 2, 4, 8, 16 } do
        if others // part > 0 then table.insert(sweep.streams, 1, others // part) end
      end
    end
    return sweep
  end,
  -- One point alone has no streams.
  where  = function(p, m) return p.duty > 0 or p.streams == m.gpu.sm - chasers(m) end,
  grid   = function(p, m)
    return p.grid == 0 and { blocks = chasers(m), threads = 1 } or { blocks = p.streams, threads = 512 }
  end,
  loop   = function(p) return p.grid == 1 and { units = 8 } or nil end,
  kernel = function(p, m)
    local served = { [p.level] = 1 }
    local chase = { load { served_by = served, address = "chase", stride = "random", lane = 128 } }
    if p.duty == 0 then return { grids = { [0] = chase } } end
    return { grids = { [0] = chase, [1] = {
      p.op ~= "write" and load { served_by = served, width = 16 },
      p.op ~= "read" and store { served_by = served, width = 16 },
      p.duty < 1 and throttle { duty = p.duty },
    } } }
  end,
  measure = { time = 0.05, reps = 5 },
  plot    = {
    { x = "loaded.bandwidth", y = "loaded.latency_ns", by = "op", kind = "lines", only = { level = "MEM" }, title = "Memory" },
    { x = "loaded.bandwidth", y = "loaded.latency_ns", by = "op", kind = "lines", only = { level = "L2" }, title = "L2" },
  },
}
