--@ 3 still running
-- Each loop is inside C: the hook sees little of it.
while true do string.gsub(string.rep("x", 16000000), ".", pcall) end
