#include "generator/suite/program.h"

#include "base/buffer.h"
#include "base/error.h"
#include "generator/emit/emit.h"
#include "generator/emit/gpu_asm.h"
#include "generator/emit/gpu_emission.h"
#include "generator/emit/gpu_emit.h"
#include "generator/emit/symbol_names.h"
#include "generator/kernel/kernel.h"
#include "generator/kernel/operations.h"
#include "generator/kernel/throttle.h"
#include "generator/kernel/user_asm.h"
#include "generator/plan/code/branch_addresses.h"
#include "generator/plan/code/code_plan.h"
#include "generator/plan/code/gaps.h"
#include "generator/plan/gpu/gpu_plan_make.h"
#include "generator/plan/memory/plan_shared.h"
#include "generator/plan/plan.h"
#include "generator/plan/plan_forms.h"
#include "generator/plan/plan_make.h"
#include "generator/plan/plan_rates.h"
#include "generator/plan/registers.h"
#include "generator/plan/tuning.h"
#include "generator/suite/compiled.h"
#include "generator/suite/manifest.h"
#include "isa/assemble.h"
#include "isa/executable.h"
#include "isa/gcn/binary/elf.h"
#include "isa/gcn/link/link.h"
#include "isa/template.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Default passes of the standalone executable: milliseconds for most loops. */
enum { DEFAULT_PASSES = 100000, MOST_ORDERS = 12, MOST_LOOKS = 4 };

/* The weight of an order that misses a rate, in spoilt branches: more than there can be. */
enum { MISSES_RATE = 1 << 20 };

/* ---- branches that share a counter ---- */

/* Seven bits of the instruction's number: the address part of Cachegrind's predictor index, and fewer bits
 * than real predictors use. */
enum { CLASSES = 128 };

static bool is_conditional(const struct plan *plan, const struct slot *slot)
{
    return slot->branch != BRANCH_NONE && !plan_is_indirect(plan, slot);
}

static bool is_predictable(const struct slot *slot)
{
    return slot->branch == BRANCH_TAKEN || slot->branch == BRANCH_FALLTHROUGH;
}

/* Directions for each class: the back edge's class is taken; then, largest first, each class gets the
 * direction with more branches left. */
static void choose_directions(const unsigned sizes[CLASSES], unsigned back, unsigned taken,
                              unsigned fallthrough, enum branch directions[CLASSES])
{
    bool done[CLASSES] = {false};
    for (unsigned round = 0; round < CLASSES; round++) {
        unsigned chosen = CLASSES;
        for (unsigned i = 0; i < CLASSES; i++)
            if (!done[i] && (i == back || chosen == CLASSES || (chosen != back && sizes[i] > sizes[chosen])))
                chosen = i;
        bool take = chosen == back || taken >= fallthrough;
        unsigned *left = take ? &taken : &fallthrough;
        *left -= *left < sizes[chosen] ? *left : sizes[chosen];
        directions[chosen] = take ? BRANCH_TAKEN : BRANCH_FALLTHROUGH;
        done[chosen] = true;
    }
}

/* Predictable conditional branches of the direction, the back edge left out. */
static unsigned count_direction(const struct plan *plan, enum branch direction)
{
    unsigned count = 0;
    for (size_t i = 0; i < plan->slot_count; i++)
        count += is_conditional(plan, &plan->slots[i]) && plan->slots[i].branch == direction;
    return count;
}

/* Sets the slots' directions; when all branches of a direction are used, the remaining slots take the other.
 */
static bool set_directions(struct plan *plan, const uint64_t *addresses,
                           const enum branch directions[CLASSES])
{
    unsigned left[] = {[BRANCH_TAKEN] = count_direction(plan, BRANCH_TAKEN),
                       [BRANCH_FALLTHROUGH] = count_direction(plan, BRANCH_FALLTHROUGH)};
    bool changed = false;
    size_t branch = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        struct slot *slot = &plan->slots[i];
        if (slot->branch == BRANCH_NONE)
            continue;
        enum branch direction = directions[addresses[branch++] % CLASSES];
        if (!is_conditional(plan, slot) || !is_predictable(slot))
            continue;
        if (left[direction] == 0)
            direction = direction == BRANCH_TAKEN ? BRANCH_FALLTHROUGH : BRANCH_TAKEN;
        left[direction]--;
        changed = changed || slot->branch != direction;
        slot->branch = direction;
    }
    return changed;
}

