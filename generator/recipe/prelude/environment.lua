-- The environment of a recipe: the safe part of Lua's library, copied so that a recipe cannot change the prelude, and
-- error messages for all other names. Nothing here varies between runs.
local host, house = ...
local check = house.check
local fail = host.fail

local environment = {}

-- Names that a recipe may try to use, and the reasons why they are missing.
local no_files = "recipes cannot reach files or processes: '%s' is not available"
local no_code = "recipes cannot load code at run time: '%s' is not available; include \"name\" runs another recipe"
local no_chance = "recipes have no random numbers: '%s' is not available; the same recipe gives the same points "
    .. "everywhere, and --seed varies how a point's slots are shuffled"
local absent = {
    io = no_files, os = no_files, require = no_files, package = no_files, debug = no_files,
    dofile = no_code, loadfile = no_code, loadstring = no_code,
    collectgarbage = "'%s' is not available: memory is freed automatically, within a recipe's limit",
    coroutine = "'%s' is not available: recipes run without coroutines",
    print = "recipes print nothing: '%s' is not available; error(text) shows a value",
    _G = "'%s' is not available: use names directly",
}
local absent_fields = {
    math = { random = no_chance, randomseed = no_chance },
    string = { dump = no_code },
    table = {},
    utf8 = {},
}

-- The reasons why this version lacks some names of the language; behaviours.lua adds more.
environment.absent = absent

local function sorted(set)
    local words = {}
    for word in pairs(set) do words[#words + 1] = word end
    table.sort(words)
    return words
end

-- Reading a missing name raises an error with the reason, or with a suggestion.
local function guard(content, prefix, missing)
    return setmetatable(content, {
        __metatable = false,
        __index = function(_, key)
            local name = type(key) == "string" and key or check.describe(key)
            local why = missing[key]
            if why then fail(string.format(why, prefix .. name)) end
            local near = prefix == "" and rawget(content, "pattern") and rawget(content.pattern, name) and "pattern." .. name
                or host.suggest(name, sorted(content))
            fail("unknown name '" .. prefix .. name .. "'"
                .. (near and ": did you mean '" .. prefix .. near .. "'?" or ""))
        end,
    })
end

local rank = { number = 1, string = 2, boolean = 3 }

local function before(a, b)
    if type(a) ~= type(b) then return rank[type(a)] < rank[type(b)] end
    if type(a) == "boolean" then return not a and b end
    return a < b
end

local function sorted_keys(content)
    if type(content) ~= "table" then check.refuse("what pairs gets", content, "expected a table") end
    local keys = {}
    for key in next, content do
        if not rank[type(key)] then
            fail("a key of the table is " .. check.describe(key) .. ": such keys have no order, so pairs cannot visit "
                .. "them; use a list or names")
        end
        keys[#keys + 1] = key
    end
    table.sort(keys, before)
    return keys
end

-- Visits keys in a fixed order, because Lua's own order varies between runs.
local function ordered_pairs(content)
    local keys, index = sorted_keys(content), 0
    return function()
        local key, value
        repeat
            index = index + 1
            key = keys[index]
            value = key ~= nil and rawget(content, key)
        until key == nil or value ~= nil
        return key, value
    end
end

local function first_pair(content, key)
    if key ~= nil then fail("next(table, key) is not available: use pairs, which visits keys in order") end
    return ordered_pairs(content)()
end

-- Omits addresses, which vary between runs.
local function plain_text(value)
    local kind = type(value)
    if value ~= value then return "nan" end -- its sign depends on the processor
    if kind ~= "table" and kind ~= "function" and kind ~= "userdata" then return tostring(value) end
    local meta = getmetatable(value)
    local shown = type(meta) == "table" and rawget(meta, "__tostring")
    return shown and shown(value) or kind
end

local function plain_format(template, ...)
    local values = table.pack(...)
    for index = 1, values.n do
        local kind = type(values[index])
        if kind == "table" or kind == "function" or kind == "userdata" then
            values[index] = plain_text(values[index])
        end
    end
    if type(template) == "string" and string.find(string.gsub(template, "%%%%", ""), "%%[-%d]*p") then
        fail("string.format: %p is not available: addresses change from run to run")
    end
    return string.format(template, table.unpack(values, 1, values.n))
end

local longest = 16 << 20

local function short_rep(text, count, separator)
    local unit = #tostring(text) + #tostring(separator or "")
    if type(count) == "number" and count * unit > longest then
        fail(string.format("string.rep would make %.10g bytes: at most 16 MiB", count * unit))
    end
    return string.rep(text, count, separator)
end

-- A finalizer would run outside the limits, and at times that vary between runs.
local function checked_setmetatable(content, meta)
    if type(meta) == "table" and rawget(meta, "__mode") ~= nil then
        fail("setmetatable: __mode is not available: what a weak table holds would change from run to run")
    end
    if type(meta) == "table" and rawget(meta, "__gc") ~= nil then
        fail("setmetatable: __gc is not available: nothing in a recipe needs to be closed")
    end
    return setmetatable(content, meta)
end

local plain_functions = {
    "assert", "error", "getmetatable", "ipairs", "pcall", "rawequal", "rawget", "rawset", "select",
    "tonumber", "type", "xpcall",
}
local own_functions = {
    pairs = ordered_pairs, next = first_pair, setmetatable = checked_setmetatable, tostring = plain_text,
}
local lists = host.lists -- whose results depend on a list's contents alone
local own_fields = {
    math = {}, table = {}, utf8 = {}, string = { format = plain_format, rep = short_rep },
}

local function copy_library(name)
    local copy = {}
    for key, value in pairs(_ENV[name]) do
        if not absent_fields[name][key] then copy[key] = value end
    end
    for key, value in pairs(own_fields[name]) do copy[key] = host.entry(value) end
    for key, value in pairs(name == "table" and lists or {}) do
        if copy[key] then copy[key] = value end
    end
    return guard(copy, name .. ".", absent_fields[name])
end

-- The names available to a recipe file. The other pieces add the words of the language.
environment.names = guard({}, "", absent)

for _, name in ipairs(plain_functions) do environment.names[name] = _ENV[name] end
environment.names.rawlen = lists.rawlen
for name, value in pairs(own_functions) do environment.names[name] = host.entry(value) end
for name in pairs(absent_fields) do environment.names[name] = copy_library(name) end

local strings = getmetatable("")
strings.__index = environment.names.string
strings.__metatable = false

-- Adds a function to the language.
function environment.offer(name, action)
    environment.names[name] = host.entry(action)
end

-- Adds a table of functions under one name; an unknown one is refused with a suggestion.
function environment.offer_table(name, actions)
    local content = {}
    for key, action in pairs(actions) do content[key] = host.entry(action) end
    environment.names[name] = guard(content, name .. ".", {})
end

return environment
