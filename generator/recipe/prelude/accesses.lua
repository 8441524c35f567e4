-- Loads and stores: the levels that serve them, their order and their addresses.
local host, house = ...
local check = house.check
local fail, object = host.fail, host.object

local accesses = {}
local machine = host.input.machine or {}

-- A share without rounding errors: 1 - 0.7 is 0.3, and 1 - 0.1 * 10 is 0.
function accesses.clean(value)
    if math.floor(value * 1e6 + 0.5) / 1e6 == value then return value end -- six decimals suffice
    return value < 1e-15 and 0 or tonumber(string.format("%.12g", value))
end

local clean = accesses.clean
local levels = { "L1", "L2", "L3", "MEM", "SHARED", "DSMEM" }

local gpu = machine.isa == "ptx" or machine.isa == "gcn"

local function has_cache(name)
    return type(machine.caches) ~= "table" or machine.caches[name] ~= nil
end

-- The reason why a rate is impossible at a level, or nil.
local function obstacle(level, value)
    if machine.isa == "ptx" and level == "L3" then return "NVIDIA's GPUs have the levels SHARED, L1, L2 and MEM, from sm_90 on DSMEM" end
    if level == "SHARED" and not gpu then return "SHARED is a level of GPUs, and this program is for processors" end
    if level == "DSMEM" and machine.isa ~= "ptx" then
        return "DSMEM is a level of NVIDIA's GPUs from sm_90 on, the shared memory of another block of the cluster; expected "
            .. (gpu and "SHARED, L1, L2 or MEM" or "L1, L2, L3 or MEM")
    end
    if value == 0 or level == "SHARED" or level == "DSMEM" or level == "L1" or level == "MEM" or has_cache(level) then return nil end
    return "the machine " .. check.describe(machine.name) .. " has no " .. level .. " cache"
end

local level_known = {}
for _, name in ipairs(levels) do level_known[name] = true end

local function refuse_unknown_level(rates, path)
    for _, name in ipairs(check.names(rates, path)) do
        if not level_known[name] then fail(path .. " has no level '" .. name .. "': " .. check.meant(name, levels)) end
    end
end

-- Reads { L1 =, L2 =, ... } with the checker; omitted levels stay absent. example: valid rates, for messages.
local function read_levels(rates, path, checker, example)
    check.table(rates, path, "expected a table of levels, such as { " .. example .. " }")
    local found = {}
    for name, value in next, rates do
        if not level_known[name] then refuse_unknown_level(rates, path) end
        found[name] = value
    end
    for _, name in ipairs(levels) do
        local value = found[name]
        -- A remainder, such as 1 - 0.9 - 0.1, may be slightly below 0.
        if type(value) == "number" and value < 0 and value > -1e-12 then found[name] = 0 end
        if value ~= nil then checker(found[name], path .. "." .. name) end
    end
    return found
end

local function refuse_obstacles(rates, path)
    for _, level in ipairs(levels) do
        local why = rates[level] and obstacle(level, rates[level])
        if why then fail(path .. "." .. level .. " is " .. check.number_text(rates[level]) .. ": " .. why) end
    end
end

-- The shares passed to the generator: always L1 and L2, deeper levels only if they serve something.
local function document(l1, l2, l3, memory, shared, others)
    return object("SHARED", shared and clean(shared) > 0 and clean(shared) or nil,
        "DSMEM", others and clean(others) > 0 and clean(others) or nil, "L1", clean(l1), "L2", clean(l2), "L3", clean(l3) > 0 and clean(l3) or nil,
        "MEM", clean(memory) > 0 and clean(memory) or nil)
end

local share = check.number(0, 1, "a share lies between 0 and 1")

