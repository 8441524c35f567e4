#include "generator/plan/gpu/gpu_plan_make.h"

#include "base/random.h"
#include "generator/kernel/operations.h"
#include "generator/kernel/throttle.h"
#include "generator/plan/gpu/gpu_async.h"
#include "generator/plan/gpu/gpu_channels.h"
#include "generator/plan/gpu/gpu_data.h"
#include "generator/plan/gpu/gpu_dispatch.h"
#include "generator/plan/gpu/gpu_reach.h"
#include "generator/plan/gpu/gpu_shared_words.h"
#include "generator/plan/gpu/gpu_sides.h"
#include "generator/plan/gpu/gpu_streams.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Without a stated size a loop has at least USUAL_SLOTS, so that its end costs little; fewer if its streams
 * would otherwise bring too much between two reads of a line. */
enum {
    MOST_UNITS = 1000,
    USUAL_SLOTS = 64,
    LEAST_SLOTS = 16,
    MOST_SLOTS = 20000,
    USUAL_THREADS = 256,
    GROUP_THREADS = 512, /* most of a multiprocessor with groups of warps: each may have 128 registers */
    USUAL_CLUSTER = 2
};

/* Relative error allowed by rounding idle instructions to a whole number. */
static const double OFF_BY_SHARE = 0.03;

/* Error of a share allowed for the loads that lead from chunk to chunk of a side. */
static const double OFF_BY_LINKS = 1e-3;

static const char *const usual_operators[2][GPU_LEVELS] = {{"", "", "ca", "cg", "cg", "cg"},
                                                           {"", "", "l1", "l2", "l2", "l2"}};

/* ---- units ---- */

static bool whole(double number)
{
    return fabs(number - round(number)) < 1e-6;
}

/* True if that many units have whole numbers of accesses per level and of diverging branches. */
static bool units_do(const struct kernel *kernel, unsigned units)
{
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        double count = (double)item->count * units;
        for (int level = 0; behaviour_accesses(item) && level < GPU_LEVELS; level++)
            if (!whole(item->served[level] * count))
                return false;
        if (item->kind == BEHAVIOUR_BRANCH && !whole(item->divergence * count))
            return false;
    }
    return true;
}

static unsigned unit_slots(const struct kernel *kernel)
{
    unsigned slots = 0;
    for (size_t i = 0; i < kernel->count; i++)
        slots += kernel->items[i].kind == BEHAVIOUR_THROTTLE ? 0 : kernel->items[i].count;
    return slots;
}

/* usual: instructions of a loop whose size the recipe leaves open. */
static enum status choose_units(struct gpu_plan *plan, unsigned usual, struct error *error)
{
    const struct kernel *kernel = plan->kernel;
    unsigned slots = unit_slots(kernel), turn = gpu_async_turn(plan);
    unsigned least = turn;
    while (least <= MOST_UNITS && !units_do(kernel, least))
        least += turn;
    if (least > MOST_UNITS)
        return error_set(error, STATUS_RECIPE,
                         "no loop of up to %d units has a whole number of accesses for every share of the "
                         "kernel: expected shares such as 0.125 or 0.7",
                         MOST_UNITS);
    unsigned wanted = kernel->loop_instructions > 0 ? kernel->loop_instructions : usual;
    plan->units = least;
    while (plan->units * slots < wanted && plan->units < MOST_UNITS)
        plan->units += least;
    if (kernel->loop_units > 0 && kernel->loop_units % least != 0)
        return error_set(error, STATUS_RECIPE, "loop.units is %u: the shares%s need a multiple of %u",
                         kernel->loop_units, turn > 1 ? " and the stages of asynchronous loads" : "", least);
    if (kernel->loop_units > 0)
        plan->units = kernel->loop_units;
    if ((uint64_t)plan->units * slots > MOST_SLOTS)
        return error_set(error, STATUS_RECIPE,
                         "the loop has %u units of %u instructions: expected at most %d", plan->units, slots,
                         MOST_SLOTS);
    return STATUS_OK;
}

/* ---- streams ---- */

