#include "generator/plan/plan_make.h"

#include "generator/machine/shipped.h"
#include "generator/plan/memory/anchors.h"
#include "generator/plan/memory/chase_windows.h"
#include "generator/plan/memory/windows.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/rational.h"
#include "generator/kernel/unit_order.h"
#include "generator/plan/code/gaps.h"
#include "generator/plan/data/chase_words.h"
#include "generator/plan/data/plan_data.h"
#include "generator/plan/memory/page_model.h"
#include "generator/plan/memory/plan_places.h"
#include "generator/plan/memory/plan_shared.h"
#include "generator/plan/plan_forms.h"
#include "generator/plan/plan_rates.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Depths to try, in ways. Eviction sets of twice the ways miss under LRU, tree-PLRU and real chips' policies;
 * ways + 1 lines suffice only under LRU. Random replacement needs more, because a line survives each
 * replacement with probability 1 - 1/ways. */
static const double depths[] = {2, 3, 4, 6, 8, 12};
enum {
    DEPTH_COUNT = sizeof depths / sizeof depths[0],
    VARIANT_BYTES = 32,
    EVICTION_BYTES = 128,
    ROTATING_BYTES = 512
};

/* Average size of the gap after an indirect branch, a safe overestimate. */
enum { GAP_BYTES = 8, TEXT_ALIGN = 64 };

/* Bytes between the last branch of a loop and its twin: the loop's close, a jump and the twin's alignment. */
enum { CLOSE_BYTES = 16 + 512 };

/* Warm-up passes: caches settle quickly; a predictor must have seen every branch with every history that
 * earlier random branches can produce. */
enum { WARM_CACHES = 10, WARM_PREDICTORS = 1013 };

/* Distance between the seeds of attempts, so that none equals another seed's first. */
static const uint64_t SEED_STRIDE = UINT64_C(1) << 56;

/* A plan whose expected miss rate is within GOOD of the target is accepted at once; after all depths, the
 * best within FAIR, where only the replacement policy's randomness remains. */
static const double GOOD = 2e-4;
static const double FAIR = 0.01;

/* The same under random replacement, where an expected rate is a mean and larger errors would be observed. */
static const double CHANCE = 0.004;

/* The widths of accesses that the machine has rows for: "4, 8 or 16". */
static void write_widths(const struct behaviour *item, const struct template *templates,
                         const struct machine *machine, char *text, size_t size)
{
    unsigned widths[8] = {0};
    size_t count = 0, used = 0;
    for (unsigned width = 4; width <= 64; width *= 2) {
        char row[VARIANT_BYTES];
        const struct form *form = NULL;
        snprintf(row, sizeof row, "%.8s.independent.%u", item->op, width);
        while ((form = template_next(templates, row, form)) != NULL && !machine_has(machine, form->feature))
            ;
        if (form != NULL)
            widths[count++] = width;
    }
    text[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%u",
                                 i == 0           ? ""
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 widths[i]);
}

/* Reports what is missing: the machine has no row for this access. */
static enum status refuse_width(const struct behaviour *item, const struct template *templates,
                                const struct machine *machine, struct error *error)
{
    char shipped[SHIPPED_TEXT_BYTES];
    char row[VARIANT_BYTES];
    char widths[VARIANT_BYTES];
    snprintf(row, sizeof row, "%.8s.independent.%u", item->op, item->width);
    const struct form *form = template_next(templates, row, NULL);
    while (form != NULL && machine_has(machine, form->feature))
        form = template_next(templates, row, form);
    write_widths(item, templates, machine, widths, sizeof widths);
    if (form == NULL && item->non_temporal) {
        error_set(error, STATUS_RECIPE, "%s.cache is \"nt\": %s has no access that goes past the caches",
                  item->op, templates->isa->name);
        error_hint(error, "without cache = \"nt\" memory serves it through the caches");
        return STATUS_RECIPE;
    }
    if (item->kind == BEHAVIOUR_STORE && item->from_vector) {
        error_set(error, STATUS_RECIPE,
                  "store.from is \"vector\": %s has no store of %u bytes from vector registers",
                  templates->isa->name, item->width);
        error_hint(error, "without it general registers hold the words");
        return STATUS_RECIPE;
    }
    if (behaviour_writes_back(item)) {
        error_set(error, STATUS_RECIPE, "load.%s is true: %s has no such instruction of %u bytes",
                  item->updates ? "updates" : "copies", templates->isa->name, item->width);
        error_hint(error, "a load and a store beside it access as much, in two instructions");
        return STATUS_RECIPE;
    }
    if (form == NULL)
        return error_set(error, STATUS_RECIPE, "%s.width is %u: %s has no such form here; expected %s bytes",
                         item->op, item->width, templates->isa->name, widths);
    error_set(error, STATUS_RECIPE, "%s.width is %u: it needs the feature %s, which machine %s lacks",
              item->op, item->width, form->feature, machine->name);
    error_hint(error, "expected %s bytes, or another machine: %s", widths,
               shipped_with(machine->isa, form->feature, shipped));
    return STATUS_RECIPE;
}

/* Checks that no two loads share a word of the bus if the bus is wide or the words change. */
static enum status check_bus(const struct behaviour *item, struct error *error)
{
    unsigned bus = behaviour_bus(item) > 8 ? behaviour_bus(item) : 8;
    bool alike = bus == 8 && !item->changes;
    if (item->kind != BEHAVIOUR_LOAD || !item->has_data || alike || item->stride % bus == 0)
        return STATUS_OK;
    error_set(error, STATUS_RECIPE,
              "load.stride is %llu: with data on a bus of %u bits, loads closer than %u bytes share words",
              (unsigned long long)item->stride, 8 * bus, bus);
    error_hint(error,
               bus == 8 ? "expected a multiple of %u bytes, or data that do not change"
                        : "expected a multiple of %u bytes, or a bus of at most %llu bits",
               bus, 8 * (unsigned long long)(item->stride & -item->stride));
    return STATUS_RECIPE;
}

