-- Where waves run on an AMD GPU: the work on the first 1, 2, 4 and so on compute units of a shader engine (--set engine=1
-- selects another). Each wave reads its own HW_ID; those elsewhere end at once.
local function counts(m)
  local list, count = {}, 1
  local most = (m.gpu.cu_per_sh or 1)
  while count < most do
    list[#list + 1] = count
    count = 2 * count
  end
  list[#list + 1] = most
  return list
end

local shares = {}
for i = 0, 15 do shares[#shares + 1] = "place.cu" .. i .. ".share" end

benchmark {
  name   = "cu-placement",
  title  = "Share of the accesses by compute unit",
  target = "gcn",
  sweep  = function(m) return { units = counts(m), engine = 0 } end,
  place  = function(p)
    local units = {}
    for i = 0, p.units - 1 do units[#units + 1] = i end
    return { se = p.engine, cu = units }
  end,
  grid   = function(_, m) return { blocks = 4 * m.gpu.sm, threads = 256 } end,
  kernel = function() return { load { served_by = { L2 = 1 } } } end,
  measure = { time = 0.2, reps = 3 },
  plot   = { x = "units", y = shares, kind = "stacked", together = true, xlabel = "Compute units that the recipe names",
             ylabel = "Share of the accesses, by compute unit" },
}
