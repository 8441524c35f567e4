-- The checkers of the recipe language. Every value in a recipe passes through a checker, which returns its plain form
-- or ends the run with the value found and the value expected. Tables are read raw, so users' metatables never run
-- here.
local host = ...
local check = {}

local fail, list = host.fail, host.list

check.fail = fail

function check.number_text(value)
    if value ~= value then return "not a number" end
    return string.format("%.10g", value == 0 and 0 or value)
end

-- Sizes: a whole number and its unit, as machine files write them.
local size_units = { B = 0, KiB = 10, MiB = 20, GiB = 30, TiB = 40 }
local unit_order = { "TiB", "GiB", "MiB", "KiB" }
local most_size = 1 << 53 -- Lua's numbers are exact up to here

check.size_words = 'a size such as "32KiB" (units B, KiB, MiB, GiB and TiB)'

-- The number of bytes that a text such as "32KiB" states; nil for anything else.
function check.size_of(value)
    if type(value) ~= "string" then return nil end
    local digits, unit = string.match(value, "^(%d+) ?(%a+)$")
    local shift = digits and size_units[unit]
    local number = shift and #digits < 16 and math.tointeger(tonumber(digits))
    if not number or number > most_size >> shift then return nil end
    return number << shift
end

-- For values in bytes: a size as its number; anything else unchanged, for the next checker.
function check.bytes(value)
    return check.size_of(value) or value
end

