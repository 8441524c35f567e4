--@ 4 invalid order function for table.sort
local list = {}
for index = 1, 100 do list[index] = index % 5 end
table.sort(list, function(a, b) return a <= b end)
