--@ 2 ?[31mred
error("\27[31mred\n\xff")
