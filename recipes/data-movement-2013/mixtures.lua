-- Kestor, Gioiosa, Kerbyson, Hoisie 2013, section V-A and figure 5: compares mixtures of single operations with the power
-- that their costs predict. The paper names one of its mixtures, L1+NOP; these are pairs of its programs' operations, half of
-- the loop each. ADD-chain is not from the paper: a chain of additions, one per cycle, shows the power that a core draws
-- whatever it runs.
local half = 50

-- The levels that serve the loads, and the operation beside them.
local mixtures = {
  ["NOP+ADD"] = { operations = { "NOP", "ADD" } },
  ["L1+NOP"]  = { levels = { "L1" }, operations = { "NOP" } },
  ["L1+ADD"]  = { levels = { "L1" }, operations = { "ADD" } },
  ["L2+NOP"]  = { levels = { "L2" }, operations = { "NOP" } },
  ["L2+ADD"]  = { levels = { "L2" }, operations = { "ADD" } },
  ["L3+NOP"]  = { levels = { "L3" }, operations = { "NOP" } },
  ["L3+ADD"]  = { levels = { "L3" }, operations = { "ADD" } },
  ["MEM+NOP"] = { levels = { "MEM" }, operations = { "NOP" } },
  ["MEM+ADD"] = { levels = { "MEM" }, operations = { "ADD" } },
  ["L1+L2"]   = { levels = { "L1", "L2" } },
  ["ADD-chain"] = { chain = true },
}

local function wants_l3(mixture)
  for _, level in ipairs(mixture.levels or {}) do
    if level == "L3" then return true end
  end
  return false
end

local function loads(levels)
  local served = {}
  for _, level in ipairs(levels) do served[level] = 1 / #levels end
  return load { served_by = served, address = "chase", count = half * #levels }
end

benchmark {
  name    = "mixtures",
  fit     = "incremental",
  title   = "Mixtures of operations whose single costs are known",
  sweep   = { mixture = { "NOP+ADD", "L1+NOP", "L1+ADD", "L2+NOP", "L2+ADD", "L3+NOP", "L3+ADD", "MEM+NOP",
                          "MEM+ADD", "L1+L2", "ADD-chain" } },
  where   = function(p, m) return m.caches.L3 ~= nil or not wants_l3(mixtures[p.mixture]) end,
  kernel  = function(p, m)
    local mixture, unit = mixtures[p.mixture], {}
    if mixture.chain then return { add { count = 2 * half, chain = 10000 } } end
    if mixture.levels then unit[1] = loads(mixture.levels) end
    for _, operation in ipairs(mixture.operations or {}) do
      unit[#unit + 1] = operation == "NOP" and nop { count = half } or add { count = half }
    end
    return unit
  end,
  measure = { time = 300, idle_before = 90, idle_after = 90 },
  plot    = { x = "mixture", y = { "energy.dynamic_j", "power.dynamic_w", "ipc" }, kind = "bars" },
}
