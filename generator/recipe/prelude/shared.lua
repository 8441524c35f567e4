-- Accesses to regions that all copies of a point map: load{ shared = }, store{ shared = } and atomic{}.
local host, house = ...
local check = house.check
local fail, object = host.fail, host.object

local shared = {}
local machine = host.input.machine or {}
local caches = type(machine.caches) == "table" and machine.caches or {}
local line = type(caches.L1D) == "table" and math.tointeger(caches.L1D.line) or 64

local most_bytes = 1 << 30
shared.most_regions = 8

local function width(value, path)
    local stated = check.bytes(value)
    if stated ~= 4 and stated ~= 8 then check.refuse(path, value, "a shared region is accessed by words; expected 4 or 8 bytes") end
    return math.tointeger(stated)
end

local no_level = "a shared region's lines lie where its copies leave them; expected "

local common = {
    { "shared", check.name },
    { "offset", check.size(0, most_bytes) },
    { "stride", check.size(0, most_bytes) },
    { "apart", check.size(0, most_bytes) },
    { "count", check.integer(1, 1000) },
    { "width", width },
    { "working_set", check.size(64, most_bytes) },
}
local no_data = check.never("words of a shared region begin as zeros; expected nothing")

local function schema_with(rows, instead)
    local all = table.move(rows, 1, #rows, #common + 1, table.move(common, 1, #common, 1, {}))
    for _, name in ipairs { "served_by", "miss_rate" } do
        all[#all + 1] = { name, check.never(no_level .. (instead or "no " .. name)) }
    end
    return check.schema(all)
end

local schemas = {
    load = schema_with({
        { "address", check.word { "independent", "chase" } },
        { "order", check.word { "shuffled", "even" } },
        { "coherence", check.word { "modified", "exclusive", "shared" } },
        { "window", check.size(64, most_bytes) },
        { "data", no_data },
    }, "coherence = \"modified\", \"exclusive\" or \"shared\", or nothing"),
    store = schema_with { { "order", check.word { "shuffled", "even" } }, { "data", check.word { "loaded" } } },
    atomic = schema_with { { "op", check.word { "add", "cas", "swap", "turn" } }, { "data", no_data } },
}

-- The words of a chase are zeros.
local function check_chase(fields, op)
    if fields.address == "chase" and (fields.width or 8) ~= 8 then
        fail(op .. ".width is " .. fields.width .. ": address = \"chase\" loads addresses, which have 8 bytes")
    end
end

local function check_places(fields, op, stride, wide)
    local offset = fields.offset or 0
    for _, place in ipairs { { "offset", offset }, { "stride", stride }, { "apart", fields.apart or 0 } } do
        if place[2] % wide ~= 0 then
            fail(op .. "." .. place[1] .. " is " .. place[2] .. ": words of " .. wide .. " bytes lie at multiples of " .. wide)
        end
    end
    local set = fields.working_set
    if not set then return end
    if stride == 0 then fail(op .. " has a working_set and stride = 0, which stays where it is: expected a stride in bytes") end
    local step = stride * (fields.count or 1)
    if set % step ~= 0 then
        fail(op .. ".working_set is " .. set .. ": a unit's accesses advance by count * stride = " .. step
            .. " bytes, so expected a multiple, such as " .. math.max(set // step, 1) * step)
    end
    if fields.apart and fields.apart > 0 then
        fail(op .. " has both apart and a working_set: expected copies that walk through the same lines, or lines apart")
    end
end

-- Checks the window of a walk for which states are set at a time.
local function check_window(fields, op, stride)
    local window, set = fields.window, fields.working_set
    if not window then return end
    if not fields.coherence then fail(op .. " has a window and no coherence: expected the state of the lines in it") end
    if not set then fail(op .. " has a window and no working_set: expected the bytes of the whole walk") end
    local step = stride * (fields.count or 1)
    if window % step ~= 0 then
        fail(op .. ".window is " .. window .. ": a unit's accesses advance by count * stride = " .. step
            .. " bytes, so expected a multiple, such as " .. math.max(window // step, 1) * step)
    end
    if set % window ~= 0 then
        fail(op .. ".working_set is " .. set .. ": expected a whole number of windows of " .. window .. " bytes, such as "
            .. math.max(set // window, 1) * window)
    end
end

-- States belong to lines: several loads of a line must be consecutive, because the first changes its state.
local function check_lines(fields, op, stride)
    if not fields.coherence or stride >= line then return end
    if fields.order == "even" and fields.address ~= "chase" and stride > 0 and line % stride == 0 then return end
    fail(op .. ".stride is " .. stride .. ": coherence states belong to lines, so expected a multiple of " .. line
        .. ", or with order = \"even\" and independent loads a part of it")
end

local function make(op, options)
    local fields = check.fields(options, op, schemas[op])
    if not fields.shared then fail(op .. " has no shared: expected the name of the region that its copies share") end
    if op == "atomic" and not fields.op then fail("atomic has no op: expected \"add\", \"cas\", \"swap\" or \"turn\"") end
    if op == "atomic" and fields.op == "turn" and fields.width == 4 then
        fail("atomic.width is 4: a turn is a word of 8 bytes")
    end
    check_chase(fields, op)
    local wide = fields.width or 8
    local strides = fields.working_set or fields.coherence or fields.address == "chase"
    local stride = fields.stride or (strides and line or 0)
    check_places(fields, op, stride, wide)
    if fields.coherence and fields.apart and fields.apart > 0 then
        fail(op .. " has both coherence and apart: the copies take turns on the same lines; expected one of the two")
    end
    check_lines(fields, op, stride)
    check_window(fields, op, stride)
    return host.seal {
        op = op, width = wide, chases = fields.address == "chase", copies = fields.data == "loaded",
        region = fields.shared, coherence = fields.coherence,
        window = (fields.window or fields.working_set or 0) .. " of " .. (fields.working_set or 0), turns = fields.op == "turn",
        document = object("op", op, "shared", fields.shared, "atomic", fields.op, "offset", fields.offset or 0,
            "stride", stride, "apart", fields.apart or 0, "count", fields.count or 1, "width", wide,
            "working_set", fields.working_set, "window", fields.window, "data", fields.data, "address", fields.address, "order", fields.order or "shuffled",
            "coherence", fields.coherence),
    }
end

function shared.is(options) return type(options) == "table" and rawget(options, "shared") ~= nil end

function shared.load(options) return make("load", options) end
function shared.store(options) return make("store", options) end

function shared.atomic(options)
    return make("atomic", options)
end

-- The uses of regions by a unit's behaviours: collected over the unit, then checked.
function shared.note(made, path, found)
    if made.region then
        local region = found.regions[made.region] or {}
        found.regions[made.region] = region
        found.any, region.chased = true, region.chased or made.chases
        if made.op == "atomic" then region.changed = true end
        if made.op ~= "load" then region.written = made.op end
        found.turns = found.turns or made.turns
        if made.coherence then
            local size = made.window
            if found.coherence and size ~= found.window then
                fail(path .. ": load.coherence has a window of " .. size .. " bytes, and another load of " .. found.window
                    .. ": expected one working_set and window of all")
            end
            found.window = size
            if found.coherence and (found.coherence ~= made.coherence or found.coherent ~= made.region) then
                fail(path .. ": load.coherence is " .. check.describe(made.coherence) .. " of the region "
                    .. check.describe(made.region) .. ", and another load has " .. check.describe(found.coherence) .. " of "
                    .. check.describe(found.coherent) .. ": one region of a kernel has one state")
            end
            found.coherence, found.coherent = made.coherence, made.region
        end
    elseif made.op == "load" or made.op == "store" or made.op == "tlb" then
        found.plain = made.op
    elseif made.op == "code" or made.op == "branch" then
        found.jumps = made.op
    end
end

function shared.check(found, path)
    if not found.any then return end
    if found.plain then
        fail(path .. " has " .. found.plain .. "{} beside accesses to a shared region, whose lines come and go with the "
            .. "other copies: its rates could not be promised; expected kernels of their own")
    end
    if found.jumps == "code" or (found.jumps and found.coherence) then
        fail(path .. " has " .. found.jumps .. "{} beside " .. (found.coherence and "load{ coherence = }" or "a shared region")
            .. ": expected kernels of their own")
    end
    local count = 0
    for name, region in next, found.regions do
        count = count + 1
        if region.chased and region.changed then
            fail(path .. ": the region " .. check.describe(name) .. " has load{ address = \"chase\" } and atomic{}: a chase reads "
                .. "zeros, which an atomic changes; expected two regions")
        end
        if name == found.coherent and region.written then
            fail(path .. ": the region " .. check.describe(name) .. " has load{ coherence = } and " .. region.written
                .. "{}: a line that this core wrote is no longer as the other core left it; expected two regions")
        end
    end
    if count > shared.most_regions then
        fail(path .. " has " .. count .. " shared regions: expected at most " .. shared.most_regions)
    end
end

-- The names of the regions in order.
function shared.names(regions)
    local names = {}
    for name in next, regions do names[#names + 1] = name end
    if #names == 0 then return nil end
    table.sort(names)
    return host.list(names)
end

-- Refuses fewer than two copies if copies wait for each other.
function shared.check_company(found, threads, place)
    local what = found.turns and 'atomic{ op = "turn" }' or found.coherence and "load{ coherence = }"
    if not what then return end
    local cores = place and rawget(place, 1) == "cores" and rawget(place, 2)
    local copies = threads or type(cores) == "table" and #cores or place and 2 or 1
    if copies < 2 then
        fail("kernel has " .. what .. " and the benchmark " .. copies .. " cop" .. (copies == 1 and "y" or "ies")
            .. ": it needs another core; expected threads = 2 or more, or place = { cores = { 0, 1 } }")
    end
end

function shared.check_cores(found, path)
    local what = found.turns and 'atomic{ op = "turn" }' or found.coherence and "load{ coherence = }"
    if what then
        fail(path .. " has " .. what .. ", whose copies wait for one another in every pass, and programs per core make their own "
            .. "numbers of passes: expected one kernel with threads or place")
    end
end

return shared
