/* Source "qemu": runs the standalone executable in QEMU with our own plugin (sim/qemu/). It simulates the
 * target machine's caches with their policies, any number of sets and all levels at once, its data TLB and a
 * branch predictor, and subtracts the counts of two numbers of passes (simulated_passes.h). If a cache
 * replaces at random, or pages are mapped at random (--map), it runs several seeds; the observation is their
 * mean with its interval. */
#include "base/json.h"
#include "base/text/complaint.h"
#include "base/units.h"
#include "runner/process/child.h"
#include "runner/sources/identity.h"
#include "runner/sources/qemu/qemu_program.h"
#include "runner/sources/qemu/qemu_shared.h"
#include "runner/sources/simulated_passes.h"
#include "runner/sources/source.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARGUMENT_BYTES = 128, PLUGIN_BYTES = 768, SEEDS = 6 };

/* Huge pages are simulated only beside small pages of this size. */
enum { SMALL_PAGE = 4096, HUGE_PAGE = 2 << 20 };
static const double TIMEOUT_S = 240;

/* Student's t for a 95 % interval and SEEDS - 1 degrees of freedom. */
static const double SEEDS_T = 2.5706;

enum count {
    LOADS,
    STORES,
    L1D_LOADS,
    L1D_STORES,
    L2_LOADS,
    L2_STORES,
    L3_LOADS,
    L3_STORES,
    TLB,
    L1I,
    BRANCHES,
    BRANCHES_TAKEN,
    BRANCH_MISSES,
    JUMPS,
    JUMP_MISSES,
    BLIND,
    COUNTS
};

/* Their names in the plugin's line; from L1D on, also misses. */
static const char *const count_names[COUNTS] = {
    "loads",          "stores",          "l1d_load_misses", "l1d_store_misses",
    "l2_load_misses", "l2_store_misses", "l3_load_misses",  "l3_store_misses",
    "tlb_misses",     "l1i_misses",      "branches",        "branches_taken",
    "branch_misses",  "jumps",           "jump_misses",     "blind"};

struct qemu_counts {
    double of[COUNTS];
    unsigned passes; /* counted passes */
};

/* ---- when this source is used ---- */

static bool is_odd(const struct cache *cache)
{
    return cache->size > 0 && (!units_is_power_of_two(cache_sets(cache)) ||
                               (cache->policy != POLICY_LRU && cache->policy != POLICY_UNKNOWN));
}

/* On x86-64, the independent cachegrind judges. This source runs if cachegrind does not support the machine's
 * policy, its number of sets, its TLB or a share of taken branches; if cachegrind is not installed; or if it
 * is named. */
static bool concerns_caches(const struct test_program *test_program)
{
    const struct machine *machine = test_program->machine;
    return test_program->all_counts || test_program->map != MAP_NONE ||
           strcmp(qemu_program_target(test_program), "x86_64") != 0 ||
           manifest_has_target(test_program->manifest, "dtlb.miss_rate") ||
           manifest_has_target(test_program->manifest, "branch.taken_rate") || is_odd(&machine->l1i) ||
           is_odd(&machine->l1d) || is_odd(&machine->l2) || is_odd(&machine->l3) ||
           !child_program_exists("valgrind");
}

/* Accesses of copies to shared regions are counted by this source alone. */
static bool concerns(const struct test_program *test_program)
{
    return test_program->manifest->shared.given || concerns_caches(test_program);
}

/* One usable ISA is enough. */
static enum status usable(struct error *why_not)
{
    enum qemu_way way;
    enum status status = STATUS_UNAVAILABLE;
    for (size_t i = 0; status != STATUS_OK && isa_table[i] != NULL; i++)
        if (isa_is_processor(isa_table[i]->name))
            status = qemu_program_find(isa_table[i], true, &way, why_not);
    return status;
}

/* ---- one run ---- */

/* Writes the plugin's options, "seed=1,l1i=...". */
static void write_plugin(char text[PLUGIN_BYTES], const struct test_program *test_program, unsigned seed)
{
    const struct machine *machine = test_program->machine;
    bool mapped = test_program->map != MAP_NONE;
    bool small = machine->data_tlb.entries == 0 || machine->data_tlb.page == SMALL_PAGE;
    size_t used = (size_t)snprintf(text, PLUGIN_BYTES, "seed=%u", seed);
    if (mapped)
        used +=
            (size_t)snprintf(text + used, PLUGIN_BYTES - used, ",pages=%" PRIu64 ",hashed=%d",
                             small ? SMALL_PAGE : machine->data_tlb.page, test_program->map == MAP_HASHED);
    if (small && (mapped || qemu_program_has_tlb(machine)))
        used += (size_t)snprintf(text + used, PLUGIN_BYTES - used, ",huge=%d", HUGE_PAGE);
    qemu_program_add_caches(text, PLUGIN_BYTES, used, machine, small);
}

