--@ 3 of memory
local keep = {}
while true do pcall(function() keep[#keep + 1] = string.rep("y", 1000000) .. #keep end) end