static enum status add_stream(struct gpu_plan *plan, unsigned item_index, int level, unsigned count,
                              struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[item_index];
    if (plan->stream_count == GPU_STREAMS)
        return error_set(error, STATUS_RECIPE, "the kernel has more than %d streams of accesses",
                         GPU_STREAMS);
    struct gpu_stream *stream = &plan->streams[plan->stream_count++];
    *stream = (struct gpu_stream){.item = item_index,
                                  .level = (enum gpu_level)level,
                                  .store = item->kind == BEHAVIOUR_STORE,
                                  .chase = item->address == ADDRESS_CHASE,
                                  .atomic = item->kind == BEHAVIOUR_STORE ? item->atomic : NULL,
                                  .returns = item->kind == BEHAVIOUR_STORE && item->returns,
                                  .async = item->kind == BEHAVIOUR_LOAD && item->async,
                                  .bulk = behaviour_accesses(item) && item->bulk,
                                  .width = item->width,
                                  .lane = item->lane > 0 ? item->lane : item->width,
                                  .per_pass = count};
    bool amd = strcmp(plan->machine->isa, "gcn") == 0;
    stream->cache = gpu_level_in_shared(stream->level) ? ""
                    : item->cache != NULL              ? item->cache
                                                       : usual_operators[amd][level];
    if (stream->store && !gpu_level_in_shared(stream->level) && item->cache == NULL)
        stream->cache = "wb";
    if (item->working_set > 0 && item->cache == NULL && !stream->store)
        stream->cache = usual_operators[amd][GPU_L1];
    if (stream->bulk || stream->atomic != NULL)
        stream->cache = "";
    if (stream->store && level == GPU_L1)
        return error_set(error, STATUS_RECIPE,
                         "store.served_by.L1: the L1 of a GPU does not keep stores; expected SHARED, L2 or a "
                         "level behind it");
    if (stream->atomic != NULL)
        return gpu_words_read(plan, stream, error);
    if (item->random && !stream->chase)
        return error_set(error, STATUS_RECIPE,
                         "%s.stride is \"random\": on a GPU this requires address = \"chase\"; expected a "
                         "number of bytes or no stride",
                         item->op);
    return STATUS_OK;
}

/* Adds the streams of an access by its shares; a working set has one, with the first level for now. */
static enum status add_streams(struct gpu_plan *plan, unsigned index, struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[index];
    unsigned total = plan->units * item->count;
    if (item->working_set > 0)
        return add_stream(plan, index, item->kind == BEHAVIOUR_STORE ? GPU_L2 : GPU_L1, total, error);
    enum status status = STATUS_OK;
    for (int level = 0; status == STATUS_OK && level < GPU_LEVELS; level++) {
        unsigned count = (unsigned)lround(item->served[level] * total);
        if (level == GPU_L3 && count > 0 && plan->machine->l3.size == 0)
            return error_set(error, STATUS_RECIPE, "%s.served_by.L3: the machine %s has no L3 cache",
                             item->op, plan->machine->name);
        if (count > 0)
            status = add_stream(plan, index, level, count, error);
    }
    return status;
}

/* ---- slots ---- */

/* The stream of each instance of the access, in loop order. */
static void order_streams(const struct gpu_plan *plan, unsigned item, struct random *random,
                          unsigned char *order, unsigned total)
{
    unsigned char first = 0;
    while (plan->streams[first].item != item)
        first++;
    unsigned next = 0;
    if (plan->kernel->items[item].order != ORDER_EVEN) {
        for (unsigned s = first; s < plan->stream_count && plan->streams[s].item == item; s++)
            for (unsigned k = 0; k < plan->streams[s].per_pass; k++)
                order[next++] = (unsigned char)s;
        if (plan->kernel->items[item].order == ORDER_SHUFFLED)
            random_shuffle(random, order, total);
        return;
    }
    double owed[GPU_STREAMS] = {0};
    for (next = 0; next < total; next++) { /* the stream that lags most is next */
        unsigned char most = first;
        for (unsigned char s = first; s < plan->stream_count && plan->streams[s].item == item; s++) {
            owed[s] += (double)plan->streams[s].per_pass / total;
            most = owed[s] > owed[most] + 1e-9 ? s : most;
        }
        owed[most] -= 1;
        order[next] = most;
    }
}

static unsigned char **order_all(struct gpu_plan *plan, struct random *random)
{
    unsigned char **orders = arena_alloc(&plan->arena, plan->kernel->count, sizeof *orders);
    for (unsigned i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        unsigned total = plan->units * item->count;
        orders[i] = arena_alloc(&plan->arena, total + 1, 1);
        if (behaviour_accesses(item))
            order_streams(plan, i, random, orders[i], total);
        else if (item->kind == BEHAVIOUR_BRANCH) {
            memset(orders[i], 1, (size_t)lround(item->divergence * total));
            random_shuffle(random, orders[i], total);
        }
    }
    return orders;
}

