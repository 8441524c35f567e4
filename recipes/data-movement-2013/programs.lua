-- Kestor, Gioiosa, Kerbyson, Hoisie 2013, section III and table I: eight programs, each of one operation, unrolled by 100
-- or more: as often as the table's share of instructions in the body requires. Loads chase pointers, so that each waits for
-- the previous one, except those of MB_L1asm. The paper's machine is "interlagos".
--
-- "copies" is not from the paper: the same programs on half of the cores. As long as all programs draw about the same power,
-- the costs include a constant power, and one that is not linear in the load, undetected; two numbers of copies reveal both.
local unroll = 100

-- Per program: the body's repetitions of 100 that reach the table's share, the longest instruction in bytes, and the table's
-- row: share of instructions in the body, IPC, and the miss rates that are defined. Miss rates of L2 and L3 under MB_L1 and
-- MB_L1asm, and of L3 under MB_L2, are left out, because hardly any access gets there.
local programs = {
  MB_NOP   = { units = 100, bytes = 1, body = 0.9998, ipc = 3.86 },
  MB_iADD  = { units = 25,  bytes = 3, body = 0.9992, ipc = 2.03 },
  MB_L1    = { units = 19,  bytes = 8, body = 0.9989, ipc = 0.25, level = "L1", rates = { l1d = { max = 0.0003 } } },
  MB_L2    = { units = 10,  bytes = 8, body = 0.9912, ipc = 0.05, level = "L2",
               rates = { l1d = { min = 0.9996 }, l2 = { max = 0.0013 } } },
  MB_L3    = { units = 15,  bytes = 8, body = 0.9945, ipc = 0.02, level = "L3",
               rates = { l1d = { min = 0.9958 }, l2 = { min = 0.9947 }, l3 = { max = 0.0056 } } },
  MB_MEM   = { units = 56,  bytes = 8, body = 0.9987, ipc = 0.01, level = "MEM",
               rates = { l1d = { min = 0.9948 }, l2 = { min = 0.9948 }, l3 = { min = 0.9918 } } },
  MB_L1asm = { units = 19,  bytes = 7, body = 0.9932, ipc = 2.03, level = "L1", rates = { l1d = { max = 0.0001 } } },
  -- L3 misses are few because of the prefetcher: without it every load would miss, as served_by states.
  MB_MEM64 = { units = 24,  bytes = 8, body = 0.9969, ipc = 0.03, level = "MEM", rates = { l3 = { max = 0.0215 } } },
}

local function is_papers(m)
  return m.name == "interlagos"
end

-- The prefetchers of the paper's machine do not follow strides of 512 bytes, but later ones do: on other machines the lines
-- come in random order. So do those in L3: lines 512 bytes apart use an eighth of the sets, too few to miss L2 with any index
-- and still stay in L3.
local function stride(m)
  return is_papers(m) and 512 or nil
end

-- Size of one repetition in bytes. Instructions of other ISAs have 4; RISC-V first adds the loaded offset to its base.
local function longest(program, m)
  if m.isa == "x86_64" then return program.bytes end
  return m.isa == "riscv64" and program.level and 8 or 4
end

-- Bytes that memory transfers at once: 64, unless a cache has longer lines.
local function line(m)
  return math.max(m.caches.L1D.line, m.caches.L2.line, m.caches.L3 and m.caches.L3.line or 0)
end

local function operation(p, m)
  local level = programs[p.program].level
  if p.program == "MB_NOP" then return nop { count = unroll } end
  if p.program == "MB_iADD" then return add { count = unroll } end
  if p.program == "MB_L1asm" then return load { served_by = { L1 = 1 }, count = unroll } end
  if p.program == "MB_L1" then return load { served_by = { L1 = 1 }, address = "chase", count = unroll } end
  if p.program == "MB_MEM64" then
    return load { served_by = { MEM = 1 }, address = "chase", stride = line(m), prefetch = "invite", count = unroll }
  end
  return load { served_by = { [level] = 1 }, address = "chase", stride = level ~= "L3" and stride(m) or nil, count = unroll }
end

-- IPC as the table rounds it, plus or minus a twentieth.
local function expect(p, m)
  if not is_papers(m) then return nil end
  local program = programs[p.program]
  local bounds = {
    ["body.share"] = { min = program.body },
    ipc = { min = 0.95 * program.ipc - 0.005, max = 1.05 * program.ipc + 0.005 },
  }
  for cache, bound in pairs(program.rates or {}) do bounds[cache .. ".miss_rate"] = bound end
  return bounds
end

-- As large as in the paper, or as L1I allows.
local function loop(p, m)
  local program = programs[p.program]
  local room = m.caches.L1I.size - m.caches.L1I.size // 16 - 512
  return { units = math.min(program.units, room // (unroll * longest(program, m))) }
end

local function kernel(p, m)
  return { operation(p, m) }
end

benchmark {
  name    = "programs",
  fit     = "incremental",
  title   = "Programs that move data from one level of the memory hierarchy to registers",
  sweep   = { program = { "MB_NOP", "MB_iADD", "MB_L1", "MB_L2", "MB_L3", "MB_MEM", "MB_L1asm", "MB_MEM64" } },
  where   = function(p, m) return programs[p.program].level ~= "L3" or m.caches.L3 ~= nil end,
  kernel  = kernel,
  loop    = loop,
  expect  = expect,
  -- An external meter has a sample every two or three seconds (section IV).
  measure = { time = 300, idle_before = 90, idle_after = 90 },
  plot    = {
    { x = "program", y = { "energy.dynamic_j", "power.dynamic_w", "ipc" }, kind = "bars" },
    -- Figure 3: idle, the program, its rise when the fans speed up, idle again.
    { from = "trace", y = "power", right = "temperature", only = { program = { "MB_L2", "MB_MEM" } },
      title = "Power profile" },
  },
}

-- Without MB_L3, because copies that share an L3 leave each other too little of it.
local shared = { "MB_NOP", "MB_iADD", "MB_L1", "MB_L2", "MB_MEM", "MB_L1asm", "MB_MEM64" }

-- Half of the cores; two, if there are two or three cores or an unknown number.
local function copies(m)
  return math.max(2, (m.cores or 0) // 2)
end

benchmark {
  name    = "copies",
  fit     = "incremental",
  title   = "The same programs on half of the cores",
  sweep   = function(m) return { program = shared, copies = copies(m) } end,
  threads = function(p) return p.copies end,
  kernel  = kernel,
  loop    = loop,
  measure = { time = 100, idle_before = 90, idle_after = 90 },
  plot    = { x = "program", y = { "power.dynamic_w", "ipc" }, kind = "bars" },
}