local function served_by(value, path)
    local shares = read_levels(value, path, share, "L1 = 0.9, L2 = 0.1")
    refuse_obstacles(shares, path)
    local l1, l2, l3, memory = shares.L1 or 0, shares.L2 or 0, shares.L3 or 0, shares.MEM or 0
    local sum = l1 + l2 + l3 + memory + (shares.SHARED or 0) + (shares.DSMEM or 0)
    if math.abs(sum - 1) > 1e-9 then
        fail(path .. " sums to " .. check.number_text(sum) .. ": the shares of the levels sum to 1")
    end
    return document(l1, l2, l3, memory, shares.SHARED, shares.DSMEM)
end

local rate = check.number(0, 1, "a miss rate lies between 0 and 1")

-- Local miss rates, per access that reaches a level. Omitted levels have a miss rate of 0.
local function miss_rate(value, path)
    local rates = read_levels(value, path, rate, "L1 = " .. (type(value) == "number" and value or 0.1))
    if not rates.L1 then fail(path .. ".L1 is missing: expected the share of loads that miss L1") end
    if rates.MEM and rates.MEM > 0 then
        fail(path .. ".MEM is " .. check.number_text(rates.MEM) .. ": nothing misses memory")
    end
    refuse_obstacles(rates, path)
    local l2, l3 = rates.L2 or 0, rates.L3 or 0
    if not has_cache("L3") then l3 = 1 end
    return document(1 - rates.L1, rates.L1 * (1 - l2), rates.L1 * l2 * (1 - l3), rates.L1 * l2 * l3)
end

local widths = { [4] = true, [8] = true, [16] = true, [32] = true, [64] = true }

local function width(value, path)
    local bytes = check.bytes(value)
    if not widths[bytes] then check.refuse(path, value, "expected 4, 8, 16, 32 or 64 bytes") end
    return math.tointeger(bytes)
end

local most_bytes = 1 << 30

local function stride(value, path)
    if value == "random" then return value end
    local bytes = check.bytes(value)
    if math.type(bytes) ~= "integer" or bytes < 1 or bytes > most_bytes then
        check.refuse(path, value, 'expected a number of bytes up to 1 GiB, a size such as "4KiB", or "random"')
    end
    return bytes
end

local function working_set(value, path)
    local bytes = check.bytes(value)
    if type(bytes) ~= "number" or bytes ~= math.floor(bytes) or bytes < 64 or bytes > most_bytes then
        check.refuse(path, value, 'expected a number of bytes from 64 to 1 GiB, or a size such as "32KiB"')
    end
    return math.tointeger(bytes)
end

local bus_widths = { [64] = true, [128] = true, [256] = true, [512] = true }

local function bus(value, path)
    if not bus_widths[value] then check.refuse(path, value, "expected 64, 128, 256 or 512 bits") end
    return math.tointeger(value)
end

local function later(value) return value end -- checked once the width is known

local of_shared = check.not_yet("it belongs to accesses to a region that copies share; expected shared = \"NAME\" beside it")

local function logic_width(value, path)
    if value ~= 4 and value ~= 8 then check.refuse(path, value, "expected 4 or 8, the bytes of the conjunction") end
    return math.tointeger(value)
end

local schema = check.schema {
    { "served_by", served_by },
    { "miss_rate", miss_rate },
    { "working_set", working_set },
    { "order", check.word { "shuffled", "even", "burst" } },
    { "address", check.word { "independent", "chase", "led" } },
    { "leads", check.boolean },
    { "logic", logic_width },
    { "behind", check.integer(1, 1000) },
    { "updates", check.boolean },
    { "copies", check.boolean },
    { "stride", stride },
    { "prefetch", check.word { "defeat", "invite" } },
    { "width", width },
    { "count", check.integer(1, 1000) },
    { "cache", check.word { "nt" } },
    { "data", later },
    { "from", check.word { "vector" } },
    { "bus", bus },
    { "node", check.integer(0, 1023) },
    { "shared", later }, -- shared.lua reads these accesses
    { "offset", of_shared },
    { "apart", of_shared },
    { "coherence", of_shared },
    { "window", of_shared },
}

