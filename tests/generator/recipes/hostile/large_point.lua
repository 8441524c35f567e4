--@ 2 sweep.a[1] is a table
benchmark { name = "large", sweep = { a = { {} } }, kernel = function() return { nop {} } end }
