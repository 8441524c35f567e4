#include "generator/plan.h"

#include "base/random.h"
#include "generator/plan_rates.h"
#include "generator/plan_words.h"

#include <stdio.h>
#include <string.h>

/* Conflict groups of twice the ways miss under LRU, tree-PLRU and what real chips do, where ways + 1 lines do
 * only under LRU; random replacement needs more, as a line survives each replacement with 1 - 1/ways. */
static const unsigned depths[] = {2, 3, 4, 6, 8, 12};
enum { DEPTH_COUNT = sizeof depths / sizeof depths[0], MOST_SIZES = 64 };

/* Passes before anything is measured: caches settle at once, a predictor must have seen every branch in every
 * history that random branches before it can make. */
enum { WARM_CACHES = 10, WARM_PREDICTORS = 1013 };

/* Seeds of further attempts lie this far apart, so that they are no other seed's first. */
static const uint64_t SEED_STRIDE = UINT64_C(1) << 56;

/* A plan whose expected miss rate is within GOOD of the target is taken at once; the best of all depths is
 * taken within FAIR, where only the replacement policy's own chance is left. */
static const double GOOD = 2e-4;
static const double FAIR = 0.01;

/* at_start: it reads the first word of the data, as hits do. */
static const char *load_variant(const struct behaviour *item, bool indexed, bool at_start)
{
    static const char *const independent[2][2] = {{"independent.8", "independent.4"}, {"start.8", "start.4"}};
    if (item->address == ADDRESS_CHASE)
        return indexed ? "chase_indexed.8" : "chase.8";
    return independent[at_start][item->width == 4];
}

static const char *const branch_variants[] = {
    [BRANCH_NONE] = "",         [BRANCH_TAKEN] = "taken", [BRANCH_FALLTHROUGH] = "fallthrough",
    [BRANCH_RANDOM] = "random", [BRANCH_BACK] = "taken",
};

static const struct form *form_of(const struct template *templates, const struct behaviour *item,
                                  bool indexed, const struct slot *slot)
{
    const char *variant = branch_variants[slot->branch];
    if (item->is_load)
        variant = load_variant(item, indexed, slot->service == SERVICE_HIT && slot->line.offset == 0);
    else if (slot->dependent || slot->starts)
        variant = slot->dependent ? "dependent" : "start";
    return template_variant(templates, item->op, variant);
}

const struct form *plan_form(const struct template *templates, const struct plan *plan,
                             const struct slot *slot)
{
    return form_of(templates, &plan->kernel->items[slot->item], plan->indexed, slot);
}

unsigned plan_instructions(const struct template *templates, const struct plan *plan, const char *op)
{
    unsigned count = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        const struct form *form = plan_form(templates, plan, &plan->slots[i]);
        if (form != NULL)
            count += op == NULL ? form->instructions : template_count(templates, form, op);
    }
    return count;
}

/* The longest that the behaviour's instructions come to. */
static enum status measure_item(const struct behaviour *item, const struct template *templates,
                                struct sizing_request *request, struct error *error)
{
    bool at_start = item->is_load && behaviour_miss_rate(item) == 0 && !item->changes &&
                    cache_sets(&request->machine->l1d) > 1;
    struct slot longest = {.branch = item->is_branch ? BRANCH_RANDOM : BRANCH_NONE,
                           .service = at_start ? SERVICE_HIT : SERVICE_NONE};
    const struct form *plain = form_of(templates, item, true, &longest);
    longest.dependent = item->dependents > 0;
    longest.starts = item->chain > 0;
    const struct form *consumer = form_of(templates, item, true, &longest);
    if (plain == NULL)
        return error_set(error, STATUS_RECIPE, "%s{}: the templates of %s have no such operation", item->op,
                         templates->isa->name);
    if ((item->dependents > 0 || item->chain > 0) && consumer == plain)
        return error_set(error, STATUS_RECIPE, "%s{}: %s has no form that %s", item->op, item->op,
                         item->chain > 0 ? "begins a chain" : "consumes a load");
    unsigned instructions = plain->instructions;
    if (consumer->instructions > instructions)
        instructions = consumer->instructions;
    request->unit_instructions += item->count * instructions;
    request->unit_bytes += item->count * (plain->bytes > consumer->bytes ? plain->bytes : consumer->bytes);
    return STATUS_OK;
}

