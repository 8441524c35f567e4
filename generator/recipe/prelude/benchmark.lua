-- benchmark{...}: its fields, and the points that its sweep and kernel define.
local host, house = ...
local check, metrics, sweep, placement = house.check, house.metrics, house.sweep, house.placement
local fail, object, context = host.fail, host.object, host.context

local benchmark = {}
local machine = host.input.machine or {}

local declared = {} -- names of the benchmarks so far
local open = nil    -- name of the benchmark whose points are being made
local line = nil    -- line of its call in the user's file

-- For fields that may be a function of the point and the machine: returns a function of the point that returns the
-- checked value. A constant is checked once.
local function settled(checker)
    return function(value, path)
        if type(value) ~= "function" then
            local constant = checker(value, path)
            return function() return constant end
        end
        return function(parameters)
            local result = value(parameters(), machine)
            return result ~= nil and checker(result, path) or nil
        end
    end
end

local processors = host.input.processors
local isa = machine.isa or processors[1]
local target_name = check.word(table.move({ "ptx", "gcn" }, 1, 2, #processors + 1, table.move(processors, 1, #processors, 1, {})))

-- Returns the machine's ISA if it is among the targets, else nil and the reason; then the targets' names.
local function find_target(value, path)
    local names = check.list_of(target_name)(value, path)
    for _, name in ipairs(names) do
        if name == isa then return isa, nil, names end
    end
    return nil, path .. " is " .. check.join(names) .. ": the machine " .. check.describe(machine.name) .. " runs " .. isa
        .. "; expected -m with a machine that runs it", names
end

-- Fails if this machine runs none of the targets, but another machine may.
local function target(value, path)
    local found, why, names = find_target(value, path)
    if not found then
        host.emit("wants", names[1])
        fail(why)
    end
    return found
end

local loop_schema = check.schema {
    { "units", check.integer(1, 1000000) },
    { "instructions", check.integer(1, 1000000) },
    { "fill", check.word { "L1I" } },
}

local function loop(value, path)
    local fields = check.fields(value, path, loop_schema)
    if (fields.units and 1 or 0) + (fields.instructions and 1 or 0) + (fields.fill and 1 or 0) > 1 then
        fail(path .. " has more than one of units, instructions and fill: expected one")
    end
    return object("units", fields.units, "instructions", fields.instructions, "fill", fields.fill)
end

local seconds = check.number(0, 86400, "expected seconds, at least 0 and at most a day, 86400")
local measure_schema = check.schema {
    { "time", seconds },
    { "reps", check.integer(1, 1000000) },
    { "warmup", seconds },
    { "idle_before", seconds },
    { "idle_after", seconds },
    { "cooling", seconds },
    { "temperature_below", check.number(-273, 1000, "expected degrees Celsius") },
    { "wait", seconds },
    { "precision", check.number(0, 1, "expected a share such as 0.01") },
    { "time_limit", seconds },
    { "subtract_start", check.boolean },
    { "events", check.list_of(check.text(100)) },
}

local function measure(value, path)
    local fields, members = check.fields(value, path, measure_schema), {}
    for _, name in ipairs(measure_schema.names) do
        if fields[name] then
            members[#members + 1] = name
            members[#members + 1] = fields[name]
        end
    end
    return object(table.unpack(members))
end

local any_number = check.number(-1e300, 1e300, "expected a number, or { min =, max = }")
local bounds_schema = check.schema { { "min", any_number }, { "max", any_number } }

local function bounds(value, path)
    if type(value) ~= "table" then
        local exact = any_number(value, path)
        return object("min", exact, "max", exact)
    end
    local fields = check.fields(value, path, bounds_schema)
    if not fields.min and not fields.max then fail(path .. " has no bound: expected { min =, max = }") end
    if fields.min and fields.max and fields.min > fields.max then
        fail(path .. string.format(" has min %.10g above max %.10g: nothing lies between", fields.min, fields.max))
    end
    return object("min", fields.min, "max", fields.max)
end

local function expect(value, path)
    check.table(value, path, "expected { metric = { min =, max = } }")
    return metrics.each(value, path, bounds)
end

local width = check.number(0, 1e300, "expected a number of at least 0, or { metric = number }")

-- A share with a tolerance of 1 cannot fail.
local function share_width(value, path)
    if width(value, path) >= 1 then
        check.refuse(path, value, "shares never differ by more than 1; expected less, such as 0.02")
    end
    return value
end

local function tolerance(value, path)
    if type(value) ~= "table" then return object("*", share_width(value, path)) end
    return metrics.each(value, path, function(given, where, name)
        return (metrics.is_share(name) and share_width or width)(given, where)
    end)
end

local function action(value, path)
    if type(value) ~= "function" then check.refuse(path, value, "expected a function(p, m)") end
    return value
end

local function as_given(value) return value end

-- Names of a suite's own files, which no benchmark's folder may have.
local of_suites = { ["suite.json"] = true, ["trauma.h"] = true, ["manifest.json"] = true }

local function benchmark_name(value, path)
    if of_suites[check.name(value, path)] then
        check.refuse(path, value, "a suite has a file of that name, and a benchmark's name is a folder's beside it; "
            .. "expected another name")
    end
    return value
end

local schema = check.schema {
    { "name", benchmark_name },
    { "title", check.text(500) },
    { "sweep", as_given },
    { "where", action },
    { "kernel", action },
    { "target", settled(target) },
    { "place", settled(placement.place) },
    { "from", settled(placement.from) },
    { "threads", house.gpu_accesses.here and check.not_yet("copies are for CPU programs; a GPU's threads are grid = { blocks =, threads = }")
        or settled(placement.threads) },
    { "grid", house.gpu_accesses.here and settled(house.gpu_accesses.grid)
        or check.not_yet("grids are for GPU programs; this is one for processors") },
    { "loop", settled(loop) },
    { "state", settled(placement.state) },
    { "measure", settled(measure) },
    { "expect", settled(expect) },
    { "tolerance", settled(tolerance) },
    { "plot", as_given },
    { "fit", check.list_of(check.word { "access-energy", "idle", "incremental", "interconnect", "linear", "ppep" }) },
    { "tags", check.list_of(check.text(100)) },
}

local function at(field, parameters)
    return field and field(parameters)
end

-- kernel: a unit with its phases and, for one of several programs, its place among them.
local function emit_point(fields, name, parameters, document, kernel)
    host.emit("point", object(
        "benchmark", fields.name,
        "point", name,
        "parameters", document,
        "target", at(fields.target, parameters) or target(processors, "benchmark.target"),
        "kernel", object("unit", kernel.unit, "loop", at(fields.loop, parameters) or object(), "phases", kernel.phases,
            "shared", kernel.shared),
        "expect", at(fields.expect, parameters),
        "tolerance", at(fields.tolerance, parameters),
        "threads", kernel.threads,
        "grid", at(fields.grid, parameters),
        "place", kernel.place,
        "from", kernel.from,
        "together", kernel.together,
        "state", at(fields.state, parameters),
        "measure", at(fields.measure, parameters),
        "line", line))
end

-- One program per core, or per grid of a GPU: a point for each, with the parameter core or grid. Each lists the
-- others.
local function emit_several(fields, name, parameters, document, kernels, one)
    for index = 1, rawget(document, "n"), 2 do
        if document[index] == one then fail("sweep has the parameter '" .. one .. "', which per-" .. one .. " kernels define themselves") end
    end
    if one == "core" and (fields.threads or fields.place) then
        fail("the kernel returns { cores = {...} } and the benchmark has threads or place: the cores already state where each kernel runs")
    end
    local names = {}
    for index, kernel in ipairs(kernels) do names[index] = placement.part_name(name, one, kernel.number) end
    local regions = {} -- of all kernels, so that all place a region alike
    for _, kernel in ipairs(kernels) do
        local path, found = "kernel." .. one .. "s[" .. kernel.number .. "]", nil
        kernel.unit, kernel.phases, found = house.behaviours.unit(kernel.unit, path)
        house.shared.check_cores(found, path)
        for region in next, found.regions do regions[region] = true end
    end
    for index, kernel in ipairs(kernels) do
        local own = parameters
        if one == "grid" then -- fields may depend on the grid: grid = function(p) return p.grid == 0 and ... end
            own = function() return parameters(one, kernel.number) end
        end
        emit_point(fields, names[index], own, placement.part_parameters(document, one, kernel.number), {
            unit = kernel.unit, phases = kernel.phases, shared = house.shared.names(regions),
            place = one == "core" and object("cores", host.list { kernel.number }) or at(fields.place, own),
            together = host.list(table.move(names, 1, #names, 1, {})),
        })
    end
end

local function emit_programs(fields, name, parameters, document)
    local result = fields.kernel(parameters(), machine)
    local kernels, one = placement.kernels(result)
    if kernels then return emit_several(fields, name, parameters, document, kernels, one) end
    local threads, place = placement.settle(at(fields.threads, parameters), at(fields.place, parameters))
    local from = at(fields.from, parameters)
    placement.agree(threads, place, from)
    local unit, phases, found = house.behaviours.unit(result, "kernel")
    house.shared.check_company(found, threads, place)
    emit_point(fields, name, parameters, document,
        { unit = unit, phases = phases, shared = house.shared.names(found.regions), threads = threads, place = place,
            from = from })
end

-- Emits a point or, if it is impossible, its refusal with the reason.
local function emit_refused(fields, name, document, message, file, hint, at_line)
    host.emit("point", object(
        "benchmark", fields.name,
        "point", name,
        "parameters", document,
        "target", isa,
        "refused", object("message", message, "file", file, "hint", hint, "line", at_line),
        "line", line))
end

local function emit_points(fields, plan)
    local kept = 0
    sweep.each(plan, function(name, parameters, document)
        context.point = name
        if not fields.where or fields.where(parameters(), machine) then
            local message, file, hint, at_line = host.attempt(emit_programs, fields, name, parameters, document)
            if message then emit_refused(fields, name, document, message, file, hint, at_line) end
            kept = kept + 1
        end
    end)
    context.point = nil
    if kept == 0 then fail("benchmark.where drops every point of the sweep: expected at least one to remain") end
end

local function begin(options)
    if open then
        fail("benchmark{} is called inside the benchmark '" .. open .. "': expected it at the top level")
    end
    check.known(options, "benchmark", schema)
    local name = benchmark_name(rawget(options, "name"), "benchmark.name")
    if declared[name] then fail("the file has two benchmarks named '" .. name .. "': names are unique") end
    declared[name] = true
    open, line = name, host.line()
    context.benchmark = name
end

-- A sweep may depend on the machine: function(m) returns the sweep.
local function of_machine(given)
    if type(given) ~= "function" then return given end
    local made = given(machine)
    if made == nil then fail("sweep's function returns nothing: expected { name = {...}, ... } or zip{...}") end
    return made
end

function benchmark.declare(options)
    begin(options)
    local names = host.list { isa }
    context.targets = names
    if type(rawget(options, "target")) ~= "function" then -- before the machine's fields are read
        local found, why
        found, why, names = find_target(rawget(options, "target") or processors, "benchmark.target")
        if not found then
            host.emit("left_out", object("why", open .. ": " .. why, "line", line, "targets", names))
            open, context.benchmark = nil, nil
            return
        end
        context.targets = names
    end
    local fields = check.fields(options, "benchmark", schema)
    if not fields.kernel then check.refuse("benchmark.kernel", nil, "expected function(p, m) that returns a list") end
    local plan = sweep.read(of_machine(fields.sweep))
    local sizes = {}
    for _, name in ipairs(plan.names) do sizes[#sizes + 1] = plan.sizes[name] and name or nil end
    host.emit("benchmark", object(
        "name", fields.name,
        "title", fields.title or "",
        "plot", house.plot.read(fields.plot, plan),
        "targets", names,
        "sizes", sizes[1] and host.list(sizes) or nil,
        "fit", fields.fit,
        "tags", fields.tags or host.list {}))
    emit_points(fields, plan)
    open, context.benchmark = nil, nil
end

-- Called at the end of the file.
function benchmark.finish()
    if open then fail("benchmark{} of '" .. open .. "' failed inside a pcall: let its error out") end
    if next(declared) == nil then
        fail("the file declares no benchmark: expected a call of benchmark{ name = ..., kernel = ... }")
    end
    sweep.check_overrides()
end

return benchmark
