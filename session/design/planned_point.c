#include "session/design/planned_point.h"

#include "session/execute/per_pass.h"

#include <math.h>
#include <string.h>

/* Defaults for missing numbers of the machine file: latencies of L1D, L2, L3 and memory in cycles,
 * outstanding lines, cycles of a mispredicted branch, bytes of a fetch. */
static const double LATENCY[LEVEL_COUNT] = {4, 14, 45, 250};
static const double UNDER_WAY = 10, MISPREDICTED = 20, FETCH_BYTES = 32;
/* A GPU's threads, beside their loads: instructions of an operation and of a division, lanes of a
 * multiprocessor, and cycles between dependent instructions. */
static const double GPU_OPERATION = 1, GPU_DIVISION = 40, GPU_LANES = 128, GPU_STEP = 4;
static const double WIDTH = 4, LOAD_PORTS = 2, STORE_PORTS = 1, PER_CYCLE = 2;

static double or_else(double number, double fallback)
{
    return number > 0 ? number : fallback;
}

/* ---- a processor ---- */

/* Counts of a pass. */
struct pass {
    double chased, bound, mispredicted; /* cycles of dependent loads, of execution units, of mispredictions */
    double memory_wait;                 /* cycles of leading loads that memory serves */
    double level[LEVEL_COUNT];          /* loads and stores by the level that serves them */
    double vector, branches, missed;
};

/* Latency of one operation of a chain. */
static double chain_latency(const struct manifest_item *item)
{
    static const struct {
        const char *op;
        double cycles;
    } known[] = {{"mul", 4}, {"fadd", 5}, {"fmul", 5}, {"fma", 5}, {"div", 25}, {"fdiv", 25}, {"fsqrt", 25}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(item->op, known[i].op) == 0)
            return known[i].cycles;
    return 1;
}

static double latency_of(const struct machine *machine, int level)
{
    const double own[LEVEL_COUNT] = {machine->latency_l1d, machine->latency_l2, machine->latency_l3,
                                     machine->latency_mem};
    return or_else(own[level], LATENCY[level]);
}

static void add_access(const struct manifest_item *item, const struct machine *machine, bool load,
                       struct pass *pass)
{
    const char *address = item->address == NULL ? "" : item->address;
    bool chase = strcmp(address, "chase") == 0 || (item->leads && strcmp(address, "led") == 0);
    for (int level = 0; level < LEVEL_COUNT; level++) {
        double count = item->count * (item->is_served ? item->served[level] : level == LEVEL_L1);
        double waits = latency_of(machine, level) * count;
        pass->level[level] += count;
        if (level == LEVEL_MEM)
            continue;
        if (chase)
            pass->chased += waits;
        else if (level > LEVEL_L1 && load)
            pass->chased += waits / UNDER_WAY;
    }
    if (load)
        pass->memory_wait += latency_of(machine, LEVEL_MEM) * item->count *
                             (item->is_served ? item->served[LEVEL_MEM] : 0) / (chase ? 1 : UNDER_WAY);
    pass->bound += item->count / (load ? or_else(machine->load_ports, LOAD_PORTS)
                                       : or_else(machine->store_ports, STORE_PORTS));
}

/* Adds an item of the unit, `units` times. */
static void add_item(const struct manifest_item *unit_item, double units, const struct machine *machine,
                     struct pass *pass)
{
    struct manifest_item item = *unit_item;
    item.count = units * or_else(item.count, 1);
    if (strcmp(item.op, "load") == 0 || strcmp(item.op, "store") == 0) {
        add_access(&item, machine, item.op[0] == 'l', pass);
    } else if (strcmp(item.op, "branch") == 0) {
        double missed = isfinite(item.accuracy) ? item.count * (1 - item.accuracy) : 0;
        pass->branches += item.count;
        pass->missed += missed;
        pass->mispredicted += MISPREDICTED * missed;
    } else if (strcmp(item.op, "nop") != 0 && strcmp(item.op, "throttle") != 0) {
        pass->bound += item.count / or_else(machine_operations(machine, item.op), PER_CYCLE);
        pass->vector += item.op[0] == 'f' || item.width >= 16 ? item.count : 0;
        pass->chased += item.chain > 1 ? units * item.chain * chain_latency(&item) : 0;
    }
}

