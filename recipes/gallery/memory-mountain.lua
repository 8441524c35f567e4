-- The memory mountain (Bryant and O'Hallaron, "Computer Systems"): loads per cycle over the size of a working set, for strides
-- from a word to several lines. Plateaus are the caches; a larger stride wastes more of each line.
local function sizes(m)
  local list, last = {}, (m.caches.L3 or m.caches.L2).size
  local size = math.max(4096, m.caches.L1D.size // 4 // 4096 * 4096)
  while size <= 2 * last and size <= 128 << 20 do
    list[#list + 1] = size
    size = 2 * size
  end
  return list
end

-- Number of loads in a pass: the largest divisor of the walk's number of accesses, up to 64.
local function units(p)
  local count = 64
  while p.size // p.stride % count ~= 0 do count = count - 1 end
  return count
end

benchmark {
  name   = "memory-mountain",
  title  = "Memory mountain",
  sweep  = function(m)
    local line = m.caches.L1D.line
    return { size = sizes(m), stride = { 8, line // 2, line, 4 * line } }
  end,
  loop   = function(p) return { units = units(p) } end,
  kernel = function(p) return { load { working_set = p.size, stride = p.stride, prefetch = "invite" } } end,
  measure = { time = 0.05, reps = 5 },
  plot   = { x = "size", y = "ipc", by = "stride", byunit = "bytes", log = "x", xunit = "bytes", xlabel = "Working set",
             ylabel = "Loads per cycle" },
}
