--@ 4 attempt to index a boolean value
local meta = getmetatable("")
string.format = nil
meta.__index = nil