/* The cycles of a pass. Memory has a clock of its own, so a faster core waits more cycles for it. */
static double count_processor(const struct manifest *manifest, const struct machine *machine, double ghz,
                              struct result_point *point)
{
    struct pass pass = {0};
    for (size_t i = 0; i < manifest->unit_count; i++)
        add_item(&manifest->unit[i], manifest->units, machine, &pass);
    double busy = fmax(pass.bound, manifest->instructions / or_else(machine->issue_width, WIDTH));
    double memory = pass.memory_wait * (machine->clock_ghz > 0 ? ghz / machine->clock_ghz : 1);
    double cycles = fmax(busy, pass.chased) + pass.mispredicted + memory;
    cycles /= rates_get(&manifest->targets, "throttle.duty", 1);
    double beyond_l1 = pass.level[LEVEL_L2] + pass.level[LEVEL_L3] + pass.level[LEVEL_MEM];
    bool follows = manifest->unit_count > 0 && manifest->unit[0].prefetch != NULL &&
                   strcmp(manifest->unit[0].prefetch, "invite") == 0;
    const struct {
        const char *name;
        double count;
    } counts[] = {{"cycles", cycles},
                  {"instructions", manifest->instructions},
                  {"uops_retired", manifest->instructions},
                  {"fpu_assignments", pass.vector},
                  {"l1i_fetches", manifest->code.loop_bytes / FETCH_BYTES + pass.missed},
                  {"l1d_accesses", manifest->loads + manifest->stores},
                  {"l2_requests", beyond_l1},
                  {"branches", pass.branches + 1},
                  {"branch_misses", pass.missed},
                  {"l2_misses", pass.level[LEVEL_L3] + pass.level[LEVEL_MEM]},
                  {"dispatch_stalls", cycles - busy},
                  {"stall_cycles", cycles - busy},
                  {"mab0_wait_cycles", memory},
                  {"prefetches", follows ? pass.level[LEVEL_MEM] : 0}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        result_value_add(&point->counters, counts[i].name,
                         (struct interval){counts[i].count, counts[i].count, counts[i].count, 1},
                         &point->arena);
    point->counted = true;
    return cycles;
}

/* ---- a GPU ---- */

/* The share of L2's channels, or of L1s, that the place uses. */
static double share_in_use(const struct manifest *manifest, const char *kind, double all)
{
    const struct manifest_units *units = manifest_units(manifest, kind);
    return units != NULL && units->word == NULL && units->count > 0 && all > 0 ? (double)units->count / all
                                                                               : 1;
}

/* Bytes of one transfer from the level. */
static double transfer_bytes(const struct machine *machine, const char *level)
{
    const struct cache *cache = strcmp(level, "L1") == 0 ? &machine->l1d : &machine->l2;
    return cache->sector > 0 ? cache->sector : or_else(cache->line, 32);
}

/* The cycles of a pass: the larger of the time to transfer its data and each thread's latency. */
static double count_gpu(const struct manifest *manifest, const struct machine *machine)
{
    const double waits[] = {30, latency_of(machine, LEVEL_L1), latency_of(machine, LEVEL_L2),
                            latency_of(machine, LEVEL_L3), latency_of(machine, LEVEL_MEM)};
    static const char *const levels[] = {"SHARED", "L1", "L2", "L3", "MEM"};
    double sent = 0, waited = 0, computed = 0;
    double sm = or_else(machine->gpu.sm, 1);
    double units = manifest->place.given ? share_in_use(manifest, "se", machine->gpu.se)
                                         : fmin(1, manifest->blocks / sm);
    double channels = share_in_use(manifest, "l2_channels", machine->gpu.l2_channels);
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        bool near = i < 2; /* one on each multiprocessor */
        double peak = machine_bandwidth(machine, levels[i]);
        double bytes = rates_get(&manifest->transfers, levels[i], 0) * transfer_bytes(machine, levels[i]);
        double rate = peak * (near ? sm * units : channels);
        sent = fmax(sent, rate > 0 ? bytes / rate : 0);
        for (size_t j = 0; j < manifest->stream_count; j++)
            if (strcmp(manifest->streams[j].level, levels[i]) == 0 && manifest->streams[j].chase)
                waited += manifest->streams[j].per_pass * waits[i];
    }
    double threads = manifest->blocks * manifest->block_threads / (sm * units);
    double step = fmax(GPU_STEP, threads / GPU_LANES);
    for (size_t i = 0; i < manifest->unit_count; i++) {
        const char *op = manifest->unit[i].op;
        bool moves = strcmp(op, "load") == 0 || strcmp(op, "store") == 0 || strcmp(op, "throttle") == 0;
        double each = strcmp(op, "div") == 0 || strcmp(op, "fdiv") == 0 ? GPU_DIVISION : GPU_OPERATION;
        computed += moves ? 0 : manifest->units * or_else(manifest->unit[i].count, 1) * each * step;
    }
    return computed + fmax(fmax(sent / rates_get(&manifest->targets, "throttle.duty", 1), waited), 1);
}

