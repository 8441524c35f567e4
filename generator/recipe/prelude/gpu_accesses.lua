-- Loads and stores of GPU programs: every thread of the grid executes each of them. The levels are SHARED, DSMEM (the shared
-- memory of another block of the cluster), L1, L2 and MEM.
local host, house = ...
local check = house.check
local fail, object = host.fail, host.object

local accesses = {}
local machine = host.input.machine or {}
local shared = house.accesses

-- The cache operators of the target's loads and stores, as named in its templates.
local operators = {}
for _, op in ipairs(host.input.ops or {}) do operators[op.name] = op.operators end

local most_bytes = 1 << 40

local function width(widest, expected)
    return function(value, path)
        local bytes = check.bytes(value)
        if bytes ~= 4 and bytes ~= 8 and bytes ~= widest then check.refuse(path, value, expected) end
        return math.tointeger(bytes)
    end
end

local function bytes(least)
    return function(value, path)
        local stated = check.bytes(value)
        if type(stated) ~= "number" or stated ~= math.floor(stated) or stated < least or stated > most_bytes then
            check.refuse(path, value, "expected a number of bytes from " .. least .. " to 1 TiB, or a size such as \"32KiB\"")
        end
        return math.tointeger(stated)
    end
end

local stride_bytes = bytes(4)

local function stride(value, path)
    if value == "random" then return value end
    if type(check.bytes(value)) ~= "number" then
        check.refuse(path, value, 'expected a number of bytes, a size such as "4KiB", or "random"')
    end
    return stride_bytes(value, path)
end

local bus_widths = { [32] = true, [64] = true, [128] = true, [256] = true, [512] = true, [1024] = true }

local function bus(value, path)
    if not bus_widths[value] then check.refuse(path, value, "expected 32, 64, 128, 256, 512 or 1024 bits") end
    return math.tointeger(value)
end

local function later(value) return value end -- checked once the width is known

local schema = check.schema {
    { "served_by", shared.served_by },
    { "miss_rate", shared.miss_rate },
    { "working_set", bytes(64) },
    { "order", check.word { "shuffled", "even", "burst" } },
    { "address", check.word { "independent", "chase" } },
    { "stride", stride },
    { "lane", bytes(4) },
    { "node", check.never("a GPU's data is in its own memory, which is no NUMA node of the processors") },
    { "prefetch", check.never("a GPU has no prefetcher to defeat or invite") },
    { "width", width(16, "expected 4, 8 or 16 bytes") },
    { "count", check.integer(1, 1000) },
    { "cache", later },
    { "source", check.word { "async", "tma" } },
    { "stages", check.integer(1, 16) },
    { "data", later },
    { "bus", bus },
    { "shared", check.never("regions that copies share are for processors; a GPU's blocks read one data, and SHARED is a level of served_by") },
}

local function operator(value, op, path)
    if value == nil then return nil end
    for _, name in ipairs(operators[op]) do
        if name == value then return value end
    end
    local meant = type(value) == "string" and host.suggest(value, operators[op])
    check.refuse(path, value, meant and "did you mean '" .. meant .. "'?" or "expected one of " .. check.join(operators[op]))
end

-- Refuses asynchronous loads that a copy from global to shared memory cannot perform.
local function check_async(fields, served, op, wide)
    local bulk = fields.source == "tma"
    local path = op .. ".source is \"" .. fields.source .. "\""
    if #(operators[fields.source] or {}) == 0 then
        fail(path .. ": the target " .. machine.isa .. " has no " .. (bulk and "bulk" or "asynchronous") .. " copies; expected no source")
    end
    if op == "store" and not bulk then
        fail(path .. ": cp.async reads global memory; expected a load, no source, or from sm_90 on source = \"tma\"")
    end
    if op == "store" and fields.stages then
        fail("store.stages with source = \"tma\": the bytes that bulk stores write do not change, so nothing waits for their place; expected no stages")
    end
    if fields.address == "chase" and not bulk then
        fail(path .. " with address = \"chase\": a thread's copy gives no register an address; expected address = \"independent\", or no "
            .. "source, or from sm_90 on source = \"tma\"")
    end
    if fields.address == "chase" and fields.stages then
        fail(op .. ".stages with address = \"chase\": each copy begins where the one before leads, so that one is under way; expected no stages")
    end
    for _, level in ipairs { "SHARED", "DSMEM" } do
        if (rawget(served, level) or 0) > 0 then
            fail(path .. " with served_by." .. level .. ": asynchronous copies " .. (op == "store" and "write" or "read") .. " global memory; expected "
                .. (bulk and "" or "L1, ") .. "L2 or MEM, or a " .. op .. "{} of its own without source for " .. level)
        end
    end
    if fields.cache == "cg" and not bulk and wide ~= 16 then
        fail(path .. " with cache = \"cg\" and width = " .. wide .. ": such copies have 16 bytes; expected width = 16, or cache = \"ca\"")
    end
