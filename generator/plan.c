#include "generator/plan.h"

#include "base/random.h"
#include "generator/plan_rates.h"

#include <stdio.h>
#include <string.h>

/* Conflict groups of twice the ways miss under LRU, tree-PLRU and what real chips do, where ways + 1 lines do
 * only under LRU; random replacement needs more, as a line survives each replacement with 1 - 1/ways. */
static const unsigned depths[] = {2, 3, 4, 6, 8, 12};
enum { DEPTH_COUNT = sizeof depths / sizeof depths[0], MOST_SIZES = 64 };

/* A plan whose expected miss rate is within GOOD of the target is taken at once; the best of all depths is
 * taken within FAIR, where only the replacement policy's own chance is left. */
static const double GOOD = 2e-4;
static const double FAIR = 0.01;

/* What a load does in the pass: the marks that are put in the recipe's order. */
enum mark { MARK_HIT, MARK_MISS, MARK_SOMETIMES };

static const char *load_variant(const struct behaviour *item, bool indexed)
{
    if (item->address == ADDRESS_CHASE)
        return indexed ? "chase_indexed.8" : "chase.8";
    return item->width == 4 ? "independent.4" : "independent.8";
}

const struct form *plan_form(const struct template *templates, const struct behaviour *item, bool dependent,
                             bool indexed)
{
    const char *variant = item->is_load ? load_variant(item, indexed) : dependent ? "dependent" : "";
    return template_variant(templates, item->op, variant);
}

static enum status measure_unit(const struct kernel *kernel, const struct template *templates,
                                struct sizing_request *request, struct error *error)
{
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        const struct form *form = plan_form(templates, item, item->dependents > 0, true);
        const struct form *plain = plan_form(templates, item, false, true);
        bool consumes = item->dependents == 0 || (form != NULL && form != plain);
        if (plain == NULL)
            return error_set(error, STATUS_RECIPE, "%s{}: the templates of %s have no such operation",
                             item->op, templates->isa->name);
        if (!consumes)
            return error_set(error, STATUS_RECIPE,
                             "%s{ dependents = %u }: %s has no form that consumes a load", item->op,
                             item->dependents, item->op);
        request->unit_instructions += item->count;
        request->unit_bytes += item->count * (plain->bytes > form->bytes ? plain->bytes : form->bytes);
    }
    return STATUS_OK;
}

static void mark_even(unsigned char *marks, unsigned loads, unsigned misses)
{
    for (uint64_t i = 0; i < loads; i++)
        marks[i] = (i + 1) * misses / loads > i * misses / loads ? MARK_MISS : MARK_HIT;
}

/* The marks of one stream's loads over a pass, in the recipe's order. */
static unsigned char *arrange(struct plan *plan, unsigned item, struct random *random)
{
    const struct behaviour *load = &plan->kernel->items[item];
    unsigned loads = plan->sizing.units * load->count;
    unsigned misses = plan->sizing.misses[item];
    unsigned char *marks = arena_alloc(&plan->arena, loads, 1);
    if (load->order == ORDER_EVEN)
        mark_even(marks, loads, misses);
    else
        memset(marks, MARK_MISS, misses);
    if (plan->sizing.sometimes_stream == (int)item) {
        unsigned place = 0;
        while (marks[place] != MARK_HIT)
            place++;
        marks[place] = MARK_SOMETIMES;
    }
    if (load->order == ORDER_SHUFFLED)
        random_shuffle(random, marks, loads);
    return marks;
}

/* Where hits follow misses and lines rotate, a pass must begin with a miss: the line of the pass before is
 * gone. */
static void begin_with_miss(const struct plan *plan, unsigned item, unsigned char *marks)
{
    unsigned loads = plan->sizing.units * plan->kernel->items[item].count;
    for (unsigned i = 0; i < loads; i++) {
        if (marks[i] != MARK_MISS)
            continue;
        marks[i] = marks[0];
        marks[0] = MARK_MISS;
        return;
    }
}

