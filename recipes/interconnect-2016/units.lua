-- Not from the paper: loops that use no wires between parts of the chip, one block on each of some of its units. Each unit
-- does the same, so power is proportional to their number, from little more than the idle level to more than the power of the
-- other recipes' points. Short and long paths differ only by a small difference in power. A meter whose gain changes with the
-- power scales this difference undetected; these points reveal it. `trauma fit interconnect` needs the results together with
-- those of the other recipes.
local function counts(m)
  local list = {}
  for _, part in ipairs { 32, 16, 8, 4, 2, 1 } do
    local count = math.max(1, m.gpu.sm // part)
    if count ~= list[#list] then list[#list + 1] = count end
  end
  return list
end

benchmark {
  name    = "units",
  fit     = "interconnect",
  title   = "Power of loops on some of the chip's units",
  target  = { "gcn", "ptx" },
  sweep   = function(m) return { units = counts(m) } end,
  kernel  = function() return { load { served_by = { L1 = 1 } }, fma { count = 6 }, mul {} } end,
  grid    = function(p) return { blocks = p.units, threads = 256 } end,
  loop    = { units = 16 },
  state   = { gpu_clock = "base" },
  measure = { time = 10, reps = 3, idle_before = 10, idle_after = 10, subtract_start = true },
  plot    = { x = "units", y = "power.dynamic_w", fit = "linear", title = "Power by working units" },
  tags    = { "interconnect-2016" },
}
