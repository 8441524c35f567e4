-- The energy of a flipped bit: loads from L1 whose data changes in a stated share of its bits from load to load, and in the same
-- share from each load to the next that goes through the same of two, three or four load ports. Everything else is the same, so
-- the slope is energy per toggle. Above a half this cannot be: words that differ in most bits from the next are like the one
-- after it, and the wires of each of two ports would hardly change.
benchmark {
  name    = "toggle-energy",
  title   = "Power over the share of bits that flip",
  sweep   = { toggle = { 0, 0.125, 0.25, 0.375, 0.5 } },
  kernel  = function(p) return { load { served_by = { L1 = 1 }, data = pattern.toggle(p.toggle) } } end,
  measure = { time = 5, reps = 3, idle_before = 5, idle_after = 5 },
  plot    = { x = "toggle", y = "power.dynamic_w", fit = "linear", zero = false,
              xlabel = "Share of bits that flip from load to load" },
}
