-- The cost of an instruction: its latency by a chain, in which each copy waits for the copy before, and its rate by copies
-- that do not wait for each other. {d} is the register that the instruction writes, {s} a register that it only reads.
-- `trauma measure instruction TEXT...` does this for any text without a recipe; copy this file to measure instructions
-- together, or beside loads and branches.
local instructions = {
  x86_64  = { add = "addq {s}, {d}", imul = "imulq {s}, {d}", popcnt = "popcntq {d}, {d}", rol = "rolq $7, {d}" },
  aarch64 = { add = "add {d}, {d}, {s}", mul = "mul {d}, {d}, {s}", clz = "clz {d}, {d}" },
  riscv64 = { add = "add {d}, {d}, {s}", mul = "mul {d}, {d}, {s}" },
}
local copies = 6

local function text_of(p, m)
  local lines = {}
  for i = 1, copies do
    local written = p.form == "latency" and 1 or i
    local line = instructions[m.isa][p.instruction]:gsub("{d}", "{r" .. written .. "}"):gsub("{s}", "{r0}")
    lines[i] = line
  end
  return table.concat(lines, "; ")
end

benchmark {
  name   = "instruction",
  title  = "Latency and rate of single instructions",
  sweep  = function(m)
    local names = {}
    for name in pairs(instructions[m.isa]) do names[#names + 1] = name end
    return { instruction = names, form = { "latency", "rate" } }
  end,
  kernel = function(p, m) return { asm { [m.isa] = text_of(p, m), registers = copies + 1 } } end,
  plot   = { x = "instruction", y = { "ipc" }, by = "form" },
}
