--@ * failed inside a pcall
pcall(benchmark, { name = "half", kernel = function() return { nop { count = -1 } } end })
