-- Molka, Hackenberg, Schöne, Müller 2009: the cost of a load by the state in which another core left the line, and by the
-- cache that holds it there: its L1, its L2, or beyond. Copies take turns; only the loads are timed. With two copies, the one
-- that loads is also the second sharer, so its own caches serve the shared lines that they hold.
local function sizes(m)
  return { m.caches.L1D.size // 2, m.caches.L2.size // 2, m.caches.L2.size * 4 }
end

benchmark {
  name   = "latency",
  title  = "Latency of a line by its state and by the size of what another core left",
  sweep  = function(m) return { state = { "modified", "exclusive", "shared" }, bytes = sizes(m) } end,
  place  = { cores = { 0, 1 } },
  kernel = function(p)
    return { load { shared = "lines", coherence = p.state, working_set = p.bytes, address = "chase" } }
  end,
  measure = { time = 0.05, reps = 9 },
  plot    = { x = "bytes", y = { "coherence.modified_ns", "coherence.exclusive_ns", "coherence.shared_ns" }, by = "state",
              log = "x", xunit = "bytes", together = true },
}

-- 64 MiB are read in order. If the other core's L1 or L2 holds a window, lines come from there. A window of 64 MiB is larger
-- than the caches, so memory serves lines of any state. `trauma measure sharing` prints this as a table.
benchmark {
  name   = "copy",
  title  = "Time of a line when 64 MiB are read that another core left, a window at a time",
  sweep  = { state = { "modified", "exclusive", "shared" }, window = { "16KiB", "256KiB", "64MiB" } },
  place  = { cores = { 0, 1 } },
  kernel = function(p)
    return { load { shared = "lines", coherence = p.state, working_set = "64MiB", window = p.window, order = "even" } }
  end,
  measure = { time = 0.5, reps = 5 },
  plot    = { x = "window", y = { "coherence.modified_ns", "coherence.exclusive_ns", "coherence.shared_ns" }, by = "state",
              kind = "bars", together = true, xlabel = "Lines that the other core leaves at a time" },
}
