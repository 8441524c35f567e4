--@ 2 recipes cannot reach files or processes: 'os' is not available
os.execute("true")
