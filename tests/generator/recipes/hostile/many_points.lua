--@ 2 sweep has 1e+15 points: at most 1000000
benchmark { name = "many", sweep = { a = range(1, 1e5), b = range(1, 1e5), c = range(1, 1e5) },
            kernel = function() return { nop {} } end }
