--@ * does a loop never end
local function deeper(f) return function() while true do pcall(f) end end end
local f = function() while true do end end
for _ = 1, 100 do f = deeper(f) end
while true do pcall(f) end
