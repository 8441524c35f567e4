#include "generator/plan/code/code_plan.h"

#include "base/rational.h"
#include "generator/plan/code/gaps.h"
#include "generator/plan/plan_rates.h"
#include "isa/loop_ranges.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CLOSE_ROOM = 8,  /* least bytes of the jump out of the loop, after the back edge */
    SHORTER = 9,     /* bytes by which a chunk may be shorter than in the trial */
    LONGEST_OP = 15, /* most bytes of an instruction */
};

/* Depths at which every line of a set may miss, depending on L1I's policy: tried in turn, in ways. */
static const unsigned depths[] = {2, 3, 4, 6, 8, 12};
enum { DEPTH_COUNT = sizeof depths / sizeof depths[0] };

/* An expected rate within GOOD of the reachable one is accepted at once; after all depths, the best within
 * FAIR, where only the policy's randomness remains. Under random replacement the expected rate is a mean, and
 * must be within CHANCE. */
static const double GOOD = 2e-4;
static const double FAIR = 0.01;
static const double CHANCE = 0.004;

/* Largest share of branches whose outcome simulators cannot observe; they widen the interval
 * (runner/sources/qemu). */
static const double MOST_BLIND = 0.1;

/* Share of L1I that a plan may use for lines that hit. */
static const double ROOMY = 0.9;

unsigned code_plan_period(const struct plan *plan)
{
    unsigned period = plan->sizing.period;
    if (plan->code == NULL || !plan->code->placed)
        return period;
    unsigned other = plan->code->layout.share.period;
    return (unsigned)rational_lcm(period, other);
}

unsigned code_plan_warmup(const struct plan *plan)
{
    if (plan->code == NULL || !plan->code->placed)
        return plan->warmup;
    unsigned cycle = code_layout_cycle(&plan->code->layout);
    unsigned period = code_plan_period(plan);
    unsigned turn = (unsigned)rational_lcm(cycle, period);
    return (plan->warmup + turn - 1) / turn * turn;
}

static bool is_code(const struct plan *plan, size_t slot)
{
    return plan->kernel->items[plan->slots[slot].item].kind == BEHAVIOUR_CODE;
}

/* Chunks and their branches, between code{} and cuts. */
static void count_chunks(struct plan *plan, bool *indirect)
{
    struct code_plan *code = plan->code;
    code->count = 1;
    for (size_t i = 0; i < plan->slot_count; i++)
        code->count += is_code(plan, i) + plan_cuts(plan, i);
    code->branches = arena_alloc(&plan->arena, code->count, sizeof *code->branches);
    code->twins = arena_alloc(&plan->arena, code->count, sizeof *code->twins);
    for (size_t i = 0, chunk = 0; i < plan->slot_count; i++) {
        enum branch branch = plan->slots[i].branch;
        chunk += plan_cuts(plan, i);
        if (branch != BRANCH_NONE && branch != BRANCH_BACK) {
            bool through = behaviour_is_indirect(&plan->kernel->items[plan->slots[i].item]);
            bool many = ++code->branches[chunk] > CODE_TWIN_BRANCHES;
            *indirect = *indirect || through;
            if (through || many || code->twins[chunk] == CODE_TWIN_APART)
                code->twins[chunk] = code->manner.apart ? CODE_TWIN_APART : CODE_NO_TWIN;
            else
                code->twins[chunk] = CODE_TWIN_BESIDE;
        }
        chunk += is_code(plan, i);
    }
}

enum status code_plan_begin(struct plan *plan, const struct code_manner *manner, struct error *error)
{
    bool indirect = false;
    plan->cuts = NULL;
    plan->entry = NULL;
    plan->code = arena_alloc(&plan->arena, 1, sizeof *plan->code);
    plan->code->manner = *manner;
    count_chunks(plan, &indirect);
    if (!indirect || manner->apart)
        return STATUS_OK;
    return error_set(error, STATUS_RECIPE,
                     "indirect branches need their code twice in L1I, and it does not fit there beside the "
                     "lines that miss");
}

enum code_twin code_plan_twin(const struct plan *plan, size_t chunk)
{
    return plan->code->twins[chunk];
}

bool code_plan_has_apart(const struct plan *plan)
{
    bool has = false;
    for (size_t i = 0; plan->code != NULL && i < plan->code->count; i++)
        has = has || plan->code->twins[i] == CODE_TWIN_APART;
    return has;
}