end

-- Bulk copies: one thread copies the adjacent bytes of all threads of its block, past L1.
local function check_bulk(fields, options, op, wide)
    local path = op .. ".source is \"tma\""
    local single = op == "load" and fields.address ~= "chase" -- each thread may copy for itself
    local served, rates = rawget(options, "served_by"), rawget(options, "miss_rate")
    if op == "store" and fields.working_set then
        fail(path .. " with a working_set: expected served_by = { L2 = 1 } or { MEM = 1 }, or no source")
    end
    if (served and (rawget(served, "L1") or 0) > 0) or (rates and rawget(rates, "L1") < 1) then
        fail(path .. " and L1 serves a share of it: bulk copies bypass L1; expected L2 or MEM"
            .. (single and ", or source = \"async\" for L1" or ""))
    end
    if fields.cache then
        check.refuse(op .. ".cache", fields.cache, "bulk copies (source = \"tma\") have no cache operator and bypass L1; expected no cache"
            .. (single and ", or source = \"async\"" or ""))
    end
    if fields.lane and fields.lane ~= wide then
        fail(path .. " with lane = " .. fields.lane .. ": a bulk copy is of adjacent bytes, " .. wide .. " for each thread; expected no lane"
            .. (single and ", or source = \"async\"" or ""))
    end
end

local function check_chase(fields, op, wide)
    if op == "store" then
        fail("store.address is \"chase\": a store provides no address to continue with, so expected \"independent\"")
    end
    if wide ~= 8 then fail(op .. ".width is " .. wide .. ": address = \"chase\" loads addresses, which have 8 bytes") end
    if fields.data then
        fail(op .. ".data goes with address = \"independent\": a chase loads addresses, so its data cannot be chosen")
    end
end

-- Shared memory has no cache operators: refuses one that would apply to no access.
local function check_operator(fields, served, op)
    local near = (rawget(served, "SHARED") or 0) + (rawget(served, "DSMEM") or 0)
    if fields.cache and near >= 1 then
        check.refuse(op .. ".cache", fields.cache, "accesses to shared memory have no cache operator; expected no cache")
    end
end

local function access(op, options)
    local fields = check.fields(options, op, schema)
    shared.check_source(fields, op)
    local chase = fields.address == "chase"
    local async = fields.source ~= nil
    local wide = fields.width or (chase and 8 or async and 16 or 4)
    if async then check_async(fields, rawget(options, "served_by") or {}, op, wide) end
    if fields.source == "tma" then check_bulk(fields, options, op, wide) end
    check_operator(fields, rawget(options, "served_by") or {}, op)
    if fields.stages and not async then
        fail(op .. ".stages needs source = \"async\" or \"tma\": it is how many units' copies are under way")
    end
    if chase then check_chase(fields, op, wide) end
    local data = nil
    if fields.data ~= nil then
        if fields.data == "loaded" then fail(op .. ".data is \"loaded\": on a GPU expected a pattern") end
        local stated = house.pattern.bus(fields.data)
        fields.bus = fields.bus or (stated and bus(stated, op .. ".data's bus"))
        data = select(3, house.pattern.read(fields.data, math.min(wide, 8), op .. ".data"))
    elseif fields.bus then
        fail(op .. ".bus needs data: it is the width of the data's words")
    end
    if fields.lane and fields.lane < wide then
        fail(op .. ".lane is " .. fields.lane .. ": neighbouring threads access " .. wide .. " bytes each; expected at least " .. wide)
    end
    return host.seal {
        op = op, width = wide, chases = chase, copies = false,
        document = object("op", op, "served", fields.served_by or fields.miss_rate, "working_set", fields.working_set,
            "order", fields.order or "shuffled", "address", fields.address or "independent", "width", wide,
            "count", fields.count or 1, "stride", fields.stride, "lane", fields.lane,
            "source", fields.source, "stages", fields.stages,
            "cache", operator(fields.cache, fields.source or op, op .. ".cache"), "data", data, "bus", fields.bus),
    }