static void add_slot(struct gpu_plan *plan, unsigned unit, unsigned item_index, unsigned instance,
                     unsigned char choice, unsigned *taken)
{
    const struct behaviour *item = &plan->kernel->items[item_index];
    struct gpu_slot *slot = &plan->slots[plan->slot_count++];
    *slot = (struct gpu_slot){.item = item_index, .stream = -1, .unit = unit};
    if (behaviour_accesses(item)) {
        slot->stream = choice;
        slot->index = taken[choice]++;
    }
    slot->diverges = item->kind == BEHAVIOUR_BRANCH && choice != 0;
    slot->dependent = item->kind == BEHAVIOUR_OPERATION && instance < item->dependents;
}

static void make_slots(struct gpu_plan *plan, struct random *random)
{
    const struct kernel *kernel = plan->kernel;
    unsigned taken[GPU_STREAMS] = {0};
    unsigned char **orders = order_all(plan, random);
    size_t idle = plan->idle;
    plan->slots =
        arena_alloc(&plan->arena, plan->units * (unit_slots(kernel) + idle) + 1, sizeof *plan->slots);
    for (unsigned unit = 0; unit < plan->units; unit++) {
        size_t left = idle; /* the unit's idle instructions go where the first throttle{} is */
        for (unsigned i = 0; i < kernel->count; i++) {
            const struct behaviour *item = &kernel->items[i];
            size_t count = item->kind == BEHAVIOUR_THROTTLE ? left : item->count;
            left -= item->kind == BEHAVIOUR_THROTTLE ? left : 0;
            for (unsigned k = 0; k < count; k++)
                add_slot(plan, unit, i, k, item->kind == BEHAVIOUR_THROTTLE ? 0 : orders[i][unit * count + k],
                         taken);
        }
    }
}

/* ---- throttles ---- */

/* The levels that move the accesses' bytes: shared memory, and each level on the way from memory. */
struct path {
    double cycles[GPU_LEVELS]; /* of a unit, for the level's own transfers and those that pass through it */
    bool unknown;              /* a level's bandwidth is not in the machine file */
};

/* The number of multiprocessors with working blocks, and the share of L2's channels, and of the memory behind
 * them, that their accesses use. */
struct traffic {
    double multiprocessors, channels;
};

static struct traffic traffic_of(const struct gpu_plan *plan)
{
    const struct gpu *gpu = &plan->machine->gpu;
    double working = gpu_working_blocks(plan);
    return (struct traffic){
        .multiprocessors = fmax(1, fmin(working, working / plan->blocks * gpu->sm)),
        .channels = plan->channels == 0 ? 1 : (double)plan->channels / gpu->l2_channels,
    };
}

/* Adds a stream's transfers to its level and to the levels that they pass, if the machine file states their
 * bandwidths: L1's is of one multiprocessor, the others' are shared by all. */
static void add_stream_cycles(const struct gpu_plan *plan, const struct gpu_stream *stream,
                              struct traffic traffic, struct path *path)
{
    double bytes = (double)gpu_block_transfers(plan, stream) * plan->machine->l1d.sector * plan->resident *
                   stream->per_pass / plan->units;
    for (int level = stream->level < GPU_L1 ? (int)stream->level : GPU_L1; level <= (int)stream->level;
         level++) {
        double peak = machine_bandwidth(plan->machine, gpu_level_name(level));
        path->unknown = path->unknown || (level == (int)stream->level && peak <= 0);
        if (peak <= 0)
            continue;
        path->cycles[level] +=
            bytes / peak * (level < GPU_L2 ? 1 : traffic.multiprocessors / traffic.channels);
    }
}

/* Cycles that the unit's accesses of all waves take at peak: those of the busiest level on the way; 0: not in
 * the machine file. */
static double peak_cycles(const struct gpu_plan *plan)
{
    struct traffic traffic = traffic_of(plan);
    struct path path = {.unknown = false};
    for (size_t i = 0; i < plan->stream_count; i++)
        add_stream_cycles(plan, &plan->streams[i], traffic, &path);
    if (strcmp(plan->machine->isa, "gcn") != 0) /* L1 and shared memory are one, with one port */
        path.cycles[GPU_L1] += path.cycles[GPU_SHARED];
    double cycles = 0;
    for (int level = 0; level < GPU_LEVELS; level++)
        cycles = fmax(cycles, path.cycles[level]);
    return path.unknown ? 0 : cycles;
}

