--@ 2 recipes cannot reach files or processes: 'io' is not available
io.open("/etc/passwd")