/* Checks that an access and its data lie in one line of L1D. */
static enum status check_width(const struct behaviour *item, const struct machine *machine,
                               struct error *error)
{
    if (!behaviour_accesses(item))
        return STATUS_OK;
    if (item->width > machine->l1d.line)
        return error_set(error, STATUS_RECIPE, "%s.width is %u: expected at most a line of L1D, %u bytes",
                         item->op, item->width, machine->l1d.line);
    if (item->bus > machine->l1d.line)
        return error_set(error, STATUS_RECIPE, "%s.bus is %u bits: expected at most a line of L1D, %u bits",
                         item->op, 8 * item->bus, 8 * machine->l1d.line);
    if (item->width > 8 && item->stride % item->width != 0) {
        error_set(error, STATUS_RECIPE, "%s.stride is %llu: vectors of %u bytes are aligned", item->op,
                  (unsigned long long)item->stride, item->width);
        error_hint(error, "expected a multiple of %u bytes, or width = 8", item->width);
        return STATUS_RECIPE;
    }
    return check_bus(item, error);
}

/* Checks that all vectors of a kernel have one width on an ISA whose start code sets that width. */
static enum status check_vectors(const struct kernel *kernel, const struct isa *isa, struct error *error)
{
    unsigned widest = operations_widest_vector(kernel);
    for (size_t i = 0; isa->one_vector_width && i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        bool vector = item->width > 8 && (operation_is(item) || behaviour_accesses(item));
        if (!vector || item->width == widest)
            continue;
        error_set(error, STATUS_RECIPE,
                  "%s.width is %u beside vectors of %u bytes: on %s all vectors of a kernel have one width",
                  item->op, item->width, widest, isa->name);
        error_hint(error, "expected %u bytes here, or a benchmark of its own for each width", widest);
        return STATUS_RECIPE;
    }
    return STATUS_OK;
}

/* Adds the behaviour's instructions, and their bytes in the longest encoding, to the request. */
static enum status measure_item(const struct behaviour *item, const struct template *templates,
                                struct sizing_request *request, struct error *error)
{
    /* Loads that always hit read the first word of the data, which needs no displacement. */
    bool at_start = item->kind == BEHAVIOUR_LOAD && behaviour_miss_rate(item) == 0 && !item->changes &&
                    !request->by_rotation && cache_sets(&request->machine->l1d) > 1;
    struct place place = {.offset = !at_start};
    struct slot longest = {.branch = item->kind == BEHAVIOUR_BRANCH ? BRANCH_RANDOM : BRANCH_NONE,
                           .places = &place,
                           .place_count = behaviour_accesses(item)};
    const struct machine *machine = request->machine;
    enum status status = check_width(item, machine, error);
    if (status != STATUS_OK)
        return status;
    const struct form *plain = plan_form_of(templates, machine, item, true, &longest);
    longest.dependent = operation_is(item) && item->dependents > 0;
    longest.starts = operation_is(item) && item->chain > 0;
    const struct form *consumer = plan_form_of(templates, machine, item, true, &longest);
    if (plain == NULL && behaviour_accesses(item))
        return refuse_width(item, templates, machine, error);
    if (item->kind == BEHAVIOUR_BRANCH && item->narrow_test &&
        template_variant(templates, item->op, "taken.4") == NULL)
        return error_set(error, STATUS_RECIPE,
                         "branch.width is 4: %s has no test of 4 bytes here; expected 8",
                         templates->isa->name);
    if (item->kind == BEHAVIOUR_LOAD && item->logic == 4 && !plan_has_narrow_logic(templates))
        return error_set(error, STATUS_RECIPE, "load.logic is 4: %s has a conjunction of 8 bytes alone here",
                         templates->isa->name);
    if (plain == NULL && behaviour_loads_target(item))
        return error_set(error, STATUS_RECIPE,
                         "branch.through is \"memory\": %s has no such instruction; expected \"register\", "
                         "and a load beside it",
                         templates->isa->name);
    if (plain == NULL && item->kind == BEHAVIOUR_SHARED)
        return error_set(error, STATUS_RECIPE, "%s.%s.%u: %s has no such instruction here", item->op,
                         item->shared.how, item->width, templates->isa->name);
    if (plain == NULL || consumer == NULL)
        return error_set(error, STATUS_FAILED, "the templates of %s lack a row of %s", templates->isa->name,
                         item->op);
    unsigned instructions = plain->instructions;
    if (consumer->instructions > instructions)
        instructions = consumer->instructions;
    request->unit_instructions += item->count * instructions;
    request->unit_bytes += item->count * (plain->bytes > consumer->bytes ? plain->bytes : consumer->bytes);
    return STATUS_OK;
}

static enum status measure_asm(struct plan *plan, size_t index, const struct template *templates,
                               struct sizing_request *request, struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[index];
    const struct form *form = &plan->texts.items[index].form;
    enum status status = user_asm_make(item, plan->registers.given[index], templates, plan->machine,
                                       &plan->arena, &plan->texts.items[index], error);
    request->unit_instructions += item->count * form->instructions;
    request->unit_bytes += item->count * form->bytes;
    return status;
}

/* True if the behaviour may require code at the end of a pass, which moves lines. */
static bool may_move(const struct behaviour *item)
{
    return behaviour_moves(item) || behaviour_memory(item) > 0;
}

static enum status measure_unit(struct plan *plan, const struct template *templates,
                                struct sizing_request *request, struct error *error)
{
    const struct kernel *kernel = plan->kernel;
    enum status status = check_vectors(kernel, templates->isa, error);
    bool indirect = false;
    bool conditional = false;
    unsigned reach = templates->isa->branch_reach;
    plan->texts.items = arena_alloc(&plan->arena, kernel->count, sizeof *plan->texts.items);
    for (size_t i = 0; status == STATUS_OK && i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->count == 0)
            continue;
        status = item->kind == BEHAVIOUR_ASM ? measure_asm(plan, i, templates, request, error)
                                             : measure_item(item, templates, request, error);
        request->unit_bytes += behaviour_is_indirect(item) ? GAP_BYTES * item->count : 0;
        indirect = indirect || behaviour_is_indirect(item);
        conditional = conditional || (item->kind == BEHAVIOUR_BRANCH && !behaviour_is_indirect(item));
    }
    if (branches_in_unit(kernel) > 0)
        request->unit_bytes *= 2; /* loop and twin each have a copy of the code */
    if (indirect)
        request->loop_bytes += GAPS_ENTRIES; /* between the two */
    if (conditional && reach > 0 && kernel_code(kernel) == NULL)
        request->copy_bytes = reach - CLOSE_BYTES - (kernel_any(kernel, may_move) ? 2 * ROTATING_BYTES : 0) -
                              (indirect ? 2 * GAPS_ENTRIES : 0);
    return status;
}