/* Cycles of one idle instruction in every wave: its latency or, with many waves, the issue cycles of all. */
static double idle_cycles(const struct gpu_plan *plan, const struct template *templates)
{
    uint64_t latency = 0, rate = 0;
    const char *arch = plan->machine->gpu.arch;
    if (!template_word_of(templates, "idle.cycles", arch, &latency))
        return 0;
    if (!template_word_of(templates, "idle.rate", arch, &rate))
        return (double)latency;
    double waves = ceil((double)plan->threads / plan->machine->gpu.wave) * plan->resident;
    double turns = rate > 0 ? waves / (double)rate : 0;
    return turns > (double)latency ? turns : (double)latency;
}

/* Finds the unit's only throttle{}; *found is NULL without one. */
static enum status find_throttle(const struct kernel *kernel, const struct behaviour **found,
                                 struct error *error)
{
    *found = NULL;
    for (size_t i = 0; i < kernel->count; i++) {
        if (kernel->items[i].kind != BEHAVIOUR_THROTTLE)
            continue;
        if (*found != NULL)
            return error_set(error, STATUS_RECIPE, "the unit has two throttle{}: expected one");
        *found = &kernel->items[i];
    }
    return STATUS_OK;
}

/* Sets the unit's idle instructions, and the duty that results from rounding them. */
static enum status count_idle(struct gpu_plan *plan, const struct template *templates, struct error *error)
{
    const struct behaviour *throttle;
    if (find_throttle(plan->kernel, &throttle, error) != STATUS_OK)
        return STATUS_RECIPE;
    if (throttle == NULL)
        return STATUS_OK;
    double duty = plan->duty = plan->expected_duty = throttle->duty;
    if (duty >= 1)
        return STATUS_OK;
    double cycles = peak_cycles(plan), each = idle_cycles(plan, templates);
    if (cycles <= 0 || each <= 0)
        return error_set(error, STATUS_RECIPE,
                         "throttle.duty is %g: it needs accesses in the unit and the machine's gpu.bandwidth "
                         "at their levels, in bytes per cycle",
                         duty);
    double idle = cycles / duty / each;
    if ((idle + unit_slots(plan->kernel)) * plan->units > MOST_SLOTS)
        return error_set(error, STATUS_RECIPE,
                         "throttle.duty is %g: it needs %.0f idle instructions in each of the loop's %u "
                         "units; expected at most %d in total: shorten the loop or raise the duty",
                         duty, idle, plan->units, MOST_SLOTS);
    if (!throttle_is_whole(idle, OFF_BY_SHARE)) {
        error_set(
            error, STATUS_RECIPE,
            "throttle.duty is %g: it needs %.4g idle instructions per unit, which is not a whole number",
            duty, idle);
        return throttle_hint_longer(idle, OFF_BY_SHARE, error);
    }
    plan->idle = (unsigned)lround(idle);
    plan->expected_duty = cycles / each / plan->idle;
    return STATUS_OK;
}

/* ---- rates ---- */

/* Walks of one side of L2 also read the addresses of their chunks. Refuses a rate that these loads change. */
static enum status check_links(int level, double share, double wanted, struct error *error)
{
    if (fabs(share - wanted) <= OFF_BY_LINKS)
        return STATUS_OK;
    return error_set(
        error, STATUS_RECIPE,
        "place.side with served_by.%s = %g: the loads that lead from chunk to chunk make it %.4g; "
        "expected loads of one level beyond L1, or address = \"chase\"",
        gpu_level_name(level), wanted, share);
}