/* Reads the plugin's line after the program's own line for that many iterations. */
static bool read_counts(const char *output, unsigned iterations, struct qemu_counts *counts)
{
    char mark[ARGUMENT_BYTES];
    snprintf(mark, sizeof mark, "{\"iterations\":%u,", iterations);
    const char *line = strstr(output, mark);
    line = line == NULL ? NULL : strchr(line, '\n');
    json_t *document = line == NULL ? NULL : json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);
    bool good = json_is_integer(json_object_get(document, "qemu"));
    for (size_t i = 0; good && i < COUNTS; i++) {
        counts->of[i] = json_number_or(document, count_names[i], -1);
        good = counts->of[i] >= 0;
    }
    json_decref(document);
    return good;
}

static enum status subtract(const struct child_result *result, struct qemu_counts *counts,
                            struct error *error)
{
    struct qemu_counts less;
    if (result->output.size == 0 || !read_counts(result->output.data, PASSES_FEWER, &less) ||
        !read_counts(result->output.data, PASSES_FEWER + counts->passes, counts)) {
        char complaint[COMPLAINT_BYTES];
        complaint_join(complaint, sizeof complaint, result->errors.data, result->errors.size, "");
        error_set(error, STATUS_UNAVAILABLE, "qemu wrote no two lines of counts that can be read%s%s",
                  complaint[0] != '\0' ? "; it says: " : "", complaint);
        error_hint(error, "the plugin is made for QEMU 4.2 and later");
        return STATUS_UNAVAILABLE;
    }
    for (size_t i = 0; i < COUNTS; i++)
        counts->of[i] -= less.of[i];
    return STATUS_OK;
}

static enum status simulate(const struct test_program *test_program, enum qemu_way way, unsigned seed,
                            struct qemu_counts *counts, struct error *error)
{
    char plugin[PLUGIN_BYTES], fewer[ARGUMENT_BYTES], besides[ARGUMENT_BYTES];
    write_plugin(plugin, test_program, seed);
    snprintf(fewer, sizeof fewer, "%d", PASSES_FEWER);
    snprintf(besides, sizeof besides, "+%u", counts->passes);
    double instructions = test_program->manifest->instructions *
                          (test_program->manifest->warmup + PASSES_FEWER + counts->passes);
    const struct qemu_start start = {.isa = isa_find(qemu_program_target(test_program)),
                                     .way = way,
                                     .cpu = qemu_program_cpu(test_program),
                                     .executable = test_program->executable,
                                     .executable_size = test_program->executable_size,
                                     .plugin = plugin,
                                     .arguments = {fewer, besides},
                                     .forks = true,
                                     .instructions = instructions,
                                     .timeout_s = TIMEOUT_S};
    struct child_result result = {0};
    enum status status = qemu_program_run(&start, &result, error);
    if (status == STATUS_OK)
        status = subtract(&result, counts, error);
    child_result_free(&result);
    return status;
}

/* ---- evaluation ---- */

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* A metric. value: its value in one run's counts; NAN: nothing to divide by. */
struct counted_rate {
    const char *name;
    double (*value)(const struct qemu_counts *counts, const struct test_program *test_program);
    enum count counted; /* the denominator */
    double (*by_chance)(const struct qemu_counts *counts,
                        const struct test_program *test_program); /* or NULL */
};

#define METRIC(name, expression)                                                                             \
    static double name(const struct qemu_counts *counts, const struct test_program *test_program)            \
    {                                                                                                        \
        const double *of = counts->of;                                                                       \
        const struct machine *machine = test_program->machine;                                               \
        (void)of;                                                                                            \
        (void)machine;                                                                                       \
        return expression;                                                                                   \
    }

#define ACCESSES (of[LOADS] + of[STORES])
#define L1D_MISSES (of[L1D_LOADS] + of[L1D_STORES])
#define L2_MISSES (of[L2_LOADS] + of[L2_STORES])
#define LAST_LOADS (machine->l3.size > 0 ? of[L3_LOADS] : of[L2_LOADS])

