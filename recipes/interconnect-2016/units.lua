-- Not the paper's: loops that no wire between parts of the chip serves, one block on each of some of its units. What a unit does
-- is unchanged, so that power grows in proportion to their number, from next to the idle level to more than the points of the
-- other recipes draw. Short and long paths differ by a difference in power alone, which a meter whose gain follows the power
-- scales unseen; these show it. `trauma fit interconnect` takes the results with those of the other recipes.
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