static enum status measure_unit(const struct kernel *kernel, const struct template *templates,
                                struct sizing_request *request, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < kernel->count; i++)
        status = measure_item(&kernel->items[i], templates, request, error);
    if (branches_in_unit(kernel) > 0)
        request->unit_bytes *= 2; /* both ways of a branch lead through code of their own */
    return status;
}

static void mark_even(unsigned char *marks, unsigned loads, unsigned misses)
{
    for (uint64_t i = 0; i < loads; i++)
        marks[i] = (i + 1) * misses / loads > i * misses / loads ? SERVICE_MISS : SERVICE_HIT;
}

/* The marks of one stream's loads over a pass, in the recipe's order. */
static unsigned char *arrange(struct plan *plan, unsigned item, struct random *random)
{
    const struct behaviour *load = &plan->kernel->items[item];
    unsigned loads = plan->sizing.units * load->count;
    unsigned misses = plan->sizing.misses[item];
    unsigned char *marks = arena_alloc(&plan->arena, loads, 1);
    memset(marks, SERVICE_HIT, loads);
    if (load->order == ORDER_EVEN)
        mark_even(marks, loads, misses);
    else
        memset(marks, SERVICE_MISS, misses);
    if (plan->sizing.sometimes_stream == (int)item) {
        unsigned place = 0;
        while (marks[place] != SERVICE_HIT)
            place++;
        marks[place] = SERVICE_SOMETIMES;
    }
    if (load->order == ORDER_SHUFFLED)
        random_shuffle(random, marks, loads);
    return marks;
}

/* The kinds of one behaviour's branches over a pass, in random order. */
static unsigned char *arrange_branches(struct plan *plan, unsigned item, struct random *random)
{
    struct branch_counts counts = branches_of(plan->kernel, item, plan->sizing.units);
    unsigned char *kinds = arena_alloc(&plan->arena, counts.total, 1);
    memset(kinds, BRANCH_RANDOM, counts.random);
    memset(kinds + counts.random, BRANCH_TAKEN, counts.taken);
    memset(kinds + counts.random + counts.taken, BRANCH_FALLTHROUGH, counts.fallthrough);
    random_shuffle(random, kinds, counts.total);
    return kinds;
}

/* Lets the loop begin with the slot: it goes round in any case. */
static void begin_with(struct plan *plan, size_t first)
{
    struct slot *turned = arena_alloc(&plan->arena, plan->slot_count, sizeof *turned);
    for (size_t i = 0; i < plan->slot_count; i++)
        turned[i] = plan->slots[(first + i) % plan->slot_count];
    plan->slots = turned;
}

/* Where hits follow misses and lines rotate, a pass must begin with a miss: the line of the pass before is
 * gone. */
static void begin_with_miss(struct plan *plan)
{
    if (!plan->layout.hits_follow_misses || !plan->sizing.rotating)
        return;
    size_t first = 0;
    while (first < plan->slot_count && plan->slots[first].service != SERVICE_MISS)
        first++;
    if (first < plan->slot_count)
        begin_with(plan, first);
}

/* Turns the loop so that its last slot is a branch always taken, and lets that one be the back edge. */
static void end_with_branch(struct plan *plan)
{
    size_t last = plan->slot_count;
    while (last > 0 && plan->slots[last - 1].branch != BRANCH_TAKEN)
        last--;
    if (last == 0)
        return;
    begin_with(plan, last);
    plan->slots[plan->slot_count - 1].branch = BRANCH_BACK;
}

