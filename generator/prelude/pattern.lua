-- Data patterns: pattern.bit(3) and its like give back a sealed value that a load's data field takes. A pattern here is
-- one word, read over and over, as in the 2001 paper's figure 14.
local host, house = ...
local check, environment = house.check, house.environment
local fail = host.fail

local pattern = {}

-- The word as hexadecimal text of that many bytes; what says which pattern it is in errors.
local function hexadecimal(word, bytes, path, what)
    local digits = string.format("%016x", word)
    local cut = string.sub(digits, 17 - 2 * bytes)
    if string.find(string.sub(digits, 1, 16 - 2 * bytes), "[^0]") then
        fail(path .. " is " .. what .. ": it has more bits than the " .. bytes .. " bytes that the load reads")
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
    return sealed(what, function(bytes, path) return hexadecimal(word, bytes, path, what) end)
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

for _, name in ipairs { "random", "half_random", "toggle", "words" } do
    makers[name] = function()
        fail("pattern." .. name .. ": this version reads one word over and over; it has zeros, ones, constant, bit, mask "
            .. "and alternating")
    end
end

environment.offer_table("pattern", makers)

-- Checks a load's data field and gives back the word for a load of that many bytes.
function pattern.word(value, bytes, path)
    local made = host.unseal(value)
    if not made or not made.word_of then check.refuse(path, value, "expected a pattern, such as pattern.ones()") end
    return made.word_of(bytes, path)
end

return pattern