-- Refuses accesses that state no source or several, and prefetch settings that contradict the stride.
function accesses.check_source(fields, op)
    local stated = (fields.served_by and 1 or 0) + (fields.miss_rate and 1 or 0) + (fields.working_set and 1 or 0)
    if stated ~= 1 then
        fail(op .. (stated == 0 and " does not state where it is served from" or " states more than once where it is served from")
            .. ": expected one of served_by = { L1 =, L2 = }, miss_rate = { L1 = } and working_set = BYTES")
    end
    if fields.prefetch == "defeat" and math.type(fields.stride) == "integer" then
        fail(op .. " has both prefetch = \"defeat\" and a stride of " .. fields.stride
            .. ": a constant stride is what prefetchers follow, so expected stride = \"random\" or no prefetch")
    end
    if fields.prefetch == "invite" and fields.stride == "random" then
        fail(op .. " has both prefetch = \"invite\" and stride = \"random\": no prefetcher follows that, "
            .. "so expected a stride in bytes or none")
    end
end

-- Non-temporal stores bypass the caches: memory serves them all.
local function check_past(fields, op)
    if op ~= "store" then
        fail(op .. ".cache is \"nt\": only stores bypass the caches; expected no cache")
    end
    if not fields.memory_alone and not fields.working_set then
        fail("store.cache is \"nt\": such a store bypasses the caches, so expected served_by = { MEM = 1 } or a working_set")
    end
end

