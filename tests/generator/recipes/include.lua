include "library"
include "library.lua"
benchmark { name = "included", sweep = { hit = { 0.25 } }, kernel = function(p, m) return { mixed(p.hit) } end }