/* Predictable branches in classes with other kinds of branches. */
static unsigned count_spoilt(const struct plan *plan, const uint64_t *addresses)
{
    unsigned kinds[CLASSES][BRANCH_BACK + 1] = {{0}};
    unsigned spoilt = 0;
    size_t branch = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        enum branch kind = plan->slots[i].branch == BRANCH_BACK ? BRANCH_TAKEN : plan->slots[i].branch;
        if (kind == BRANCH_NONE)
            continue;
        kinds[addresses[branch++] % CLASSES][kind] += is_conditional(plan, &plan->slots[i]);
    }
    for (unsigned i = 0; i < CLASSES; i++) {
        unsigned taken = kinds[i][BRANCH_TAKEN];
        unsigned fallthrough = kinds[i][BRANCH_FALLTHROUGH];
        if (kinds[i][BRANCH_RANDOM] > 0)
            spoilt += taken + fallthrough;
        else
            spoilt += taken < fallthrough ? taken : fallthrough;
    }
    return spoilt;
}

/* Gives the same direction to predictable branches whose low seven address bits agree (of the bits that
 * differ between instructions), and keeps the number of branches per direction. addresses: from the object
 * assembled from the plan. Both directions have encodings of equal length, so no code moves. *changed: the
 * plan must be emitted again. *spoilt: number of predictable branches that still share their bits with a
 * random branch or one of the other direction. */
static enum status alias_settle(struct plan *plan, const struct template *templates,
                                const struct buffer *object, bool *changed, unsigned *spoilt,
                                struct error *error)
{
    *changed = false;
    *spoilt = 0;
    if (plan->branches.total < 2)
        return STATUS_OK;
    uint64_t *addresses;
    enum status status = branch_addresses(plan, templates, object, &addresses, error);
    if (status != STATUS_OK)
        return status;
    for (unsigned i = 0; i < plan->branches.total; i++)
        addresses[i] /= templates->isa->code_align;
    unsigned sizes[CLASSES] = {0};
    size_t branch = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        const struct slot *slot = &plan->slots[i];
        if (slot->branch == BRANCH_NONE)
            continue;
        sizes[addresses[branch] % CLASSES] += is_conditional(plan, slot) && is_predictable(slot);
        branch++;
    }
    enum branch directions[CLASSES];
    unsigned back = addresses[plan->branches.total - 1] % CLASSES;
    choose_directions(sizes, back, count_direction(plan, BRANCH_TAKEN),
                      count_direction(plan, BRANCH_FALLTHROUGH), directions);
    *changed = set_directions(plan, addresses, directions);
    *spoilt = count_spoilt(plan, addresses);
    return STATUS_OK;
}

/* ---- programs of kernels with code{} ---- */

/* Ways to meet a rate, the simplest first. */
static const struct code_manner manners[] = {{.within = 1e-9}, {.within = 1e-9, .copies = true},
                                             {.within = 1e-4}, {.within = 1e-4, .copies = true},
                                             {.within = 1e-3}, {.within = 1e-3, .copies = true}};
enum { MANNERS = sizeof manners / sizeof manners[0] };

/* Numbers of units to try: consecutive ones below the requested number, then at growing distances. */
enum { NEAR_UNITS = 10, FAR_UNITS = 16, MOST_UNITS = 20000 };
static const double FEWER = 0.75;
static const double MORE = 1.4;

/* Source and object, replacing the buffers' contents. */
static enum status write_text(const struct plan *plan, const struct template *templates,
                              const struct plan_options *options, struct buffer *source,
                              struct buffer *object, struct error *error)
{
    struct known_lines known = {0};
    struct known_part part = {0};
    bool cut = plan->code != NULL; /* code in pieces, whose lines are not recorded */
    buffer_free(source);
    buffer_free(object);
    enum status status =
        emit_program(plan, templates, options, source, cut ? NULL : &known, cut ? NULL : &part, error);
    if (status == STATUS_OK && part.lines != NULL)
        status = assemble_known(templates->assembly, source, &part, "program.s", error);
    else if (status == STATUS_OK)
        status = assemble_text(templates->assembly, source, "program.s", error);
    known_lines_free(&known);
    if (status == STATUS_OK)
        assembly_object(templates->assembly, templates->isa, object);
    return status;
}

/* Trial objects of a plan whose code has no places yet, for its sizes, which depend on copies and cuts, but
 * not on the tolerance. The second: with twins apart. */
struct trials {
    struct buffer objects[2][2][2]; /* [copies][cuts][second]; empty: not made yet */
};

static void trials_free(struct trials *trials)
{
    for (int i = 0; i < 8; i++)
        buffer_free(&trials->objects[i / 4][i / 2 % 2][i % 2]);
}

static enum status write_trial(const struct plan *plan, const struct template *templates,
                               const struct plan_options *options, struct buffer *trial, struct error *error)
{
    struct buffer source = {0};
    enum status status =
        trial->size > 0 ? STATUS_OK : write_text(plan, templates, options, &source, trial, error);
    buffer_free(&source);
    return status;
}

