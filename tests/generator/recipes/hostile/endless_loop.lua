--@ 2 does a loop never end
while true do end