static enum status add_served(struct gpu_plan *plan, struct error *error)
{
    static const char *const metrics[GPU_LEVELS] = {"served.SHARED", "served.DSMEM", "served.L1",
                                                    "served.L2",     "served.L3",    "served.MEM"};
    uint64_t total = 0, wished = 0, asked[GPU_LEVELS] = {0};
    bool promised = true;
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *stream = &plan->streams[i];
        uint64_t transfers = (uint64_t)stream->per_pass * gpu_block_transfers(plan, stream);
        unsigned links = gpu_stream_links(stream);
        (stream->store ? plan->stored : plan->transfers)[stream->predicted] += transfers;
        plan->loads[stream->predicted] += links;
        plan->transfers[stream->predicted] += links * gpu_link_transfers(plan, stream);
        total += links;
        if (stream->store)
            continue;
        promised = promised && plan->kernel->items[stream->item].working_set == 0;
        asked[stream->level] += stream->per_pass;
        plan->loads[stream->predicted] += stream->per_pass;
        total += stream->per_pass;
        wished += stream->per_pass;
    }
    for (int level = 0; total > 0 && level < GPU_LEVELS; level++) {
        if ((level == GPU_DSMEM || level == GPU_L3) && plan->loads[level] == 0)
            continue;
        double share = (double)plan->loads[level] / (double)total;
        rates_add(&plan->arena, &plan->rates.expected, metrics[level], share);
        if (!promised || wished == 0 || (asked[level] == 0 && gpu_level_in_shared((enum gpu_level)level)))
            continue;
        double wanted = (double)asked[level] / (double)wished;
        if (check_links(level, share, wanted, error) != STATUS_OK)
            return STATUS_RECIPE;
        rates_add(&plan->arena, &plan->rates.targets, metrics[level], wanted);
    }
    return STATUS_OK;
}

/* Adds the share of branches that diverge within a wave. */
static void add_divergence(struct gpu_plan *plan)
{
    static const char metric[] = "branch.divergence";
    uint64_t branches = 0, diverging = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        branches += plan->kernel->items[plan->slots[i].item].kind == BEHAVIOUR_BRANCH;
        diverging += plan->slots[i].diverges;
    }
    if (branches == 0)
        return;
    double share = (double)diverging / (double)branches;
    rates_add(&plan->arena, &plan->rates.expected, metric, share);
    rates_add(&plan->arena, &plan->rates.targets, metric, share);
}

/* Adds the requested duty, and the duty that results from whole idle instructions. */
static void add_duty(struct gpu_plan *plan)
{
    if (plan->duty <= 0)
        return;
    rates_add(&plan->arena, &plan->rates.expected, "throttle.duty", plan->expected_duty);
    rates_add(&plan->arena, &plan->rates.targets, "throttle.duty", plan->duty);
}

/* Adds the rates of the operands of matrix operations with data; lists of the recipe's own words are not
 * promised, as with loads. */
static void add_operands(struct gpu_plan *plan)
{
    const struct gpu_tiles *tiles = &plan->tiles;
    if (tiles->sets == 0)
        return;
    double wanted = tiles->toggle;
    bool promised = true, dealt = false;
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        if (item->kind != BEHAVIOUR_OPERATION || !item->has_data || !item->changes)
            continue;
        promised = behaviour_toggles(item);
        dealt = promised && !item->program_order;
        wanted = promised ? item->toggle : wanted;
    }
    if (promised)
        rates_add(&plan->arena, &plan->rates.targets, "data.toggle_rate", wanted);
    if (dealt)
        rates_add(&plan->arena, &plan->rates.targets, "data.toggle_rate.dealt", wanted);
    rates_add(&plan->arena, &plan->rates.expected, "data.toggle_rate", tiles->toggle);
    rates_add(&plan->arena, &plan->rates.expected, "data.toggle_rate.dealt", tiles->dealt);
    rates_add(&plan->arena, &plan->rates.expected, "data.ones_rate", tiles->ones);
}

/* ---- the plan ---- */

/* The blocks that run on one multiprocessor at a time. */
static unsigned resident_blocks(const struct gpu_plan *plan, const struct template *templates)
{
    uint64_t threads = gpu_dispatch_threads(plan, templates), most = UINT64_MAX;
    if (gpu_tiles_group(plan->kernel, templates) != NULL && threads > GROUP_THREADS)
        threads = GROUP_THREADS;
    (void)template_word_of(templates, "blocks", plan->machine->gpu.arch, &most);
    uint64_t room = plan->threads < threads ? threads / plan->threads : 1;
    room = room < most ? room : most;
    unsigned places = gpu_dispatch_units(plan);
    unsigned blocks = (plan->blocks + places - 1) / places;
    return blocks < room ? blocks : (unsigned)room;
}

/* True if some access is to the shared memory of another block. */
static bool reads_others(const struct kernel *kernel)
{
    bool any = false;
    for (size_t i = 0; i < kernel->count; i++)
        any = any || (behaviour_accesses(&kernel->items[i]) && kernel->items[i].served[GPU_DSMEM] > 0);
    return any;
}

