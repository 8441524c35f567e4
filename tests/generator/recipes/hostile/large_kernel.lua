--@ 4 a list of 100000 behaviours
local unit = {}
for i = 1, 100000 do unit[i] = nop {} end
benchmark { name = "large", kernel = function() return unit end }