/* Reads the sizes of the trial's chunks, and of their twins, which follow in its table. */
static enum status read_ranges(const struct plan *plan, const struct buffer *trial,
                               struct loop_ranges *ranges, struct error *error)
{
    const struct code_plan *code = plan->code;
    enum status status = loop_ranges_read(trial->data, trial->size, ranges, error);
    if (status == STATUS_OK && ranges->count != 2 * code->count)
        status = error_set(error, STATUS_FAILED, "the trial lists %zu pieces where the plan has %zu",
                           ranges->count / 2, code->count);
    for (size_t i = 0; status == STATUS_OK && i < 2; i++) /* the jump out of the loop */
        if (i == 0 || ranges->items[2 * code->count - 1].bytes > 0)
            ranges->items[(i + 1) * code->count - 1].bytes += CLOSE_ROOM;
    return status;
}

/* Cuts chunks, by their numbers of slots, into parts that leave most sets of L1I free; chunks with a twin
 * apart into shorter parts. */
static void choose_cuts(struct plan *plan, const struct loop_ranges *ranges)
{
    enum { SHARE_OF_SETS = 3, WITH_TWIN = 6 };
    const struct cache *l1i = &plan->machine->l1i;
    const struct code_plan *code = plan->code;
    bool *cuts = arena_alloc(&plan->arena, plan->slot_count, sizeof *cuts);
    for (size_t chunk = 0, first = 0; chunk < code->count; chunk++) {
        size_t end = first;
        while (end < plan->slot_count && !is_code(plan, end))
            end++;
        unsigned part = code->twins[chunk] == CODE_TWIN_APART ? WITH_TWIN : SHARE_OF_SETS;
        uint64_t most = (uint64_t)l1i->line * (cache_sets(l1i) / part + 1);
        uint64_t parts = (ranges->items[chunk].bytes + most - 1) / most;
        for (uint64_t i = 1; i < parts && i < end - first; i++)
            cuts[first + (end - first) * i / parts] = true;
        first = end + 1;
    }
    plan->cuts = cuts;
}

enum status code_plan_choose_twins(struct plan *plan, const struct buffer *trial, bool *again,
                                   struct error *error)
{
    struct code_plan *code = plan->code;
    struct loop_ranges ranges = {0};
    enum status status = read_ranges(plan, trial, &ranges, error);
    bool ignored = false;
    unsigned blind = 0;
    for (size_t i = 0; status == STATUS_OK && i < code->count; i++) {
        uint64_t twin = ranges.items[code->count + i].bytes;
        bool beside = twin > 0 && ranges.items[i].bytes + twin <= plan->machine->l1i.line;
        if (code->twins[i] == CODE_TWIN_BESIDE && !beside)
            code->twins[i] = code->manner.apart ? CODE_TWIN_APART : CODE_NO_TWIN;
        blind += code->twins[i] == CODE_TWIN_APART ? code->branches[i] : 0;
    }
    for (size_t i = 0; i < code->count; i++)
        if (blind <= MOST_BLIND * plan->branches.total && plan->branches.indirect == 0 &&
            code->twins[i] == CODE_TWIN_APART)
            code->twins[i] = CODE_NO_TWIN;
    *again = code_plan_has_apart(plan);
    if (status == STATUS_OK && *again && code->manner.cuts) {
        const enum code_twin *twins = code->twins;
        choose_cuts(plan, &ranges);
        count_chunks(plan, &ignored);
        for (size_t i = 0, chunk = 0, before = 0; i < plan->slot_count; i++) {
            chunk += plan_cuts(plan, i);
            if (code->branches[chunk] > 0)
                code->twins[chunk] = twins[before];
            before += is_code(plan, i);
            chunk += is_code(plan, i);
        }
    } else if (status == STATUS_OK && !*again && code->manner.apart) {
        status = error_set(error, STATUS_RECIPE, "no branches need code of their own");
    }
    loop_ranges_free(&ranges);
    return status;
}

/* Reads the chunks' lines from the trial. A twin apart is at a distance that keeps the low bits of its
 * branches' addresses, as in a loop's second copy. With indirect branches all twins are at the same distance.
 */
