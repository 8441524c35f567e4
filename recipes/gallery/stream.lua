-- STREAM (McCalpin 1995): the bandwidth of memory under its four kernels, by one core and by all. Arrays are twice as large as
-- the last cache, at least 64 MiB. Every byte that is read or written counts once; a store also reads its line, which STREAM
-- does not count either.
local function array(p, m)
  local bytes = math.max(64 << 20, math.min(2 * (m.caches.L3 or m.caches.L2).size, 512 << 20))
  return bytes // p.threads // 4096 * 4096
end

benchmark {
  name    = "stream",
  title   = "STREAM",
  sweep   = function(m)
    return { op = { "copy", "scale", "add", "triad" }, threads = (m.cores or 1) > 1 and { 1, m.cores } or 1 }
  end,
  threads = function(p) return p.threads end,
  loop    = { units = 16 },
  kernel  = function(p, m)
    -- Words that are not all zeros: the system may map pages of zeros that nobody wrote to a single page. The stored words
    -- are loaded words; the arithmetic runs beside them.
    local function walk(data)
      return { working_set = array(p, m), stride = 8, prefetch = "invite", data = data or pattern.random() }
    end
    if p.op == "copy" then return { load(walk()), store(walk("loaded")) } end
    if p.op == "scale" then return { load(walk()), fmul { chain = 1 }, store(walk("loaded")) } end
    if p.op == "add" then return { load(walk()), load(walk()), fadd { chain = 1 }, store(walk("loaded")) } end
    return { load(walk()), load(walk()), fmul { chain = 1 }, fadd { chain = 1 }, store(walk("loaded")) }
  end,
  measure = { time = 0.5, reps = 5 },
  plot    = { x = "op", y = "bandwidth.MEM", by = "threads", kind = "bars", xlabel = "Kernel" },
}
