--@ 4 when its CPU time was over
-- Each call is long, and none comes back to Lua in time.
local text = string.rep("a", 200000)
for _ = 1, 1000 do string.gsub(text, ".-.-.-b", "") end
