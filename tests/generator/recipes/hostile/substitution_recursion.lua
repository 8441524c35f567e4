--@ 2 stack overflow
local function again(text) return (string.gsub(text, ".", again)) end
again("x")