static void set_rate(struct result_rates *rates, const char *metric, double value)
{
    struct result_rate rate = {.metric = metric,
                               .target = NAN,
                               .min = -INFINITY,
                               .max = INFINITY,
                               .verdict = VERDICT_OBSERVED,
                               .code = VERDICT_UNOBSERVED,
                               .silicon = VERDICT_UNOBSERVED,
                               .reason = ""};
    observations_add(&rate.seen, metric, "plan", EVIDENCE_PREDICTED, value, value, value, 1);
    result_rates_add(rates, &rate);
}

static const char *copy_of(const char *text, struct arena *arena)
{
    return arena_strdup(arena, manifest_text_or(text, ""));
}

struct planned_point planned_point_make(const char *recipe, const struct manifest *manifest,
                                        const struct machine *machine, double ghz)
{
    struct result_point point = result_point_none;
    bool gpu = machine_is_gpu(machine);
    double cycles = gpu ? count_gpu(manifest, machine) : count_processor(manifest, machine, ghz, &point);
    double pass_s = cycles / (1e9 * or_else(ghz, 1));
    for (size_t i = 0; i < manifest->expected.count; i++)
        set_rate(&point.rates, manifest->expected.items[i].metric, manifest->expected.items[i].value);
    double bytes = rates_get(&manifest->transfers, "L2", 0) * transfer_bytes(machine, "L2");
    if (bytes > 0)
        set_rate(&point.rates, "bandwidth.L2", bytes / pass_s);
    if (!gpu)
        set_rate(&point.rates, "ipc", manifest->instructions / cycles);
    point.recipe = arena_strdup(&point.arena, recipe);
    point.benchmark = copy_of(manifest->benchmark, &point.arena);
    point.name = copy_of(manifest->point, &point.arena);
    point.target = copy_of(manifest->target, &point.arena);
    point.parameters = value_read(manifest->parameters, &point.arena);
    per_pass_set(manifest, &point);
    return (struct planned_point){point, pass_s};
}

void planned_point_add(struct planned_point *planned, double time_s, struct dataset *dataset)
{
    struct result_point *point = &planned->point;
    point->reps = arena_alloc(&point->arena, 1, sizeof *point->reps);
    point->reps[0] = (struct result_rep){.iterations = time_s / planned->pass_s,
                                         .ticks = NAN,
                                         .seconds = time_s,
                                         .wall_s = time_s,
                                         .waited = NAN,
                                         .copies = 1};
    point->rep_count = 1;
    dataset_add_point(dataset, point);
}

static bool names_model(const struct work *work, const struct work_item *item, const char *model)
{
    struct suite_benchmark each;
    for (size_t i = 0; work_benchmark(work, i, &each); i++)
        if (strcmp(each.recipe, item->recipe) == 0 && strcmp(each.own->name, item->benchmark) == 0)
            return benchmark_has(&each.own->fit, model);
    return false;
}

void planned_choose(const struct work *work, const char *model, bool *named)
{
    bool any = false;
    for (size_t i = 0; i < work->item_count; i++) {
        named[i] = names_model(work, &work->items[i], model);
        any = any || named[i];
    }
    for (size_t i = 0; !any && i < work->item_count; i++)
        named[i] = true;
}
