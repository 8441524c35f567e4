--@ 2 recipes cannot reach files or processes: 'require' is not available
require "os"
