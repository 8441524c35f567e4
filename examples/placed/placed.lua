-- A read loop on one shader engine, as a compiler made it. kernel.co is the program.cl of `source`, compiled for gfx701 with a
-- placeholder; `patched` is that binary with the placeholder replaced by the read of where a wave runs.
local function read() return { load { served_by = { L2 = 1 }, data = pattern.toggle(0.25) } } end
local place = { se = { 0 }, l2_channels = { 0, 1, 2, 3 } }
local grid = { blocks = 88, threads = 64 }

benchmark { name = "source", target = "gcn", grid = grid, place = place, kernel = read }
benchmark { name = "patched", target = "gcn", grid = grid, place = place, kernel = read, from = "kernel.co" }
