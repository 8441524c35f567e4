--@ 2 stack overflow
local t = setmetatable({}, { __index = function(t, key) return t[key + 1] end })
local value = t[1]