static void fill_load(struct plan *plan, struct slot *slot, enum mark mark, unsigned *next_miss)
{
    const struct layout *layout = &plan->layout;
    if (mark == MARK_HIT) {
        slot->service = SERVICE_HIT;
        slot->line.offset = layout->hit_offset;
    } else if (mark == MARK_MISS) {
        slot->service = SERVICE_MISS;
        slot->rotates = plan->sizing.rotating;
        slot->line = layout->misses[(*next_miss)++];
    } else {
        slot->service = SERVICE_SOMETIMES;
        slot->rotates = plan->sizing.rotating;
        slot->line = layout->sometimes;
    }
}

/* In a one-set cache each hit reads the line of the miss before it, at the loop's start that of the last
 * miss. */
static void let_hits_follow(struct plan *plan)
{
    if (!plan->layout.hits_follow_misses)
        return;
    struct miss last = plan->layout.misses[plan->sizing.total - 1];
    for (size_t i = 0; i < plan->slot_count; i++) {
        struct slot *slot = &plan->slots[i];
        struct slot *hit = slot->service == SERVICE_SOMETIMES ? &plan->sometimes_hit : slot;
        if (slot->service == SERVICE_MISS)
            last = slot->line;
        if (slot->service != SERVICE_HIT && slot->service != SERVICE_SOMETIMES)
            continue;
        hit->line = last;
        hit->rotates = plan->sizing.rotating;
    }
}

static void fill_slots(struct plan *plan, const struct plan_options *options)
{
    const struct kernel *kernel = plan->kernel;
    struct random random = random_start(options->seed, options->label);
    unsigned char **marks = arena_alloc(&plan->arena, kernel->count, sizeof *marks);
    bool first = true;
    for (unsigned i = 0; i < kernel->count; i++) {
        if (!kernel->items[i].is_load)
            continue;
        marks[i] = arrange(plan, i, &random);
        if (first && plan->layout.hits_follow_misses && plan->sizing.rotating)
            begin_with_miss(plan, i, marks[i]);
        first = false;
    }
    plan->slot_count = (size_t)plan->sizing.units * plan->unit_instructions;
    plan->slots = arena_alloc(&plan->arena, plan->slot_count, sizeof *plan->slots);
    plan->loads = 0;
    unsigned next_miss = 0;
    struct slot *slot = plan->slots;
    for (unsigned unit = 0; unit < plan->sizing.units; unit++) {
        for (unsigned i = 0; i < kernel->count; i++) {
            const struct behaviour *item = &kernel->items[i];
            for (unsigned c = 0; c < item->count; c++, slot++) {
                *slot = (struct slot){.unit = unit, .item = i, .dependent = c < item->dependents};
                if (!item->is_load)
                    continue;
                fill_load(plan, slot, (enum mark)marks[i][unit * item->count + c], &next_miss);
                plan->loads++;
            }
        }
    }
    plan->sometimes_hit = (struct slot){.service = SERVICE_HIT, .line.offset = plan->layout.hit_offset};
    let_hits_follow(plan);
}

uint64_t plan_offset(const struct plan *plan, const struct slot *slot, unsigned pass)
{
    if (slot->service == SERVICE_SOMETIMES && pass >= plan->sizing.sometimes)
        slot = &plan->sometimes_hit;
    return slot->line.offset + (slot->rotates ? pass % plan->layout.turns * plan->layout.step : 0);
}

static bool has_chase(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].is_load && kernel->items[i].address == ADDRESS_CHASE)
            return true;
    return false;
}