static void fill_load(struct plan *plan, struct slot *slot, unsigned *next_miss)
{
    const struct layout *layout = &plan->layout;
    slot->rotates = slot->service != SERVICE_HIT && plan->sizing.rotating;
    if (slot->service == SERVICE_HIT)
        slot->line.offset = layout->hit_offset;
    else if (slot->service == SERVICE_MISS)
        slot->line = layout->misses[(*next_miss)++];
    else
        slot->line = layout->sometimes;
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

/* What each instance of each behaviour does: marks of loads, kinds of branches; NULL for operations. */
static unsigned char **arrange_all(struct plan *plan, const struct plan_options *options, unsigned attempt)
{
    const struct kernel *kernel = plan->kernel;
    struct random random = random_start(options->seed + attempt * SEED_STRIDE, options->label);
    unsigned char **marks = arena_alloc(&plan->arena, kernel->count, sizeof *marks);
    for (unsigned i = 0; i < kernel->count; i++) {
        if (kernel->items[i].is_load)
            marks[i] = arrange(plan, i, &random);
        else if (kernel->items[i].is_branch)
            marks[i] = arrange_branches(plan, i, &random);
    }
    return marks;
}

/* Gives the misses their lines in the order in which the loop makes them. */
static void place_loads(struct plan *plan)
{
    unsigned next_miss = 0;
    plan->loads = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        struct slot *slot = &plan->slots[i];
        if (slot->service == SERVICE_NONE)
            continue;
        fill_load(plan, slot, &next_miss);
        plan->loads++;
    }
    plan->sometimes_hit = (struct slot){.service = SERVICE_HIT, .line.offset = plan->layout.hit_offset};
    let_hits_follow(plan);
}

/* A chain that is longer than all of the behaviour's operations of a pass goes on over the loop's end. */
static bool starts_chain(const struct plan *plan, const struct behaviour *item, unsigned instance)
{
    return item->chain > 0 && instance % item->chain == 0 && item->chain < plan->sizing.units * item->count;
}

static void fill_slots(struct plan *plan, const struct plan_options *options, unsigned attempt)
{
    const struct kernel *kernel = plan->kernel;
    unsigned char **marks = arrange_all(plan, options, attempt);
    plan->slot_count = (size_t)plan->sizing.units * plan->unit_slots;
    plan->slots = arena_alloc(&plan->arena, plan->slot_count, sizeof *plan->slots);
    struct slot *slot = plan->slots;
    for (unsigned unit = 0; unit < plan->sizing.units; unit++) {
        for (unsigned i = 0; i < kernel->count; i++) {
            const struct behaviour *item = &kernel->items[i];
            for (unsigned c = 0; c < item->count; c++, slot++) {
                *slot = (struct slot){.unit = unit, .item = i, .dependent = c < item->dependents};
                slot->starts = starts_chain(plan, item, unit * item->count + c);
                unsigned char mark = marks[i] == NULL ? 0 : marks[i][unit * item->count + c];
                if (item->is_load)
                    slot->service = (enum service)mark;
                else if (item->is_branch)
                    slot->branch = (enum branch)mark;
            }
        }
    }
    plan->branches = branches_all(kernel, plan->sizing.units);
    begin_with_miss(plan);
    end_with_branch(plan);
    place_loads(plan);
}

uint64_t plan_offset(const struct plan *plan, const struct slot *slot, unsigned pass)
{
    if (slot->service == SERVICE_SOMETIMES && pass >= plan->sizing.sometimes)
        slot = &plan->sometimes_hit;
    return slot->line.offset + (slot->rotates ? pass % plan->layout.turns * plan->layout.step : 0);
}

enum status plan_shuffle(struct plan *plan, const struct plan_options *options, unsigned attempt,
                         struct error *error)
{
    fill_slots(plan, options, attempt);
    return plan_place_words(plan, options, error);
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
                                        .depth = request->depth,
                                        .depth_first = machine->l1d.policy != POLICY_LRU};
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
    status = plan_shuffle(plan, options, 0, error);
    if (status != STATUS_OK)
        return status;
    bool chase = has_chase(plan->kernel);
    plan->indexed = chase && (options->force_indexed || plan->sizing.period > 1);
    plan->fill_address = chase && !plan->indexed;
    const struct behaviour *data = kernel_data(plan->kernel);
    plan->fill_word = data == NULL ? 0 : data->word;
    unsigned period = plan->sizing.period;
    unsigned least = plan->branches.total > 0 ? WARM_PREDICTORS : WARM_CACHES;
    plan->warmup = (least > 2 * period ? least + period - 1 : 2 * period) / period * period;
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
    error_hint(error, "few rates are exact under this policy; one nearby may be");
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
    enum status status = branches_check(kernel, error);
    if (status == STATUS_OK)
        status = measure_unit(kernel, templates, &request, error);
    if (status != STATUS_OK)
        return status;
    plan->unit_slots = 0;
    for (size_t i = 0; i < kernel->count; i++)
        plan->unit_slots += kernel->items[i].count;
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