/* True if the operation starts a chain. A chain longer than the behaviour's operations in a pass continues
 * across the loop's end. */
static bool starts_chain(const struct plan *plan, const struct behaviour *item, unsigned instance)
{
    return operation_is(item) && item->chain > 0 && instance % item->chain == 0 &&
           item->chain < plan->sizing.units * item->count;
}

/* Makes an access's places and sets their levels; plan_place_accesses adds the addresses. */
static void mark_access(struct plan *plan, struct slot *slot, unsigned char mark, struct place **single)
{
    const struct schedule *schedule =
        mark < MARK_SCHEDULES ? NULL : &plan->sizing.schedules[mark - MARK_SCHEDULES];
    slot->schedule = schedule == NULL ? 0 : 1 + mark - MARK_SCHEDULES;
    slot->place_count = schedule == NULL ? 1 : schedule->steps;
    if (schedule == NULL) {
        slot->places = (*single)++;
        *slot->places = (struct place){.level = (enum memory_level)mark, .until = plan->sizing.period};
        return;
    }
    slot->places = arena_alloc(&plan->arena, slot->place_count, sizeof *slot->places);
    for (unsigned i = 0; i < slot->place_count; i++)
        slot->places[i] = (struct place){.level = schedule->step[i].level, .until = schedule->step[i].until};
}

/* Fills the slot of one instance of a behaviour; instance: within the unit and within the pass. */
static void fill_slot(struct plan *plan, const unsigned char *marks, unsigned of_unit, unsigned instance,
                      struct slot *slot, struct place **single)
{
    const struct behaviour *item = &plan->kernel->items[slot->item];
    slot->dependent = operation_is(item) && of_unit < item->dependents;
    slot->starts = starts_chain(plan, item, instance);
    slot->operand = operand_words_of(&plan->data.operands[slot->item], instance);
    if (behaviour_accesses(item))
        mark_access(plan, slot, marks[instance], single);
    else if (item->kind == BEHAVIOUR_BRANCH)
        slot->branch = (enum branch)marks[instance];
    if (behaviour_loads_target(item))
        mark_access(plan, slot, LEVEL_L1, single);
}

/* The idle instructions of a phase's throttle{}, and the number of other instructions of a unit. */
struct idle {
    unsigned item, count, others;
};

static struct idle find_idle(const struct kernel *kernel, unsigned phase)
{
    struct idle idle = {0};
    for (unsigned i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->phase == phase && item->kind == BEHAVIOUR_THROTTLE)
            idle.item = i, idle.count = item->count;
        else if (item->phase == phase)
            idle.others += item->count;
    }
    return idle;
}

/* The order of a phase's unit, without idle instructions. */
static struct unit_place *order_unit(const struct kernel *kernel, unsigned phase, size_t *total)
{
    struct unit_part *parts = memory_zeroed(kernel->count, sizeof *parts);
    *total = 0;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        bool load = item->kind == BEHAVIOUR_LOAD;
        if (item->phase != phase || item->kind == BEHAVIOUR_THROTTLE)
            continue;
        bool mixed = behaviour_accesses(item) || operation_is(item);
        parts[i] = (struct unit_part){.count = item->count,
                                      .role = load && item->leads        ? UNIT_LEADS
                                              : load && item->behind > 0 ? UNIT_LED
                                              : mixed                    ? UNIT_MIXED
                                                                         : UNIT_FIXED,
                                      .behind = load ? item->behind : 0};
        *total += item->count;
    }
    struct unit_place *order = memory_zeroed(*total + 1, sizeof *order);
    unit_order(parts, kernel->count, order);
    free(parts);
    return order;
}

/* Fills the slots of one unit of a phase; *single: room for the places of accesses with one place. Returns
 * the slot after them. Idle instructions are spread evenly: as one block they would fill a processor's
 * schedulers, and the other instructions would wait behind them instead of running beside them. */
static struct slot *fill_unit(struct plan *plan, unsigned char **marks, unsigned phase, unsigned unit,
                              const struct unit_place *order, size_t total, struct slot *slot,
                              struct place **single)
{
    const struct idle idle = find_idle(plan->kernel, phase);
    uint64_t filled = 0, idles = 0;
    for (size_t i = 0; i < total; i++, slot++) {
        const struct behaviour *item = &plan->kernel->items[order[i].part];
        unsigned instance = order[i].instance;
        *slot = (struct slot){.unit = unit, .item = order[i].part};
        fill_slot(plan, marks[slot->item], instance, unit * item->count + instance, slot, single);
        for (filled++; idles * idle.others < filled * idle.count; idles++)
            *++slot = (struct slot){.unit = unit, .item = idle.item};
    }
    return slot;
}

static void fill_slots(struct plan *plan, const struct plan_options *options, unsigned attempt)
{
    const struct kernel *kernel = plan->kernel;
    struct random random = random_start(options->seed + attempt * SEED_STRIDE, options->label);
    unsigned char **marks = plan_arrange(plan, &random);
    plan->slot_count = (size_t)plan->sizing.units * plan->unit_slots;
    plan->slots = arena_room(&plan->arena, plan->slot_count, sizeof *plan->slots);
    struct slot *slot = plan->slots;
    struct place *single = arena_room(&plan->arena, plan->slot_count, sizeof *single); /* one each, at most */
    for (unsigned phase = 0; phase < kernel->phase_count; phase++) {
        size_t total;
        struct unit_place *order = order_unit(kernel, phase, &total);
        for (unsigned unit = 0; unit < plan->sizing.units; unit++)
            slot = fill_unit(plan, marks, phase, unit, order, total, slot, &single);
        free(order);
    }
    plan->branches = branches_all(kernel, plan->sizing.units);
}

