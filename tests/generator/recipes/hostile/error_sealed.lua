--@ 2 that is a userdata
error(nop {})
