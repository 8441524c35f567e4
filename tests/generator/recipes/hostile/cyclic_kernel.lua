--@ 4 kernel[1] is a table
local cycle = {}
cycle[1] = cycle
benchmark { name = "cyclic", kernel = function() return cycle end }