/* Places the memory of each asm{}, after all data that loads read. */
static enum status place_texts(struct plan *plan, const struct isa *isa, struct error *error)
{
    const struct kernel *kernel = plan->kernel;
    const struct text_rules *rules = isa->text_rules;
    plan->texts.memory = arena_alloc(&plan->arena, kernel->count, sizeof *plan->texts.memory);
    plan->texts.base = 0;
    plan->texts.has_memory = false;
    unsigned bare = 0;
    for (size_t i = 0; i < kernel->count; i++)
        bare += behaviour_memory(&kernel->items[i]) > 0 && plan->texts.items[i].bare;
    if (bare > 1)
        return error_set(
            error, STATUS_RECIPE,
            "%u texts have instructions of %s whose address takes no displacement, and only one text's "
            "{memory} is at the register's address: expected these instructions in one asm{}",
            bare, isa->name);
    for (size_t turn = 0; turn < 2 * kernel->count; turn++) {
        size_t i = turn % kernel->count;
        bool first = plan->texts.items[i].bare; /* its {memory} must be at the register's address */
        if (behaviour_memory(&kernel->items[i]) == 0 || first != (turn < kernel->count))
            continue;
        uint64_t start = rational_round_up(plan->memory.bytes, TEXT_ALIGN);
        if (rules->own_address && !plan->texts.has_memory)
            plan->texts.base = start;
        plan->texts.has_memory = true;
        if (rules->own_address &&
            start - plan->texts.base + behaviour_memory(&kernel->items[i]) > rules->farthest)
            return error_set(
                error, STATUS_RECIPE,
                "asm.memory: {memory} reaches %" PRIu64 " bytes on %s, and the texts' memory ends after "
                "%" PRIu64,
                rules->farthest, isa->name, start - plan->texts.base + behaviour_memory(&kernel->items[i]));
        if (start - plan->texts.base + behaviour_memory(&kernel->items[i]) > rules->farthest)
            return error_set(error, STATUS_RECIPE,
                             "asm.memory starts %" PRIu64
                             " MiB after the data's start, but {memory} reaches %" PRIu64
                             " MiB: expected smaller working sets beside it",
                             start >> 20, isa->text_rules->farthest >> 20);
        plan->texts.memory[i] = start;
        plan->memory.bytes = start + (behaviour_memory(&kernel->items[i]) / TEXT_ALIGN + 2) * TEXT_ALIGN;
    }
    return STATUS_OK;
}

enum status plan_shuffle(struct plan *plan, const struct isa *isa, const struct plan_options *options,
                         unsigned attempt, struct error *error)
{
    fill_slots(plan, options, attempt);
    plan_turn_loop(plan);
    bool chase = kernel_any(plan->kernel, behaviour_chases);
    plan->memory.indexed =
        chase && (options->force_indexed || plan->memory.by_rotation || plan->sizing.period > 1);
    plan->memory.relative = chase && !plan->memory.indexed;
    plan_forget_forms(plan);
    enum status status = plan_place_accesses(plan, options, error);
    if (status == STATUS_OK)
        status = chase_windows_place(plan, error);
    if (status == STATUS_OK)
        status = chase_words_place(plan, error);
    if (status == STATUS_OK)
        status = plan_fill_data(plan, options, error);
    if (status == STATUS_OK)
        status = place_texts(plan, isa, error);
    if (status == STATUS_OK)
        status = plan_place_shared(plan, isa, options->sharers > 1 ? options->sharers : 1, options->seed,
                                   options->label, error);
    return status == STATUS_OK ? anchors_place(plan, isa, error) : status;
}

/* ---- attempts ---- */

/* A search for the plan that meets the recipe's rates: the state that all attempts share. */
struct plan_search {
    struct plan *plan; /* of the last attempt */
    const struct template *templates;
    const struct plan_options *options;
    struct sizing_request request;
    double depth; /* of the next attempt, in ways of the cache that must miss */
};

/* Sizes, places and fills the plan. */
static enum status make(struct plan_search *search, struct error *error)
{
    struct plan *plan = search->plan;
    const struct plan_options *options = search->options;
    enum status status = plan_size(plan, &search->request, options, search->depth, error);
    if (status == STATUS_OK)
        status = operand_words_choose(plan->kernel, search->templates, plan->sizing.units, options->seed,
                                      &plan->arena, &plan->data.operands, error);
    if (status == STATUS_OK)
        status = plan_shuffle(plan, search->templates->isa, options, 0, error);
    plan->as_shuffled = status == STATUS_OK;
    if (status != STATUS_OK)
        return status;
    unsigned period = plan->sizing.period;
    unsigned least = plan->branches.total > 0 ? WARM_PREDICTORS : WARM_CACHES;
    unsigned settles = plan_settles(plan);
    least = least > settles ? least : settles;
    plan->warmup = (least > 2 * period ? least + period - 1 : 2 * period) / period * period;
    return STATUS_OK;
}

/* Makes and simulates the plan of another kernel, with the recipe's targets. False if it cannot be made;
 * otherwise *off is the largest distance of a cache rate from its target. */
static bool try_kernel(struct plan_search *search, const struct kernel *kernel, double *off)
{
    struct plan *plan = search->plan;
    const struct kernel *wanted = plan->kernel;
    struct error ignored = {0};
    plan->kernel = search->request.kernel = kernel;
    bool made = make(search, &ignored) == STATUS_OK && plan_simulation(plan) <= PLAN_MOST_SIMULATED;
    plan->kernel = search->request.kernel = wanted;
    if (made)
        *off = plan_simulate(plan);
    return made;
}

/* A copy of the plan's kernel, from the plan's arena, whose aims are then changed. */
static struct kernel *copy_kernel(struct plan *plan)
{
    struct kernel *copy = arena_alloc(&plan->arena, 1, sizeof *copy);
    *copy = *plan->kernel;
    copy->items = arena_alloc(&plan->arena, copy->count, sizeof *copy->items);
    memcpy(copy->items, plan->kernel->items, copy->count * sizeof *copy->items);
    return copy;
}

/* The plan's kernel with all accesses that miss the data TLB in as few behaviours as possible: an equal share
 * of each may be less than one access of behaviours with few accesses. */
