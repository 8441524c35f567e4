--@ 2 pcall_recursion.lua:2:
local function down() assert(pcall(down)) end
down()
