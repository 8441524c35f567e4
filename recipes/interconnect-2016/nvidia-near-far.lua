-- Adhinarayanan, Paul, Greathouse, Huang, Pattnaik, Feng 2016, "Measuring and modeling on-chip interconnect power on real
-- hardware", on chips whose L2 has two parts: all multiprocessors read lines whose home is on their own side (the short path),
-- or on the other (the long path). Programs, rates and data are the same; only the distance differs.
--
-- Assumed: a hash of the address chooses a line's home and is constant within 4 KiB (observed by others on H100 80 GB and
-- GH200; the runner checks it where it runs), and an atomic operation executes at the home, so that its latency reveals the
-- side. Not excluded: a multiprocessor first accesses its own part, which may keep a copy of a line of the other part
-- (NVIDIA's developers: "local caching node" and "point of coherence"). The second read of a far line is then a near one, and
-- l2.far_share, sectors that cross the fabric, is not 1: near-far-latency shows for which operator (cg, cv, no_allocate) it
-- is; --set cache=cv selects another here. nvidia-near-far-memory does not depend on it.
local sides = { "near", "far" }

-- No line is found in L1 (cg bypasses it).
local function read(pattern, cache)
  return load { served_by = { L2 = 1 }, cache = cache, width = 16, data = pattern, bus = 256 }
end

-- Four waves per scheduler, as many as a throttle's idle instruction takes cycles, and a loop that stays short with them.
local common = {
  grid = { threads = 512 },
  loop = { units = 14 },
  place = function(p) return { side = p.side } end,
  state = { gpu_clock = "base" },
  measure = { time = 20, reps = 3, idle_before = 10, idle_after = 10, subtract_start = true },
}

-- Section V: power over toggle rate and over bandwidth, for both paths.
benchmark {
  name    = "near-far",
  fit     = "interconnect",
  title   = "Short and long path: power over toggle rate and bandwidth",
  sweep   = { side = sides, toggle = { 0, 0.25, 0.5 }, bandwidth_share = { 0.25, 0.5, 0.75, 1 }, cache = "cg" },
  where   = function(p, m) return p.bandwidth_share == 1 or (m.gpu.bandwidth or {}).L2 ~= nil end,
  target  = "ptx",
  kernel  = function(p)
    local unit = { read(pattern.toggle(p.toggle), p.cache) }
    if p.bandwidth_share < 1 then unit[2] = throttle { duty = p.bandwidth_share } end
    return unit
  end,
  grid    = common.grid, loop = common.loop, place = common.place, state = common.state, measure = common.measure,
  plot    = {
    { x = "toggle", y = "power.dynamic_w", by = "side", only = { bandwidth_share = { 1 } }, fit = "linear",
      title = "Power over toggle rate at full bandwidth" },
    { x = "bandwidth_share", y = "power.dynamic_w", by = "side", only = { toggle = { 0.5 } }, fit = "linear",
      title = "Power over bandwidth, random data" },
    { x = "toggle", y = "power.dynamic_w", by = "side", relative = { side = "near" }, only = { bandwidth_share = { 1 } },
      title = "Long path over short path" },
    { x = "toggle", y = "l2.far_share", by = "side", only = { bandwidth_share = { 1 } }, kind = "points" },
  },
  tags    = { "interconnect-2016" },
}

-- The paper's patterns: their differences show effects that the model's product leaves out (arbiters, crosstalk).
local patterns = { zeros = pattern.zeros(), ones = pattern.ones(), As = pattern.alternating(), ["half-random"] = pattern.half_random(),
                   random = pattern.random() }

benchmark {
  name    = "near-far-patterns",
  fit     = "interconnect",
  title   = "Short and long path: the paper's data patterns",
  sweep   = { side = sides, pattern = { "zeros", "ones", "As", "half-random", "random" }, cache = "cg", bandwidth_share = 1 },
  target  = "ptx",
  kernel  = function(p) return { read(patterns[p.pattern], p.cache) } end,
  grid    = common.grid, loop = common.loop, place = common.place, state = common.state, measure = common.measure,
  plot    = { x = "pattern", y = "power.dynamic_w", by = "side", kind = "bars" },
  tags    = { "interconnect-2016" },
}

-- Over clocks: those of the machine file (frequencies), or --set ghz=0.6,1.2,1.8; --allow-state sets them.
benchmark {
  name    = "near-far-dvfs",
  fit     = "interconnect",
  title   = "Short and long path: power over clocks",
  sweep   = function(m) return { side = sides, ghz = m.frequencies or { m.clock_ghz or 1 }, cache = "cg", bandwidth_share = 1 } end,
  target  = "ptx",
  state   = function(p) return { gpu_clock = p.ghz } end,
  kernel  = function(p) return { read(pattern.random(), p.cache) } end,
  grid    = common.grid, loop = common.loop, place = common.place, measure = common.measure,
  plot    = { x = "ghz", xlabel = "Clock (GHz)", y = "power.dynamic_w", by = "side", fit = "cubic", title = "Power over clocks" },
  tags    = { "interconnect-2016" },
}
