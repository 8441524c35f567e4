--@ 2 string.rep would make 1000000000 bytes
local text = string.rep("x", 1000000000)