end

-- An atomic changes words that threads, warps or blocks share.
local atomic_schema = check.schema {
    { "op", check.word { "add", "cas", "swap", "max" } },
    { "served_by", shared.served_by },
    { "scope", check.word { "cta", "cluster", "gpu", "sys" } },
    { "address", check.word { "one", "block", "warp", "thread" } },
    { "apart", bytes(4) },
    { "width", width(8, "expected 4 or 8 bytes") },
    { "count", check.integer(1, 1000) },
    { "order", check.word { "shuffled", "even", "burst" } },
    { "returns", check.boolean },
    { "shared", check.never("regions that copies share are for processors; on a GPU address states which threads change the same word") },
    { "offset", check.never("on a GPU apart states the distance between words") },
    { "data", check.never("words of an atomic begin as zeros; expected nothing") },
}

-- The level at which an atomic is performed decides which threads can access the word, and so the usual scope.
local usual_scope = { SHARED = "cta", DSMEM = "cluster" }

local function check_atomic(fields, served, wide)
    for _, level in ipairs { "L1", "MEM" } do
        if (rawget(served, level) or 0) > 0 then
            fail("atomic.served_by." .. level .. ": atomics are performed in shared memory or in L2, which keeps their words; expected SHARED, "
                .. "DSMEM or L2")
        end
    end
    if fields.returns == false and fields.op ~= "add" and fields.op ~= "max" then
        fail("atomic.returns is false with op = \"" .. fields.op .. "\": only \"add\" and \"max\" have a form without a result; expected "
            .. "returns = true")
    end
    if fields.apart and fields.apart % wide ~= 0 then
        fail("atomic.apart is " .. fields.apart .. ": words of " .. wide .. " bytes lie at multiples of that; expected "
            .. (fields.apart // wide + 1) * wide)
    end
    if fields.apart and fields.address == "one" then
        fail("atomic.apart goes with address = \"block\", \"warp\" or \"thread\": there is one word; expected no apart")
    end
end

local function atomic(options)
    local fields = check.fields(options, "atomic", atomic_schema)
    if #(operators.atomic or {}) == 0 then
        fail("atomic{}: the templates of " .. machine.isa .. " have none; expected target = \"ptx\", or load{} and store{}")
    end
    if not fields.op then fail("atomic has no op: expected \"add\", \"cas\", \"swap\" or \"max\"") end
    local given = rawget(options, "served_by")
    local served, level = given or {}, "L2"
    local wide = fields.width or 4
    check_atomic(fields, served, wide)
    for _, name in ipairs { "SHARED", "DSMEM" } do
        if rawget(served, name) == 1 then level = name end
    end
    return host.seal {
        op = "atomic", width = wide, chases = false, copies = false, gives = fields.returns ~= false,
        document = object("op", "atomic", "atomic", fields.op, "scope", fields.scope or usual_scope[level] or "gpu",
            "served", fields.served_by or shared.served_by({ L2 = 1 }, "atomic.served_by"), "order", fields.order or "shuffled",
            "address", "independent", "spread", fields.address or "thread", "lane", fields.apart, "width", wide,
            "count", fields.count or 1, "returns", fields.returns ~= false),
    }
end

accesses.here = machine.isa == "ptx" or machine.isa == "gcn"
accesses.atomic = accesses.here and atomic
accesses.load = accesses.here and function(options) return access("load", options) end
accesses.store = accesses.here and function(options) return access("store", options) end

-- The numbers of blocks, of threads per block, and of blocks per cluster (every GPU with clusters supports 8).
local most_threads = type(machine.gpu) == "table" and machine.gpu.block_threads or 1024
local grid_schema = check.schema {
    { "blocks", check.integer(1, 1 << 24) },
    { "threads", check.integer(1, most_threads) },
    { "cluster", check.integer(1, 8) },
}

function accesses.grid(value, path)
    local fields = check.fields(value, path, grid_schema)
    if fields.cluster and machine.isa == "gcn" then
        fail(path .. ".cluster is " .. fields.cluster .. ": the target gcn has no clusters; expected no cluster")
    end
    return object("blocks", fields.blocks, "threads", fields.threads, "cluster", fields.cluster)
end

return accesses
