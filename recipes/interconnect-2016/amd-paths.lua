-- Adhinarayanan, Paul, Greathouse, Huang, Pattnaik, Feng 2016, "Measuring and modeling on-chip interconnect power on real
-- hardware", sections IV and V, on AMD's GPUs. One shader engine reads one quadrant of L2, either near it (the short path) or
-- near another engine (the long path). Operations, rates and data are the same; only the distance differs.
-- gpu.quadrants lists the channels of each quadrant: a machine without it has no such points.
local paths = { "short", "long" }
local engine = { short = 0, long = 1 }

-- All L2 hits, no L1 hits: the paper's GPU had an L1 of 4 KiB through other firmware; l2 bypasses L1 (GLC).
local function read(pattern)
  return load { served_by = { L2 = 1 }, cache = "l2", data = pattern }
end

local function quadrant(m, number) return (m.gpu.quadrants or {})[number + 1] end
local function known(_, m)
  if quadrant(m, 1) then return true end
  error("the machine " .. m.name .. " does not state which channels of L2 are near which shader engine; expected gpu.quadrants", 0)
end

-- Four blocks per compute unit: enough waves in flight to saturate the interconnect and hide the longer path.
local common = {
  grid    = function(_, m) return { blocks = 4 * m.gpu.sm, threads = 256 } end,
  loop    = { units = 16 },
  place   = function(p, m) return { se = engine[p.path], l2_channels = quadrant(m, 0) } end,
  state   = { gpu_clock = "base" },
  measure = { time = 20, reps = 3, idle_before = 10, idle_after = 10, subtract_start = true },
}

-- Figures 5a, 7b and 9: power over toggle rate, and over bandwidth, which idle instructions (s_nop) reduce to a share of what the
-- four channels of the quadrant send.
benchmark {
  name    = "paths",
  fit     = "interconnect",
  title   = "Short and long path: power over toggle rate and bandwidth",
  target  = "gcn",
  sweep   = { path = paths, toggle = { 0, 0.25, 0.5 }, bandwidth_share = { 0.5, 1 } },
  where   = function(p, m)
    return known(p, m) and (p.bandwidth_share == 1 or (m.gpu.bandwidth or {}).L2 ~= nil)
  end,
  kernel  = function(p)
    local unit = { read(pattern.toggle(p.toggle)) }
    if p.bandwidth_share < 1 then unit[2] = throttle { duty = p.bandwidth_share } end
    return unit
  end,
  grid    = common.grid, loop = common.loop, place = common.place, state = common.state, measure = common.measure,
  plot    = {
    { x = "toggle", y = "power.dynamic_w", by = "path", only = { bandwidth_share = { 1 } }, fit = "linear",
      title = "Power over toggle rate at full bandwidth" },
    { x = "bandwidth_share", y = "power.dynamic_w", by = "path", only = { toggle = { 0.5 } }, kind = "bars",
      title = "Power over bandwidth, random data" },
    { x = "toggle", y = "power.dynamic_w", by = "path", relative = { path = "short" }, only = { bandwidth_share = { 1 } },
      title = "Long path over short path" },
  },
  tags    = { "interconnect-2016" },
}

-- Figures 6 and 7a: the differences between these patterns show effects that the model's product leaves out (arbiters,
-- crosstalk).
local patterns = { zeros = pattern.zeros(), ones = pattern.ones(), As = pattern.alternating(),
                   ["half-random"] = pattern.half_random(), random = pattern.random() }

benchmark {
  name    = "patterns",
  fit     = "interconnect",
  title   = "Short and long path: the paper's data patterns",
  target  = "gcn",
  sweep   = { path = paths, pattern = { "zeros", "ones", "As", "half-random", "random" }, bandwidth_share = 1 },
  where   = known,
  kernel  = function(p) return { read(patterns[p.pattern]) } end,
  grid    = common.grid, loop = common.loop, place = common.place, state = common.state, measure = common.measure,
  plot    = { x = "pattern", y = "power.dynamic_w", by = "path", kind = "bars" },
  tags    = { "interconnect-2016" },
}

-- Figure 5b: four compute units of engine 0 read each quadrant in turn. A die photo shows how many mm farther than quadrant 0 each
-- is: with gpu.distance_mm = { quadrant_1 =, quadrant_2 =, quadrant_3 = } in the machine file, the model takes these points.
benchmark {
  name    = "four-units",
  fit     = "interconnect",
  title   = "Four compute units and each quadrant of L2",
  target  = "gcn",
  sweep   = function(m)
    local list, mm = { 0 }, { 0 }
    for i = 1, #(m.gpu.quadrants or {}) - 1 do
      list[#list + 1] = i
      mm[#mm + 1] = (m.gpu.distance_mm or {})["quadrant_" .. i]
    end
    return { #mm == #list and zip { quadrant = list, distance = mm } or zip { quadrant = list }, bandwidth_share = 1 }
  end,
  where   = known,
  kernel  = function() return { read(pattern.random()) } end,
  place   = function(p, m) return { se = 0, cu = { 0, 1, 2, 3 }, l2_channels = quadrant(m, p.quadrant) } end,
  grid    = common.grid, loop = common.loop, state = common.state, measure = common.measure,
  plot    = { x = "quadrant", y = "power.dynamic_w", kind = "points", zero = false },
  tags    = { "interconnect-2016" },
}

-- The clocks that the machine file lists, or those of its vf; `--set ghz=0.3,0.6` names others.
local function clocks(m)
  local found = m.frequencies or {}
  for i, state in ipairs(not m.frequencies and m.vf or {}) do found[i] = state.ghz end
  return #found > 0 and found or { m.clock_ghz or 1 }
end

-- Figure 8: every state of voltage and clock in the machine file (vf), else every clock in it, which --allow-state sets; the
-- voltage goes with it. The model needs the voltages.
benchmark {
  name    = "dvfs",
  fit     = "interconnect",
  title   = "Short and long path: power over voltage and frequency",
  target  = "gcn",
  sweep   = function(m)
    local ghz, volts = {}, {}
    for i, state in ipairs(m.vf or {}) do ghz[i], volts[i] = state.ghz, state.volts end
    if #ghz > 1 then return { path = paths, zip { ghz = ghz, volts = volts }, bandwidth_share = 1 } end
    return { path = paths, ghz = clocks(m), bandwidth_share = 1 }
  end,
  where   = known,
  state   = function(p) return { gpu_clock = p.ghz } end,
  kernel  = function() return { read(pattern.random()) } end,
  grid    = common.grid, loop = common.loop, place = common.place, measure = common.measure,
  plot    = { x = "ghz", xlabel = "Clock (GHz)", y = "power.dynamic_w", by = "path", fit = "cubic" },
  tags    = { "interconnect-2016" },
}
