--@ 2 stack overflow
local function down() return 1 + down() end
down()
