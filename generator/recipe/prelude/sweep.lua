-- Sweeps: range and zip, the axes of sweep = {...}, the effect of --set, and the points' names.
local host, house = ...
local check, environment = house.check, house.environment
local fail, object = host.fail, host.object

local sweep = {}

local most_values = 100000
local most_points = 1000000
local longest_name = 200 -- a point's name is a folder's name

-- A number as people write it: 0.1 * 3 is 0.3. Whole numbers are unchanged, however many digits they have.
local function written(value)
    if value == math.floor(value) and math.abs(value) < 1e15 then return math.tointeger(value) end
    return tonumber(check.number_text(value))
end

-- ---- ranges: lists of numbers, or of sizes where the ends are sizes ----

local bound = check.number(-1e300, 1e300, "expected a number or " .. check.size_words)

-- Returns the ends and the step, in bytes if the ends are sizes, and whether they are sizes.
local function plain_bounds(from, to, step, words)
    local sized = check.size_of(from) ~= nil
    if sized ~= (check.size_of(to) ~= nil) then
        fail(words .. " has " .. check.describe(from) .. " and " .. check.describe(to)
            .. ": expected both as numbers, or both as sizes such as \"32KiB\"")
    end
    bound(check.bytes(from), words .. "'s first value")
    bound(check.bytes(to), words .. "'s last value")
    if step ~= nil then bound(check.bytes(step), words .. "'s step") end
    return check.bytes(from), check.bytes(to), check.bytes(step), sized
end

local function too_many(text)
    fail(text .. " has more than " .. most_values .. " values")
end

local function arithmetic(from, to, step, words)
    local first, last, by, sized = plain_bounds(from, to, step, words)
    if by == nil and sized then
        fail(words .. " of sizes has no step: expected one, such as range(" .. check.describe(from) .. ", "
            .. check.describe(to) .. ", " .. check.describe(from) .. "), or range{ from, to, factor = 2 }")
    end
    by = by == nil and 1 or by
    if by == 0 or (last - first) / by < 0 then
        fail(string.format("range(%.10g, %.10g, %.10g) never reaches its end: expected a step %s 0", first, last, by,
            last < first and "below" or "above"))
    end
    local steps = (last - first) / by + 1e-9
    if steps >= most_values then too_many(string.format("range(%.10g, %.10g, %.10g)", first, last, by)) end
    local values = {}
    for index = 0, math.floor(steps) do values[index + 1] = written(first + index * by) end
    return values, sized
end

-- Sizes are whole numbers of bytes: with a factor such as 1.5 or 2^0.5 they are rounded to a multiple.
local function whole_sizes(values, multiple, words)
    for index, value in ipairs(values) do
        if multiple then
            values[index] = math.tointeger(math.floor(value / multiple + 0.5)) * multiple
            if values[index] == 0 or values[index] == values[index - 1] then
                fail(string.format("%s: multiple = %d is too coarse: value %d of it is %.10g bytes; expected a smaller one",
                    words, multiple, index, value))
            end
        elseif value ~= math.floor(value) then
            fail(string.format("%s: value %d is %.10g bytes: expected multiple = \"64B\" or another size, to whose "
                .. "multiples sizes are rounded, or a factor that keeps them whole", words, index, value))
        end
    end
    return values
end

local function geometric(from, to, factor, words)
    local first, last, _, sized = plain_bounds(from, to, nil, words)
    if type(factor) ~= "number" or not (factor > 1) or factor == math.huge then
        check.refuse("range{ factor }", factor, "expected a factor above 1")
    end
    if first <= 0 then
        fail("range{}: from is " .. check.number_text(first) .. ": a geometric range begins above 0; "
            .. "expected a first value above 0, or step instead of factor")
    end
    if last < first then
        fail(string.format("range{ %.10g, %.10g, factor = %.10g } never reaches its end: expected a last value of at least the first",
            first, last, factor))
    end
    local steps = math.log(last / first) / math.log(factor) + 1e-9
    if steps >= most_values then too_many(string.format("range{ %.10g, %.10g, factor = %.10g }", first, last, factor)) end
    local values = {}
    for index = 0, math.floor(steps) do values[index + 1] = written(first * factor ^ index) end
    return values, sized
end

local range_schema = check.schema {
    { "from", function(value) return value end },
    { "to", function(value) return value end },
    { "factor", function(value) return value end },
    { "step", function(value) return value end },
    { "multiple", check.size(1, 1 << 40) },
}

-- range{ 1, 64, factor = 2 } and range{ from = 1, to = 64, factor = 2 }
local function read_range(given)
    local named, ends = {}, {}
    for key, value in next, given do
        if math.type(key) == "integer" then ends[key] = value else named[key] = value end
    end
    local fields = check.fields(named, "range", range_schema)
    local count = check.length(ends, "range")
    if count > 2 then fail("range{} has " .. count .. " values without a name: expected two, the first and the last") end
    for index, name in ipairs { "from", "to" } do
        if ends[index] ~= nil and fields[name] ~= nil then
            fail("range{} has its " .. name .. " twice: expected range{ from, to, factor = } or range{ from =, to =, factor = }")
        end
        if ends[index] ~= nil then fields[name] = ends[index] end
        if fields[name] == nil then fail("range{} has no " .. name .. ": expected range{ from, to, factor = 2 }") end
    end
    if fields.factor ~= nil and fields.step ~= nil then fail("range{} has both factor and step: expected one of the two") end
    if fields.factor == nil and fields.step == nil then fail("range{} has neither factor nor step: expected one of the two") end
    return fields
