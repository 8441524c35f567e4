--@ * running
local list = {}
for index = 1, 200000 do list[index] = index * 7919 % 200003 end
while true do table.sort(list) end
