-- The behaviours that a kernel lists: loads and stores (accesses.lua) and one constructor per operation in the
-- templates. Each returns a sealed value, which cannot be changed after it was checked.
local host, house = ...
local check, environment = house.check, house.environment
local fail, object = host.fail, host.object

local behaviours = {}
local clean = house.accesses.clean
local input_machine = host.input.machine
local machine = input_machine or {}

local most = 10000
local has_feature = {}
for _, feature in ipairs(machine.features or { "sse2" }) do has_feature[feature] = true end
local architecture = type(machine.gpu) == "table" and tonumber(string.match(machine.gpu.arch, "^sm_(%d+)"))

local processor = type(machine.gpu) == "table" and string.match(machine.gpu.arch, "^gfx%x+$")
local generation = processor and tonumber(string.match(processor, "^gfx(%d+)%x%x$"))

-- "gfx9" means that generation and all later ones, "gfx906" that processor.
local function is_processor(feature)
    local least = tonumber(string.match(feature, "^gfx(%d%d?)$"))
    return feature == processor or (least and generation and generation >= least)
end

-- "sm_70" means that architecture and all later ones, "=sm_89" that one alone, "=sm_90a" also sm_90, whose programs
-- then name sm_90a.
local function has(feature)
    local least = architecture and tonumber(string.match(feature, "^sm_(%d+)$"))
    return feature == "" or has_feature[feature] or (least and architecture >= least) or is_processor(feature)
        or (architecture and string.match(feature, "^=(sm_%d+)a?$") == string.match(machine.gpu.arch, "^sm_%d+"))
end

-- Operations without registers or operands, which cannot consume anything.
local silent = {
    nop = "a nop reads and writes nothing, so nothing depends on it",
    prefetch = "a prefetch writes no register, so nothing depends on it",
}