static enum status check_cluster(const struct gpu_plan *plan, const struct template *templates,
                                 struct error *error)
{
    const struct gpu *gpu = &plan->machine->gpu;
    const struct form *form = template_form(templates, "cluster.arrive");
    bool others = reads_others(plan->kernel);
    char what[48], blocks[64];
    snprintf(what, sizeof what, "grid.cluster is %u", plan->cluster);
    if (others)
        snprintf(what, sizeof what, "served_by.DSMEM");
    if (others && plan->cluster == 1)
        return error_set(
            error, STATUS_RECIPE,
            "grid.cluster is 1 and an access is served_by DSMEM, the shared memory of another block of "
            "the cluster; expected cluster = 2 to 8");
    if (plan->cluster == 1)
        return STATUS_OK;
    if (form == NULL)
        return error_set(error, STATUS_RECIPE, "%s: the target %s has no clusters; expected %s", what,
                         templates->isa->name, others ? "SHARED, L1, L2 or MEM" : "no cluster");
    if (!machine_has(plan->machine, form->feature))
        return error_set(
            error, STATUS_RECIPE, "%s: it needs %s or later, and the machine \"%s\" is %s; expected %s", what,
            form->feature, plan->machine->name, gpu->arch, others ? "SHARED, L1, L2 or MEM" : "no cluster");
    if (plan->cluster > gpu->sm)
        return error_set(error, STATUS_RECIPE,
                         "grid.cluster is %u: the machine %s has %u multiprocessors; expected at most that",
                         plan->cluster, plan->machine->name, gpu->sm);
    if (plan->kernel->place.first != NULL)
        return error_set(error, STATUS_RECIPE,
                         "place with grid.cluster = %u: blocks outside the place end at once, and the others "
                         "of their cluster would wait for them; expected no place, or no cluster",
                         plan->cluster);
    unsigned before = plan->blocks / plan->cluster * plan->cluster;
    snprintf(blocks, sizeof blocks, before == 0 ? "%u" : "%u or %u", before == 0 ? plan->cluster : before,
             before + plan->cluster);
    if (plan->blocks % plan->cluster != 0)
        return error_set(error, STATUS_RECIPE,
                         "grid.blocks is %u, and clusters have %u blocks each; expected %s", plan->blocks,
                         plan->cluster, blocks);
    return STATUS_OK;
}

static enum status check_grid(struct gpu_plan *plan, const struct template *templates, struct error *error)
{
    const struct gpu *gpu = &plan->machine->gpu;
    unsigned cluster = plan->kernel->cluster;
    plan->cluster = cluster > 0 ? cluster : reads_others(plan->kernel) ? USUAL_CLUSTER : 1;
    plan->blocks = plan->kernel->blocks > 0  ? plan->kernel->blocks
                   : gpu->sm > plan->cluster ? gpu->sm / plan->cluster * plan->cluster
                                             : plan->cluster;
    if (check_cluster(plan, templates, error) != STATUS_OK)
        return STATUS_RECIPE;
    plan->threads = plan->kernel->threads > 0 ? plan->kernel->threads : USUAL_THREADS;
    if (plan->threads <= gpu->block_threads)
        return STATUS_OK;
    return error_set(error, STATUS_RECIPE, "grid.threads is %u: a block of the machine %s has at most %u",
                     plan->threads, plan->machine->name, gpu->block_threads);
}

/* Refuses divergence in a wave of one thread. */
static enum status check_branches(const struct gpu_plan *plan, struct error *error)
{
    unsigned wave = plan->machine->gpu.wave;
    for (size_t i = 0; i < plan->kernel->count; i++)
        if (plan->kernel->items[i].kind == BEHAVIOUR_BRANCH && plan->kernel->items[i].divergence > 0 &&
            plan->threads % wave == 1)
            return error_set(error, STATUS_RECIPE,
                             "branch.divergence is %g and grid.threads is %u: the last wave of a block has "
                             "one thread, which cannot diverge; expected a multiple of %u",
                             plan->kernel->items[i].divergence, plan->threads, wave);
    return STATUS_OK;
}

/* True if the machine has asynchronous copies by single threads. */
static bool has_copies(const struct gpu_plan *plan, const struct template *templates)
{
    const struct gpu_stream copy = {.level = GPU_L2, .cache = "cg", .async = true, .width = 16};
    return gpu_access_form(templates, plan->machine, &copy) != NULL;
}

