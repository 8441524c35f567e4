--@ 5 benchmark.name is missing
-- Tables are read raw: these never run.
local trap = function() while true do end end
local meta = { __index = trap, __pairs = trap, __len = trap, __eq = trap, __tostring = trap }
benchmark(setmetatable({}, meta))
