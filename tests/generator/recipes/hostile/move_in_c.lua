--@ 2 when its CPU time was over
table.move({}, 1, 1000000000000000, 2)
