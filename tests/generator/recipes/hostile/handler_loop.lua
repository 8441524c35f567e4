--@ * running
local function handler(message) error(message) end
while true do xpcall(error, handler, "x") end
