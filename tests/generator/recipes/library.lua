-- Included by include.lua: a name for both, and no benchmark.
function mixed(share)
  return load { served_by = { L1 = share, L2 = 1 - share } }
end
