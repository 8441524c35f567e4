-- The energy of a flipped bit: loads from L1, with a stated share of bits that change from load to load. The same share
-- changes between successive loads of one port, if loads are distributed to two, three or four ports. Everything else is the
-- same, so the slope is energy per toggle. Shares above a half are impossible: if adjacent words differ in most bits, every
-- second word is similar, and the wires of each of two ports would hardly change.
benchmark {
  name    = "toggle-energy",
  title   = "Power over the share of bits that flip",
  sweep   = { toggle = { 0, 0.125, 0.25, 0.375, 0.5 } },
  kernel  = function(p) return { load { served_by = { L1 = 1 }, data = pattern.toggle(p.toggle) } } end,
  measure = { time = 5, reps = 3, idle_before = 5, idle_after = 5 },
  plot    = { x = "toggle", y = "power.dynamic_w", fit = "linear", zero = false,
              xlabel = "Share of bits that flip from load to load" },
}