/* Refuses products of groups of warps of more than one kind, because all add to the same registers. */
static enum status check_groups(const struct gpu_plan *plan, const struct template *templates,
                                struct error *error)
{
    const struct behaviour *first = gpu_tiles_group(plan->kernel, templates);
    for (size_t i = 0; first != NULL && i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        if (!form_has(template_form(templates, item->op), FORM_GROUP_TILE))
            continue;
        if (strcmp(item->op, first->op) != 0)
            return error_set(
                error, STATUS_RECIPE,
                "%s{} beside %s{}: products of groups of warps add to the same registers; expected "
                "one of the two, with a count",
                item->op, first->op);
        if (item->chain > 0)
            return error_set(error, STATUS_RECIPE,
                             "%s.chain is %u: products of groups of warps all add to the same registers, one "
                             "after the other; expected no chain",
                             item->op, item->chain);
    }
    if (first != NULL && (plan->threads % GPU_GROUP_THREADS != 0 || plan->threads > GROUP_THREADS))
        return error_set(
            error, STATUS_RECIPE,
            "%s{} and grid.threads = %u: four warps compute one product together, whose sum takes %d "
            "registers of each thread; expected 128, 256, 384 or 512 threads",
            first->op, plan->threads, GPU_GROUP_COLUMNS / 2);
    return STATUS_OK;
}

/* Refuses matrix operations in warps that are not whole. */
static enum status check_tiles(const struct gpu_plan *plan, const struct template *templates,
                               struct error *error)
{
    unsigned wave = plan->machine->gpu.wave;
    for (size_t i = 0; i < plan->kernel->count && plan->threads % wave != 0; i++)
        if (form_has(template_form(templates, plan->kernel->items[i].op), FORM_TILE | FORM_WHOLE_TILE))
            return error_set(error, STATUS_RECIPE,
                             "%s{} and grid.threads = %u: all %u threads of a warp compute one product, and "
                             "the last warp of a block has fewer; expected a multiple of %u, such as %u",
                             plan->kernel->items[i].op, plan->threads, wave, wave,
                             (plan->threads / wave + 1) * wave);
    return check_groups(plan, templates, error);
}

static enum status check_forms(const struct gpu_plan *plan, const struct template *templates,
                               struct error *error)
{
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *stream = &plan->streams[i];
        if (gpu_access_form(templates, plan->machine, stream) != NULL)
            continue;
        const char *needs = gpu_access_feature(templates, stream);
        if (stream->atomic != NULL)
            return gpu_words_refuse(plan, stream, needs, error);
        if (needs != NULL && stream->bulk)
            return error_set(error, STATUS_RECIPE,
                             "%s.source is \"tma\": bulk copies need %s or later, and the machine \"%s\" is "
                             "%s; expected %s",
                             plan->kernel->items[stream->item].op, needs, plan->machine->name,
                             plan->machine->gpu.arch,
                             !stream->store && !stream->chase && has_copies(plan, templates)
                                 ? "source = \"async\", or no source"
                                 : "no source");
        if (needs != NULL && stream->async)
            return error_set(error, STATUS_RECIPE,
                             "load.source is \"async\": it needs %s or later, and the machine \"%s\" is %s; "
                             "expected no source",
                             needs, plan->machine->name, plan->machine->gpu.arch);
        if (stream->async)
            return error_set(
                error, STATUS_RECIPE,
                "load.source is \"async\" with served_by.%s and width = %u: such copies by the operator "
                "\"%s\" have 16 bytes; expected width = 16, or cache = \"ca\"",
                gpu_level_name((int)stream->level), stream->width, stream->cache);
        if (needs != NULL)
            return error_set(
                error, STATUS_RECIPE,
                "%s.cache is \"%s\": it needs %s, but machine %s is %s; expected another operator",
                plan->kernel->items[stream->item].op, stream->cache, needs, plan->machine->name,
                plan->machine->gpu.arch);
        return error_set(error, STATUS_RECIPE,
                         "%s of %u bytes%s: the templates of %s have no row with the "
                         "operator \"%s\" for it",
                         plan->kernel->items[stream->item].op, stream->width,
                         stream->chase ? " that chase" : "", templates->isa->name, stream->cache);
    }
    return STATUS_OK;
}