static const struct kernel *gather_pages(struct plan *plan)
{
    struct kernel *kernel = copy_kernel(plan);
    kernel->pages_together = true;
    (void)kernel_share_pages(
        kernel,
        kernel_first(kernel, BEHAVIOUR_TLB)->page_misses); /* L1 serves enough, as in the recipe's kernel */
    return kernel;
}

static bool has_free_length(const struct kernel *kernel)
{
    return kernel->loop_units == 0 && kernel->loop_instructions == 0 && !kernel->loop_fill;
}

/* ---- the data TLB's rate ---- */

/* Tolerance of the data TLB's rate over every hundred passes if the pages of other accesses change from pass
 * to pass. */
static const double PAGES_FAIR = 1e-3;

/* The miss rates of the data TLB nearest to the recipe's that loops of so many units reach. */
struct page_rates {
    unsigned units;
    double below, above;       /* below 0: none found */
    const struct kernel *best; /* the kernel that came nearest; NULL: the plan's own */
    double best_off;
};

/* How far the expected rate of the data TLB is above its target; 0 without a target. */
static double page_excess(const struct plan *plan)
{
    double wanted = rates_get(&plan->rates.targets, "dtlb.miss_rate", -1);
    return wanted < 0 ? 0 : rates_get(&plan->rates.expected, "dtlb.miss_rate", wanted) - wanted;
}

/* Notes the plan's rate; true if it is the best so far. */
static bool note_pages(const struct plan *plan, const struct kernel *kernel, struct page_rates *pages)
{
    double rate = rates_get(&plan->rates.expected, "dtlb.miss_rate", 0);
    *(page_excess(plan) > 0 ? &pages->above : &pages->below) = rate;
    if (plan->simulation.pages_off >= pages->best_off)
        return false;
    pages->best = kernel;
    pages->best_off = plan->simulation.pages_off;
    return true;
}

/* The kernel with another share of accesses in pages that miss, and a loop of so many units. */
static const struct kernel *aim_pages(struct plan *plan, double share, unsigned units)
{
    struct kernel *aimed = copy_kernel(plan);
    aimed->loop_units = units;
    (void)kernel_share_pages(aimed, share); /* L1 serves enough: the share is below the recipe's */
    return aimed;
}

/* If other accesses miss the data TLB, too, because their pages are many or seldom used, sends fewer accesses
 * to the pages that always miss, until all accesses together meet the rate. True on success; *off is then the
 * largest distance of a cache rate from its target. The plan's loop has so many units. */
static bool meet_with_units(struct plan_search *search, unsigned units, struct page_rates *pages, double *off)
{
    enum { MOST_TRIES = 24 };
    struct plan *plan = search->plan;
    double wanted = rates_get(&plan->rates.targets, "dtlb.miss_rate", 0);
    double all = (double)plan_accesses(plan) * plan->sizing.period;
    *pages = (struct page_rates){.units = units, .below = -1, .above = -1, .best_off = INFINITY};
    (void)note_pages(plan, aim_pages(plan, wanted, units), pages);
    long low = -1;
    long high = lround(wanted * all);
    long aim = high - lround(page_excess(plan) * all);
    bool is_best = true; /* the plan is the best so far */
    for (unsigned i = 0; i < MOST_TRIES && pages->best_off > GOOD && high - low > 1; i++) {
        if (aim <= low || aim >= high)
            aim = low + (high - low) / 2;
        const struct kernel *aimed = aim_pages(plan, (double)aim / all, units);
        if (!try_kernel(search, aimed, off)) {
            low = aim; /* too few accesses go to pages that always miss */
            is_best = false;
            continue;
        }
        is_best = note_pages(plan, aimed, pages);
        *(page_excess(plan) > 0 ? &high : &low) = aim;
        aim -= lround(page_excess(plan) * all);
        if (plan->simulation.accesses > PLAN_SEARCH_SIMULATED)
            break;
    }
    if (pages->best_off > PAGES_FAIR)
        return false;
    return is_best || try_kernel(search, pages->best, off);
}

/* The same. If this fails and the loop's length is free, tries loops several times as long, which have more
 * accesses for pages that always miss. */
static bool meet_pages(struct plan_search *search, struct page_rates *pages, double *off)
{
    enum { MOST_TIMES = 3 };
    struct plan *plan = search->plan;
    double wanted = rates_get(&plan->rates.targets, "dtlb.miss_rate", 0);
    unsigned units = plan->sizing.units;
    bool met = meet_with_units(search, units, pages, off);
    for (unsigned times = 2; has_free_length(plan->kernel) && !met && times <= MOST_TIMES; times++) {
        struct page_rates longer;
        met = try_kernel(search, aim_pages(plan, wanted, times * units), off) &&
              meet_with_units(search, times * units, &longer, off);
    }
    return met;
}

static enum status refuse_pages(const struct plan *plan, const struct page_rates *near, struct error *error)
{
    const struct machine *machine = plan->machine;
    bool huge =
        plan->memory.huge_from < plan->memory.bytes && machine->data_tlb.page == PAGE_MODEL_SMALL_BYTES;
    bool own = huge && machine->huge_tlb.entries > 0;
    enum cache_policy policy = machine->data_tlb.policy;
    char rates[128];
    if (policy == POLICY_RANDOM || policy == POLICY_TREE_PLRU)
        error_set(error, STATUS_RECIPE,
                  "dtlb.miss_rate = %.6g cannot be reached: with %s replacement the data TLB of %u entries "
                  "keeps some of the pages that should always miss it",
                  rates_get(&plan->rates.targets, "dtlb.miss_rate", 0), cache_policy_name(policy),
                  machine->data_tlb.entries);
    else
        error_set(error, STATUS_RECIPE,
                  "dtlb.miss_rate = %.6g cannot be reached: the %spages of the other accesses do not stay in "
                  "the %u "
                  "entries of the %s",
                  rates_get(&plan->rates.targets, "dtlb.miss_rate", 0), huge ? "huge " : "",
                  own ? machine->huge_tlb.entries : machine->data_tlb.entries,
                  own ? "TLB for huge pages" : "data TLB");
    if (near->below >= 0 && near->above >= 0)
        snprintf(rates, sizeof rates, "the nearest rates with loop = { units = %u } are about %.4g and %.4g",
                 near->units, near->below, near->above);
    else
        snprintf(rates, sizeof rates, "the nearest rate with loop = { units = %u } is about %.4g",
                 near->units, near->below >= 0 ? near->below : near->above);
    error_hint(error, "%s%s", rates,
               huge && !own
                   ? "; a machine whose huge pages have entries of their own states them in its file: tlb "
                     "= { huge = { entries =, ways = } }"
                   : "");
    return STATUS_RECIPE;
}

