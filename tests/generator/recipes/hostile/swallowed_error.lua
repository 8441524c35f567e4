--@ * failed inside a pcall
pcall(benchmark, { name = "half", title = 1, kernel = function() return { nop {} } end })