static enum status write_in(struct plan *plan, const struct template *templates,
                            const struct plan_options *options, const struct code_manner *manner,
                            struct trials *trials, struct buffer *source, struct buffer *object,
                            struct error *error)
{
    bool again = false;
    struct buffer *trial = trials->objects[manner->copies][manner->cuts];
    enum status status = code_plan_begin(plan, manner, error);
    if (status == STATUS_OK)
        status = write_trial(plan, templates, options, &trial[0], error);
    if (status == STATUS_OK)
        status = code_plan_choose_twins(plan, &trial[0], &again, error);
    if (status == STATUS_OK && again)
        status = write_trial(plan, templates, options, &trial[1], error);
    if (status == STATUS_OK)
        status = code_plan_place(plan, templates->isa, options, &trial[again], error);
    if (status == STATUS_OK)
        status = write_text(plan, templates, options, source, object, error);
    return status == STATUS_OK ? code_plan_check(plan, object, error) : status;
}

/* Ways to make outcomes of branches observable: twins apart, the same without registers for copies, and none.
 */
enum code_way { WAY_APART, WAY_KEPT, WAY_PLAIN, CODE_WAYS };

static bool is_possible(const struct plan *plan, const struct template *templates,
                        const struct code_manner *manner)
{
    bool keeps = manner->copies && template_section(templates, "start.copies_kept") != NULL;
    bool cuts = manner->apart && code_plan_has_apart(plan);
    return (!manner->kept || keeps) && (!manner->cuts || cuts);
}

/* A way and its manner: the first to try, and the one found. */
struct code_choice {
    int way;
    size_t manner;
};

/* Places the plan's code (plan->code) and writes its source and object, replacing the buffers' contents.
 * STATUS_RECIPE if the rate cannot be met with the plan's units. */
static enum status code_program_write(struct plan *plan, const struct template *templates,
                                      const struct plan_options *options, struct code_choice *choice,
                                      struct buffer *source, struct buffer *object, struct error *error)
{
    struct error last = {0}, unwritten = {0};
    enum status status = STATUS_RECIPE;
    double room = INFINITY;
    bool counted = kernel_code(plan->kernel)->l1i_counted;
    size_t count = 2 * (options->code_effort == CODE_SIMPLY ? 1 : MANNERS), first = choice->manner;
    int way = plan->branches.total > 0 ? WAY_APART : WAY_PLAIN;
    way = way < choice->way ? choice->way : way;
    for (; status == STATUS_RECIPE && way < CODE_WAYS; way++) {
        struct trials trials = {0};
        for (size_t i = first; status == STATUS_RECIPE && i < count; i++) {
            /* If code{} states a number of misses, cuts come last, because each adds a jump. */
            struct code_manner manner = manners[counted ? i % (count / 2) : i / 2];
            manner.apart = way != WAY_PLAIN;
            manner.kept = way == WAY_KEPT;
            manner.cuts = counted ? i >= count / 2 : i % 2 == 1;
            *choice = (struct code_choice){way, i};
            if (is_possible(plan, templates, &manner))
                status = write_in(plan, templates, options, &manner, &trials, source, object, &last);
            room = fmin(room, code_plan_room(plan));
            if (status == STATUS_RECIPE && isinf(room) && unwritten.code == STATUS_OK)
                unwritten = last;
            if (status == STATUS_RECIPE && manner.apart && !code_plan_has_apart(plan))
                i = count, way = WAY_KEPT; /* no twin is needed */
        }
        first = 0;
        trials_free(&trials);
    }
    plan->code_room = room;
    if (status != STATUS_OK && error != NULL)
        *error = isinf(room) && unwritten.code != STATUS_OK ? unwritten : last;
    return status;
}

/* choice: the first of code{}'s manners to try; earlier ones are known to fail. */
static enum status write_source(const struct code_generator *code_generator, struct plan *plan,
                                const struct plan_options *options, struct program *program,
                                struct code_choice *choice, struct error *error)
{
    const struct template *templates = &code_generator->templates;
    return kernel_code(plan->kernel) != NULL
               ? code_program_write(plan, templates, options, choice, &program->source, &program->object,
                                    error)
               : write_text(plan, templates, options, &program->source, &program->object, error);
}

/* Gaps move later code, so that a jump may need a longer encoding, which a second round settles. */
static enum status settle_gaps(const struct code_generator *code_generator, struct plan *plan,
                               const struct plan_options *options, struct program *program, unsigned *clashes,
                               struct code_choice *choice, struct error *error)
{
    bool changed = true;
    enum status status = STATUS_OK;
    for (unsigned look = 0; status == STATUS_OK && changed && look < MOST_LOOKS; look++) {
        status = gaps_settle(plan, &code_generator->templates, &program->object, &changed, clashes, error);
        if (status != STATUS_OK || !changed)
            break;
        *choice = (struct code_choice){0};
        status = write_source(code_generator, plan, options, program, choice, error);
    }
    return status;
}