/* ---- aims ---- */

/* The rate farthest from its target, and its expected value. */
struct shortfall {
    const char *metric;
    double off, wanted, reached;
};

static struct shortfall shortfall_of(const struct plan *plan, double off)
{
    return (struct shortfall){plan->simulation.worst, off,
                              rates_get(&plan->rates.targets, plan->simulation.worst, 0),
                              rates_get(&plan->rates.expected, plan->simulation.worst, 0)};
}

/* Under a policy that chooses at random, expected rates are means, which may differ from the recipe's. The
 * search then aims as far above the recipe's rate as the mean lies below it, or vice versa, and repeats this
 * until the mean is within this distance of the recipe's rate. */
static const double HELD = 5e-4;

static const enum tuning_rate cache_rates[] = {TUNING_L1D, TUNING_L2, TUNING_L3};
enum { CACHE_RATES = sizeof cache_rates / sizeof cache_rates[0] };

/* Moves each aim by `part` of the distance of its expected rate from the target; rates of 0 and 1 stay. */
static struct plan_tuning corrected(const struct plan *plan, const struct plan_tuning *aims, double part)
{
    static const double LEAST = 1e-6;
    struct plan_tuning tuning = *aims;
    for (size_t i = 0; i < CACHE_RATES; i++) {
        enum tuning_rate rate = cache_rates[i];
        double wanted = rates_get(&plan->rates.targets, tuning_metric(rate), -1);
        double expected = rates_get(&plan->rates.expected, tuning_metric(rate), -1);
        if (wanted <= 0 || wanted >= 1 || expected < 0)
            continue;
        double aim = (aims->aimed[rate] ? aims->aim[rate] : wanted) + part * (wanted - expected);
        tuning.aimed[rate] = true;
        tuning.aim[rate] = fmin(fmax(aim, LEAST), 1 - LEAST);
    }
    return tuning;
}

/* The period in which aimed shares are exact enough. With words that change, the period cannot be longer. */
static unsigned aimed_period(const struct plan *plan)
{
    enum { LONGEST = 100, FINE = 5000 };
    const struct behaviour *data = kernel_data(plan->kernel);
    bool fixed = data != NULL && data->changes;
    bool fine = (plan->loads + plan->stores) * plan->sizing.period >= FINE;
    return fixed || fine ? plan->sizing.period : LONGEST;
}

/* A search for aims other than the recipe's rates: the loop's size, and the best aims so far. */
struct aims {
    unsigned units, period;
    struct plan_tuning best;
    const struct kernel *kernel; /* for the best aims; NULL: none came nearer than the recipe's rates */
    double best_off;
};

/* The kernel with these aims. */
static const struct kernel *aim_rates(struct plan *plan, const struct aims *aims,
                                      const struct plan_tuning *tuning)
{
    struct kernel *aimed = arena_alloc(&plan->arena, 1, sizeof *aimed);
    *aimed = tuning_aim(tuning, plan->kernel, plan->machine, &plan->arena);
    tuning_keep_size(aimed, aims->units, aims->period);
    return aimed;
}

/* Changes the aims until the expected rates are within HELD. Another aim may change the layout, and with it
 * the expected rates, so the first steps are followed even if they lead away; later steps start from the best
 * aims and are halved. False if no aims came nearer than the plan itself. */
static bool search_aims(struct plan_search *search, struct aims *aims)
{
    enum { MOST_TRIES = 12, FOLLOWED = 4 };
    struct plan *plan = search->plan;
    struct plan_tuning full = corrected(plan, &aims->best, 1); /* the full step from the best aims */
    struct plan_tuning half = corrected(plan, &aims->best, 0.5);
    struct plan_tuning tuning = full;
    bool is_best = false;
    double part = 1;
    for (unsigned i = 0;
         i < MOST_TRIES && aims->best_off > HELD && plan->simulation.accesses <= 2 * PLAN_SEARCH_SIMULATED;
         i++) {
        const struct kernel *aimed = aim_rates(plan, aims, &tuning);
        double found;
        is_best = false;
        if (!try_kernel(search, aimed, &found))
            break;
        if (found < aims->best_off) {
            aims->best = tuning;
            aims->kernel = aimed;
            aims->best_off = found;
            is_best = true;
            part = 1;
            full = corrected(plan, &tuning, 1);
            half = corrected(plan, &tuning, 0.5);
            tuning = full;
        } else if (i + 1 < FOLLOWED) {
            tuning = corrected(plan, &tuning, 1);
        } else {
            part /= 2;
            tuning = full;
            for (size_t k = 0; k < CACHE_RATES; k++) /* the part of the step */
                tuning.aim[k] += 2 * (part - 1) * (full.aim[k] - half.aim[k]);
        }
    }
    return is_best || (aims->kernel != NULL && try_kernel(search, aims->kernel, &aims->best_off));
}

/* The kernel in a loop of so many units, with the number of misses of each level that a pass of `before`
 * units has. */
static const struct kernel *with_length(struct plan *plan, unsigned before, unsigned units)
{
    struct kernel *sized = copy_kernel(plan);
    sized->loop_units = units;
    for (size_t i = 0; i < sized->count; i++) {
        struct behaviour *item = &sized->items[i];
        if (!behaviour_accesses(item) || item->working_set > 0)
            continue;
        double missing = 0;
        for (int level = LEVEL_L2; level < LEVEL_COUNT; level++)
            missing += item->served[level] *= (double)before / units;
        item->served[LEVEL_L1] = fmax(0, 1 - missing);
    }
    return sized;
}

