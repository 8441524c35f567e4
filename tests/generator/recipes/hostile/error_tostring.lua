--@ 2 that is a table
error(setmetatable({}, { __tostring = function() while true do end end }))
