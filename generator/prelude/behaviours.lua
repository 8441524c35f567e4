-- The behaviours that a kernel lists: load{} and one constructor for each operation that the templates offer.
-- Each gives back a sealed value, so that what was checked is what is generated.
local host, house = ...
local check, environment = house.check, house.environment
local fail, object = host.fail, host.object

local behaviours = {}
local machine = host.input.machine or {}

-- A share as far as digits mean something: 1 - 0.7 is 0.3, and 1 - 0.1 * 10 is 0.
local function clean(value)
    return value < 1e-15 and 0 or tonumber(string.format("%.12g", value))
end

local levels = { "L1", "L2", "L3", "MEM", "SHARED" }
local only_two = "this version serves loads from L1 and L2"

local function has_cache(name)
    return type(machine.caches) ~= "table" or machine.caches[name] ~= nil
end

-- What stands against a rate at a level, or nil.
local function obstacle(level, value)
    if level == "SHARED" then return "SHARED is a level of GPUs, and " .. only_two end
    if value == 0 or level == "L1" then return nil end
    if level ~= "MEM" and not has_cache(level) then
        return "the machine " .. check.describe(machine.name) .. " has no " .. level .. " cache"
    end
    return level ~= "L2" and only_two or nil
end

local level_known = {}
for _, name in ipairs(levels) do level_known[name] = true end

local function refuse_unknown_level(rates, path)
    for _, name in ipairs(check.names(rates, path)) do
        if not level_known[name] then fail(path .. " has no level '" .. name .. "': " .. check.meant(name, levels)) end
    end
end

-- Reads { L1 =, L2 =, ... } with the checker; absent levels stay absent.
local function read_levels(rates, path, checker)
    check.table(rates, path, "expected a table of levels, such as { L1 = 0.9 }")
    local found = {}
    for name, value in next, rates do
        if not level_known[name] then refuse_unknown_level(rates, path) end
        found[name] = value
    end
    for _, name in ipairs(levels) do
        local value = found[name]
        if value ~= nil then checker(value, path .. "." .. name) end
    end
    return found
end

local function refuse_obstacles(rates, path)
    for _, level in ipairs(levels) do
        local why = rates[level] and obstacle(level, rates[level])
        if why then fail(path .. "." .. level .. " is " .. check.number_text(rates[level]) .. ": " .. why) end
    end
end

local share = check.number(0, 1, "a share lies between 0 and 1")

local function served_by(value, path)
    local shares = read_levels(value, path, share)
    refuse_obstacles(shares, path)
    local l1, l2 = shares.L1 or 0, shares.L2 or 0
    local sum = l1 + l2
    if math.abs(sum - 1) > 1e-9 then
        fail(path .. " sums to " .. check.number_text(sum) .. ": the shares of the levels sum to 1")
    end
    return object("L1", clean(l1), "L2", clean(l2))
end

local rate = check.number(0, 1, "a miss rate lies between 0 and 1")

-- Local miss rates: what misses L1 is asked of L2, and what would miss there is beyond this version.
local function miss_rate(value, path)
    local rates = read_levels(value, path, rate)
    if not rates.L1 then fail(path .. ".L1 is missing: expected the share of loads that miss L1") end
    for index = 2, #levels do
        local level = levels[index]
        if rates[level] and rates[level] > 0 then
            fail(path .. "." .. level .. " is " .. check.number_text(rates[level]) .. ": " .. only_two
                .. ", so nothing may miss L2")
        end
    end
    local why = obstacle("L2", rates.L1)
    if why then fail(path .. ".L1 is " .. check.number_text(rates.L1) .. ": " .. why) end
    return object("L1", clean(1 - rates.L1), "L2", clean(rates.L1))
end

local function width(value, path)
    if value ~= 4 and value ~= 8 then check.refuse(path, value, "expected 4 or 8 bytes") end
    return math.tointeger(value)
end

local load_schema = check.schema {
    { "served_by", served_by },
    { "miss_rate", miss_rate },
    { "order", check.word { "shuffled", "even", "burst" } },
    { "address", check.word { "independent", "chase" } },
    { "width", width },
    { "count", check.integer(1, 1000) },
    { "working_set", check.not_yet("this version states rates by served_by or miss_rate, and has no walks") },
    { "stride", check.not_yet("this version chooses the addresses of loads itself") },
    { "prefetch", check.not_yet("this version does not steer prefetchers") },
    { "cache", check.not_yet("cache operators are of GPU code, and this version generates x86-64 programs") },
    { "data", function(value) return value end }, -- its word depends on the width
}

local function load(options)
    local fields = check.fields(options, "load", load_schema)
    local served = fields.served_by or fields.miss_rate
    if not served or (fields.served_by and fields.miss_rate) then
        fail("load says " .. (served and "both served_by and miss_rate" or "not where it is served from")
            .. ": expected one of served_by = { L1 =, L2 = } and miss_rate = { L1 = }")
    end
    local address, bytes = fields.address or "independent", fields.width or 8
    if address == "chase" and bytes ~= 8 then
        fail("load.width is " .. bytes .. ": address = \"chase\" loads addresses, which have 8 bytes")
    end
    local word, changes, data = nil, false, nil
    if fields.data ~= nil then word, changes, data = house.pattern.read(fields.data, bytes, "load.data") end
    if word and address == "chase" then
        fail("load.data goes with address = \"independent\": a chase loads addresses, which are what they are")
    end
    return host.seal {
        op = "load", word = word or "none", changes = changes,
        document = object("op", "load", "served", served, "order", fields.order or "shuffled", "address", address,
            "width", bytes, "count", fields.count or 1, "data", data),
    }