/* Tries loops of other lengths with the same misses: fewer hits raise the miss rate without more lines, for
 * which registers may be lacking or the layout may change. */
static bool search_length(struct plan_search *search, struct aims *aims)
{
    enum { MOST_TRIES = 3 };
    struct plan *plan = search->plan;
    const char *rate = tuning_metric(TUNING_L1D);
    const struct kernel *best = NULL;
    bool is_best = false;
    for (unsigned i = 0; i < MOST_TRIES && aims->best_off > HELD; i++) {
        double wanted = rates_get(&plan->rates.targets, rate, 0);
        double found;
        unsigned units =
            wanted > 0
                ? (unsigned)lround(plan->sizing.units * rates_get(&plan->rates.expected, rate, 0) / wanted)
                : 0;
        is_best = false;
        if (units == 0 || units == plan->sizing.units)
            break;
        const struct kernel *sized = with_length(plan, aims->units, units);
        if (!try_kernel(search, sized, &found))
            break;
        if (found >= aims->best_off)
            continue;
        aims->best_off = found;
        best = sized;
        is_best = true;
    }
    return is_best || (best != NULL && try_kernel(search, best, &aims->best_off));
}

/* Makes the recipe's own plan again and simulates it. */
static enum status make_again(struct plan_search *search, struct error *error)
{
    enum status status = make(search, error);
    if (status == STATUS_OK)
        (void)plan_simulate(search->plan);
    return status;
}

/* Improves the plan, which has the best depth, by other aims or another length. */
static enum status aim_again(struct plan_search *search, struct shortfall *nearest, struct error *error)
{
    static const double WITHIN = 0.3;
    struct plan *plan = search->plan;
    bool pages =
        rates_get(&plan->rates.targets, "dtlb.miss_rate", -1) >= 0; /* meet_pages searches for these */
    struct aims aims = {.units = plan->sizing.units, .period = aimed_period(plan), .best_off = nearest->off};
    if (pages || nearest->off <= HELD || nearest->off > WITHIN)
        return STATUS_OK;
    bool near = search_aims(search, &aims);
    if (!near && has_free_length(plan->kernel)) {
        enum status status = make_again(search, error);
        if (status != STATUS_OK)
            return status;
        near = search_length(search, &aims);
    }
    if (!near)
        return make_again(search, error);
    *nearest = shortfall_of(plan, aims.best_off);
    return STATUS_OK;
}

/* ---- the search ---- */

/* The units of a loop that meets all rates, whatever its length; 0: there is none, or the loop's length is
 * free. */
static unsigned units_that_hold(const struct kernel *kernel, const struct machine *machine,
                                const struct template *templates, const struct plan_options *options)
{
    if (has_free_length(kernel) || options->compact || kernel_code(kernel) != NULL)
        return 0;
    struct kernel any = *kernel;
    struct plan plan;
    any.loop_units = any.loop_instructions = 0;
    any.loop_fill = false;
    enum status status = plan_make(&any, machine, templates, options, &plan, NULL);
    unsigned units = status == STATUS_OK ? plan.sizing.units : 0;
    plan_free(&plan);
    return units;
}

/* holds: units of a loop that meets all rates; 0: none is known. */
static enum status refuse(const struct plan *plan, const struct shortfall *nearest, bool given_up,
                          unsigned holds, struct error *error)
{
    error_set(
        error, STATUS_RECIPE,
        "%s = %.6g cannot be reached: with %s replacement in L1D and these caches behind it the cache model "
        "gives %.6g",
        nearest->metric, nearest->wanted, cache_policy_name(plan->machine->l1d.policy), nearest->reached);
    if (holds > 0)
        error_hint(
            error,
            "a loop of this length cannot split its accesses so; loop = { units = %u } meets all rates",
            holds);
    else if (given_up)
        error_hint(
            error,
            "the search for a better loop ended after %.3g simulated accesses; %.6g is the nearest found",
            (double)plan->simulation.accesses, nearest->reached);
    else
        error_hint(
            error,
            "few rates are exact in these caches: %.6g is the nearest found; other shares of L2, L3 and "
            "MEM, or another count of loads, give others",
            nearest->reached);
    return STATUS_RECIPE;
}

/* Refuses lines that recur only after too many passes to simulate. */
static enum status refuse_length(const struct plan *plan, struct error *error)
{
    double least = LEVEL_COUNT;
    int rarest = LEVEL_MEM;
    for (size_t i = 0; i < plan->kernel->count; i++)
        for (int level = LEVEL_L2; behaviour_accesses(&plan->kernel->items[i]) && level < LEVEL_COUNT;
             level++)
            if (plan->kernel->items[i].served[level] > 0 && plan->kernel->items[i].served[level] < least) {
                least = plan->kernel->items[i].served[level];
                rarest = level;
            }
    double times = (double)plan_simulation(plan) / (double)PLAN_MOST_SIMULATED;
    error_set(error, STATUS_RECIPE,
              "so few accesses of a pass go to %s that its lines recur only after %u passes: the cache model "
              "would need %.3g accesses to predict the rates; its limit is %.3g",
              level_name(rarest), plan_turns(plan), (double)plan_simulation(plan),
              (double)PLAN_MOST_SIMULATED);
    error_hint(error, "the nearest rate within its limit is about served_by.%s = %.2g", level_name(rarest),
               fmin(1, least * times * 1.05));
    return STATUS_RECIPE;
}

/* True for policies that choose victims at random, or nearly. */
static bool by_chance(const struct machine *machine)
{
    bool chance = false;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const struct cache *cache = machine_cache(machine, level);
        chance = chance ||
                 (cache != NULL && (cache->policy == POLICY_TREE_PLRU || cache->policy == POLICY_RANDOM));
    }
    return chance;
}

/* Largest accepted distance of a rate of the best plan from its target. */
static double fair_off(const struct machine *machine)
{
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const struct cache *cache = machine_cache(machine, level);
        if (cache != NULL && cache->policy == POLICY_RANDOM)
            return CHANCE;
    }
    return by_chance(machine) ? FAIR : GOOD;
}

/* Makes the plan of the best depth, and sets how near it comes. *given_up: the search reached its limit of
 * simulated accesses. */