end

local function range(first, last, step)
    local values, sized
    if type(first) == "table" then
        local fields = read_range(first)
        if fields.factor ~= nil then
            values, sized = geometric(fields.from, fields.to, fields.factor, "range{}")
        else
            values, sized = arithmetic(fields.from, fields.to, fields.step, "range{}")
        end
        if fields.multiple and not sized then
            fail("range{} has multiple without sizes: expected sizes such as \"32KiB\" as its ends")
        end
        values = sized and whole_sizes(values, fields.multiple, "range{}") or values
    else
        values, sized = arithmetic(first, last, step, "range")
        values = sized and whole_sizes(values, nil, "range") or values
    end
    for index = 1, sized and #values or 0 do values[index] = check.size_text(values[index]) end
    return values
end

local function encode(text)
    return (string.gsub(text, "[^%w._+-]", function(byte) return string.format("%%%02X", string.byte(byte)) end))
end

-- A size of a sweep is a table { bytes =, text = } until its points are named: names contain its text, the recipe and
-- the results get its bytes.
local to_text = {
    number = check.number_text, boolean = tostring, string = encode,
    table = function(size) return size.text end,
}

local function new_size(bytes)
    return { bytes = bytes, text = check.size_text(bytes) }
end

local function plain(value)
    return type(value) == "table" and value.bytes or value
end

-- A number among sizes is a size, too.
local function as_size(value, path)
    if type(value) ~= "number" then return value end
    local whole = value >= 0 and value == math.floor(value) and value <= 1 << 53
    if not whole then check.refuse(path, value, "expected a whole number of bytes, as other values here are sizes") end
    return new_size(math.tointeger(value))
end

local function has_sizes(values)
    for _, value in ipairs(values) do
        if type(value) == "table" then return true end
    end
    return false
end

local function all_as_sizes(values, path)
    if not has_sizes(values) then return values end
    local sizes = {}
    for index, value in ipairs(values) do sizes[index] = as_size(value, path) end
    return sizes
end

local function value_of_sweep(value, path)
    local bytes = check.size_of(value)
    if bytes then return new_size(bytes) end
    local kind = type(value)
    if kind == "table" then check.refuse(path, value, "expected a number, a string, true or false") end
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
    return all_as_sizes(values, path)
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
local swept = {}       -- the parameters of all benchmarks, which --set may name
local overridden = {}  -- the overrides that found their parameter

local function usage(message, hint)
    fail(message, hint, "usage")
end

-- The values of --set, as sizes if the recipe's are sizes.
local function set_values(axis, set)
    local values, sized = {}, has_sizes(axis.columns[set.name])
    for index, value in ipairs(set.values) do
        local bytes = check.size_of(value)
        values[index] = bytes and new_size(bytes) or value
        sized = sized or bytes ~= nil
    end
    for index, value in ipairs(values) do
        if sized and type(value) == "number" then
            if value < 0 or value ~= math.floor(value) or value > 1 << 53 then
                usage("--set " .. set.name .. "=" .. check.number_text(value) .. ": '" .. set.name
                    .. "' is swept in sizes; expected a whole number of bytes", "such as --set " .. set.name .. "=32KiB")
            end
            values[index] = new_size(math.tointeger(value))
        end
    end
    return values
end

-- The rows of a zip in which the value of name is among the requested ones.
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
            local values = set_values(axis, set)
            axis = #axis.names > 1 and narrow(axis, set.name, values)
                or { names = axis.names, columns = { [set.name] = values }, length = #values }
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
                .. (#known == 0 and "nothing is swept in it; sweep = { " .. set.name .. " = { ... } } in the recipe would"
                    or check.meant(set.name, known)))
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

-- A copy of the axis with sizes as numbers, because another benchmark may use the axis, too; sets sizes[name] for
-- parameters that have sizes.
local function numbered(axis, sizes)
    local made = { names = axis.names, columns = {}, length = axis.length, labels = label(axis) }
    for name, values in next, axis.columns do
        sizes[name] = has_sizes(values) or nil
        made.columns[name] = {}
        for row, value in ipairs(values) do made.columns[name][row] = plain(value) end
    end
    return made
end

-- Reads sweep = {...}: returns the axes in order of their first names, all names sorted, and the names of those with
-- sizes.
function sweep.read(given)
    local plan = { axes = {}, names = {}, axis_of = {}, sizes = {}, count = 1.0 }
    for index, axis in ipairs(given == nil and {} or collect(given)) do plan.axes[index] = override(axis) end
    table.sort(plan.axes, function(a, b) return a.names[1] < b.names[1] end)
    for index, axis in ipairs(plan.axes) do
        axis = numbered(axis, plan.sizes)
        plan.axes[index] = axis
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
    return function(added, value) -- a parameter beside the sweep's; nil: none
        local point = {}
        for index, name in ipairs(plan.names) do point[name] = values[index] end
        if added then point[added] = value end
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