static enum status read_sizes(struct plan *plan, const struct isa *isa, const struct buffer *trial,
                              uint64_t **bytes, struct error *error)
{
    enum { BRANCH_ALIGN = 128 };
    struct code_plan *code = plan->code;
    struct loop_ranges ranges = {0};
    enum status status = read_ranges(plan, trial, &ranges, error);
    unsigned line = plan->machine->l1i.line;
    uint64_t align = rational_lcm(
        line, plan->branches.indirect > 0 ? GAPS_ENTRIES : (uint64_t)BRANCH_ALIGN * isa->code_align);
    code->lines = arena_alloc(&plan->arena, code->count, sizeof *code->lines);
    code->entered = arena_alloc(&plan->arena, code->count, sizeof *code->entered);
    code->start = arena_alloc(&plan->arena, code->count, sizeof *code->start);
    code->apart = arena_alloc(&plan->arena, code->count, sizeof *code->apart);
    *bytes = arena_alloc(&plan->arena, code->count, sizeof **bytes);
    uint64_t most = 0;
    for (size_t i = 0; status == STATUS_OK && i < code->count; i++) {
        uint64_t own = ranges.items[i].bytes, twin = ranges.items[code->count + i].bytes;
        (*bytes)[i] = own + (code->twins[i] == CODE_TWIN_BESIDE ? twin : 0);
        code->entered[i] = code->lines[i] = (unsigned)(((*bytes)[i] + line - 1) / line);
        if (code->twins[i] == CODE_TWIN_APART)
            code->apart[i] = ((uint64_t)code->entered[i] * line + align - 1) / align * align;
        most = code->apart[i] > most ? code->apart[i] : most;
    }
    for (size_t i = 0; status == STATUS_OK && i < code->count; i++) {
        if (code->apart[i] == 0)
            continue;
        if (plan->branches.indirect > 0)
            code->apart[i] = most;
        code->lines[i] +=
            (unsigned)(code->apart[i] / line) + (ranges.items[code->count + i].bytes > ranges.items[i].bytes);
        if (isa->branch_reach > 0 && code->apart[i] + ranges.items[i].bytes > isa->branch_reach)
            status =
                error_set(error, STATUS_RECIPE,
                          "conditional branches do not reach over %" PRIu64 " bytes from code to its twin",
                          code->apart[i]);
    }
    loop_ranges_free(&ranges);
    return status;
}

/* Lines of data in the sets of L2, each counted once. */
struct l2_data {
    uint64_t *seen;   /* a bit for each line of the memory */
    unsigned *counts; /* [sets] */
    unsigned open;    /* sets that are not yet full; when it is 0, counting can stop */
};

/* Counts the L2 lines of the place. Turns that only add lines to overfull sets of L2 are skipped. */
static void count_place(const struct plan *plan, const struct place *place, struct l2_data *data)
{
    const struct cache *l2 = &plan->machine->l2;
    uint64_t span = l2->size / l2->ways;
    const struct rotation still = rotation_by(0, span, 1);
    const struct rotation *at = place->base == 0 ? &still : &plan->memory.bases[place->base - 1].at;
    uint64_t turns = span / rational_gcd(span, at->step) * (l2->ways + 1);
    for (uint64_t turn = 0; turn < turns && turn < at->positions && data->open > 0; turn++) {
        uint64_t line = (at->start + place->offset + turn * at->step) / l2->line;
        unsigned *count = &data->counts[line % cache_sets(l2)];
        uint64_t *seen = &data->seen[line / 64], bit = UINT64_C(1) << line % 64;
        if ((*seen & bit) == 0)
            data->open -= ++*count == l2->ways;
        *seen |= bit;
    }
}

/* Lines of data in each set of L2. */
static unsigned *data_in_l2(const struct plan *plan, struct arena *arena)
{
    const struct cache *l2 = &plan->machine->l2;
    struct l2_data data = {.seen =
                               arena_alloc(arena, plan->memory.bytes / l2->line / 64 + 1, sizeof *data.seen),
                           .counts = arena_alloc(arena, cache_sets(l2), sizeof *data.counts),
                           .open = cache_sets(l2)};
    for (size_t i = 0; i < plan->slot_count; i++)
        for (unsigned j = 0; j < plan->slots[i].place_count; j++)
            count_place(plan, &plan->slots[i].places[j], &data);
    return data.counts;
}

