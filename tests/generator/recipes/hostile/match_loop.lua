--@ 4 running
-- Calls of a few milliseconds each: the hook sees few instructions between them.
local text = string.rep("(", 30000)
while true do string.match(text, "%b()") end
