local t = setmetatable({}, { __index = function(_, k) return k end, __gc = error })
for k, v in pairs { a = 1, [2] = "b", [3.5] = {} } do t[k] = tostring(v):rep(3) end
local ok, why = pcall(function() error { 1 } end)
local c = coroutine and coroutine.wrap(function() end)
print(#("x"):rep(9), string.format("%q %5.2f", "a\0", 1 / 3), ("key=value"):match("(%w+)=(%w+)"), utf8.char(955))
table.sort({ 3, 1, 2 }, function(a, b) return a < b end)
goto done
::done::
include "none"