/* Chooses where in its first line each chunk starts: such that its last instruction lies in its last line
 * even if the chunk becomes shorter, and its first instruction does not extend into the second line. Chunks
 * with branches start at different positions, so that branches do not share predictor counters. */
static void choose_starts(struct plan *plan, const struct isa *isa, const uint64_t *bytes,
                          struct random *random)
{
    struct code_plan *code = plan->code;
    unsigned line = plan->machine->l1i.line;
    for (size_t i = 0; i < code->count; i++) {
        unsigned lines = code->entered[i];
        uint64_t room = (uint64_t)lines * line - bytes[i];
        uint64_t kept = (lines - 1) * (uint64_t)line + SHORTER + (i + 1 == code->count ? CLOSE_ROOM : 0);
        uint64_t least = lines == 1 || bytes[i] >= kept ? 0 : kept - bytes[i];
        uint64_t most = lines > 1 && room + LONGEST_OP > line ? line - LONGEST_OP : room;
        least = least > room ? room : (least + isa->code_align - 1) / isa->code_align * isa->code_align;
        code->start[i] = (unsigned)least;
        if (plan->branches.total > 0 && most > least)
            code->start[i] +=
                random_below(random, (uint32_t)(most - least + 1)) / isa->code_align * isa->code_align;
    }
}

/* True if the pieces' branches reach from one end of the code to the other, and from the code before it. */
static bool within_reach(const struct isa *isa, const struct code_layout *layout)
{
    enum { BEFORE = 128 << 10 };
    return isa->code_reach == 0 || layout->bytes + BEFORE <= isa->code_reach;
}

static enum status refuse_far(const struct isa *isa, const struct code_layout *layout, struct error *error)
{
    error_set(error, STATUS_RECIPE,
              "the lines that miss L1I lie over %" PRIu64 " KiB of code, and a branch of %s reaches %" PRIu64
              " KiB",
              layout->bytes >> 10, isa->name, isa->code_reach >> 10);
    error_hint(error, "a rate whose lines need fewer copies may fit");
    return STATUS_RECIPE;
}

/* The layout, over all depths, whose expected rate is nearest to its share's. */
static enum status place_best(struct plan *plan, const struct isa *isa, struct code_request *request,
                              double *expected, struct error *error)
{
    struct code_layout best = {0};
    double nearest = 2;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < DEPTH_COUNT && nearest > GOOD; i++) {
        struct code_layout layout;
        request->depth = depths[i] * request->l1i->ways;
        enum status placed = code_layout_place(request, &plan->arena, &layout, i == 0 ? error : NULL);
        if (placed == STATUS_OK && !within_reach(isa, &layout))
            placed = refuse_far(isa, &layout, i == 0 ? error : NULL);
        status = i == 0 ? placed : status;
        if (placed != STATUS_OK)
            break;
        double rate = code_layout_simulate(request, &layout);
        if (fabs(rate - request->miss_rate) - layout.share.off >= nearest)
            continue;
        nearest = fabs(rate - request->miss_rate) - layout.share.off;
        best = layout;
        *expected = rate;
    }
    plan->code->layout = best;
    enum cache_policy policy = request->l1i->policy;
    double fair = policy == POLICY_RANDOM ? CHANCE : policy == POLICY_TREE_PLRU ? FAIR : GOOD;
    if (status != STATUS_OK || nearest <= fair)
        return status;
    error_set(
        error, STATUS_RECIPE,
        "an L1I miss rate of %.6g cannot be reached: with %s replacement in L1I the cache model gives %.6g",
        request->miss_rate, cache_policy_name(request->l1i->policy), *expected);
    error_hint(error, "few rates are exact under this policy; one nearby may be");
    return STATUS_RECIPE;
}

/* The recipe's rate; a stated number of misses is divided by the lines that a pass of the trial enters. */
static double wanted_rate(const struct plan *plan)
{
    const struct behaviour *code = kernel_code(plan->kernel);
    double lines = 0;
    for (size_t i = 0; i < plan->code->count; i++)
        lines += plan->code->entered[i];
    return code->l1i_counted ? code->l1i_misses * plan->sizing.units / lines : code->l1i_miss_rate;
}

