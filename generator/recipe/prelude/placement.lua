-- The place where a program runs, the number of its copies, and the machine's state: threads, place and state.
local host, house = ...
local check = house.check
local fail, object, list = host.fail, host.object, host.list

local placement = {}

local most_copies = 1024

-- 0 copies run nothing, which measures the machine's idle power. "all" is a copy on each processor of the place.
local copies = check.integer(0, most_copies)

function placement.threads(value, path)
    if value == "all" then return value end
    return copies(value, path)
end

-- In points, no threads means a copy on each processor of the place.
function placement.settle(threads, place)
    if threads ~= "all" then return threads, place end
    return nil, place or object("cores", "all")
end

local number = check.integer(0, 65535)

-- "all", one number or a list of them, each once.
local function numbers(value, path)
    if value == "all" then return value end
    if type(value) ~= "table" then
        if type(value) ~= "number" then check.refuse(path, value, "expected \"all\", a number or a list of numbers") end
        value = { value }
    end
    local found, seen = {}, {}
    for index = 1, check.length(value, path) do
        local item = path .. "[" .. index .. "]"
        found[index] = number(rawget(value, index), item)
        if seen[found[index]] then fail(item .. " is " .. found[index] .. " again: expected each once") end
        seen[found[index]] = true
    end
    if #found == 0 or #found > most_copies then
        fail(path .. " names " .. #found .. ": expected from 1 to " .. most_copies .. ", or \"all\"")
    end
    return list(found)
end

-- One copy on each core, cluster (the cores that share an L3) or socket.
local one_each = { core = true, cluster = true, socket = true }

local function cores(value, path)
    if one_each[value] then return value end
    if type(value) == "string" and value ~= "all" then
        check.refuse(path, value, 'expected "all", "core", "cluster", "socket", a number or a list of numbers')
    end
    return numbers(value, path)
end

local gpu = type(host.input.machine) == "table" and host.input.machine.gpu

local function of_gpus(checker)
    return gpu and checker or check.not_yet("it is for GPU programs; this is one for processors")
end

-- The words differ between manufacturers' GPUs.
local nvidia = gpu and string.find(gpu.arch, "^sm_") ~= nil

local function of_nvidia(checker)
    return of_gpus((nvidia or not gpu) and checker
        or check.not_yet("AMD's compute units are identified by shader engine; expected se, sh and cu"))
end

local function of_amd(checker)
    return not nvidia and checker
        or check.not_yet("NVIDIA's multiprocessors are identified by number; expected sm")
end

local function side(value, path)
    if not nvidia then fail(path .. ": on AMD, l2_channels selects near and far channels") end
    local word = check.word { "near", "far" }(value, path)
    if (gpu.sides or 1) < 2 then
        fail(path .. " is " .. check.describe(value) .. ": the L2 of the machine "
            .. check.describe(host.input.machine.name) .. " is one part, so that nothing is nearer to one multiprocessor "
            .. "than to another (gpu.sides); expected a machine with two, such as h100, or no side")
    end
    return word
end

local place_schema = check.schema {
    { "cores", cores },
    { "cu", of_amd(numbers) },
    { "sockets", numbers },
    { "node", number },
    { "sm", of_nvidia(numbers) },
    { "xcc", of_gpus(of_amd(numbers)) },
    { "se", of_gpus(of_amd(numbers)) },
    { "sh", of_gpus(of_amd(numbers)) },
    { "l2_channels", of_gpus(numbers) },
    { "side", of_gpus(side) },
}

-- Several fields may place a GPU's blocks together; all must hold.
local function gpu_place(fields, path)
    local members = {}
    for _, kind in ipairs { "sm", "xcc", "se", "sh", "cu", "l2_channels", "side" } do
        if fields[kind] and fields[kind] ~= "all" then
            members[#members + 1], members[#members + 2] = kind, fields[kind]
        end
    end
    if fields.cores or fields.sockets or fields.node then fail(path .. " names cores, sockets or a node: a GPU has " .. "sm, or xcc, se, sh and cu") end
    return object(table.unpack(members))
end

function placement.place(value, path)
    local fields = check.fields(value, path, place_schema)
    if gpu then return gpu_place(fields, path) end
    local kinds = {}
    if fields.node then fields.node = list { fields.node } end
    for _, kind in ipairs { "cores", "cu", "sockets", "node" } do
        if fields[kind] then kinds[#kinds + 1] = kind end
    end
    if #kinds ~= 1 then
        fail(path .. (#kinds == 0 and " is empty" or " has both " .. kinds[1] .. " and " .. kinds[2])
            .. ": expected one of cores, cu, sockets and node")
    end
    return object(kinds[1], fields[kinds[1]])
end

local function file_name(value, path)
    if type(value) ~= "string" or not string.find(value, "^[%w_-][%w._-]*$") then
        check.refuse(path, value, "expected the name of a file of the recipe's folder, without slashes")
    end
    return value
end

local from_schema = check.schema {
    { "file", file_name },
    { "kernel", check.text(200) },
    { "field", check.text(100) },
    { "replace", check.text(200) },
    { "occurrence", function(value, path)
        return value == "all" and value or check.integer(1, 1000000)(value, path)
    end },
}

-- A compiled kernel's binary, in which a placeholder is replaced by an instruction that reads a wave's place.
placement.from = of_gpus(of_amd(function(value, path)
    local fields = type(value) == "table" and check.fields(value, path, from_schema) or { file = file_name(value, path) }
    if not fields.file then fail(path .. " names no file: expected { file = \"kernel.co\" } or \"kernel.co\"") end
    return object("file", fields.file, "path", host.folder .. fields.file, "kernel", fields.kernel, "field", fields.field,
        "replace", fields.replace, "occurrence", fields.occurrence)
end))

local function word(expected)
    return function(value, path)
        if type(value) ~= "string" or not string.find(value, "^[%w_. -]+$") or #value > 30 then
            check.refuse(path, value, expected)
        end
        return value
    end
end

local state_name = word("expected true, false or the name of the deepest state allowed, such as \"C1\"")

local function of_amdgpu(checker)
    return of_gpus(not nvidia and checker
        or check.not_yet("it is for AMD's GPUs, whose driver has files for it; expected gpu_clock"))
end

local ghz = check.number(0.01, 100, "expected GHz, from 0.01 to 100")
local gpu_profile = check.word { "auto", "low", "high", "profile_standard", "profile_min_sclk", "profile_min_mclk",
    "profile_peak" }

local state_schema = check.schema {
    { "frequency", ghz },
    { "boost", check.boolean },
    { "governor", word("expected a governor's name, such as \"performance\"") },
    { "idle_states", function(value, path)
        if type(value) == "boolean" then return value end
        return state_name(value, path)
    end },
    { "prefetchers", check.boolean },
    { "gpu_clock", of_gpus(function(value, path)
        if value == "base" then return value end
        return check.number(0.01, 100, "expected GHz, from 0.01 to 100, or \"base\"")(value, path)
    end) },
    { "gpu_memory_clock", of_amdgpu(ghz) },
    { "gpu_profile", of_amdgpu(gpu_profile) },
    { "gpu_fan", of_amdgpu(check.number(0.2, 1, "expected a share of the full speed, from 0.2, as it must cool, to 1")) },
}

function placement.state(value, path)
    local fields, members = check.fields(value, path, state_schema), {}
    local clock = fields.gpu_clock and "gpu_clock" or fields.gpu_memory_clock and "gpu_memory_clock"
    if fields.gpu_profile and clock then
        fail(path .. " has both " .. clock .. " and gpu_profile: a profile chooses the clocks")
    end
    if fields.gpu_clock == "base" and fields.gpu_memory_clock then
        fail(path .. " has gpu_memory_clock beside gpu_clock = \"base\", which fixes both clocks: expected GHz for each")
    end
    for _, name in ipairs(state_schema.names) do
        if fields[name] ~= nil then
            members[#members + 1] = name
            members[#members + 1] = fields[name]
        end
    end
    if #members == 0 then fail(path .. " is empty: expected one of " .. check.join(state_schema.names)) end
    return object(table.unpack(members))
end

-- Refuses combinations of threads, place and from that are invalid although each is valid alone.
function placement.agree(threads, place, from)
    local reads, die = false, false
    for index = 1, place and rawget(place, "n") or 0, 2 do
        reads = reads or place[index] == "se" or place[index] == "sh" or place[index] == "cu"
        die = die or place[index] == "xcc"
    end
    local field
    for index = 1, from and rawget(from, "n") or 0, 2 do
        if from[index] == "field" then field = from[index + 1] end
    end
    if from and die and (reads or field ~= "xcc") then
        fail("benchmark.place names xcc, which has a register of its own, and benchmark.from reads "
            .. (field or "cu,sh,se") .. ": expected xcc alone and from = { file = ..., field = \"xcc\" }, or no xcc")
    end
    reads = reads or die
    if from and not reads then
        fail("benchmark.from is " .. check.describe(from[2]) .. ", in which a placeholder becomes the read of where a wave runs, "
            .. "and place names no se, sh or cu: expected place = { se = { 0 } } or the like")
    end
    local cores = place and rawget(place, 1) == "cores" and rawget(place, 2)
    if threads and type(cores) == "table" and threads > #cores then
        fail("benchmark.threads is " .. threads .. ": place.cores names " .. #cores
            .. ", and no two copies share one")
    end
end

-- Results of a kernel function other than one list: programs of several cores, or grids that a GPU runs at the same
-- time.
local several = {
    cores = { one = "core", last = 65535, most = most_copies, words = "logical processors, from 0 to 65535" },
    grids = { one = "grid", last = 3, most = 4, words = "grids, from 0 to 3" },
}

local function check_kind(kind)
    if kind == "cores" and gpu then
        fail("kernel returned cores, which a GPU has none of: expected one list of behaviours, or on PTX { grids = { [0] = {...}, [1] = {...} } }")
    elseif kind == "grids" and not gpu then
        fail("kernel returned grids, which are for GPUs: expected { cores = { [0] = {...}, [1] = {...} } }, or -m with a GPU of NVIDIA")
    elseif kind == "grids" and host.input.machine.isa ~= "ptx" then
        fail("kernel returned grids, which run at the same time through CUDA alone, and the machine "
            .. check.describe(host.input.machine.name) .. " runs " .. host.input.machine.isa
            .. ": expected one list of behaviours, or -m with a GPU of NVIDIA, such as h100")
    end
end

-- The kernels of { cores = { [0] = {...}, [1] = {...} } } or { grids = {...} } by number, and their kind; nil for a
-- kernel that is one list.
function placement.kernels(result)
    local kind = type(result) == "table" and (rawget(result, "cores") ~= nil and "cores" or rawget(result, "grids") ~= nil and "grids")
    if not kind then return nil end
    for _, name in ipairs(check.names(result, "kernel's result")) do
        if name ~= kind then fail("kernel returned '" .. name .. "' beside " .. kind .. ": expected { " .. kind .. " = {...} } alone") end
    end
    check_kind(kind)
    local path, kernels, are = "kernel." .. kind, {}, several[kind]
    local units = check.table(rawget(result, kind), path, "expected { [0] = {...}, [1] = {...} }")
    local odd = check.first_key(units, function(number)
        return math.type(number) ~= "integer" or number < 0 or number > are.last
    end)
    if odd ~= nil then
        fail(path .. " has the entry " .. check.describe(odd) .. ": expected " .. are.words)
    end
    for number, unit in next, units do
        kernels[#kernels + 1] = { number = number, unit = unit }
    end
    if #kernels == 0 or #kernels > are.most then
        fail(path .. " has " .. #kernels .. " kernels: expected from 1 to " .. are.most)
    end
    table.sort(kernels, function(a, b) return a.number < b.number end)
    return kernels, are.one
end

-- A point's name with the parameter core or grid inserted in sorted order; values contain no comma.
function placement.part_name(name, one, number)
    local parts, label = {}, one .. "=" .. number
    for part in string.gmatch(name == "default" and "" or name, "[^,]+") do
        if label and string.match(part, "^[^=]*") > one then
            parts[#parts + 1], label = label, nil
        end
        parts[#parts + 1] = part
    end
    parts[#parts + 1] = label
    return table.concat(parts, ",")
end

-- The point's parameters with core or grid inserted in sorted order.
function placement.part_parameters(document, one, number)
    local members, placed = {}, false
    for index = 1, rawget(document, "n"), 2 do
        if not placed and document[index] > one then
            members[#members + 1], members[#members + 2], placed = one, number, true
        end
        members[#members + 1], members[#members + 2] = document[index], document[index + 1]
    end
    if not placed then members[#members + 1], members[#members + 2] = one, number end
    return object(table.unpack(members))
end

return placement
