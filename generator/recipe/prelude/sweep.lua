-- Sweeps: range and zip, the axes of sweep = {...}, the effect of --set, and the points' names.
local host, house = ...
local check, environment = house.check, house.environment
local fail, object = host.fail, host.object

local sweep = {}

local most_values = 100000
local most_points = 1000000
local longest_name = 200 -- a point's name is a folder's name

-- A number as written: 0.1 * 3 is 0.3.
local function written(value)
    return tonumber(check.number_text(value))
end

local bound = check.number(-1e300, 1e300, "expected a number")

local function range(first, last, step)
    bound(first, "range's first value")
    bound(last, "range's last value")
    step = step == nil and 1 or bound(step, "range's step")
    if step == 0 or (last - first) / step < 0 then
        fail(string.format("range(%.10g, %.10g, %.10g) never reaches its end: expected a step %s 0", first, last, step,
            last < first and "below" or "above"))
    end
    local steps = (last - first) / step + 1e-9
    if steps >= most_values then
        fail(string.format("range(%.10g, %.10g, %.10g) has more than %d values", first, last, step, most_values))
    end
    local values = {}
    for index = 0, math.floor(steps) do values[index + 1] = written(first + index * step) end
    return values
end

local function encode(text)
    return (string.gsub(text, "[^%w._+-]", function(byte) return string.format("%%%02X", string.byte(byte)) end))
end

local to_text = { number = check.number_text, boolean = tostring, string = encode }

local function value_of_sweep(value, path)
    local kind = type(value)
    if not to_text[kind] then check.refuse(path, value, "expected a number, a string, true or false") end
    if kind == "number" and (value ~= value or math.abs(value) == math.huge) then
        check.refuse(path, value, "expected a finite number")
    end
    if kind == "string" and not utf8.len(value) then fail(path .. " is text that is not UTF-8") end
    return value
end

-- The values of one parameter: a list or a single value.
local function values_of(given, path)
    if type(given) ~= "table" then return { value_of_sweep(given, path) } end
    local count = check.length(given, path)
    if count == 0 or count > most_values then
        fail(path .. " has " .. count .. " values: expected from 1 to " .. most_values)
    end
    local values = {}
    for index = 1, count do values[index] = value_of_sweep(rawget(given, index), path .. "[" .. index .. "]") end
    return values
end