/* Source and object in the attempt-th order of the slots, with its branches settled. */
static enum status write_order(const struct code_generator *code_generator, struct plan *plan,
                               const struct plan_options *options, unsigned attempt, struct program *program,
                               unsigned *spoilt, struct error *error)
{
    struct code_choice choice = {0};
    bool changed = false;
    unsigned clashes = 0;
    bool ready = attempt == 0 && plan->as_shuffled;
    enum status status =
        ready ? STATUS_OK : plan_shuffle(plan, code_generator->templates.isa, options, attempt, error);
    plan->as_shuffled = false;
    bool kept = ready || status != STATUS_OK || plan_keeps_rates(plan);
    if (status == STATUS_OK)
        status = write_source(code_generator, plan, options, program, &choice, error);
    if (status == STATUS_OK)
        status = settle_gaps(code_generator, plan, options, program, &clashes, &choice, error);
    if (status == STATUS_OK)
        status = alias_settle(plan, &code_generator->templates, &program->object, &changed, spoilt, error);
    if (status == STATUS_OK && changed) /* no code moves, so the same manner still works */
        status = write_source(code_generator, plan, options, program, &choice, error);
    *spoilt += clashes + (kept ? 0 : MISSES_RATE);
    return status;
}

/* Tries orders until one spoils no branch; else takes the one that spoils the fewest. */
static enum status write_best_order(const struct code_generator *code_generator, struct plan *plan,
                                    const struct plan_options *options, struct program *program,
                                    struct error *error)
{
    unsigned best = 0;
    unsigned fewest = UINT_MAX;
    for (unsigned attempt = 0; attempt < MOST_ORDERS; attempt++) {
        unsigned spoilt = 0;
        enum status status = write_order(code_generator, plan, options, attempt, program, &spoilt, error);
        if (status != STATUS_OK || spoilt == 0)
            return status;
        if (spoilt < fewest) {
            fewest = spoilt;
            best = attempt;
        }
    }
    return write_order(code_generator, plan, options, best, program, &fewest, error);
}

enum { SHARED_WORDS = 3 + 3 * (1 + MOST_REGIONS) };

/* Fills in the words that the start code of programs with shared regions reads (trauma_shared in start.s);
 * returns their number. */
static size_t describe_shared(const struct plan_shared *shared, uint64_t words[SHARED_WORDS])
{
    size_t count = 0;
    words[count++] = shared->mapping_count;
    words[count++] = shared->state;
    words[count++] = shared->coherence == COHERENCE_NONE ? 0 : shared->state + 8 * SHARED_TIMED;
    for (unsigned i = 0; i < shared->mapping_count; i++) {
        words[count++] = shared->mappings[i].at;
        words[count++] = shared->mappings[i].bytes;
        words[count++] = shared->mappings[i].file_at;
    }
    return shared->mapping_count == 0 ? 0 : count;
}

/* Source, object and executable of a plan. */
static enum status build(const struct code_generator *code_generator, struct plan *plan,
                         const struct plan_options *options, struct program *program, struct error *error)
{
    enum status status = write_best_order(code_generator, plan, options, program, error);
    uint64_t words[SHARED_WORDS];
    bool shares = plan->shared.mapping_count > 0;
    size_t count = describe_shared(&plan->shared, words);
    unsigned node = 0;
    bool bound = kernel_node(plan->kernel, &node);
    if (bound) /* the only word that its start code reads */
        words[count++] = node;
    struct executable_request request = {.isa = code_generator->templates.isa,
                                         .start = shares  ? &code_generator->shared_start
                                                  : bound ? &code_generator->bound_start
                                                          : &code_generator->start,
                                         .shared = words,
                                         .shared_count = count,
                                         .object = &program->object,
                                         .assembly = code_generator->templates.assembly,
                                         .data_bytes = plan->memory.bytes,
                                         .data_align = plan->memory.align,
                                         .code_align = plan->code == NULL ? 0 : plan->code->layout.align,
                                         .passes = DEFAULT_PASSES};
    return status == STATUS_OK ? executable_write(&request, &program->executable, error) : status;
}

/* ---- the number of units for a rate of L1I misses ---- */

/* A search for the number of units. */
struct code_search {
    const struct kernel *kernel;
    const struct machine *machine;
    const struct code_generator *code_generator;
    struct plan_options options;
    struct plan *plan;
    struct program *program;
    uint64_t simulated; /* accesses, over all attempts so far */
};