-- The shortest text of so many bytes: 1536 is "1536B", 2048 is "2KiB".
function check.size_text(bytes)
    for _, unit in ipairs(unit_order) do
        local whole = 1 << size_units[unit]
        if bytes ~= 0 and bytes % whole == 0 then return string.format("%d%s", bytes // whole, unit) end
    end
    return string.format("%dB", bytes)
end

local describers = {
    ["nil"] = function() return "missing" end,
    boolean = tostring,
    number = check.number_text,
    string = function(text)
        return '"' .. (#text > 60 and string.sub(text, 1, 60) .. "..." or text) .. '"'
    end,
    userdata = function(sealed)
        local made = host.unseal(sealed) or {}
        return made.axis and "a zip{}" or "a behaviour"
    end,
}

-- A value in words, for messages.
function check.describe(value)
    local describe = describers[type(value)]
    return describe and describe(value) or "a " .. type(value)
end

function check.refuse(path, value, expected)
    fail(path .. " is " .. check.describe(value) .. ": " .. expected)
end

function check.boolean(value, path)
    if type(value) ~= "boolean" then check.refuse(path, value, "expected true or false") end
    return value
end

-- "a, b or c"
function check.join(words, last)
    if #words < 2 then return words[1] or "nothing" end
    return table.concat(words, ", ", 1, #words - 1) .. " " .. (last or "or") .. " " .. words[#words]
end

-- The hint after an unknown word: the likely word, or all known ones.
function check.meant(word, words)
    local near = type(word) == "string" and host.suggest(word, words)
    if near then return "did you mean '" .. near .. "'?" end
    return "expected " .. check.join(words)
end

-- The string keys in order. Refuses entries without a name.
function check.names(options, path)
    local names = {}
    for key in next, options do
        if type(key) ~= "string" then
            fail(path .. " has an entry without a name: expected name = value")
        end
        names[#names + 1] = key
    end
    table.sort(names)
    return names
end

function check.table(value, path, expected)
    if type(value) ~= "table" then check.refuse(path, value, expected or "expected a table") end
    return value
end

local rank = { number = 1, string = 2, boolean = 3 }

-- True if key a comes before key b. Keys without an order, such as tables, are equal.
local function before(a, b)
    local kind, other = rank[type(a)] or 4, rank[type(b)] or 4
    if kind ~= other then return kind < other end
    if kind == 3 then return not a and b end
    return kind ~= 4 and a < b
end

-- The first key, in order, that the function rejects, so that messages are deterministic.
function check.first_key(content, objects)
    local first
    for key in next, content do
        if objects(key) and (first == nil or before(key, first)) then first = key end
    end
    return first
end

local function no_index(key) return math.type(key) ~= "integer" end

-- The number of entries in a list; refuses holes and named entries.
function check.length(list, path)
    local count = 0
    for key in next, list do
        if math.type(key) ~= "integer" then
            key = check.first_key(list, no_index)
            fail(path .. " has the entry " .. check.describe(key) .. " beside its list: expected a plain list")
        end
        count = count + 1
    end
    for index = 1, count do
        if rawget(list, index) == nil then
            fail(path .. "[" .. index .. "] is missing: expected a list without holes")
        end
    end
    return count
end

-- Makers of checkers: each returns a function (value, path) -> plain value.

function check.number(low, high, expected)
    return function(value, path)
        if type(value) ~= "number" or not (value >= low and value <= high) then
            check.refuse(path, value, expected)
        end
        return value
    end
end

function check.integer(low, high)
    local expected = "expected a whole number from " .. low .. " to " .. high
    return function(value, path)
        if type(value) ~= "number" or not (value >= low and value <= high) or value ~= math.floor(value) then
            check.refuse(path, value, expected)
        end
        return math.tointeger(value)
    end
end

-- A whole number of bytes, also as a text such as "32KiB".
function check.size(low, high)
    local expected = "expected a whole number of bytes from " .. low .. " to " .. high .. ", or " .. check.size_words
    return function(value, path)
        local bytes = check.bytes(value)
        if type(bytes) ~= "number" or not (bytes >= low and bytes <= high) or bytes ~= math.floor(bytes) then
            check.refuse(path, value, expected)
        end
        return math.tointeger(bytes)
    end
end

function check.word(words)
    local known = {}
    for _, word in ipairs(words) do known[word] = true end
    return function(value, path)
        if not known[value] then check.refuse(path, value, check.meant(value, words)) end
        return value
    end
end

function check.text(most)
    return function(value, path)
        if type(value) ~= "string" or #value > most then
            check.refuse(path, value, "expected text of at most " .. most .. " characters")
        end
        return value
    end
end

function check.list_of(checker)
    return function(value, path)
        if type(value) ~= "table" then return list { checker(value, path) } end
        local items = {}
        for index = 1, check.length(value, path) do
            items[index] = checker(rawget(value, index), path .. "[" .. index .. "]")
        end
        return list(items)
    end
end

-- Features that this version does not implement, or features of other targets: refused, so that nobody measures
-- something other than the recipe states.
function check.not_yet(sentence)
    return function(_, path) fail(path .. ": " .. sentence) end
end

-- The same for fields that a behaviour never has: no hint suggests them.
local never = {}

function check.never(sentence)
    local checker = check.not_yet(sentence)
    never[checker] = true
    return checker
end

-- A schema is a list of rows { name, checker }; names are those that hints may suggest.
function check.schema(rows)
    local schema = { rows = rows, names = {}, known = {} }
    for _, row in ipairs(rows) do
        if not never[row[2]] then schema.names[#schema.names + 1] = row[1] end
        schema.known[row[1]] = true
    end
    return schema
end

local function refuse_unknown(options, path, schema)
    for _, name in ipairs(check.names(options, path)) do
        if not schema.known[name] then
            fail(path .. " has no field '" .. name .. "': " .. check.meant(name, schema.names))
        end
    end
end

-- A copy of the options, after checking their names.
function check.known(options, path, schema)
    if type(options) ~= "table" then
        check.refuse(path, options, "expected a table of options: " .. path .. "{ name = value, ... }")
    end
    local fields = {}
    for key, value in next, options do
        if not schema.known[key] then refuse_unknown(options, path, schema) end
        fields[key] = value
    end
    return fields
end

-- Reads the options in schema order, so that messages are deterministic; absent options stay absent.
function check.fields(options, path, schema)
    local fields = check.known(options, path, schema)
    local rows = schema.rows
    for index = 1, #rows do
        local row = rows[index]
        local name = row[1]
        local value = fields[name]
        if value ~= nil then fields[name] = row[2](value, path .. "." .. name) end
    end
    return fields
end

local name_pattern = "^[%w_-][%w._-]*$"

-- Names become folders: no slashes, no leading dot, and short enough for a folder name with its additions.
function check.name(value, path)
    if type(value) ~= "string" or not string.find(value, name_pattern) or #value > 100 then
        check.refuse(path, value, "expected a name of at most 100 letters, digits, '_', '-' and '.', not starting with '.'")
    end
    return value
end

return check
