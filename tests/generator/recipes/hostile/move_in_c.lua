--@ 0 still running after 3.5 s
table.move({}, 1, 1000000000000000, 2)