/* Plans and builds with that many units; 0: as many as sizing requests. */
static enum status try_units(struct code_search *search, unsigned units, enum code_effort effort,
                             struct error *error)
{
    struct kernel sized = *search->kernel;
    sized.loop_units = units == 0 ? sized.loop_units : units;
    search->options.code_effort = effort;
    plan_free(search->plan);
    enum status status = plan_make(&sized, search->machine, &search->code_generator->templates,
                                   &search->options, search->plan, error);
    search->plan->kernel = search->plan->requested = search->kernel; /* the sized kernel is local */
    search->simulated += search->plan->simulation.accesses;
    return status == STATUS_OK
               ? build(search->code_generator, search->plan, &search->options, search->program, error)
               : status;
}

static bool goes_on(const struct code_search *search, enum status status)
{
    return status == STATUS_RECIPE && search->simulated <= PLAN_SEARCH_SIMULATED;
}

/* Tries other numbers of units: near the requested one; then the requested one with copies; then fewer, then
 * more; at last the requested one in more ways. */
static enum status try_others(struct code_search *search, unsigned wished, struct error *error)
{
    enum status status = STATUS_RECIPE;
    double units = wished;
    for (unsigned i = 1; goes_on(search, status) && i <= NEAR_UNITS && i < wished; i++)
        status = try_units(search, wished - i, CODE_SIMPLY, NULL);
    if (goes_on(search, status))
        status = try_units(search, wished, CODE_USUALLY, NULL);
    for (; goes_on(search, status) && units > 1; units *= FEWER)
        status = try_units(search, (unsigned)(units * FEWER) + 1, CODE_USUALLY, NULL);
    units = wished;
    double room = search->plan->code_room, most = room == 0     ? MOST_UNITS
                                                  : isinf(room) ? 0
                                                                : fmin(MOST_UNITS, room);
    for (unsigned i = 0; goes_on(search, status) && i < FAR_UNITS && units * MORE < most; i++) {
        units *= MORE;
        status = try_units(search, (unsigned)units + 1, CODE_USUALLY, NULL);
    }
    if (goes_on(search, status))
        status = try_units(search, wished, CODE_THOROUGHLY, NULL);
    return status == STATUS_RECIPE ? try_units(search, 0, CODE_USUALLY, error) : status; /* for the reason */
}

/* Makes the plan with a number of units for which it can be built, and builds it: the requested number, or a
 * nearby one that meets the rate without copies of code. */
static enum status code_program_fit(const struct code_generator *code_generator, const struct kernel *kernel,
                                    const struct machine *machine, const struct plan_options *options,
                                    struct plan *plan, struct program *program, struct error *error)
{
    struct code_search search = {.kernel = kernel,
                                 .machine = machine,
                                 .code_generator = code_generator,
                                 .options = *options,
                                 .plan = plan,
                                 .program = program};
    bool free_units = kernel->loop_units == 0;
    enum status status = try_units(&search, 0, free_units ? CODE_SIMPLY : CODE_USUALLY, error);
    if (status != STATUS_RECIPE || plan->code == NULL)
        return status;
    if (!free_units)
        return try_units(&search, 0, CODE_THOROUGHLY, error);
    unsigned most = code_plan_most_units(plan);
    unsigned wished = most == 0 || most > plan->sizing.units ? plan->sizing.units : most;
    return try_others(&search, wished, error);
}

/* ---- a plan and its program ---- */

/* Makes plan and program. If the kernel states L1I misses, the number of units depends on them too. */
static enum status make_and_build(const struct code_generator *code_generator, const struct kernel *kernel,
                                  const struct machine *machine, const struct plan_options *options,
                                  struct plan *plan, struct program *program, struct error *error)
{
    if (kernel_code(kernel) != NULL)
        return code_program_fit(code_generator, kernel, machine, options, plan, program, error);
    enum status status = plan_make(kernel, machine, &code_generator->templates, options, plan, error);
    return status == STATUS_OK ? build(code_generator, plan, options, program, error) : status;
}

/* Shorter loops to try, with lines in few pages, if base registers do not suffice. */
static const double shorter[] = {1, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05};

/* The same on ISAs whose displacements do not reach all data. If base registers do not suffice, the lines of
 * a pass are placed near each other, then a loop of free length becomes shorter; at last, accesses beyond
 * reach compute their addresses. */