METRIC(l1d, share(L1D_MISSES, ACCESSES))
METRIC(l2, share(L2_MISSES, L1D_MISSES))
METRIC(l3, machine->l3.size > 0 ? share(of[L3_LOADS] + of[L3_STORES], L2_MISSES) : NAN)
METRIC(served_l1, share(of[LOADS] - of[L1D_LOADS], of[LOADS]))
METRIC(served_l2, share(of[L1D_LOADS] - of[L2_LOADS], of[LOADS]))
METRIC(served_l3, machine->l3.size > 0 ? share(of[L2_LOADS] - of[L3_LOADS], of[LOADS]) : NAN)
METRIC(served_mem, share(LAST_LOADS, of[LOADS]))
METRIC(tlb, qemu_program_has_tlb(machine) ? share(of[TLB], ACCESSES) : NAN)
METRIC(l1i, share(of[L1I], test_program->manifest->code_lines_entered * counts->passes))
/* A branch is blind if both outcomes lead to the next instruction, as in some pieces of code{}: its outcome
 * is unknown. A few blind branches widen the interval by both outcomes. */
#define ALL_BRANCHES (of[BRANCHES] + of[JUMPS] + of[BLIND])
#define MOST_BLIND 0.1
#define IS_BLIND (of[BLIND] > MOST_BLIND * ALL_BRANCHES)
METRIC(branch, IS_BLIND ? NAN : share(of[BRANCH_MISSES] + of[JUMP_MISSES] + of[BLIND] / 2, ALL_BRANCHES))
METRIC(taken, IS_BLIND ? NAN : share(of[BRANCHES_TAKEN] + of[JUMPS] + of[BLIND] / 2, ALL_BRANCHES))
METRIC(blind, ALL_BRANCHES > 0 ? of[BLIND] / ALL_BRANCHES / 2 : 0)

/* Half of a 95 % interval of the taken branches: random branches, which are twice the mispredicted ones, are
 * taken with probability one half. */
static double taken_by_chance(const struct qemu_counts *counts, const struct test_program *test_program)
{
    const double *of = counts->of;
    double branches = of[BRANCHES] + of[JUMPS];
    double random = 2 * rates_get(&test_program->manifest->targets, "branch.miss_rate", 0.5);
    return blind(counts, test_program) + (branches > 0 ? 1.96 * sqrt(random / 4 / branches) : 0);
}

static bool requests_branches(const struct test_program *test_program)
{
    return manifest_has_target(test_program->manifest, "branch.miss_rate") ||
           manifest_has_target(test_program->manifest, "branch.taken_rate");
}

/* STATUS_UNAVAILABLE, with the reason, if the recipe requests branches and too many of them are blind. */
static enum status check_branches(const struct qemu_counts *counts, const struct test_program *test_program,
                                  struct error *error)
{
    const double *of = counts->of;
    if (!IS_BLIND || !requests_branches(test_program))
        return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE,
                     "%.0f of %.0f branches leave no trace of their outcome: the code up to the next code{} "
                     "fits only once into a line of L1I and misses it, or L1I has no room for it twice, so "
                     "that both ways lead to the same instruction",
                     of[BLIND] / counts->passes, ALL_BRANCHES / counts->passes);
}

static const struct counted_rate rates[] = {{"l1d.miss_rate", l1d, LOADS, NULL},
                                            {"l2.miss_rate", l2, L1D_LOADS, NULL},
                                            {"l3.miss_rate", l3, L2_LOADS, NULL},
                                            {"served.L1", served_l1, LOADS, NULL},
                                            {"served.L2", served_l2, LOADS, NULL},
                                            {"served.L3", served_l3, LOADS, NULL},
                                            {"served.MEM", served_mem, LOADS, NULL},
                                            {"dtlb.miss_rate", tlb, LOADS, NULL},
                                            {"l1i.miss_rate", l1i, L1I, NULL},
                                            {"branch.miss_rate", branch, BRANCHES, blind},
                                            {"branch.taken_rate", taken, BRANCHES, taken_by_chance}};

