-- The cost of loading a line that another core left, by its state and by the cache of that core that holds it, after Molka,
-- Hackenberg, Schöne, Müller 2009. The copies go through 64 MiB, a window at a time: the other core leaves the window's lines
-- in the state, in its L1, its L2 or beyond. Then this core loads them one after another (latency), reads them in order, or
-- copies them into a buffer in its own L1. `trauma measure sharing` prints the table. Only this core's part is timed.
local function power_of_two(bytes)
  local power = 1
  while 2 * power <= bytes do power = 2 * power end
  return power
end

-- Windows that the other core's L1 and L2 hold, and one that leaves both for the cache that cores share, if there is one.
local window_of = {
  L1 = function(c) return power_of_two(c.L1D.size // 2) end,
  L2 = function(c) return power_of_two(c.L2.size // 2) end,
  L3 = function(c) return c.L3 and power_of_two(math.min(4 * c.L2.size, (c.L3.effective or c.L3.size) // 2)) end,
}

local function windows(m)
  local places, bytes = {}, {}
  for _, place in ipairs { "L1", "L2", "L3" } do
    local window = window_of[place](m.caches)
    if window then places[#places + 1], bytes[#bytes + 1] = place, ("%dKiB"):format(window // 1024) end
  end
  return zip { place = places, window = bytes }
end

local states = { "modified", "exclusive", "shared" }

benchmark {
  name   = "sharing",
  title  = "Loads of lines that another core left, by state and by where they lie",
  sweep  = function(m)
    return { windows(m), state = m.isa == "riscv64" and { "modified" } or states, op = { "latency", "read", "copy" },
             total = "64MiB" }
  end,
  -- With a third core, two other cores share the lines. With two cores, this core is the second sharer.
  place  = function(p, m) return { cores = p.state == "shared" and (m.cores or 2) > 2 and { 0, 1, 2 } or { 0, 1 } } end,
  kernel = function(p)
    local function lines(options)
      options.shared, options.coherence, options.working_set, options.window = "lines", p.state, p.total, p.window
      return load(options)
    end
    if p.op == "latency" then return { lines { address = "chase" } } end
    if p.op == "read" then return { lines { order = "even" } } end
    return {
      lines { order = "even", stride = 8 },
      store { shared = "own", data = "loaded", order = "even", stride = 8, apart = "64KiB" },
    }
  end,
  measure = { time = 0.03, reps = 5 },
  plot    = {
    { x = "place", y = { "coherence.modified_ns", "coherence.exclusive_ns", "coherence.shared_ns" }, by = "state",
      kind = "bars", together = true, only = { op = "latency" }, title = "Latency" },
    { x = "place", y = "coherence.bandwidth", by = "state", kind = "bars", only = { op = "read" }, title = "Reading" },
    { x = "place", y = "coherence.bandwidth", by = "state", kind = "bars", only = { op = "copy" }, title = "Copying" },
  },
}