static enum status plan_and_build(const struct code_generator *code_generator, const struct kernel *kernel,
                                  const struct machine *machine, const struct plan_options *options,
                                  struct plan *plan, struct program *program, struct error *error)
{
    enum status status = make_and_build(code_generator, kernel, machine, options, plan, program, error);
    bool free_length = kernel->loop_units == 0 && kernel->loop_instructions == 0 && !kernel->loop_fill;
    struct plan_options compact = *options;
    struct kernel sized = *kernel;
    struct error nearest; /* error of the compact loop of the usual length */
    bool refused = false, beyond_reach = plan->memory.beyond_reach || plan->memory.anchor_count > 0;
    compact.compact = true;
    for (size_t i = 0; i < (free_length ? sizeof shorter / sizeof shorter[0] : 1); i++) {
        if (status != STATUS_RECIPE || (plan->memory.anchor_count == 0 && !plan->memory.linked))
            break;
        double instructions = plan->sizing.units * (double)plan->unit_slots;
        sized.loop_instructions =
            i == 0 ? kernel->loop_instructions : (unsigned)ceil(shorter[i] * SIZING_INSTRUCTIONS);
        if (i > 0 && sized.loop_instructions >= instructions)
            continue;
        plan_free(plan);
        status = make_and_build(code_generator, &sized, machine, &compact, plan, program, error);
        plan->kernel = plan->requested = kernel;
        if (i == 0 && status == STATUS_RECIPE && error != NULL) {
            nearest = *error;
            refused = true;
        }
    }
    if (status == STATUS_RECIPE && !refused && error != NULL) {
        nearest = *error;
        refused = true;
    }
    if (beyond_reach && status == STATUS_RECIPE &&
        template_section(&code_generator->templates, "place.first") != NULL) {
        compact.computes = true;
        plan_free(plan);
        status = make_and_build(code_generator, kernel, machine, &compact, plan, program, error);
    }
    if (refused && status == STATUS_RECIPE)
        *error = nearest;
    return status;
}

/* The kernel with the tuning's aims. Its loop has the length of the requested kernel's loop, if that can be
 * planned. */
static struct kernel aim(const struct code_generator *code_generator, const struct kernel *kernel,
                         const struct machine *machine, const struct plan_options *options,
                         struct arena *arena)
{
    struct kernel aimed = tuning_aim(options->tuning, kernel, machine, arena);
    struct plan plan = {0};
    bool moved = false;
    for (size_t i = 0; i < TUNING_RATES; i++)
        moved = moved || options->tuning->aimed[i];
    if (moved && kernel_code(kernel) == NULL &&
        plan_make(kernel, machine, &code_generator->templates, options, &plan, NULL) == STATUS_OK)
        tuning_keep_size(&aimed, plan.sizing.units, plan.sizing.period);
    plan_free(&plan);
    return aimed;
}

/* Copies of the point's program that run simultaneously: threads, or the kernels of all cores. */
static unsigned count_copies(const struct manifest *point)
{
    return point->together.count > 1 ? (unsigned)point->together.count
           : point->threads > 1      ? (unsigned)point->threads
                                     : 1;
}

/* The most copies that may share regions: those that the place can hold. */
static unsigned count_sharers(const struct manifest *point)
{
    enum { MOST_SHARERS = 1024 };
    const struct manifest_units *cores = manifest_units(point, "cores");
    unsigned copies = count_copies(point);
    if (!point->place.given || !isnan(point->threads) || copies > 1)
        return copies;
    return cores != NULL && cores->word == NULL ? (unsigned)cores->count : MOST_SHARERS;
}

/* Copies of the program, if the point states their number; else 0. */
static unsigned count_alike(const struct manifest *point)
{
    const struct manifest_units *cores = manifest_units(point, "cores");
    bool listed = cores != NULL && cores->word == NULL;
    bool of_machine = point->place.given && isnan(point->threads) && !listed;
    return point->together.count > 1 || of_machine ? 0 : count_sharers(point);
}

/* One point's program, and its inputs. */
struct program_request {
    const struct code_generator *code_generator;
    const struct manifest *point;
    const struct machine *machine;
    uint64_t seed;
    const char *label; /* "benchmark/point" */
    struct arena arena;
};

static enum status write_for_cpu(struct program_request *request, struct program *program,
                                 struct error *error)
{
    const struct code_generator *code_generator = request->code_generator;
    struct kernel kernel;
    struct plan plan = {0};
    struct plan_tuning tuning = request->point->calibration.tuning;
    char symbols[SYMBOL_NAME_BYTES];
    struct plan_options options = {.seed = request->seed,
                                   .label = request->label,
                                   .prefix = code_generator->prefix,
                                   .tuning = &tuning,
                                   .copies = count_copies(request->point),
                                   .sharers = count_sharers(request->point)};
    enum status status = kernel_from_point(request->point->recipe, code_generator->templates.isa,
                                           &request->arena, &kernel, error);
    if (status == STATUS_OK)
        kernel_size_shared(&kernel, code_generator->templates.isa);
    if (status == STATUS_OK)
        status = operations_resolve(&kernel, request->machine, &code_generator->templates, error);
    if (status == STATUS_OK)
        status = throttle_fill(&kernel, request->machine, error);
    struct kernel aimed = kernel;
    if (status == STATUS_OK && tuning_is_set(&tuning))
        aimed = aim(code_generator, &kernel, request->machine, &options, &request->arena);
    if (status == STATUS_OK)
        status = plan_and_build(code_generator, &aimed, request->machine, &options, &plan, program, error);
    if (status == STATUS_OK && tuning_is_set(&tuning))
        plan_promise(&plan, &kernel);
    if (status == STATUS_OK)
        plan_promise_shared(&plan, count_alike(request->point));
    if (status == STATUS_OK) {
        const struct manifest_origin origin = {request->point, request->machine, request->seed, symbols,
                                               code_generator->markers};
        symbol_name(options.prefix, options.label, symbols);
        status = manifest_of_plan(&plan, &code_generator->templates, &origin, program, error);
    }
    plan_free(&plan);
    return status;
}

