--@ 2 that is a nil
error(nil)
