#include "generator/plan/plan_counts.h"

#include "generator/plan/code/code_plan.h"
#include "generator/plan/plan_rates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct counting {
    const struct plan *plan;
    const struct template *templates;
    const struct form_tally *tally;
    const struct loop_count *loop;
    struct arena *arena;
    struct rates *counts;
};

/* Adds a quantity; NAN is unknown. */
static void add(const struct counting *counting, const char *quantity, double per_pass)
{
    if (!isnan(per_pass))
        rates_add(counting->arena, counting->counts, quantity, per_pass);
}

/* Instructions of the behaviours for which the test is true. */
static unsigned count_items(const struct plan *plan, bool (*test)(const struct behaviour *item))
{
    unsigned count = 0;
    for (size_t i = 0; i < plan->kernel->count; i++)
        if (test(&plan->kernel->items[i]))
            count += plan->kernel->items[i].count * plan->sizing.units;
    return count;
}

static bool some(const struct plan *plan, bool (*test)(const struct behaviour *item))
{
    return count_items(plan, test) > 0;
}

/* ---- tests of behaviours ---- */

/* How often it executes what, or what that does, is not the plan's choice. */
static bool is_free(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_ASM || behaviour_is_atomic(item, "turn") ||
           (item->kind == BEHAVIOUR_SHARED && item->shared.coherence != COHERENCE_NONE);
}

static bool is_atomic(const struct behaviour *item)
{
    return behaviour_is_atomic(item, "add") || behaviour_is_atomic(item, "swap");
}

/* Its row may load before it tries. */
static bool is_exchange(const struct behaviour *item)
{
    return behaviour_is_atomic(item, "cas");
}

static bool is_shared_load(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_SHARED && strcmp(item->op, "load") == 0;
}

static bool is_shared_store(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_SHARED && strcmp(item->op, "store") == 0;
}

/* Events count it as a load, or not. */
static bool is_prefetch(const struct behaviour *item)
{
    return behaviour_can(item, FORM_HITS_LINE);
}

static bool is_past_caches(const struct behaviour *item)
{
    return behaviour_accesses(item) && item->non_temporal;
}

/* Where its accesses are served, caches of other policies decide differently; or other copies. */
static bool is_predicted(const struct behaviour *item)
{
    return behaviour_walks(item) || is_past_caches(item) || is_prefetch(item) ||
           (item->kind == BEHAVIOUR_SHARED && (item->shared.working_set > 0 || item->shared.stride > 0));
}

/* Its misses follow each other so that prefetchers may know the next ones. */
static bool is_followed(const struct behaviour *item)
{
    return behaviour_accesses(item) && item->prefetch == PREFETCH_INVITE && behaviour_miss_rate(item) > 0;
}

static bool is_division(const struct behaviour *item)
{
    return behaviour_can(item, FORM_ITERATIVE);
}

static bool is_idle(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_THROTTLE;
}

/* ---- the quantities ---- */

static void add_accesses(const struct counting *counting)
{
    const struct plan *plan = counting->plan;
    unsigned atomics = count_items(plan, is_atomic);
    bool known = !some(plan, is_exchange);
    double loads = plan->loads + count_items(plan, is_shared_load) + atomics;
    double stores = plan->stores + count_items(plan, is_shared_store) + atomics;
    bool reads = known && !some(plan, is_prefetch);
    add(counting, "loads", reads ? loads : NAN);
    add(counting, "stores", known ? stores : NAN);
    add(counting, "l1d.accesses", reads && !some(plan, is_past_caches) ? loads + stores : NAN);
    add(counting, "atomics", known ? atomics : NAN);
}

/* A conditional branch that does not reach so far back is an opposite one over a jump. */
static bool is_far(const struct counting *counting, uint64_t bytes)
{
    enum { BRANCH_AND_JUMP = 8 };
    unsigned reach = counting->templates->isa->branch_reach;
    return reach > 0 && counting->plan->code == NULL && bytes > reach + BRANCH_AND_JUMP;
}

/* Unconditional jumps: the recipe's, from one piece of code to the next, and those that a far branch back
 * needs. */
static unsigned count_jumps(const struct counting *counting)
{
    const struct form *next = template_form(counting->templates, "code.next"),
                      *own = template_form(counting->templates, "jump");
    const char *text = template_section(counting->templates, "code.close");
    unsigned jumps = 0;
    for (size_t i = 0; i < counting->tally->count; i++)
        jumps += counting->tally->items[i].form == own ? counting->tally->items[i].slots : 0;
    if (counting->plan->code == NULL || next == NULL || text == NULL)
        return jumps + is_far(counting, counting->loop->bytes);
    jumps += (unsigned)counting->plan->code->count - 1;
    const char *end = strstr(text, "trauma_loop_end");
    char jump[16];
    snprintf(jump, sizeof jump, " %.12s ", next->mnemonic);
    while ((text = strstr(text, jump)) != NULL && text < end) {
        jumps++;
        text++;
    }
    return jumps;
}

