-- benchmark.plot: the figures for a benchmark's results. One table or a list of them; returns a list.
local host, house = ...
local check, metrics = house.check, house.metrics

local plot = {}

local text = check.text(200)

local reference_schema = check.schema {
    { "kind", check.word { "blocking-cache" } },
    { "y", metrics.check },
    { "penalty", check.number(0, 1e9, "expected a number of cycles") },
}

-- A curve from a paper's equation, drawn with the results.
local function reference(value, path)
    local fields = check.fields(value, path, reference_schema)
    if not fields.kind then check.refuse(path .. ".kind", nil, "expected 'blocking-cache'") end
    if not fields.y then check.refuse(path .. ".y", nil, "expected the curve's metric") end
    return host.object("kind", fields.kind, "y", fields.y, "penalty", fields.penalty)
end

-- `from` decides the valid values of y: quantities of sensor samples, or metrics of points.
local quantities = { "power", "temperature", "clock" }

local froms = { "points", "trace", "idle_before", "idle_after" }

local schema = check.schema {
    { "x", check.text(100) },
    { "y", check.list_of(check.text(100)) },
    { "right", check.list_of(check.text(100)) },
    { "by", check.text(100) },
    { "from", check.word(froms) },
    { "kind", check.word { "lines", "points", "bars", "stacked", "map" } },
    { "log", check.word { "x", "y", "xy" } },
    { "together", check.boolean },
    { "zero", check.boolean },
    { "mirror", check.boolean },
    { "fit", check.word { "linear", "quadratic", "cubic" } },
    { "only", check.table },
    { "relative", check.table },
    { "title", text },
    { "xlabel", text },
    { "xunit", check.word { "bytes" } },
    { "byunit", check.word { "bytes" } },
    { "ylabel", text },
    { "reference", reference },
}

local function is_one_of(word, words)
    for _, known in ipairs(words) do
        if known == word then return true end
    end
    return false
end

local function values_of(sweep, name)
    return sweep.axes[sweep.axis_of[name]].columns[name]
end

