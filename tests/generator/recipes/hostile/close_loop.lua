--@ * does a loop never end
local guard <close> = setmetatable({}, { __close = function() while true do end end })
error("now")
