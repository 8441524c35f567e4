--@ 2 does a loop never end
local function down() return down() end
down()
