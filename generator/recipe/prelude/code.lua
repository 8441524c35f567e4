-- code{}: execution continues in another line of code. States the levels that serve these lines.
local host, house = ...
local check = house.check
local fail, object = host.fail, host.object

local code = {}

local levels = { "L1I", "L2" }
local beyond = { "L3", "MEM", "SHARED" }
local share = check.number(0, 1, "a share lies between 0 and 1")

-- A share without rounding errors: 1 - 0.7 is 0.3, and 1 - 0.1 * 10 is 0.
local function clean(value)
    return value < 1e-15 and 0 or tonumber(string.format("%.12g", value))
end

local function served_by(value, path)
    check.table(value, path, "expected a table of levels, such as { L1I = 0.9, L2 = 0.1 }")
    for _, level in ipairs(beyond) do
        if rawget(value, level) ~= nil then
            fail(path .. "." .. level .. " is " .. check.describe(rawget(value, level))
                .. ": the code of a loop stays in L2, so lines of code are served from L1I and L2")
        end
    end
    if rawget(value, "L1") ~= nil then
        fail(path .. " has no level 'L1': the first level for code is L1I")
    end
    local shares, sum = {}, 0
    for _, name in ipairs(check.names(value, path)) do
        if name ~= "L1I" and name ~= "L2" then
            fail(path .. " has no level '" .. name .. "': " .. check.meant(name, levels))
        end
        shares[name] = share(rawget(value, name), path .. "." .. name)
        sum = sum + shares[name]
    end
    if math.abs(sum - 1) > 1e-9 then
        fail(path .. " sums to " .. check.number_text(sum) .. ": the shares of the levels sum to 1")
    end
    return object("L1I", clean(shares.L1I or 0), "L2", clean(shares.L2 or 0)), clean(shares.L2 or 0)
end

local schema = check.schema {
    { "served_by", function(value) return value end }, -- read below, because it returns two results
    { "misses", check.number(0, 10000, "expected 0 to 10000 lines that miss per unit") },
    { "count", check.integer(1, 1000) },
}

-- The behaviour. Its field code states the lines that miss, which must be equal within a unit.
function code.behaviour(options)
    local fields = check.fields(options, "code", schema)
    if (fields.served_by == nil) == (fields.misses == nil) then
        fail(fields.misses and "code states both served_by and misses: expected one of them"
            or "code does not state where it is served from: expected served_by = { L1I =, L2 = } or misses = N")
    end
    local served, missing
    if fields.served_by then served, missing = served_by(fields.served_by, "code.served_by") end
    return host.seal {
        op = "code", code = served and { "served_by has L2 =", missing } or { "misses is", fields.misses },
        document = object("op", "code", "count", fields.count or 1, "fetched", served, "misses", fields.misses),
    }
end

-- Refuses a second rate, because a loop has one. known: the rate of earlier behaviours, or nil.
function code.agree(known, made, path)
    if known and made.code and (known[1] ~= made.code[1] or known[2] ~= made.code[2]) then
        fail(path .. ": code." .. made.code[1] .. " " .. check.number_text(made.code[2]) .. " where another code{} has "
            .. (known[1] ~= made.code[1] and known[1] .. " " or "") .. check.number_text(known[2])
            .. ": the lines of a loop have one rate")
    end
    return known or made.code
end

return code
