-- benchmark.plot: which figures a benchmark's results make. One table or a list of them, given back as a list.
local host, house = ...
local check, metrics = house.check, house.metrics

local plot = {}

local text = check.text(200)

local reference_schema = check.schema {
    { "kind", check.word { "blocking-cache" } },
    { "y", metrics.check },
    { "penalty", check.number(0, 1e9, "expected a number of cycles") },
}

-- A curve from a paper's equation, drawn beside the results.
local function reference(value, path)
    local fields = check.fields(value, path, reference_schema)
    if not fields.kind then check.refuse(path .. ".kind", nil, "expected 'blocking-cache'") end
    if not fields.y then check.refuse(path .. ".y", nil, "expected the metric that the curve is of") end
    return host.object("kind", fields.kind, "y", fields.y, "penalty", fields.penalty)
end

local schema = check.schema {
    { "x", check.text(100) },
    { "y", check.list_of(metrics.check) },
    { "by", check.text(100) },
    { "title", text },
    { "xlabel", text },
    { "ylabel", text },
    { "reference", reference },
}

local function is_one_of(word, words)
    for _, known in ipairs(words) do
        if known == word then return true end
    end
    return false
end

local function check_axes(fields, path, parameters)
    if not fields.x then check.refuse(path .. ".x", nil, "expected a sweep parameter or a metric") end
    if not fields.y or #fields.y == 0 then check.refuse(path .. ".y", nil, "expected a metric or a list of metrics") end
    if not is_one_of(fields.x, parameters) and not metrics.is_known(fields.x) then
        check.refuse(path .. ".x", fields.x, "neither a sweep parameter nor a metric; "
            .. metrics.meant(fields.x, parameters))
    end
    if fields.by and not is_one_of(fields.by, parameters) then
        check.refuse(path .. ".by", fields.by, "no sweep parameter; " .. check.meant(fields.by, parameters))
    end
end

local function figure(value, path, parameters)
    local fields = check.fields(value, path, schema)
    check_axes(fields, path, parameters)
    return host.object("x", fields.x, "y", fields.y, "by", fields.by, "title", fields.title, "xlabel", fields.xlabel,
        "ylabel", fields.ylabel, "reference", fields.reference)
end

function plot.read(value, parameters)
    if value == nil then return host.list {} end
    check.table(value, "plot", "expected { x =, y =, by = } or a list of these")
    if rawget(value, 1) == nil then return host.list { figure(value, "plot", parameters) } end
    local figures = {}
    for index = 1, check.length(value, "plot") do
        figures[index] = figure(rawget(value, index), "plot[" .. index .. "]", parameters)
    end
    return host.list(figures)
end

return plot