-- A load's data fills its bus; a store uses as many bits of the bus as it writes.
local function check_bus(fields, op, bytes, data)
    if not fields.bus then return end
    if not data then fail(op .. ".bus needs data = PATTERN: it is the width of the pattern's words") end
    if fields.bus < 8 * bytes then
        fail(op .. ".bus is " .. fields.bus .. " bits: an access of " .. bytes .. " bytes needs at least " .. 8 * bytes)
    end
    if op == "store" and fields.bus ~= 8 * bytes then
        fail("store.bus is " .. fields.bus .. " bits: a store sets the " .. 8 * bytes .. " bits that it writes; expected width = "
            .. fields.bus // 8)
    end
end

-- Leading loads: the word that such a load reads becomes a zero, which led loads add to their address.
local function check_led(fields, op, address, bytes)
    local stated = address == "led" and "address is \"led\"" or fields.leads and "leads is true"
    if stated and op == "store" then fail("store." .. stated .. ": only loads lead and are led") end
    if stated and bytes > 8 then fail("load." .. stated .. ", and its width is " .. bytes .. ": expected 4 or 8 bytes") end
    if fields.leads and address == "chase" then
        fail("load.leads is true, and its address is \"chase\": such loads lead to each other; expected \"led\", or no leads")
    end
    if fields.logic and not fields.leads then
        fail(op .. ".logic is " .. fields.logic .. ": it states how a leading load makes its zero; expected leads = true beside it")
    end
    if fields.behind and (address ~= "led" or fields.leads) then
        fail(op .. ".behind is " .. fields.behind .. ": it states the place of loads with address = \"led\" that do not lead")
    end
end

-- One instruction reads a word and writes it, back or to the stack.
local function check_written(fields, op, address, bytes)
    local name = fields.updates and "updates" or "copies"
    if not fields[name] then return end
    local path = op .. "." .. name
    if fields.updates and fields.copies then fail(path .. " and " .. op .. ".copies are true: expected one of them") end
    if op ~= "load" then fail(path .. " is true: only loads can write the word that they read; expected it of loads") end
    if bytes > 8 or bytes < 8 and fields.copies then
        fail(path .. " is true, and its width is " .. bytes .. ": expected " .. (fields.copies and "8" or "4 or 8") .. " bytes")
    end
    if address ~= "independent" or fields.leads then
        fail(path .. " is true: such a load cannot lead to an address; expected address = \"independent\" and no leads")
    end
    if not fields.hits_alone or fields.stride or fields.prefetch then
        fail(path .. " is true: such loads hit L1; expected served_by = { L1 = 1 } and neither stride nor prefetch")
    end
end

-- Stores whose words are in vector registers.
local function check_from(fields, op, bytes, data)
    if not fields.from then return end
    local stated = op .. ".from is \"vector\""
    if op ~= "store" then fail(stated .. ": it states the registers of the words that stores write; loads have none") end
    if bytes > 8 then fail(stated .. ", and its width is " .. bytes .. ": these are in vector registers in any case") end
    if fields.cache then fail(stated .. ", and its cache is \"nt\": such stores write general registers; expected one of the two") end
    if not data then fail(stated .. ": expected data = PATTERN beside it") end
end

local function access(op, options)
    local fields = check.fields(options, op, schema)
    accesses.check_source(fields, op)
    local stated = fields.served_by and rawget(options, "served_by")
    fields.memory_alone = stated and stated.MEM == 1
    fields.hits_alone = stated and stated.L1 == 1
    local address, bytes = fields.address or "independent", fields.width or 8
    if address == "chase" and op == "store" then
        fail("store.address is \"chase\": a store provides no address to continue with, so expected \"independent\"")
    end
    if address == "chase" and bytes ~= 8 then
        fail(op .. ".width is " .. bytes .. ": address = \"chase\" loads addresses, which have 8 bytes")
    end
    check_led(fields, op, address, bytes)
    check_written(fields, op, address, bytes)
    if fields.cache then check_past(fields, op) end
    local loaded = fields.data == "loaded"
    if loaded and op ~= "store" then
        fail(op .. ".data is \"loaded\": only a store can write the loaded value; expected a pattern")
    end
    local data = nil
    if fields.data ~= nil and not loaded then
        local stated = house.pattern.bus(fields.data)
        fields.bus = fields.bus or (stated and bus(stated, op .. ".data's bus"))
        data = select(3, house.pattern.read(fields.data, math.min(bytes, 8), op .. ".data"))
    end
    check_bus(fields, op, bytes, data)
    check_from(fields, op, bytes, data)
    if data and address == "chase" then
        fail(op .. ".data goes with address = \"independent\": a chase loads addresses, so its data cannot be chosen")
    end
    return host.seal {
        op = op, width = bytes, chases = address == "chase" or fields.leads == true, copies = loaded,
        document = object("op", op, "served", fields.served_by or fields.miss_rate, "working_set", fields.working_set,
            "order", fields.order or "shuffled", "address", address, "width", bytes, "count", fields.count or 1,
            "stride", fields.stride, "prefetch", fields.prefetch, "cache", fields.cache, "data", loaded and "loaded" or data,
            "bus", fields.bus, "from", fields.from, "leads", fields.leads or nil, "logic", fields.logic, "behind", fields.behind,
            "updates", fields.updates or nil, "copies", fields.copies or nil, "node", fields.node),
    }
end

-- The share of all loads and stores whose page misses the data TLB.
local tlb_schema = check.schema { { "miss_rate", rate } }

function accesses.tlb(options)
    local fields = check.fields(options, "tlb", tlb_schema)
    if not fields.miss_rate then fail("tlb has no miss_rate: expected the share of accesses that miss the data TLB") end
    if type(machine.tlb and machine.tlb.data) ~= "table" and machine.name then
        fail("tlb.miss_rate is " .. check.number_text(fields.miss_rate) .. ": the machine "
            .. check.describe(machine.name) .. " has no tlb = { data = { entries =, ways =, page = } }; trauma machine probe -o FILE measures this "
            .. "machine's, and -m FILE takes it")
    end
    return host.seal { op = "tlb", document = object("op", "tlb", "miss_rate", fields.miss_rate) }
end

accesses.served_by, accesses.miss_rate = served_by, miss_rate

function accesses.load(options)
    return house.shared.is(options) and house.shared.load(options) or access("load", options)
end

function accesses.store(options)
    return house.shared.is(options) and house.shared.store(options) or access("store", options)
end

return accesses