enum status code_plan_place(struct plan *plan, const struct isa *isa, const struct plan_options *options,
                            const struct buffer *trial, struct error *error)
{
    struct code_plan *code = plan->code;
    struct arena scratch = {0};
    uint64_t *bytes = NULL;
    double expected = 0;
    enum status status = read_sizes(plan, isa, trial, &bytes, error);
    if (status != STATUS_OK)
        return status;
    const struct behaviour *stated = kernel_code(plan->kernel);
    double rate = wanted_rate(plan);
    if (rate > 1) {
        error_set(error, STATUS_RECIPE,
                  "code.misses is %.6g per unit, and %u units of the loop have fewer lines of code",
                  stated->l1i_misses, plan->sizing.units);
        error_hint(error, "the unit has %.6g lines of code; more code{} or operations add lines",
                   stated->l1i_misses / rate);
        return STATUS_RECIPE;
    }
    unsigned unentered = 0;
    bool *stays = arena_alloc(&plan->arena, code->count, sizeof *stays);
    for (size_t i = 0; i < code->count; i++) {
        unentered += code->lines[i] - code->entered[i];
        stays[i] = code->twins[i] == CODE_TWIN_APART;
    }
    struct code_request request = {.l1i = &plan->machine->l1i,
                                   .l2 = &plan->machine->l2,
                                   .lines = code->lines,
                                   .count = code->count,
                                   .miss_rate = rate,
                                   .within = code->manner.within,
                                   .copies = code->manner.copies,
                                   .thorough = options->code_effort == CODE_THOROUGHLY,
                                   .stays = stays,
                                   .unentered = unentered,
                                   .data = data_in_l2(plan, &scratch),
                                   .random = random_start(options->seed, "code")};
    status = place_best(plan, isa, &request, &expected, error);
    arena_free(&scratch);
    if (status != STATUS_OK)
        return status;
    choose_starts(plan, isa, bytes, &request.random);
    code->placed = true;
    plan->entry = code->layout.copies == 0 ? NULL : code->manner.kept ? "code.copies_kept" : "code.copies";
    rates_set(&plan->arena, &plan->rates.expected, "l1i.miss_rate", expected);
    if (stated->l1i_counted)
        rates_set(&plan->arena, &plan->rates.targets, "l1i.miss_rate", rate);
    return STATUS_OK;
}

enum status code_plan_check(const struct plan *plan, const struct buffer *object, struct error *error)
{
    struct loop_ranges ranges;
    enum status status = loop_ranges_read(object->data, object->size, &ranges, error);
    unsigned lines = status == STATUS_OK ? loop_ranges_lines(&ranges, plan->machine->l1i.line) : 0;
    loop_ranges_free(&ranges);
    if (status != STATUS_OK || lines == plan->code->layout.lines)
        return status;
    error_set(
        error, STATUS_RECIPE,
        "code{}: a pass of the loop enters %u lines of code where the plan has %u, as its pieces became "
        "shorter when they were placed",
        lines, plan->code->layout.lines);
    error_hint(error, "another rate, or other numbers of operations in the unit, may fit");
    return STATUS_RECIPE;
}

/* Lines of a pass that hit L1I, with or without twins apart. */
static double lines_that_hit(const struct plan *plan, bool twins)
{
    double lines = 0;
    for (size_t i = 0; i < plan->code->count; i++)
        lines += twins ? plan->code->lines[i] : plan->code->entered[i];
    return lines * (1 - fmin(1, wanted_rate(plan)));
}

double code_plan_room(const struct plan *plan)
{
    const struct cache *l1i = &plan->machine->l1i;
    if (plan->code == NULL || plan->code->lines == NULL)
        return INFINITY;
    double hits = fmax(1, lines_that_hit(plan, plan->branches.indirect > 0));
    return plan->sizing.units * (double)(l1i->size / l1i->line) / hits;
}

unsigned code_plan_most_units(const struct plan *plan)
{
    const struct cache *l1i = &plan->machine->l1i;
    if (plan->code->lines == NULL) /* refused before a trial was measured */
        return 0;
    double hits = lines_that_hit(plan, true);
    double room = ROOMY * (double)(l1i->size / l1i->line);
    return hits <= room ? 0 : (unsigned)fmax(1, plan->sizing.units * room / hits);
}