/* ---- a GPU's code ---- */

/* MOST_LOOP: bytes of a loop's code over which branches reach; LEAST_TEXT: shorter text needs no check,
 * because an instruction has at least as many characters as bytes. */
enum { MOST_LOOP = 124 << 10, LEAST_TEXT = 100 << 10 };

/* Bytes of the text as machine code. */
static enum status measure_code(const struct gpu_plan *plan, const char *text, size_t size, uint64_t *bytes,
                                struct error *error)
{
    struct buffer part = {0}, object = {0};
    struct gcn_elf elf;
    *bytes = 0;
    buffer_append(&part, text, size);
    buffer_text(&part, "");
    enum status status = gcn_assemble_object(plan->machine->gpu.arch, part.data, "program.s", &object, error);
    if (status == STATUS_OK)
        status = gcn_elf_open((const unsigned char *)object.data, object.size, &elf, error);
    for (unsigned i = 0; status == STATUS_OK && i < elf.section_count; i++) {
        struct gcn_section section;
        status = gcn_elf_section(&elf, i, &section, error);
        if (status == STATUS_OK && strcmp(section.name, ".text") == 0)
            *bytes = section.size;
    }
    buffer_free(&object);
    buffer_free(&part);
    return status;
}

/* Refuses a loop beyond the reach of branches, which have 16 bits for a distance in words. */
static enum status check_loop(const struct gpu_plan *plan, const struct buffer *source, struct error *error)
{
    static const char first[] = "trauma_loop:\n", after[] = "trauma_advance:\n";
    const char *loop = strstr(source->data, first), *end = strstr(source->data, after);
    uint64_t bytes = 0;
    if (loop == NULL || end == NULL || (size_t)(end - loop) < LEAST_TEXT)
        return STATUS_OK;
    loop += strlen(first);
    enum status status = measure_code(plan, loop, (size_t)(end - loop), &bytes, error);
    if (status != STATUS_OK || bytes <= MOST_LOOP)
        return status;
    return error_set(error, STATUS_RECIPE,
                     "the loop's %u units of %zu instructions are %" PRIu64
                     " KiB of code, but a branch of this processor reaches 128 KiB, of which the loop can "
                     "use %d; expected a shorter loop: loop = { units = %u } or fewer",
                     plan->units, plan->slot_count / plan->units, bytes >> 10, MOST_LOOP >> 10,
                     (unsigned)(plan->units * (uint64_t)MOST_LOOP / bytes));
}

/* The text as machine code, for an ISA that LLVM assembles. */
static enum status assemble_gpu(const struct gpu_plan *plan, struct program *program, struct error *error)
{
    struct buffer object = {0};
    if (machine_has(plan->machine, "gfx10") && plan->machine->gpu.wave != 32)
        return error_set(error, STATUS_RECIPE,
                         "machine %s has waves of %u: expected gpu.wave = 32 for GFX10 and later",
                         plan->machine->name, plan->machine->gpu.wave);
    enum status status = check_loop(plan, &program->source, error);
    if (status == STATUS_OK)
        status =
            gcn_assemble_object(plan->machine->gpu.arch, program->source.data, "program.s", &object, error);
    if (status == STATUS_OK)
        status = gcn_link(&object, plan->machine->gpu.arch, &program->object, error);
    buffer_free(&object);
    return status;
}

static enum status build_gpu(const struct code_generator *code_generator, const struct gpu_plan *plan,
                             const char *label, struct program *program, struct error *error)
{
    enum status status = gpu_emit(plan, &code_generator->templates, label, &program->source, error);
    if (status == STATUS_OK && strcmp(plan->machine->isa, "gcn") == 0)
        status = assemble_gpu(plan, program, error);
    if (status == STATUS_OK && code_generator->beside.isa != NULL)
        status = gpu_emit(plan, &code_generator->beside, label, &program->opencl, error);
    return status;
}