end

local most = 10000
local no_data = check.not_yet("this version chooses the values of operations itself")
local no_width = check.not_yet("this version has one width for each operation")

local operation_schema = check.schema {
    { "count", check.integer(1, most) },
    { "dependents", check.integer(0, most) },
    { "chain", check.integer(1, most) },
    { "width", no_width },
    { "data", no_data },
}

-- nop reads and writes nothing, so nothing can depend on it.
local nothing_depends = check.not_yet("a nop reads and writes nothing, so nothing depends on it")
local nop_schema = check.schema {
    { "count", check.integer(1, most) },
    { "dependents", nothing_depends },
    { "chain", nothing_depends },
    { "width", no_width },
    { "data", no_data },
}

local function constructor(op)
    local schema = op == "nop" and nop_schema or operation_schema
    return function(options)
        local fields = check.fields(options, op, schema)
        local count, dependents, chain = fields.count or 1, fields.dependents or 0, fields.chain or 0
        if dependents > count then
            fail(op .. ".dependents is " .. dependents .. ": only count = " .. count .. " of them are there")
        end
        if dependents > 0 and chain > 0 then
            fail(op .. " has both chain and dependents: an operation waits for the last load or for the one before it, "
                .. "so expected one of the two")
        end
        return host.seal {
            op = op, dependents = dependents,
            document = object("op", op, "count", count, "dependents", dependents, "chain", chain),
        }
    end
end

local share_of = check.number(0, 1, "a share lies between 0 and 1")

local branch_schema = check.schema {
    { "accuracy", check.number(0.5, 1, "an accuracy lies between 0.5 and 1: a predictor that guesses is right half the time") },
    { "taken", share_of },
    { "kind", check.word { "conditional", "indirect" } },
    { "count", check.integer(1, most) },
}

local function branch(options)
    local fields = check.fields(options, "branch", branch_schema)
    if not fields.accuracy then
        fail("branch has no accuracy: expected the share of branches that a good predictor gets right, from 0.5 to 1")
    end
    if fields.kind == "indirect" then
        fail("branch.kind is \"indirect\": this version generates conditional branches only")
    end
    return host.seal {
        op = "branch",
        document = object("op", "branch", "count", fields.count or 1, "accuracy", clean(fields.accuracy),
            "taken", fields.taken and clean(fields.taken)),
    }
end

local longest_unit = 10000

local function unit_length(unit, path)
    if type(unit) == "table" then
        for _, kind in ipairs { "phases", "cores" } do
            if rawget(unit, kind) ~= nil then
                fail(path .. " returned { " .. kind .. " = ... }: this version generates one kernel for one core")
            end
        end
    end
    check.table(unit, path .. "'s result", "expected a list of behaviours: return { load{...}, add{...} }")
    local count = check.length(unit, path)
    if count == 0 or count > longest_unit then
        fail(path .. " returned a list of " .. count .. " behaviours: expected from 1 to " .. longest_unit)
    end
    return count
end

-- Reads what a kernel function returned: the unit as a JSON list.
function behaviours.unit(unit, path)
    local documents, loaded, word, changes = {}, false, nil, false
    for index = 1, unit_length(unit, path) do
        local made = host.unseal(rawget(unit, index))
        if not made or not made.op then
            check.refuse(path .. "[" .. index .. "]", rawget(unit, index),
                "expected a behaviour, such as load{...} or nop{}")
        end
        loaded = loaded or made.op == "load"
        if made.word and word and (made.word ~= word or changes or made.changes) then
            fail(path .. "[" .. index .. "]: this version has one pattern a kernel, and one load{} where it changes")
        end
        word, changes = word or made.word, changes or made.changes
        if made.dependents and made.dependents > 0 and not loaded then
            fail(path .. "[" .. index .. "]: " .. made.op .. ".dependents is " .. made.dependents
                .. ": no load stands before it in the unit")
        end
        documents[index] = made.document
    end
    return host.list(documents)
end

-- Words of the contract that the templates of this version may have no rows for.
local planned = {
    "store", "mul", "div", "fma", "xor", "shift", "code", "tlb", "throttle", "asm",
}

-- The operations that expect and plot may name in mix.<op>.
behaviours.operations = { "load", "branch" }

environment.offer("load", load)
environment.offer("branch", branch)
for _, op in ipairs(host.input.ops or {}) do
    if op ~= "load" and op ~= "branch" then
        environment.offer(op, constructor(op))
        behaviours.operations[#behaviours.operations + 1] = op
    end
end
for _, word in ipairs(planned) do
    environment.absent[word] = "%s{}: this version generates loads, branches and integer operations; it has "
        .. check.join(behaviours.operations, "and")
end

return behaviours