-- { parameter = value or list of values }: selects points. Values missing from the sweep would select nothing.
local function selection(given, path, sweep, is_one)
    if not given then return nil end
    local members = {}
    for _, name in ipairs(check.names(given, path)) do
        if not sweep.axis_of[name] then
            check.fail(path .. " names '" .. name .. "', which is no sweep parameter; " .. check.meant(name, sweep.names))
        end
        local values = rawget(given, name)
        if type(values) ~= "table" then values = { values } end
        if check.length(values, path .. "." .. name) == 0 or (is_one and #values > 1) then
            check.fail(path .. "." .. name .. " has " .. #values .. " values: expected "
                .. (is_one and "one value" or "a value or a list of them"))
        end
        local kept = {}
        for index = 1, #values do
            local value = rawget(values, index)
            if not is_one_of(type(value), { "number", "string", "boolean" }) then
                check.refuse(path .. "." .. name, value, "expected values of the sweep")
            end
            kept[index] = sweep.sizes[name] and check.bytes(value) or value
        end
        members[#members + 1] = name
        members[#members + 1] = host.list(kept)
    end
    return host.object(table.unpack(members))
end

-- Parameters that a zip{} pairs with the value change with it.
local function base(given, path, sweep)
    if not given then return nil end
    local whole = {}
    for name, value in next, given do whole[name] = value end
    for _, name in ipairs(check.names(given, path)) do
        local value = sweep.sizes[name] and check.bytes(rawget(given, name)) or rawget(given, name)
        local axis = sweep.axes[sweep.axis_of[name] or 0]
        for row = 1, axis and axis.length or 0 do
            if axis.columns[name][row] == value then
                for _, paired in ipairs(axis.names) do whole[paired] = axis.columns[paired][row] end
                break
            end
        end
    end
    return selection(whole, path, sweep, true)
end

-- Parameters that a zip{} pairs with x do not distinguish lines.
local function paired_with(name, by, sweep)
    local paired = {}
    for _, other in ipairs(sweep.axis_of[name] and sweep.axes[sweep.axis_of[name]].names or {}) do
        if other ~= name and other ~= by then paired[#paired + 1] = other end
    end
    return paired[1] and host.list(paired) or nil
end

-- Words have no natural order, so a figure keeps the recipe's.
local function orders(fields, sweep)
    local members = {}
    for _, name in ipairs { fields.x or "", fields.by or "" } do
        local values = sweep.axis_of[name] and values_of(sweep, name) or {}
        local words = false
        for _, value in ipairs(values) do words = words or type(value) ~= "number" end
        if words and members[1] ~= name then
            members[#members + 1] = name
            members[#members + 1] = host.list(table.move(values, 1, #values, 1, {}))
        end
    end
    return members[1] and host.object(table.unpack(members)) or nil
end

local function check_each(list, path, checker)
    for index, name in ipairs(list or {}) do checker(name, path .. (#list > 1 and "[" .. index .. "]" or "")) end
end

-- Samples over time, or against one another.
local function check_samples(fields, path)
    local axes = fields.from == "trace" and { "time" } or { "time", "temperature" }
    local quantity = check.word(quantities)
    if fields.x and not is_one_of(fields.x, axes) then check.refuse(path .. ".x", fields.x, check.meant(fields.x, axes)) end
    fields.x = fields.x or axes[#axes]
    fields.y = fields.y or host.list { "power" }
    check_each(fields.y, path .. ".y", quantity)
    check_each(fields.right, path .. ".right", quantity)
    for _, name in ipairs { "reference", "relative", "kind" } do
        if fields[name] and not (name == "kind" and is_one_of(fields.kind, { "lines", "points" })) then
            check.fail(path .. "." .. name .. " is for figures of points: this one is from " .. fields.from)
        end
    end
    if fields.by and fields.from == "trace" then
        check.fail(path .. ".by: every point's trace is a figure of its own; only = {...} selects points")
    end
end

local function check_points(fields, path, parameters)
    if not fields.x then check.refuse(path .. ".x", nil, "expected a sweep parameter or a metric") end
    if not fields.y or #fields.y == 0 then check.refuse(path .. ".y", nil, "expected a metric or a list of metrics") end
    if not is_one_of(fields.x, parameters) and not metrics.is_known(fields.x) then
        check.refuse(path .. ".x", fields.x, "neither a sweep parameter nor a metric; "
            .. metrics.meant(fields.x, parameters))
    end
    check_each(fields.y, path .. ".y", metrics.check)
    check_each(fields.right, path .. ".right", metrics.check)
    local bars = fields.kind == "bars" or fields.kind == "stacked"
    if bars and fields.log == "x" or bars and fields.log == "xy" then
        check.refuse(path .. ".log", fields.log, "bars have no logarithmic x axis: expected 'y'")
    end
    if bars and fields.zero == false then
        check.refuse(path .. ".zero", false, "the lengths of bars can only be compared from 0")
    end
    if fields.kind == "map" and not fields.by then
        check.fail(path .. ".by is missing: a map has a column for each value of x and a row for each value of by")
    end
    for _, name in ipairs { "right", "together", "fit", "reference", "zero" } do
        if fields.kind == "map" and fields[name] ~= nil then
            check.fail(path .. "." .. name .. ": a map shows one metric by colour; expected a figure of another kind")
        end
    end
    if fields.kind == "map" and (fields.log == "x" or fields.log == "xy") then
        check.refuse(path .. ".log", fields.log, "a map's columns are not on an axis: expected 'y', for its colours")
    end
    if fields.mirror and fields.kind ~= "map" then
        check.fail(path .. ".mirror is for kind = \"map\": a value of x and by is also that of by and x")
    end
    if fields.kind == "stacked" and (fields.log or fields.right) then
        check.fail(path .. ".kind: stacked bars have one y axis that begins at 0: leave log and right out")
    end
    if fields.kind == "stacked" and fields.by and #fields.y > 1 then
        check.fail(path .. ".kind: stacked bars are stacked by their metrics or by a parameter: expected one y, or no by")
    end
end

-- The parameters whose values are bytes: those swept as sizes and, with byunit, that of 'by'.
local function sizes(fields, sweep)
    local names = {}
    for _, name in ipairs(sweep.names) do
        if sweep.sizes[name] or name == fields.by then names[#names + 1] = name end
    end
    return host.list(names)
end

local function figure(value, path, sweep)
    local fields = check.fields(value, path, schema)
    if fields.by and not is_one_of(fields.by, sweep.names) then
        check.refuse(path .. ".by", fields.by, "no sweep parameter; " .. check.meant(fields.by, sweep.names))
    end
    if fields.byunit and not fields.by then check.fail(path .. ".byunit: there is no " .. path .. ".by") end
    if fields.from == "points" then fields.from = nil end
    if fields.from then check_samples(fields, path) else check_points(fields, path, sweep.names) end
    return host.object("x", fields.x, "y", fields.y, "by", fields.by, "title", fields.title, "xlabel", fields.xlabel, "xunit", fields.xunit,
        "sizes", fields.byunit and sizes(fields, sweep) or nil, "ylabel", fields.ylabel, "reference", fields.reference, "from", fields.from, "kind", fields.kind,
        "right", fields.right, "log", fields.log, "together", fields.together, "fit", fields.fit, "zero", fields.zero, "mirror", fields.mirror,
        "only", selection(fields.only, path .. ".only", sweep, false),
        "relative", base(fields.relative, path .. ".relative", sweep), "order", orders(fields, sweep),
        "paired", paired_with(fields.x, fields.by, sweep))
end

-- sweep: the result of sweep.read.
function plot.read(value, sweep)
    if value == nil then return host.list {} end
    check.table(value, "plot", "expected { x =, y =, by = } or a list of these")
    if rawget(value, 1) == nil then return host.list { figure(value, "plot", sweep) } end
    local figures = {}
    for index = 1, check.length(value, "plot") do
        figures[index] = figure(rawget(value, index), "plot[" .. index .. "]", sweep)
    end
    return host.list(figures)
end

return plot