static enum status write_for_gpu(struct program_request *request, struct program *program,
                                 struct error *error)
{
    const struct machine *machine = request->machine;
    const struct compiled_kernel *from = request->point->from;
    struct arena kept = {0};
    struct compiled_kernel *compiled = from == NULL ? NULL : arena_alloc(&kept, 1, sizeof *compiled);
    struct kernel kernel;
    struct gpu_plan plan = {0};
    enum status status = kernel_from_point(request->point->recipe, request->code_generator->templates.isa,
                                           &request->arena, &kernel, error);
    if (status == STATUS_OK)
        status = gpu_plan_make(&kernel, machine, &request->code_generator->templates, request->seed,
                               request->label, &plan, error);
    if (status == STATUS_OK)
        status = from == NULL
                     ? build_gpu(request->code_generator, &plan, request->label, program, error)
                     : compiled_program(from, machine->gpu.arch, &kept, &program->object, compiled, error);
    if (status == STATUS_OK) {
        const struct manifest_origin origin = {
            .point = request->point, .machine = machine, .seed = request->seed};
        status = manifest_of_gpu_plan(&plan, &origin, compiled, &kept, program, error);
    }
    arena_free(&kept);
    gpu_plan_free(&plan);
    return status;
}

/* ---- any program ---- */

enum status program_make(const struct code_generator *code_generator, const struct manifest *point,
                         const struct machine *machine, uint64_t seed, struct program *program,
                         struct error *error)
{
    char label[512];
    snprintf(label, sizeof label, "%s/%s", manifest_text_or(point->benchmark, ""),
             manifest_text_or(point->point, ""));
    struct program_request request = {code_generator, point, machine, seed, label, {0}};
    memset(program, 0, sizeof *program);
    enum status status = code_generator->templates.isa->gpu ? write_for_gpu(&request, program, error)
                                                            : write_for_cpu(&request, program, error);
    if (status != STATUS_OK)
        error_prefix(error, "%s", label);
    arena_free(&request.arena);
    return status;
}

enum status program_make_reference(const struct code_generator *code_generator, const json_t *kernel_document,
                                   const struct machine *machine, const struct plan_options *options,
                                   struct program *program, struct error *error)
{
    memset(program, 0, sizeof *program);
    struct arena arena = {0};
    struct kernel kernel;
    struct plan plan = {0};
    enum status status =
        kernel_from_json(kernel_document, code_generator->templates.isa, &arena, &kernel, error);
    if (status == STATUS_OK)
        status = operations_resolve(&kernel, machine, &code_generator->templates, error);
    if (status == STATUS_OK)
        status = throttle_fill(&kernel, machine, error);
    if (status == STATUS_OK)
        status = plan_and_build(code_generator, &kernel, machine, options, &plan, program, error);
    if (status == STATUS_OK)
        manifest_of_reference(&plan, &code_generator->templates, program);
    plan_free(&plan);
    arena_free(&arena);
    return status;
}

/* ---- asm{} alone ---- */

static enum status check_texts(const struct template *templates, const struct manifest *point,
                               const struct machine *machine, struct arena *arena, struct error *error)
{
    struct kernel kernel;
    struct registers registers;
    enum status status = kernel_from_point(point->recipe, templates->isa, arena, &kernel, error);
    if (status == STATUS_OK)
        status = operations_resolve(&kernel, machine, templates, error);
    if (status == STATUS_OK)
        status = registers_assign(templates, &kernel, arena, &registers, error);
    for (size_t i = 0; status == STATUS_OK && i < kernel.count; i++) {
        struct user_asm made;
        if (kernel.items[i].kind == BEHAVIOUR_ASM)
            status =
                user_asm_make(&kernel.items[i], registers.given[i], templates, machine, arena, &made, error);
    }
    return status;
}

static enum status check_gpu_texts(const struct template *templates, const struct manifest *point,
                                   const struct machine *machine, struct arena *arena, struct error *error)
{
    struct kernel kernel;
    struct gpu_emission emission = {
        .templates = templates, .bindings = {.templates = templates, .error = error}, .error = error};
    enum status status = kernel_from_point(point->recipe, templates->isa, arena, &kernel, error);
    for (size_t i = 0; status == STATUS_OK && i < kernel.count; i++) {
        struct buffer text = {0};
        if (kernel.items[i].kind == BEHAVIOUR_ASM)
            status = gpu_asm_check(emission.templates->isa, machine, &kernel.items[i], error);
        if (status == STATUS_OK && kernel.items[i].kind == BEHAVIOUR_ASM)
            status = gpu_emit_asm(&emission, &kernel.items[i], &text);
        buffer_free(&text);
    }
    return status;
}

enum status program_check_texts(const struct template *templates, const struct manifest *point,
                                const struct machine *machine, struct error *error)
{
    struct arena arena = {0};
    enum status status = templates->isa->gpu ? check_gpu_texts(templates, point, machine, &arena, error)
                                             : check_texts(templates, point, machine, &arena, error);
    if (status != STATUS_OK)
        error_prefix(error, "%s/%s", manifest_text_or(point->benchmark, ""),
                     manifest_text_or(point->point, ""));
    arena_free(&arena);
    return status;
}