-- An axis: parameters that change together. names is sorted; columns[name] has one value per step.
local function new_axis(lists, path)
    local axis = { names = check.names(lists, path), columns = {}, length = nil }
    for _, name in ipairs(axis.names) do
        check.name(name, path .. " names a parameter that")
        local values = values_of(rawget(lists, name), path .. "." .. name)
        axis.length = axis.length or #values
        if #values ~= axis.length then
            fail(string.format("%s pairs %d values of '%s' with %d of '%s': expected lists of one length", path,
                axis.length, axis.names[1], #values, name))
        end
        axis.columns[name] = values
    end
    return axis
end

local function zip(lists)
    check.table(lists, "zip", "expected zip{ name = {...}, name = {...} }")
    local axis = new_axis(lists, "zip")
    if #axis.names == 0 then fail("zip{} pairs nothing: expected zip{ name = {...}, name = {...} }") end
    return host.seal { axis = axis }
end

local function zipped(value, path)
    local made = host.unseal(value)
    if not made or not made.axis then
        check.refuse(path, value, "expected name = {...}, or zip{...}")
    end
    return made.axis
end

-- The axes as written: one per zip{} and one per named list.
local function collect(given)
    if type(given) == "userdata" then return { zipped(given, "sweep") } end
    check.table(given, "sweep", "expected { name = {...}, ... }, zip{...} or function(m) that returns it")
    local axes, zips, named = {}, {}, {}
    for key, value in next, given do
        if math.type(key) == "integer" then zips[key] = value else named[key] = value end
    end
    for index = 1, check.length(zips, "sweep") do
        axes[index] = zipped(zips[index], "sweep[" .. index .. "]")
    end
    for _, name in ipairs(check.names(named, "sweep")) do
        axes[#axes + 1] = new_axis({ [name] = named[name] }, "sweep")
    end
    return axes
end

local function text_of(value)
    return to_text[type(value)](value)
end

-- The text of each step in the point's name. Two equal texts would share a folder.
local function label(axis)
    local labels, seen = {}, {}
    for _, name in ipairs(axis.names) do labels[name] = {} end
    for row = 1, axis.length do
        local texts = {}
        for index, name in ipairs(axis.names) do
            texts[index] = name .. "=" .. text_of(axis.columns[name][row])
            labels[name][row] = texts[index]
        end
        local whole = table.concat(texts, ",")
        if seen[whole] then fail("sweep." .. axis.names[1] .. " has " .. whole .. " twice: two points would have one name") end
        seen[whole] = true
    end
    return labels
end

local overrides = host.input.overrides or {}
local swept = {}       -- the parameters of all benchmarks, for what --set may name
local overridden = {}  -- the overrides that found their parameter

local function usage(message, hint)
    fail(message, hint, "usage")
end

-- The rows of a zip where the value of name is among those requested.
local function narrow(axis, name, wanted)
    local kept = { names = axis.names, columns = {}, length = 0 }
    for _, column in ipairs(axis.names) do kept.columns[column] = {} end
    for _, value in ipairs(wanted) do
        local before = kept.length
        for row = 1, axis.length do
            if text_of(axis.columns[name][row]) == text_of(value) then
                kept.length = kept.length + 1
                for _, column in ipairs(axis.names) do
                    kept.columns[column][kept.length] = axis.columns[column][row]
                end
            end
        end
        if kept.length == before then
            usage("--set " .. name .. "=" .. text_of(value) .. ": zip{} pairs '" .. name .. "' with other "
                .. "parameters and has no such value", "name values that the recipe's zip{} has")
        end
    end
    return kept
end

local function override(axis)
    for _, set in ipairs(overrides) do
        if axis.columns[set.name] then
            overridden[set.name] = true
            axis = #axis.names > 1 and narrow(axis, set.name, set.values)
                or { names = axis.names, columns = { [set.name] = set.values }, length = #set.values }
        end
    end
    return axis
end

-- Refuses names in --set that no benchmark sweeps.
function sweep.check_overrides()
    local known = {}
    for name in next, swept do known[#known + 1] = name end
    table.sort(known)
    for _, set in ipairs(overrides) do
        if not overridden[set.name] then
            usage("--set " .. set.name .. ": no benchmark of the file sweeps '" .. set.name .. "': "
                .. check.meant(set.name, known))
        end
    end
end

-- A misspelt parameter is an error, not a nil that an option would take as "omitted".
local function forbid_unknown(names)
    return {
        __metatable = false,
        __index = function(_, key)
            fail("the point has no parameter " .. check.describe(key) .. ": "
                .. (#names == 0 and "this benchmark sweeps nothing" or check.meant(key, names)))
        end,
    }
end

-- Reads sweep = {...}: returns the axes in order of their first names, and all names sorted.
function sweep.read(given)
    local plan = { axes = {}, names = {}, axis_of = {}, count = 1.0 }
    for index, axis in ipairs(given == nil and {} or collect(given)) do plan.axes[index] = override(axis) end
    table.sort(plan.axes, function(a, b) return a.names[1] < b.names[1] end)
    for index, axis in ipairs(plan.axes) do
        axis.labels = label(axis)
        for _, name in ipairs(axis.names) do
            if plan.axis_of[name] then fail("sweep." .. name .. " is the parameter '" .. name .. "' twice: expected each name once") end
            plan.axis_of[name] = index
            plan.names[#plan.names + 1] = name
            swept[name] = true
        end
        plan.count = plan.count * axis.length
    end
    table.sort(plan.names)
    if plan.count > most_points then
        fail(string.format("sweep has %.10g points: at most %d", plan.count, most_points))
    end
    plan.meta = forbid_unknown(plan.names)
    return plan
end

-- A fresh table of the point's parameters for each user function, so that changes do not leak.
local function parameters(plan, values)
    return function()
        local point = {}
        for index, name in ipairs(plan.names) do point[name] = values[index] end
        return setmetatable(point, plan.meta)
    end
end

local function document(plan, values)
    local members = {}
    for index, name in ipairs(plan.names) do
        members[2 * index - 1] = name
        members[2 * index] = values[index]
    end
    return object(table.unpack(members))
end

local function point_name(labels)
    local name = #labels == 0 and "default" or table.concat(labels, ",")
    if #name > longest_name then
        fail(string.format("sweep: the point's name has %d characters: at most %d; use shorter names or values", #name,
            longest_name))
    end
    return name
end

-- The Cartesian product of the axes, the last varying fastest: calls visit(name, parameters, document) for each
-- point.
function sweep.each(plan, visit)
    local steps, at = {}, 0
    for index in ipairs(plan.axes) do steps[index] = 1 end
    repeat
        local values, labels = {}, {}
        for index, name in ipairs(plan.names) do
            local axis = plan.axis_of[name]
            values[index] = plan.axes[axis].columns[name][steps[axis]]
            labels[index] = plan.axes[axis].labels[name][steps[axis]]
        end
        visit(point_name(labels), parameters(plan, values), document(plan, values))
        at = #steps
        while at > 0 and steps[at] == plan.axes[at].length do
            steps[at] = 1
            at = at - 1
        end
        if at > 0 then steps[at] = steps[at] + 1 end
    until at == 0
end

environment.offer("range", range)
environment.offer("zip", zip)

return sweep