static enum status search_depths(struct plan_search *search, struct shortfall *nearest, bool *given_up,
                                 struct error *error)
{
    struct plan *plan = search->plan;
    bool chance = by_chance(plan->machine);
    struct page_rates pages = {0};
    double best = depths[0];
    for (unsigned i = 0; i <= DEPTH_COUNT; i++) {
        bool last = i == DEPTH_COUNT || *given_up;
        bool tried = nearest->off < 2 && !last && chance;
        struct error deeper = {0};
        search->depth = last ? best : depths[i];
        enum status status = make(search, tried ? &deeper : error);
        if (status != STATUS_OK && tried) { /* no room for so many lines: take the best depth so far */
            i = DEPTH_COUNT - 1;
            continue;
        }
        if (status != STATUS_OK)
            return status;
        if (plan_simulation(plan) > PLAN_MOST_SIMULATED)
            return refuse_length(plan, error);
        double off = plan_simulate(plan);
        if (plan->simulation.pages_off > GOOD && !meet_pages(search, &pages, &off)) {
            if (off <= GOOD || last)
                return refuse_pages(plan, &pages, error);
            off = fmax(off, FAIR);
        }
        if (off <= GOOD) {
            nearest->off = off;
            return STATUS_OK;
        }
        if (off < nearest->off) {
            best = search->depth;
            *nearest = shortfall_of(plan, off);
        }
        if (*given_up)
            return STATUS_OK;
        *given_up = plan->simulation.accesses > PLAN_SEARCH_SIMULATED;
        if (*given_up && (best == search->depth || !chance || nearest->off > fair_off(plan->machine)))
            return STATUS_OK;
    }
    return STATUS_OK;
}

/* Searches for the plan, unless calibration fixes the depth because it measures the result on the machine:
 * then the expected rates are only recorded. */
static enum status find_plan(struct plan_search *search, struct error *error)
{
    struct plan *plan = search->plan;
    const struct plan_options *options = search->options;
    struct shortfall nearest = {.off = 2};
    bool given_up = false;
    if (options->tuning != NULL && options->tuning->depth > 0) {
        search->depth = options->tuning->depth;
        return make_again(search, error);
    }
    enum status status = search_depths(search, &nearest, &given_up, error);
    if (status != STATUS_OK || nearest.off <= GOOD)
        return status;
    if (by_chance(plan->machine))
        status = aim_again(search, &nearest, error);
    if (status != STATUS_OK || (by_chance(plan->machine) && nearest.off <= fair_off(plan->machine)))
        return status;
    return refuse(plan, &nearest, given_up,
                  error == NULL || given_up
                      ? 0
                      : units_that_hold(plan->kernel, plan->machine, search->templates, options),
                  error);
}

/* Ways to use few pages beside a tlb{}; each includes those before it. They are described in struct kernel
 * (pages_together) and struct plan_memory. */
enum page_way { PAGES_FREE, PAGES_TOGETHER, PAGES_FIT, PAGES_NEAR, PAGE_WAYS };

static enum status make_plan(const struct kernel *requested, enum page_way way, const struct machine *machine,
                             const struct template *templates, const struct plan_options *options,
                             struct plan *plan, struct error *error)
{
    memset(plan, 0, sizeof *plan);
    plan->kernel = plan->requested = requested;
    if (way >= PAGES_TOGETHER)
        plan->kernel = gather_pages(plan);
    const struct kernel *kernel = plan->kernel;
    plan->machine = machine;
    plan->memory.by_rotation = plan_needs_rotation(kernel);
    plan->memory.linked = chase_words_needed(kernel, templates);
    plan->unchecked = options->unchecked;
    plan->memory.computes = options->computes;
    plan->memory.pages_fit = way >= PAGES_FIT;
    plan->memory.pages_near = way >= PAGES_NEAR;
    struct plan_search search = {
        .plan = plan,
        .templates = templates,
        .options = options,
        .request = {.kernel = kernel,
                    .machine = machine,
                    .loop_bytes = plan->memory.by_rotation ? ROTATING_BYTES : EVICTION_BYTES,
                    .by_rotation = plan->memory.by_rotation,
                    .linked = plan->memory.linked}};
    enum status status = branches_check(kernel, error);
    if (status == STATUS_OK)
        status = registers_assign(templates, kernel, &plan->arena, &plan->registers, error);
    if (status == STATUS_OK)
        status = measure_unit(plan, templates, &search.request, error);
    if (status != STATUS_OK)
        return status;
    windows_begin(plan, templates);
    plan->unit_slots = 0;
    for (size_t i = 0; i < kernel->count; i++)
        plan->unit_slots += kernel->items[i].count;
    plan_set_targets(plan);
    status = find_plan(&search, error);
    if (status != STATUS_OK)
        return status;
    plan_unpromise(plan);
    return plan_check_toggles(plan, error);
}

enum status plan_make(const struct kernel *kernel, const struct machine *machine,
                      const struct template *templates, const struct plan_options *options, struct plan *plan,
                      struct error *error)
{
    enum status status = make_plan(kernel, PAGES_FREE, machine, templates, options, plan, error);
    if (!kernel_has(kernel, BEHAVIOUR_TLB))
        return status;
    for (enum page_way way = PAGES_TOGETHER; status == STATUS_RECIPE && way < PAGE_WAYS; way++) {
        struct plan other;
        struct error ignored = {0};
        if (make_plan(kernel, way, machine, templates, options, &other, &ignored) == STATUS_OK) {
            plan_free(plan);
            *plan = other;
            return STATUS_OK;
        }
        plan->memory.beyond_reach = plan->memory.beyond_reach || other.memory.beyond_reach;
        plan_free(&other);
    }
    return status;
}

bool plan_keeps_rates(struct plan *plan)
{
    struct error ignored = {0};
    bool kept = true;
    if (rates_get(&plan->rates.targets, "dtlb.miss_rate", -1) < 0) {
        plan_data_rates(plan);
    } else {
        double off = plan_simulate(plan);
        kept = off <= fair_off(plan->machine) && plan->simulation.pages_off <= PAGES_FAIR;
    }
    plan_unpromise(plan);
    return kept && plan_check_toggles(plan, &ignored) == STATUS_OK;
}
