--@ 5 load.served_by sums to 0.5
-- A recipe may change its own library; the language does not notice.
for name in pairs(string) do string[name] = function() while true do end end end
table.concat, table.sort, math.floor, type, next, rawget = nil, nil, nil, nil, nil, nil
load { served_by = { L1 = 0.5 } }
