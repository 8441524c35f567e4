-- Data patterns: pattern.bit(3) and similar calls return a sealed value for a data field. A pattern is one word, read
-- repeatedly as in the 2001 paper's figure 14, or words that change from access to access.
local host, house = ...
local check, environment = house.check, house.environment
local fail = host.fail

local pattern = {}

-- The word as hexadecimal text of that many bytes. In errors `what` is the pattern and `reader` the access.
local function hexadecimal(word, bytes, path, what, reader)
    local digits = string.format("%016x", word)
    local cut = string.sub(digits, 17 - 2 * bytes)
    if string.find(string.sub(digits, 1, 16 - 2 * bytes), "[^0]") then
        fail(path .. " is " .. what .. ": it has more bits than the " .. bytes .. " bytes that " .. reader)
    end
    return "0x" .. cut
end

local function sealed(what, word_of)
    return host.seal { pattern = what, word_of = word_of }
end

local function same_in_all(digit)
    return function(bytes) return "0x" .. string.rep(digit, 2 * bytes) end
end

local function fixed(what, word)
    return sealed(what, function(bytes, path, reader) return hexadecimal(word, bytes, path, what, reader) end)
end

local makers = {}

function makers.zeros() return sealed("pattern.zeros()", same_in_all("0")) end
function makers.ones() return sealed("pattern.ones()", same_in_all("f")) end
function makers.alternating() return sealed("pattern.alternating()", same_in_all("a")) end

local whole = check.integer(math.mininteger, math.maxinteger)

function makers.constant(value)
    return fixed("pattern.constant(" .. check.describe(value) .. ")", whole(value, "pattern.constant's value"))
end

local bit_number, mask_bits = check.integer(0, 63), check.integer(0, 64)

function makers.bit(n)
    return fixed("pattern.bit(" .. check.describe(n) .. ")", 1 << bit_number(n, "pattern.bit's n"))
end

function makers.mask(n)
    local bits = mask_bits(n, "pattern.mask's n")
    return fixed("pattern.mask(" .. check.describe(n) .. ")", bits == 64 and -1 or (1 << bits) - 1)
end

-- Patterns that change: the share of the bits that differ from one access to the next. Up to a half it holds however
-- hardware distributes the accesses; a larger share can hold in one order alone.
local share = check.number(0, 1, "a share of bits lies between 0 and 1")
local most_dealt = 0.5

local function toggling(what, rate, options, zeros)
    if rate > most_dealt and options.order ~= "program" then
        fail(what .. " flips more than a half of the bits: words that do so from each to the next are alike two apart, so that "
            .. "two load ports or channels would see few flips; expected at most " .. most_dealt
            .. ", or { order = \"program\" } as a last value, which promises program order alone")
    end
    return sealed(what, function() return nil, { toggle = rate, order = options.order, zeros = zeros } end)
end

function makers.random(options) return toggling("pattern.random()", 0.5, options) end
-- Adhinarayanan's figure 6: "0 0 x x 0 0 x x".
function makers.half_random(options) return toggling("pattern.half_random()", 0.25, options, 2) end
function makers.toggle(rate, options)
    return toggling("pattern.toggle(" .. check.describe(rate) .. ")", share(rate, "pattern.toggle's share"), options)
end

function makers.words(values)
    check.table(values, "pattern.words", "expected a list of whole numbers")
    local count = check.length(values, "pattern.words")
    if count < 1 or count > 4096 then fail("pattern.words has " .. count .. " words: expected from 1 to 4096") end
    local numbers = {}
    for index = 1, count do numbers[index] = whole(rawget(values, index), "pattern.words[" .. index .. "]") end
    return sealed("pattern.words{...}", function(bytes, path, reader)
        local words = {}
        for index = 1, count do
            words[index] = hexadecimal(numbers[index], bytes, path, "pattern.words{...}", reader)
        end
        return nil, { words = words }
    end)
end

-- The number of arguments of each; further ones would be silently lost.
local takes = { zeros = 0, ones = 0, alternating = 0, random = 0, half_random = 0, constant = 1, bit = 1, mask = 1,
                toggle = 1, words = 1 }

-- Patterns that may have an order, which decides what else they promise.
local ordered = { random = true, half_random = true, toggle = true }

-- The options after a pattern's own values: { bus = BITS }, the bus that carries the words, and { order = "program" }
-- for patterns that may have an order.
local function options_of(name, options)
    local expected = ordered[name] and "{ bus = BITS } or { order = \"program\" }" or "{ bus = BITS }"
    for key in pairs(options) do
        if key ~= "bus" and not (key == "order" and ordered[name]) then
            fail("pattern." .. name .. " has no option " .. check.describe(key) .. ": expected " .. expected)
        end
    end
    local order = rawget(options, "order")
    if order ~= nil and order ~= "program" then
        check.refuse("pattern." .. name .. "'s order", order, "expected \"program\", or no order: rates then hold in "
            .. "program order, over every second, third and fourth access and by address")
    end
    return options
end

-- A pattern's bus, or nil.
function pattern.bus(value)
    local made = host.unseal(value)
    return made and made.bus
end

for name, maker in pairs(makers) do
    makers[name] = function(...)
        local count = select("#", ...)
        local last = count > 0 and select(count, ...)
        local options = {}
        if count == takes[name] + 1 and (last == nil or type(last) == "table" and next(last) ~= nil) then
            options = last and options_of(name, last) or options
            count = count - 1
        end
        if count > takes[name] then
            fail("pattern." .. name .. " gets " .. count .. " values: expected " .. takes[name]
                .. "; a word is as wide as the access, or as a final { bus = BITS }")
        end
        local values = table.pack(...)
        values[takes[name] + 1] = options
        local made = host.unseal(maker(table.unpack(values, 1, takes[name] + 1)))
        return host.seal { pattern = made.pattern, word_of = made.word_of, bus = rawget(options, "bus") }
    end
end

environment.offer_table("pattern", makers)

-- Checks a data field. Returns, for words of that many bytes (of `reader`, such as "the load reads"), its identity,
-- whether it changes, its document and, if it changes, how: { toggle =, order =, zeros = } or { words = }.
function pattern.read(value, bytes, path, reader)
    local made = host.unseal(value)
    if not made or not made.word_of then check.refuse(path, value, "expected a pattern, such as pattern.ones()") end
    local word, changing = made.word_of(bytes, path, reader or "the load reads")
    if word then return word, false, host.object("word", word), {} end
    if changing.toggle then
        local document = host.object("toggle", changing.toggle, "order", changing.order, "zeros", changing.zeros)
        return made.pattern, true, document, changing
    end
    return made.pattern, true, host.object("words", host.list(changing.words)), changing
end

return pattern