/* Some atomics try again, which nobody else makes them do. */
static unsigned count_tries(const struct counting *counting)
{
    unsigned tries = 0;
    for (size_t i = 0; i < counting->tally->count; i++)
        if (strstr(counting->tally->items[i].form->text, "{again}") != NULL)
            tries += counting->tally->items[i].slots;
    return tries;
}

/* The back edge is one of the plan's branches, if there are any. Copies of code are entered by an indirect
 * jump, of which a predictor may miss some. */
static void add_branches(const struct counting *counting)
{
    const struct plan *plan = counting->plan;
    const struct branch_counts *own = &plan->branches;
    bool copies = plan->code != NULL && plan->code->layout.copies > 0;
    unsigned jumps = count_jumps(counting), tries = count_tries(counting);
    unsigned conditional = own->total > 0 ? own->total - own->indirect : 1;
    double taken = own->total > 0 ? own->taken + (own->random + own->indirect_random) / 2.0 : 1;
    if (own->total > 0 && is_far(counting, 2 * (uint64_t)counting->loop->bytes))
        return; /* which of its jumps are executed depends on what is drawn */
    add(counting, "instructions", counting->loop->instructions);
    add(counting, "branches", conditional + own->indirect + jumps + tries);
    add(counting, "branches.conditional", conditional + tries);
    add(counting, "branches.indirect", own->indirect + copies);
    add(counting, "branches.taken", taken + jumps - is_far(counting, counting->loop->bytes));
    add(counting, "branches.missed", copies ? NAN : own->random / 2.0);
}

/* Misses of loads, of stores and of both at one level, and what reaches the level. */
static void add_level(const struct counting *counting, int level, const char *name, double reaching,
                      double loads, double all)
{
    const struct {
        const char *what;
        double per_pass;
    } rows[] = {
        {"accesses", reaching}, {"load_misses", loads}, {"store_misses", all - loads}, {"misses", all}};
    for (size_t i = level == LEVEL_L1; i < sizeof rows / sizeof rows[0]; i++) {
        char quantity[32];
        snprintf(quantity, sizeof quantity, "%s.%s", name, rows[i].what);
        add(counting, arena_strdup(counting->arena, quantity), rows[i].per_pass);
    }
}

/* A loop without code{} stays in L1I if it and its twin fit there. */
static double count_code_misses(const struct counting *counting)
{
    const struct plan *plan = counting->plan;
    uint64_t bytes = counting->loop->bytes;
    if (plan->code != NULL)
        return rates_get(&plan->rates.expected, "l1i.miss_rate", NAN) * plan->code->layout.lines;
    return (plan->branches.total > 0 ? 2 : 1) * bytes <= plan->machine->l1i.size ? 0 : NAN;
}

static void add_misses(const struct counting *counting)
{
    static const char *const names[] = {"l1d", "l2", "l3"}, *const followed[] = {
                                                                "l1d.followed", "l2.followed", "l3.followed"};
    const struct plan *plan = counting->plan;
    double code = count_code_misses(counting), loads = plan->loads, all = loads + plan->stores;
    bool known = !some(plan, is_predicted) && (all == 0 || plan->simulation.counted);
    bool follows = some(plan, is_followed);
    add(counting, "l1i.misses", code);
    for (int level = LEVEL_L1; known && level < LEVEL_MEM; level++) {
        double reaching = all + (level == LEVEL_L2 ? code : 0);
        if (machine_cache(plan->machine, level) == NULL)
            continue;
        loads -= plan->simulation.loads[level];
        all -= plan->simulation.all[level];
        add(counting, followed[level], follows ? all : 0);
        if (!follows)
            add_level(counting, level, names[level], reaching, loads, all);
    }
    if (!some(plan, is_predicted))
        add(counting, "dtlb.misses", plan_page_misses(plan));
}

static void add_operations(const struct counting *counting)
{
    static const struct {
        const char *quantity;
        unsigned width;
    } rows[] = {{"fp.4", 4}, {"fp.8", 8}, {"fp.16", 16}, {"fp.32", 32}, {"fp.64", 64}};
    const struct plan *plan = counting->plan;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned count = 0;
        for (size_t j = 0; j < plan->kernel->count; j++) {
            const struct behaviour *item = &plan->kernel->items[j];
            if (behaviour_can(item, FORM_FLOATING) && item->width == rows[i].width)
                count += item->count * plan->sizing.units;
        }
        add(counting, rows[i].quantity, count);
    }
    add(counting, "divisions", count_items(plan, is_division));
    add(counting, "idle", count_items(plan, is_idle));
}

void plan_count(const struct plan *plan, const struct template *templates, const struct form_tally *tally,
                const struct loop_count *loop, struct arena *arena, struct rates *counts)
{
    const struct counting counting = {plan, templates, tally, loop, arena, counts};
    if (some(plan, is_free))
        return;
    add_branches(&counting);
    add_accesses(&counting);
    add_misses(&counting);
    add_operations(&counting);
}
