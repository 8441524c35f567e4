-- Programs for `trauma events` whose data stay in L1: instructions, loads, stores, floating-point operations of each width,
-- divisions, atomics and idle cycles, each in several shares of the instructions.
local function has(m, feature)
  for _, name in ipairs(m.features or { m.isa == "x86_64" and "sse2" }) do
    if name == feature then return true end
  end
  return false
end

-- The feature that operations of this width need; false where the machine does not have it in any form.
local function computes(m, width)
  if m.isa == "x86_64" then
    return has(m, width == 32 and "avx2" or width == 64 and "avx512f" or "sse2")
  elseif m.isa == "aarch64" then
    return width <= 16 or has(m, width == 32 and "sve256" or "sve512")
  end
  return width == 8 or has(m, width == 16 and "v" or width == 32 and "zvl256b" or "zvl512b")
end

local L1 = { L1 = 1 }
local programs = {
  ["nop"]        = function() return { nop { count = 4 } } end,
  ["add"]        = function() return { add { count = 4 } } end,
  ["chain"]      = function() return { add { count = 4, chain = 4 } } end,
  ["mul"]        = function() return { mul { count = 2 }, nop { count = 2 } } end,
  ["load"]       = function() return { load { served_by = L1 }, nop { count = 3 } } end,
  ["loads"]      = function() return { load { served_by = L1, count = 3 }, add {} } end,
  ["load-4"]     = function() return { load { served_by = L1, width = 4 }, nop {} } end,
  ["load-chase"] = function() return { load { served_by = L1, address = "chase" }, nop {} } end,
  ["store"]      = function() return { store { served_by = L1 }, nop { count = 3 } } end,
  ["stores"]     = function() return { store { served_by = L1, count = 2 }, add {} } end,
  ["copy"]       = function() return { load { served_by = L1 }, store { served_by = L1 }, nop { count = 2 } } end,
  ["loads-copy"] = function() return { load { served_by = L1, count = 3 }, store { served_by = L1 } } end,
  ["div"]        = function() return { div {}, nop { count = 7 } } end,
  ["div-4"]      = function() return { div { width = 4, count = 2 }, add { count = 6 } } end,
  ["idle"]       = function() return { load { served_by = L1, count = 12 }, throttle { duty = 0.5, peak = "ports" } } end,
  ["idle-more"]  = function() return { load { served_by = L1, count = 12 }, throttle { duty = 0.25, peak = "ports" } } end,
}
for _, width in ipairs { 4, 8, 16, 32, 64 } do
  programs["fadd-" .. width] = function(m)
    return computes(m, width) and { fadd { width = width, count = 2 }, nop { count = 2 } }
  end
  programs["fmul-" .. width] = function(m)
    return computes(m, width) and { fmul { width = width }, add { count = 4 } }
  end
end
for _, width in ipairs { 4, 8 } do
  programs["fdiv-" .. width] = function(m) return computes(m, width) and { fdiv { width = width }, nop { count = 7 } } end
end
programs["fsqrt"] = function() return { fsqrt {}, fadd {}, nop { count = 6 } } end

local names = {}
for name in pairs(programs) do names[#names + 1] = name end
table.sort(names)

benchmark {
  name    = "core",
  title   = "Counts of instructions and accesses that L1 serves",
  sweep   = { program = names },
  where   = function(p, m) return programs[p.program](m) and true end,
  kernel  = function(p, m) return programs[p.program](m) end,
  loop    = { instructions = 400 },
  measure = { time = 0.05, reps = 3 },
  tags    = { "events" },
}

-- Short loops, in which the loop's own branch is one of a few instructions.
benchmark {
  name    = "short",
  title   = "Counts of loops of few instructions",
  sweep   = { units = { 4, 16 } },
  kernel  = function() return { nop {} } end,
  loop    = function(p) return { units = p.units } end,
  measure = { time = 0.05, reps = 3 },
  tags    = { "events" },
}

benchmark {
  name    = "atomic",
  title   = "Counts of atomics of a word that nobody else uses",
  sweep   = { zip { op = { "add", "swap" }, nops = { 3, 12 } } },
  kernel  = function(p) return { atomic { op = p.op, shared = "word" }, nop { count = p.nops } } end,
  loop    = { instructions = 400 },
  measure = { time = 0.05, reps = 3 },
  tags    = { "events" },
}
