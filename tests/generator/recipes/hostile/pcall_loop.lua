--@ * does a loop never end
local function spin() while true do end end
while true do pcall(spin) end