/* Sizes and places. Where L2 has no room for what the best size asks, the next best is tried. */
static enum status size_and_place(struct plan *plan, struct sizing_request *request, struct error *error)
{
    const struct machine *machine = plan->machine;
    struct error no_room = {0};
    request->cost_above = -1;
    for (unsigned i = 0; i < MOST_SIZES; i++) {
        enum status status = sizing_choose(request, &plan->arena, &plan->sizing, i == 0 ? error : NULL);
        if (status != STATUS_OK && i == 0)
            return status;
        if (status != STATUS_OK)
            break;
        struct layout_request places = {.l1 = &machine->l1d,
                                        .l2 = &machine->l2,
                                        .tlb_entries = machine->data_tlb.entries,
                                        .misses = plan->sizing.total,
                                        .period = plan->sizing.period,
                                        .rotating = plan->sizing.rotating,
                                        .sometimes = plan->sizing.sometimes,
                                        .depth = request->depth};
        if (layout_place(&places, &plan->arena, &plan->layout, &no_room) == STATUS_OK)
            return STATUS_OK;
        request->cost_above = plan->sizing.cost;
    }
    *error = no_room;
    return STATUS_RECIPE;
}

/* Sizes, places and fills with one depth of the conflict groups. */
static enum status make_with_depth(struct plan *plan, struct sizing_request *request,
                                   const struct plan_options *options, unsigned depth, struct error *error)
{
    const struct machine *machine = plan->machine;
    request->room = layout_room(&machine->l1d, &machine->l2);
    if (machine->l2.ways > 1)
        request->room -= request->room / machine->l2.ways; /* the layout leaves a way free where it can */
    request->depth = depth > machine->l1d.ways ? depth : machine->l1d.ways + 1;
    enum status status = size_and_place(plan, request, error);
    if (status != STATUS_OK)
        return status;
    fill_slots(plan, options);
    bool chase = has_chase(plan->kernel);
    plan->indexed = chase && (options->force_indexed || plan->sizing.period > 1);
    plan->fill = chase && !plan->indexed;
    unsigned period = plan->sizing.period;
    plan->warmup = (10 + period - 1) / period * period;
    plan->warmup = plan->warmup < 2 * period ? 2 * period : plan->warmup;
    return STATUS_OK;
}

static enum status refuse(const struct plan *plan, struct error *error)
{
    error_set(
        error, STATUS_RECIPE,
        "an L1D miss rate of %.6g cannot be reached: with %s replacement in L1D and this L2 the cache model "
        "gives %.6g",
        rates_get(&plan->targets, "l1d.miss_rate", 0), cache_policy_name(plan->machine->l1d.policy),
        rates_get(&plan->expected, "l1d.miss_rate", 0));
    error_hint(error, "%.6g is the nearest reachable rate", rates_get(&plan->expected, "l1d.miss_rate", 0));
    return STATUS_RECIPE;
}

enum status plan_make(const struct kernel *kernel, const struct machine *machine,
                      const struct template *templates, const struct plan_options *options, struct plan *plan,
                      struct error *error)
{
    memset(plan, 0, sizeof *plan);
    plan->kernel = kernel;
    plan->machine = machine;
    struct sizing_request request = {.kernel = kernel, .machine = machine, .loop_bytes = 64};
    enum status status = measure_unit(kernel, templates, &request, error);
    if (status != STATUS_OK)
        return status;
    plan->unit_instructions = request.unit_instructions;
    plan_set_targets(plan);
    double nearest = 2;
    unsigned best = 0;
    for (unsigned i = 0; i <= DEPTH_COUNT; i++) {
        unsigned chosen = i < DEPTH_COUNT ? i : best;
        status = make_with_depth(plan, &request, options, depths[chosen] * machine->l1d.ways, error);
        if (status != STATUS_OK)
            return status;
        double off = plan_simulate(plan);
        if (off <= GOOD)
            return STATUS_OK;
        if (off < nearest) {
            nearest = off;
            best = i;
        }
    }
    enum cache_policy policy = machine->l1d.policy;
    bool by_chance = policy == POLICY_TREE_PLRU || policy == POLICY_RANDOM;
    return by_chance && nearest <= FAIR ? STATUS_OK : refuse(plan, error);
}

void plan_free(struct plan *plan)
{
    arena_free(&plan->arena);
    memset(plan, 0, sizeof *plan);
}
