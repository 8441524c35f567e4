--@ 2 recipes cannot load code at run time: 'string.dump' is not available
string.dump(function() end)
