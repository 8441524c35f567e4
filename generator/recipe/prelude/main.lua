-- Runs the user's file: a recipe, which declares benchmarks, or a machine file, which describes a machine.
local host, house = ...
local check, environment = house.check, house.environment
local fail = host.fail

local running = {} -- files being run, to detect one that includes itself

local function run(path)
    if running[path] then fail("include: " .. path .. " includes itself") end
    running[path] = true
    host.compile(path, environment.names)()
    running[path] = nil
end

local function include(name)
    if type(name) ~= "string" or not string.find(name, "^[%w_-][%w._-]*$") then
        fail("include gets " .. check.describe(name)
            .. ": expected the name of a file of the same folder, without slashes")
    end
    local file = string.find(name, "%.lua$") and name or name .. ".lua"
    if host.input.kind == "recipe" then host.emit("included", file) end
    run(host.folder .. file)
end

local described = false

local function machine(description)
    if described then fail("machine{} is called twice: a machine file describes one machine") end
    check.table(description, "machine", "expected machine{ name = ..., isa = ..., caches = ... }")
    described = true
    host.emit("line", host.line())
    host.emit("machine", description)
end

local kinds = {
    recipe = {
        offer = { benchmark = house.benchmark.declare },
        absent = { machine = "'%s' belongs in machine files: if this is one, pass it with -m" },
        finish = house.benchmark.finish,
    },
    machine = {
        offer = { machine = machine },
        absent = { benchmark = "'%s' belongs in recipes: this file was given as a machine, which calls machine{ ... }" },
        finish = function()
            if not described then fail("the file describes no machine: expected a call of machine{ name = ... }") end
        end,
    },
}

return function()
    local kind = kinds[host.input.kind]
    for name, action in pairs(kind.offer) do environment.offer(name, action) end
    for name, sentence in pairs(kind.absent) do environment.absent[name] = sentence end
    environment.offer("include", include)
    run(host.path)
    kind.finish()
end