/* Adds the mean over the runs; with several runs, with its 95 % interval. */
static void add(const struct counted_rate *metric, const struct qemu_counts *runs, size_t count,
                const struct test_program *test_program, struct observations *list)
{
    double sum = 0;
    double squares = 0;
    double counted = 0;
    for (size_t i = 0; i < count; i++) {
        double value = metric->value(&runs[i], test_program);
        sum += value / (double)count;
        counted += runs[i].of[metric->counted];
    }
    for (size_t i = 0; i < count; i++)
        squares += pow(metric->value(&runs[i], test_program) - sum, 2);
    double chance = metric->by_chance == NULL ? 0 : metric->by_chance(&runs[0], test_program);
    double half = count > 1 ? SEEDS_T * sqrt(squares / (double)(count - 1) / (double)count) : 0;
    half = half > chance ? half : chance;
    if (isfinite(sum))
        observations_add(list, metric->name, counter_qemu.name,
                         test_program->map == MAP_NONE ? counter_qemu.kind : EVIDENCE_MAPPED, sum, sum - half,
                         sum + half, counted);
}

static bool is_random(const struct test_program *test_program)
{
    const struct machine *machine = test_program->machine;
    return test_program->map != MAP_NONE || machine->l1i.policy == POLICY_RANDOM ||
           machine->l1d.policy == POLICY_RANDOM || machine->l2.policy == POLICY_RANDOM ||
           machine->l3.policy == POLICY_RANDOM || machine->data_tlb.policy == POLICY_RANDOM ||
           machine->huge_tlb.policy == POLICY_RANDOM;
}

/* The number of passes. Rates that depend on chance vary too much over a hundred passes: more passes are
 * made, so that a level with few accesses has enough of them. */
static unsigned passes_of(const struct test_program *test_program)
{
    enum { ENOUGH_ACCESSES = 1 << 19, MOST_TIMES = 10 };
    const struct manifest *manifest = test_program->manifest;
    double once = PASSES_COUNTED * (manifest->loads + manifest->stores);
    if (!is_random(test_program) || once <= 0)
        return PASSES_COUNTED;
    return PASSES_COUNTED * (unsigned)fmax(1, fmin(MOST_TIMES, ENOUGH_ACCESSES / once));
}

static enum status observe_passes(const struct test_program *test_program, enum qemu_way way,
                                  struct observations *list, struct error *error)
{
    struct qemu_counts runs[SEEDS];
    size_t count = is_random(test_program) ? SEEDS : 1;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        runs[i].passes = passes_of(test_program);
        status = simulate(test_program, way, (unsigned)i + 1, &runs[i], error);
    }
    if (status == STATUS_OK)
        status = simulated_check_accesses(test_program, runs[0].passes, runs[0].of[LOADS], runs[0].of[STORES],
                                          error);
    for (size_t i = 0; status == STATUS_OK && i < sizeof rates / sizeof rates[0]; i++)
        add(&rates[i], runs, count, test_program, list);
    return status == STATUS_OK ? check_branches(&runs[0], test_program, error) : status;
}

/* Observes the copies' accesses to shared regions, and the program alone. */
static enum status observe_all(const struct test_program *test_program, enum qemu_way way,
                               struct observations *list, struct error *error)
{
    struct error alone;
    enum status status = STATUS_OK;
    if (test_program->manifest->shared.given)
        status = qemu_shared_observe(test_program, way, list, error);
    if (status == STATUS_FAILED || !concerns_caches(test_program))
        return status;
    enum status other = observe_passes(test_program, way, list, &alone);
    if (other == STATUS_OK || (status != STATUS_OK && other != STATUS_FAILED))
        return status;
    if (error != NULL)
        *error = alone;
    return other;
}

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    enum status status = test_program_check_walk(test_program, error);
    if (status == STATUS_OK)
        status = simulated_check_features(test_program, "qemu", error);
    if (status == STATUS_OK)
        status = test_program_check_executable(test_program, error);
    enum qemu_way way;
    if (status == STATUS_OK)
        status = qemu_program_find(isa_find(qemu_program_target(test_program)), false, &way, error);
    return status == STATUS_OK ? observe_all(test_program, way, list, error) : status;
}

static void identify(const struct test_program *test_program, char identity[HASH_TEXT_BYTES])
{
    if (test_program->manifest->shared.given)
        qemu_shared_identify(test_program, identity);
    else
        identity_of_executable(test_program, identity);
}

const struct counter_source counter_qemu = {.name = "qemu",
                                            .kind = EVIDENCE_SIMULATED,
                                            .concerns = concerns,
                                            .usable = usable,
                                            .observe = observe,
                                            .identify = identify};