-- An operation's widths, in order.
local function widths_of(op)
    local found = {}
    for _, bytes in ipairs { 4, 8, 16, 32, 64 } do
        if op.widths[tostring(bytes)] then found[#found + 1] = bytes end
    end
    return found
end

local function width_checker(op)
    local found = widths_of(op)
    if silent[op.name] then return check.not_yet(op.name .. "{} has no operand and therefore no width") end
    return function(value, path)
        local bytes = check.bytes(value)
        if math.type(bytes) ~= "integer" or not op.widths[tostring(bytes)] then
            check.refuse(path, value, "expected " .. check.join(found) .. " bytes")
        end
        return bytes
    end
end

local function schema_of(op)
    local quiet = silent[op.name] and check.not_yet(silent[op.name])
    local bare = silent[op.name] and check.not_yet(op.name .. "{} has no operand that could hold it; expected no data")
    return check.schema {
        { "count", check.integer(1, most) },
        { "dependents", quiet or check.integer(0, most) },
        { "chain", quiet or check.integer(1, most) },
        { "width", width_checker(op) },
        { "data", bare or function(value) return value end }, -- read later, as the word depends on the width
    }
end

-- Products of groups of warps, and the nearest product of one warp.
local of_groups = { wgmma_f16 = "mma", wgmma_bf16 = "mma_bf16", wgmma_tf32 = "mma_bf16", wgmma_fp8 = "mma_bf16", wgmma_int8 = "mma_int8" }

-- The form at the width, if the machine has the features it needs.
local function form_of(op, bytes)
    local form = op.widths[tostring(bytes)]
    local any = false
    for _, feature in ipairs(form.features) do any = any or has(feature) end
    if not any and input_machine then
        host.emit("lacks", table.concat(form.features, " "))
        local last = form.features[#form.features]
        local later = architecture and string.sub(last, 1, 1) ~= "=" or #form.features == 1 and string.match(last, "^gfx%d%d?$")
        local warps = architecture and architecture >= 80 and of_groups[op.name]
        fail((architecture or processor)
            and op.name .. "{}: it needs " .. string.gsub(check.join(form.features), "=", "") .. (later and " or later" or "")
                .. ", and the machine " .. check.describe(machine.name) .. " is " .. machine.gpu.arch
                .. (warps and ": expected " .. warps .. "{}, of one warp" or "")
            or op.name .. ".width is " .. bytes .. ": it needs the feature " .. check.join(form.features)
                .. ", and the machine " .. check.describe(machine.name) .. " has "
                .. (machine.features and "no such feature" or "no list of features"))
    end
    return form
end

local function refuse_dependence(name, fields, bytes, form)
    local count, dependents = fields.count or 1, fields.dependents or 0
    if dependents > count then
        fail(name .. ".dependents is " .. dependents .. ": expected at most count = " .. count)
    end
    if dependents > 0 and fields.chain then
        fail(name .. " has both chain and dependents: an operation waits for the last load or for the one before it, "
            .. "so expected one of the two")
    end
    if dependents > 0 and not form.dependents then
        fail(name .. ".dependents is " .. dependents .. ": " .. name .. "{} of " .. bytes .. " bytes has no form that "
            .. "consumes a load; add{} and fma{} have one")
    end
    if fields.chain and not form.chain then
        fail(name .. ".chain is " .. fields.chain .. ": " .. name .. "{} has no form that begins a chain")
    end
end

local function is_zero(word) return not string.find(word, "[^0x]") end

local function refuse_zeros(name, word, data)
    local zero = word and is_zero(word)
    for _, each in ipairs(data.words or {}) do zero = zero or is_zero(each) end
    if zero then fail(name .. ".data has a word of zeros, which cannot be a divisor") end
end

local function read_operands(name, fields, bytes, form)
    if fields.data == nil then return nil end
    local path = name .. ".data"
    if not form.operand then fail(path .. ": " .. name .. "{} has no operand that could hold it; expected no data") end
    if (fields.dependents or 0) > 0 then
        fail(path .. " with dependents: their operand is the loaded value")
    end
    if fields.chain and not form.chain_operand then
        fail(path .. " with chain: each link of the chain uses the previous link's result")
    end
    local word, _, document, plain = house.pattern.read(fields.data, math.min(bytes, 8), path, "the operand has")
    if form.divides then refuse_zeros(name, word, plain) end
    return document
end

local function constructor(op)
    local schema, name = schema_of(op), op.name
    return function(options)
        local fields = check.fields(options, name, schema)
        local bytes = fields.width or op.plain
        local form = form_of(op, bytes)
        refuse_dependence(name, fields, bytes, form)
        local data = read_operands(name, fields, bytes, form)
        return host.seal {
            op = name, dependents = fields.dependents, bytes = bytes,
            document = object("op", name, "count", fields.count or 1, "dependents", fields.dependents or 0,
                "chain", fields.chain or 0, "width", (house.gpu_accesses.here or bytes ~= 8) and bytes or nil, "data", data),
        }
    end
end

local share_of = check.number(0, 1, "a share lies between 0 and 1")

local throttle_schema = check.schema {
    { "duty", check.number(0, 1, "a duty lies between 0 and 1") },
    { "peak", check.word { "ports" } },
}

-- The generator computes the number of idle instructions, because it has the machine's numbers of cycles.
local function throttle(options)
    local fields = check.fields(options, "throttle", throttle_schema)
    if not fields.duty then fail("throttle has no duty: expected the share of its peak rate that the unit keeps") end
    if fields.duty == 0 then fail("throttle.duty is 0: nothing would run; expected a share above 0") end
    if fields.peak and house.gpu_accesses.here then fail("throttle.peak is for processors: a GPU's peak is gpu.bandwidth") end
    return host.seal { op = "throttle", document = object("op", "throttle", "duty", fields.duty, "peak", fields.peak) }
end

local function test_width(value, path)
    if value ~= 4 and value ~= 8 then check.refuse(path, value, "expected 4 or 8, the bytes that a test compares") end
    return math.tointeger(value)
end

local branch_schema = check.schema {
    { "accuracy", check.number(0.5, 1, "an accuracy lies between 0.5 and 1: a predictor that guesses is right half the time") },
    { "taken", share_of },
    { "kind", check.word { "conditional", "indirect" } },
    { "through", check.word { "register", "memory" } },
    { "test", check.word { "each", "shared" } },
    { "width", test_width },
    { "count", check.integer(1, most) },
}

-- A GPU has no branch predictor; the threads of a branch all take the same way, or diverge.
local divergence_schema = check.schema { { "divergence", share_of }, { "count", check.integer(1, most) } }

local function gpu_branch(options)
    local fields = check.fields(options, "branch", divergence_schema)
    return host.seal {
        op = "branch",
        document = object("op", "branch", "count", fields.count or 1, "divergence", clean(fields.divergence or 0)),
    }
end

local function branch(options)
    if house.gpu_accesses.here then return gpu_branch(options) end
    local fields = check.fields(options, "branch", branch_schema)
    if not fields.accuracy then
        fail("branch has no accuracy: expected the share of branches that a good predictor gets right, from 0.5 to 1")
    end
    local indirect = fields.kind == "indirect"
    if indirect and fields.taken then
        fail("branch.taken requires kind = \"conditional\": an indirect branch is always taken")
    end
    if indirect and fields.width then
        fail("branch.width requires kind = \"conditional\": predictable indirect branches have no test")
    end
    if fields.through and not indirect then
        fail("branch.through requires kind = \"indirect\": it states where such a branch finds its target")
    end
    local through_memory = fields.through == "memory"
    if through_memory and fields.accuracy < 1 then
        fail("branch.through is \"memory\", and its accuracy is " .. fields.accuracy .. ": each such branch leads to one "
            .. "place, which predictors learn; expected accuracy = 1, beside indirect branches through registers that are "
            .. "mispredicted")
    end
    local shares = fields.test == "shared"
    return host.seal {
        op = "branch",
        document = object("op", "branch", "count", fields.count or 1, "accuracy", clean(fields.accuracy),
            "taken", fields.taken and clean(fields.taken), "kind", indirect and fields.kind or nil,
            "through", through_memory and fields.through or nil,
            "test", shares and fields.test or nil, "width", fields.width == 4 and 4 or nil),
    }
end

local function instructions(value, path)
    if type(value) ~= "string" or #value > 8192 or string.find(value, "[^%g%s]") then
        check.refuse(path, type(value) == "string" and "text" or value,
            "expected instructions in plain characters, at most 8192 of them")
    end
    return value
end

local number_of_registers = check.integer(0, 48)
local register_name = check.text(8)

local function registers(value, path)
    if type(value) ~= "table" then return number_of_registers(value, path) end
    local count = check.length(value, path)
    if count == 0 or count > 48 then fail(path .. " has " .. count .. " names: expected from 1 to 48") end
    return check.list_of(register_name)(value, path)
end

local processors = host.input.processors
local asm_fields = {}
for _, name in ipairs(processors) do asm_fields[#asm_fields + 1] = { name, instructions } end
local asm_schema = check.schema(table.move({
    { "ptx", instructions },
    { "gcn", instructions },
    { "registers", registers },
    { "memory", check.size(1, 1 << 20) },
    { "count", check.integer(1, most) },
}, 1, 5, #asm_fields + 1, asm_fields))

-- The assembler checks the text when the program is made; its errors report this line.
local function asm(options)
    local fields = check.fields(options, "asm", asm_schema)
    local file, line = host.place()
    local isa = machine.isa or processors[1]
    local text = fields[isa]
    if not text then
        fail("asm has no text for " .. isa .. ", which the machine runs: expected " .. isa .. " = \"instructions\"")
    end
    return host.seal {
        op = "asm",
        document = object("op", "asm", "count", fields.count or 1, "text", text,
            "registers", fields.registers or 0, "memory", fields.memory, "file", file, "line", line),
    }
end

local longest_unit = 10000

local function unit_length(unit, path)
    check.table(unit, path .. "'s result", "expected a list of behaviours: return { load{...}, add{...} }")
    for _, name in ipairs { "cores", "grids" } do
        if rawget(unit, name) ~= nil then
            fail(path .. " has " .. name .. " inside of " .. name .. " or phases: expected a list of behaviours")
        end
    end
    local count = check.length(unit, path)
    if count == 0 or count > longest_unit then
        fail(path .. " is a list of " .. count .. " behaviours: expected from 1 to " .. longest_unit)
    end
    return count
end

-- A store of loaded data needs an earlier load of the same width.
local function check_copy(made, loaded, path)
    if loaded == made.width then return end
    fail(path .. ": store.data is \"loaded\", and " .. (loaded and "the load before it has " .. loaded .. " bytes"
        or "no independent load precedes it in the unit") .. ": expected an independent load of "
        .. made.width .. " bytes")
end

-- The unit without entries that are false, such as `p.n > 0 and add{...}`. Places keep the recipe's indices.
local function present(unit, path)
    local indices = {}
    for index = 1, unit_length(unit, path) do
        if rawget(unit, index) ~= false then indices[#indices + 1] = index end
    end
    if #indices == 0 then fail(path .. " is a list of nothing but false: expected a behaviour, such as nop{}") end
    return indices
end

-- Vector operations consume a load of at least their width, others a load into a general register.
local function check_consumed(made, loaded, path)
    local what = path .. ": " .. made.op .. ".dependents is " .. made.dependents
    if not loaded then fail(what .. ": no load precedes it in the unit; expected a load{} before it, or no dependents") end
    if machine.isa == "ptx" then return end -- operations consume the first four bytes of any load
    local vector = not house.gpu_accesses.here and made.bytes > 8
    if vector and loaded >= made.bytes or not vector and loaded <= 8 then return end
    fail(what .. ": the load before it has " .. loaded .. " bytes, and operations of " .. made.bytes
        .. " bytes consume loads of " .. (vector and made.bytes .. " bytes or more" or "4 and 8 bytes")
        .. "; expected load.width = " .. (vector and made.bytes or "4 or 8"))
end

-- Appends a unit's behaviours to the documents and returns their number. agreed.code is the rate of code{} so far.
local function append_unit(unit, path, documents, agreed)
    local loaded, chased, indices = false, false, present(unit, path)
    for _, index in ipairs(indices) do
        local made = host.unseal(rawget(unit, index))
        if not made or not made.op then
            check.refuse(path .. "[" .. index .. "]", rawget(unit, index),
                "expected a behaviour, such as load{...} or nop{}")
        end
        if made.copies then check_copy(made, not chased and loaded, path .. "[" .. index .. "]") end
        if made.op == "load" or (made.op == "atomic" and made.gives ~= false) then loaded, chased = made.width, made.chases end
        house.shared.note(made, path .. "[" .. index .. "]", agreed)
        agreed.code = house.code.agree(agreed.code, made, path .. "[" .. index .. "]")
        if (made.dependents or 0) > 0 then check_consumed(made, loaded, path .. "[" .. index .. "]") end
        documents[#documents + 1] = made.document
    end
    return #indices
end

local most_phases = 100

-- Reads a kernel function's result. Returns the behaviours as a JSON list, with phases their number in each phase, and
-- the regions that copies share.
function behaviours.unit(result, path)
    local documents, lengths, agreed = {}, {}, { regions = {} }
    local phases = type(result) == "table" and rawget(result, "phases")
    if not phases then
        append_unit(result, path, documents, agreed)
        house.shared.check(agreed, path)
        return host.list(documents), nil, agreed
    end
    check.table(phases, path .. ".phases", "expected a list of kernels: { phases = { {...}, {...} } }")
    local other = check.first_key(result, function(key) return key ~= "phases" end)
    if other ~= nil then
        fail(path .. " has " .. check.describe(other) .. " beside phases: expected { phases = { {...}, {...} } } alone")
    end
    local count = check.length(phases, path .. ".phases")
    if count == 0 or count > most_phases then
        fail(path .. ".phases has " .. count .. " kernels: expected from 1 to " .. most_phases)
    end
    for index = 1, count do
        lengths[index] = append_unit(rawget(phases, index), path .. ".phases[" .. index .. "]", documents, agreed)
    end
    house.shared.check(agreed, path)
    return host.list(documents), host.list(lengths), agreed
end

-- Words of the recipe language for which an ISA's templates may have no rows.
local planned = {
    "add", "sub", "xor", "mul", "shift", "div", "fadd", "fmul", "fdiv", "fsqrt", "fma", "nop", "prefetch",
    "rotate", "andn", "popcount", "shadd", "move", "compare",
}

-- The operations that expect and plot accept in mix.<op>.
behaviours.operations = { "load", "store", "atomic", "branch", "asm", "code" }

environment.offer("load", house.gpu_accesses.load or house.accesses.load)
environment.offer("store", house.gpu_accesses.store or house.accesses.store)
environment.offer("tlb", not house.gpu_accesses.here and house.accesses.tlb or function()
    fail("tlb{} is for CPUs only: a GPU's machine file describes no TLB")
end)
environment.offer("atomic", house.gpu_accesses.atomic or house.shared.atomic)
environment.offer("throttle", throttle)
environment.offer("branch", branch)
environment.offer("asm", asm)
environment.offer("code", not house.gpu_accesses.here and house.code.behaviour or function()
    fail("code{} is for CPUs only: a GPU's machine file describes no cache for instructions")
end)
for _, op in ipairs(host.input.ops or {}) do
    if op.operators then goto next end -- rows of loads and stores, which accesses.lua reads
    environment.offer(op.name, constructor(op))
    behaviours.operations[#behaviours.operations + 1] = op.name
    ::next::
end
for _, word in ipairs(planned) do
    environment.absent[word] = "%s{}: no instruction of " .. (machine.isa or "this target") .. " programs is one; expected "
        .. check.join(behaviours.operations)
end
if house.gpu_accesses.here then
    environment.absent.prefetch = "%s{} is for CPUs only: this target has no prefetch instruction here; expected load{ cache = }"
end
if machine.isa == "ptx" then
    for _, word in ipairs { "wgmma", "tcgen05" } do
        environment.absent[word] = "%s{}: products by groups of warps, of factors in shared memory, are not generated; expected mma, "
            .. "mma_bf16 or mma_int8, of one warp each (mma.sync)"
    end
    if has("=sm_90a") then
        environment.absent.wgmma = "%s{}: expected wgmma_f16, wgmma_bf16, wgmma_tf32, wgmma_fp8 or wgmma_int8"
    end
end

return behaviours
