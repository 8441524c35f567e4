-- The metrics that expect, tolerance and plot accept (DESIGN.md section 5), including families.
local host, house = ...
local check = house.check

local metrics = {}

local names = {
    "served.L1", "served.L2", "served.L3", "served.MEM", "served.SHARED", "l1d.miss_rate", "l2.miss_rate",
    "l3.miss_rate", "l1i.miss_rate", "dtlb.miss_rate", "branch.miss_rate", "branch.taken_rate",
    "branch.divergence", "data.toggle_rate", "data.ones_rate", "throttle.duty",
    "body.share", "ipc", "dpc", "branch.distance", "l2.far_share", "power.static_w", "power.dynamic_w",
    "power.total_w", "power.cpu_w", "power.constant_w", "power.outside_w", "power.fans_w", "energy.dynamic_j",
    "ticks_per_load", "loads_per_tick",
}

-- Families with a number in the name, and raw counts.
local numbered = { "^place%.s[meh]%d+%.share$", "^place%.cu%d+%.share$", "^l2%.channel%d+%.share$", "^events%.[%w_:%-]+$" }

for _, level in ipairs { "L1", "L2", "L3", "MEM", "SHARED" } do
    names[#names + 1] = "bandwidth." .. level
    names[#names + 1] = "energy.per_access_j." .. level
end
for _, op in ipairs(house.behaviours.operations) do names[#names + 1] = "mix." .. op end

local known = {}
for _, name in ipairs(names) do known[name] = true end

function metrics.is_known(name)
    if known[name] then return true end
    for _, pattern in ipairs(numbered) do
        if type(name) == "string" and string.find(name, pattern) then return true end
    end
    return false
end

-- Metrics that lie between 0 and 1.
function metrics.is_share(name)
    return string.find(name, "[_.]rate$") or string.find(name, "share$") or string.find(name, "^served%.")
        or string.find(name, "^mix%.") or name == "branch.divergence" or name == "throttle.duty"
end

-- The likely word among the metrics and the given words.
function metrics.meant(name, beside)
    local words = table.move(names, 1, #names, #beside + 1, table.move(beside, 1, #beside, 1, {}))
    local near = type(name) == "string" and host.suggest(name, words)
    return near and "did you mean '" .. near .. "'?" or "expected a metric, such as 'ipc' or 'l1d.miss_rate'"
end

function metrics.check(name, path)
    if not metrics.is_known(name) then
        check.fail(path .. " names the metric " .. check.describe(name) .. ": " .. metrics.meant(name, {}))
    end
    return name
end

-- { metric = value, ... } with each value checked, in the order of the names.
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
