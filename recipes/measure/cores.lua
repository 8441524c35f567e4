-- The distance of cores: a line goes to and fro between each pair, and the copies take turns. `trauma measure cores` prints
-- the matrix. The loop has one turn, like a loop written by hand: with many turns in a loop, each wait would end with a
-- branch of its own, which is predicted less well.
benchmark {
  name   = "cores",
  title  = "Time from one core's turn at a line to the other's",
  sweep  = function(m)
    local first, second = {}, {}
    for a = 0, math.max(m.cores or 2, 2) - 2 do
      for b = a + 1, math.max(m.cores or 2, 2) - 1 do
        first[#first + 1], second[#second + 1] = a, b
      end
    end
    return { zip { a = first, b = second } }
  end,
  place   = function(p) return { cores = { p.a, p.b } } end,
  kernel  = function() return { atomic { op = "turn", shared = "line" } } end,
  loop    = { units = 1 },
  measure = { time = 0.002, reps = 3 },
  plot    = { x = "b", y = "coherence.pingpong_ns", by = "a", kind = "map", mirror = true, xlabel = "Core", ylabel = "Core" },
}
