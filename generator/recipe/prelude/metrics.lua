-- The metrics that expect, tolerance and plot accept: those in generator/metric/metric.c that a source can observe.
local host, house = ...
local check, context = house.check, host.context

local metrics = {}

local names = host.metric_names()
local operations = {}
for _, op in ipairs(house.behaviours.operations) do
    names[#names + 1] = "mix." .. op
    operations[op] = true
end

-- The table does not list the operations of mix.<op>.
local function exists(name)
    local op = type(name) == "string" and string.match(name, "^mix%.(.*)$")
    return type(name) == "string" and host.metric(name) ~= nil and (not op or operations[op] ~= nil)
end

local function is_seen_on(name, targets)
    for _, target in ipairs(targets) do
        if host.metric(name, target) then return true end
    end
    return false
end

function metrics.is_known(name)
    return exists(name) and is_seen_on(name, context.targets)
end

-- Metrics that lie between 0 and 1.
metrics.is_share = host.metric_is_share

-- A suggestion from the metrics that programs for these targets have, and from the given words.
function metrics.meant(name, beside)
    local words = table.move(beside, 1, #beside, 1, {})
    for _, known in ipairs(names) do
        if is_seen_on(known, context.targets) then words[#words + 1] = known end
    end
    local near = type(name) == "string" and host.suggest(name, words)
    return near and "did you mean '" .. near .. "'?" or "expected a metric, such as 'ipc' or 'l1d.miss_rate'; "
        .. "trauma list --metrics lists them"
end

-- Refuses metrics that no source can observe: a bound that is never judged would seem to be met.
function metrics.check(name, path)
    if metrics.is_known(name) then return name end
    if not exists(name) then
        check.fail(path .. " names the metric " .. check.describe(name) .. ": " .. metrics.meant(name, {}))
    end
    local kinds = {}
    for _, kind in ipairs { { "x86_64", "processors" }, { "ptx", "ptx" }, { "gcn", "gcn" } } do
        if host.metric(name, kind[1]) then kinds[#kinds + 1] = kind[2] end
    end
    check.fail(path .. " names the metric '" .. name .. "', which no source can observe in programs for "
        .. check.join(context.targets) .. ", only for " .. check.join(kinds) .. "; " .. metrics.meant(name, {}))
end

function metrics.each(given, path, checker)
    local members = {}
    for _, name in ipairs(check.names(given, path)) do
        metrics.check(name, path)
        members[#members + 1] = name
        members[#members + 1] = checker(rawget(given, name), path .. "." .. name, name)
    end
    return host.object(table.unpack(members))
end

return metrics
