--@ 6 does a loop never end
-- Points make the time longer, but only a little each.
benchmark { name = "many", sweep = { a = range(1, 1000) }, kernel = function() return { nop {} } end }
local function spin()
    local n = 0
    while true do n = n + 1 end
end
spin()
