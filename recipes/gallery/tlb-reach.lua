-- The reach of the data TLB: a chase with one line on each of a number of pages; L1 keeps all lines. Loads become slower
-- where there are more pages than the TLB has entries. Lines are a page and a line apart, so that they spread over the sets
-- of L1.
local function page(m)
  return m.tlb and m.tlb.data and m.tlb.data.page or 4096
end

-- Three quarters of L1's lines at most.
local function pages(m)
  local list, most = {}, m.caches.L1D.size // m.caches.L1D.line * 3 // 4
  for _, count in ipairs { 16, 32, 48, 64, 80, 96, 112, 128, 192, 256, 384, 512, 768, 1024 } do
    if count <= most then list[#list + 1] = count end
  end
  return list
end

benchmark {
  name   = "tlb-reach",
  title  = "A chase in L1 over the pages that it touches",
  sweep  = function(m) return { pages = pages(m) } end,
  kernel = function(p, m)
    local apart = page(m) + m.caches.L1D.line
    return { load { working_set = p.pages * apart, stride = apart, address = "chase" } }
  end,
  measure = { time = 0.05, reps = 5 },
  plot   = { x = "pages", y = "ipc", log = "x", zero = true, xlabel = "Pages, a line on each", ylabel = "Loads per cycle" },
}