/* The architecture for which the program is made. */
static const char *arch_of(struct gpu_plan *plan, const struct template *templates)
{
    const struct behaviour *item = gpu_tiles_group(plan->kernel, templates);
    const struct form *form =
        item == NULL ? NULL : operation_form(templates, plan->machine, item, false, false);
    return form == NULL ? plan->machine->gpu.arch
                        : arena_strdup(&plan->arena, machine_arch_of(plan->machine, form->feature));
}

static enum status make_tiles(struct gpu_plan *plan, const struct template *templates, uint64_t seed,
                              struct error *error)
{
    struct random words = random_start(seed, "operands");
    return gpu_tiles_make(plan->kernel, plan->machine, templates, plan->units, &words, &plan->arena,
                          &plan->tiles, error);
}

static enum status make_streams(struct gpu_plan *plan, const struct template *templates, unsigned usual,
                                uint64_t seed, struct error *error)
{
    const struct kernel *kernel = plan->kernel;
    plan->stream_count = 0;
    enum status status = choose_units(plan, usual, error);
    if (status == STATUS_OK && gpu_tiles_group(kernel, templates) != NULL) /* these use shared memory */
        status = make_tiles(plan, templates, seed, error);
    for (unsigned i = 0; status == STATUS_OK && i < kernel->count; i++)
        if (behaviour_accesses(&kernel->items[i]))
            status = add_streams(plan, i, error);
    if (status == STATUS_OK)
        status = check_forms(plan, templates, error);
    return status == STATUS_OK ? gpu_streams_size(plan, templates, error) : status;
}

/* Makes the streams of a loop of the usual size, or a shorter one. Refuses with the reason why the usual one
 * fails. */
static enum status fit_streams(struct gpu_plan *plan, const struct template *templates, uint64_t seed,
                               struct error *error)
{
    enum status status = make_streams(plan, templates, USUAL_SLOTS, seed, error);
    bool open = plan->kernel->loop_units == 0 && plan->kernel->loop_instructions == 0;
    for (unsigned usual = USUAL_SLOTS / 2; status == STATUS_RECIPE && open && usual >= LEAST_SLOTS;
         usual /= 2)
        if (make_streams(plan, templates, usual, seed, NULL) == STATUS_OK)
            return STATUS_OK;
    /* a walk needs passes whose length divides it, or nearly */
    for (unsigned usual = USUAL_SLOTS - 1;
         status == STATUS_RECIPE && open && kernel_any(plan->kernel, behaviour_walks) && usual > LEAST_SLOTS;
         usual--)
        if (make_streams(plan, templates, usual, seed, NULL) == STATUS_OK)
            return STATUS_OK;
    return status;
}

enum status gpu_plan_make(const struct kernel *kernel, const struct machine *machine,
                          const struct template *templates, uint64_t seed, const char *label,
                          struct gpu_plan *plan, struct error *error)
{
    *plan = (struct gpu_plan){.kernel = kernel, .machine = machine};
    struct random random = random_start(seed, label);
    plan->arch = arch_of(plan, templates);
    enum status status = check_grid(plan, templates, error);
    if (status == STATUS_OK)
        status = gpu_dispatch_check(plan, error);
    if (status == STATUS_OK)
        plan->resident = resident_blocks(plan, templates);
    if (status == STATUS_OK)
        status = check_branches(plan, error);
    if (status == STATUS_OK)
        status = check_tiles(plan, templates, error);
    if (status == STATUS_OK)
        status = gpu_channels_read(plan, error);
    if (status == STATUS_OK)
        status = gpu_async_make(plan, error);
    if (status == STATUS_OK)
        status = fit_streams(plan, templates, seed, error);
    if (status == STATUS_OK)
        status = gpu_dispatch_check_room(plan, error);
    if (status == STATUS_OK)
        status = count_idle(plan, templates, error);
    if (status != STATUS_OK)
        return status;
    make_slots(plan, &random);
    if (!plan->tiles.group)
        status = make_tiles(plan, templates, seed, error);
    if (status == STATUS_OK)
        status = gpu_words_check_dies(plan, error);
    if (status == STATUS_OK)
        status = add_served(plan, error);
    if (status != STATUS_OK)
        return status;
    gpu_words_add_rates(plan);
    add_divergence(plan);
    add_duty(plan);
    add_operands(plan);
    gpu_sides_add_rates(plan);
    gpu_channels_promise(plan);
    return gpu_streams_fill(plan, seed, label, error);
}
