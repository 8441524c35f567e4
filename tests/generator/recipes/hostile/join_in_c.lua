--@ 4 of memory
local text, list = string.rep("x", 15000000), {}
-- One call of C asks for more than there is; Lua itself never gets to see it.
for index = 1, 100 do list[index] = text end local whole = table.concat(list)
