/* The sizes of a core's structures. A pass measures a curve first at sizes in equal ratios, then closely
 * around its knees; a size counts when two passes show it. All other curves are measured between two passes
 * of one, because the share that another thread of the core leaves may be the same for a second. */
#include "base/clock.h"
#include "base/memory.h"
#include "runner/probe/structures/structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    COARSE = 44,
    FINE = 14,
    CLOSER = 2,
    PASSES = 3,
    NOPS = 96,
    CHAIN_STRIDE = 64,
    SAMPLES = 16,
    PAGES = 8192,
    POLICY_TIMINGS = 20000
};
static const size_t CHAIN_BYTES = 16 << 20;
static const char ENTRIES[] = "entries";

#define WINDOW "Filler instructions between two loads that miss", "Time of both loads over that of one"

static const struct structure_row rows[] = {
    {{"reorder_buffer"},
     "Reorder buffer",
     WINDOW,
     ENTRIES,
     "window.reorder_buffer",
     NULL,
     structure_window,
     16,
     1100,
     0.15,
     2,
     0,
     "idle instructions between two loads that still miss at the same time"},
    {{"load_queue"},
     "Load queue",
     WINDOW,
     ENTRIES,
     "window.load_queue",
     NULL,
     structure_window,
     12,
     420,
     0.15,
     2,
     0,
     "loads between two loads that still miss at the same time"},
    {{"store_queue"},
     "Store queue",
     WINDOW,
     ENTRIES,
     "window.store_queue",
     NULL,
     structure_window,
     8,
     260,
     0.15,
     0,
     0,
     "stores between two loads that still miss at the same time"},
    {{"registers.integer"},
     "Integer registers for renaming",
     WINDOW,
     ENTRIES,
     "window.registers.integer",
     NULL,
     structure_window,
     16,
     640,
     0.15,
     2,
     0,
     "additions between two such loads; registers beside those that hold the program's own"},
    {{"registers.vector"},
     "Vector registers for renaming",
     WINDOW,
     ENTRIES,
     "window.registers.vector",
     NULL,
     structure_window,
     16,
     640,
     0.15,
     0,
     0,
     "vector additions between two such loads; beside those that hold the program's own"},
    {{"registers.mask"},
     "Mask registers for renaming",
     WINDOW,
     ENTRIES,
     "window.registers.mask",
     "avx512bw",
     structure_window,
     8,
     400,
     0.15,
     0,
     0,
     "additions of masks between two such loads; beside those that hold the program's own"},
    {{"scheduler.integer"},
     "Scheduler of integer operations",
     WINDOW,
     ENTRIES,
     "window.scheduler.integer",
     NULL,
     structure_window,
     6,
     400,
     0.15,
     0,
     0,
     "additions that wait for the first load"},
    {{"scheduler.load"},
     "Scheduler of loads",
     WINDOW,
     ENTRIES,
     "window.scheduler.load",
     NULL,
     structure_window,
     6,
     300,
     0.15,
     0,
     0,
     "loads that wait for the first load"},
    {{"branches"},
     "Branches in flight",
     WINDOW,
     ENTRIES,
     "window.branches",
     NULL,
     structure_window,
     8,
     400,
     0.15,
     0,
     0,
     "branches that are not taken, between two such loads"},
    {{"return_stack"},
     "Return stack",
     "Depth of calls",
     "Cycles per call and return",
     ENTRIES,
     "stack.enter",
     NULL,
     structure_return,
     2,
     96,
     0.12,
     0,
     0,
     "calls in one another that still return without delay"},
    {{"branch_targets.16.first", "branch_targets.16.second"},
     "Branch targets, a branch in 16 bytes",
     "Jumps",
     "Cycles per jump",
     ENTRIES,
     "jump",
     NULL,
     structure_target,
     16,
     65536,
     0.25,
     0,
     16,
     "jumps 16 bytes apart; a size that halves at twice the distance is the instruction cache's"},
    {{"branch_targets.32.first", "branch_targets.32.second"},
     "Branch targets, a branch in 32 bytes",
     "Jumps",
     "Cycles per jump",
     ENTRIES,
     "jump",
     NULL,
     structure_target,
     16,
     32768,
     0.25,
     0,
     32,
     "jumps 32 bytes apart; a size that halves at twice the distance is the instruction cache's"},
    {{"miss_buffers"},
     "Misses in flight",
     "Independent chains of loads that miss",
     "Cycles per load of each chain",
     ENTRIES,
     "parallel",
     NULL,
     structure_parallel,
     1,
     48,
     0.08,
     0,
     0,
     "chains of loads that miss and still do not delay each other"},
    {{"tlb.first", "tlb.second"},
     "Translations",
     "Pages of 4 KiB",
     "Cycles per load",
     "pages",
     "chase",
     NULL,
     structure_translation,
     16,
     8192,
     0.25,
     0,
     0,
     "pages that a chase goes through before its loads take longer"},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* ---- time ---- */

static uint64_t run_gate(void *context, const struct probe_code *code, uint64_t iterations)
{
    struct probe_words words = {0};
    (void)context;
    return probe_code_run(code, iterations, &words);
}

static uint64_t run_timed(void *context, const struct probe_code *code, uint64_t iterations)
{
    const struct probe_timing *timing = context;
    return probe_code_run(code, iterations, timing->words);
}

/* The clock's least step in ticks, from loops of different lengths: in a virtual machine it may be 26. */
static uint64_t clock_step(struct structure_bench *bench)
{
    enum { LOOPS = 64 };
    double ticks[LOOPS];
    double step = INFINITY;
    for (size_t i = 0; i < LOOPS; i++)
        ticks[i] = (double)run_gate(NULL, &bench->gate, i + 1);
    stats_sort(ticks, LOOPS);
    for (size_t i = 1; i < LOOPS; i++)
        if (ticks[i] > ticks[i - 1])
            step = fmin(step, ticks[i] - ticks[i - 1]);
    return isfinite(step) ? (uint64_t)step : 1;
}

/* Sets the length of samples: so many steps of the clock that its resolution does not matter. */
static void settle_samples(struct structure_bench *bench)
{
    enum { STEPS = 50, LEAST_ITERATIONS = 40 };
    bench->step = clock_step(bench);
    bench->least_ticks = STEPS * bench->step;
    bench->gate_iterations = LEAST_ITERATIONS;
    while (run_gate(NULL, &bench->gate, bench->gate_iterations) < bench->least_ticks)
        bench->gate_iterations *= 2;
}

static void summarise(double *cycles, size_t count, size_t enough, struct probe_point *point)
{
    point->disturbed = count < enough;
    point->cycles = stats_fastest(cycles, count);
    if (isnan(point->cycles.low)) {
        point->cycles.low = stats_quantile(cycles, count, 0);
        point->cycles.high = stats_median(cycles, count); /* the slower half shows only delays by others */
    }
}

void structure_time(struct structure_bench *bench, struct probe_timing *timing,
                    struct probe_point points[STRUCTURE_COMPANIES])
{
    struct probe_timed loop = {timing->code, timing->iterations, timing->things, run_timed, timing};
    while (run_timed(timing, loop.code, loop.iterations) < bench->least_ticks)
        loop.iterations *= 2;
    structure_sample(bench, &loop, points);
}

void structure_sample(struct structure_bench *bench, const struct probe_timed *loop,
                      struct probe_point points[STRUCTURE_COMPANIES])
{
    enum { ENOUGH = 9, MOST = 1024 };
    static const double QUIET = 1.06;
    double cycles[STRUCTURE_COMPANIES][MOST];
    size_t counts[STRUCTURE_COMPANIES] = {0};
    struct probe *probe = bench->probe;
    const struct probe_timed gate = {&bench->gate, bench->gate_iterations, NOPS, run_gate, NULL};
    double start = clock_now_s();
    do {
        struct probe_sample samples[SAMPLES];
        probe_take_samples(loop, &gate, samples, SAMPLES);
        for (size_t i = 0; i < SAMPLES; i++)
            bench->gate_least = fmin(bench->gate_least, fmin(samples[i].before, samples[i].after));
        for (size_t i = 0; i < SAMPLES; i++) {
            bool quiet = fmax(samples[i].before, samples[i].after) <= QUIET * bench->gate_least;
            size_t *count = &counts[quiet ? STRUCTURE_ALONE : STRUCTURE_SHARED];
            if (*count < MOST)
                cycles[quiet ? STRUCTURE_ALONE : STRUCTURE_SHARED][(*count)++] =
                    samples[i].loop / probe->clock;
        }
    } while (counts[STRUCTURE_ALONE] < ENOUGH && clock_now_s() < start + bench->point_s);
    for (size_t i = 0; i < STRUCTURE_COMPANIES; i++)
        summarise(cycles[i], counts[i], ENOUGH, &points[i]);
    probe->samples_taken += counts[0] + counts[1];
    probe->samples_dropped += points[STRUCTURE_ALONE].disturbed ? 0 : counts[STRUCTURE_SHARED];
}

/* ---- a curve ---- */

static int by_size(const void *a, const void *b)
{
    const struct probe_point *first = a, *second = b;
    return (first->size > second->size) - (first->size < second->size);
}

/* A pass's finding, with the core alone or shared. */
struct structure_view {
    struct probe_curve curve;
    struct probe_knee knees[STRUCTURE_KNEES];
    size_t found;
    bool valid; /* most of its points are undisturbed */
};

struct structure_pass {
    struct structure_view views[STRUCTURE_COMPANIES];
};

static enum status add_point(struct structure_bench *bench, const struct structure_row *row, size_t size,
                             struct structure_pass *pass, struct error *error)
{
    struct probe_point points[STRUCTURE_COMPANIES] = {{.size = (double)size}, {.size = (double)size}};
    const struct probe_curve *curve = &pass->views[0].curve;
    for (size_t i = 0; i < curve->count; i++)
        if (curve->points[i].size == (double)size)
            return STATUS_OK;
    if (curve->count == PROBE_POINTS_MOST)
        return STATUS_OK;
    enum status status = row->measure(bench, row, size, points, error);
    for (size_t i = 0; i < STRUCTURE_COMPANIES; i++)
        pass->views[i].curve.points[pass->views[i].curve.count++] = points[i];
    return status;
}

static void find_knees(const struct structure_row *row, struct structure_pass *pass)
{
    for (size_t i = 0; i < STRUCTURE_COMPANIES; i++) {
        struct structure_view *view = &pass->views[i];
        struct probe_curve *curve = &view->curve;
        size_t disturbed = 0;
        qsort(curve->points, curve->count, sizeof curve->points[0], by_size);
        for (size_t j = 0; j < curve->count; j++)
            disturbed += curve->points[j].disturbed;
        view->valid = 2 * disturbed < curve->count;
        view->found = !view->valid ? 0
                                   : probe_knees(curve->points, curve->count, row->rise, view->knees,
                                                 row->values[1] != NULL ? 2 : 1);
    }
}

/* The sizes around a knee; further: the factor by which the range extends beyond the knee's interval. */
static struct interval sizes_around(const struct structure_row *row, const struct probe_knee *knee,
                                    double further)
{
    return (struct interval){.low = fmax(ceil(knee->size.low / further), (double)row->least),
                             .high = knee->size.high * further};
}

/* Drops earlier points of these sizes: points from two different times would make false corners. */
static void drop_points(struct structure_pass *pass, struct interval sizes)
{
    for (size_t i = 0; i < STRUCTURE_COMPANIES; i++) {
        struct probe_curve *curve = &pass->views[i].curve;
        size_t kept = 0;
        for (size_t j = 0; j < curve->count; j++)
            if (curve->points[j].size < sizes.low || curve->points[j].size >= sizes.high)
                curve->points[kept++] = curve->points[j];
        curve->count = kept;
    }
}

/* Measures more points around the knees that were found. */
static enum status look_closer(struct structure_bench *bench, const struct structure_row *row,
                               struct structure_pass *pass, double further, struct error *error)
{
    struct interval around[STRUCTURE_COMPANIES * STRUCTURE_KNEES];
    size_t count = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < STRUCTURE_COMPANIES; i++)
        for (size_t k = 0; k < pass->views[i].found; k++)
            around[count++] = sizes_around(row, &pass->views[i].knees[k], further);
    for (size_t i = 0; i < count; i++)
        drop_points(pass, around[i]);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        double step = fmax(1, (around[i].high - around[i].low) / FINE);
        for (double size = around[i].low; status == STATUS_OK && size < around[i].high; size += step)
            status = add_point(bench, row, (size_t)size, pass, error);
    }
    return status;
}

/* Confirms a knee by measuring sizes just below and just above it in turn. If the rise is gone, the curve
 * changed while it was measured; the knee's size becomes NAN, which agrees with no other. */
static enum status confirm_knee(struct structure_bench *bench, const struct structure_row *row,
                                const struct structure_pass *pass, enum structure_company company,
                                struct probe_knee *knee, struct error *error)
{
    enum { EACH = 6, AGAIN = 2 * EACH };
    const struct probe_curve *curve = &pass->views[company].curve;
    const struct interval below = probe_below_knee(knee), above = probe_above_knee(knee);
    struct probe_point again[AGAIN];
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < AGAIN; i++) {
        const struct interval *side = i % 2 == 0 ? &below : &above;
        const double size = fmax((double)row->least,
                                 round(side->low + (side->high - side->low) * (double)(i / 2) / (EACH - 1)));
        struct probe_point points[STRUCTURE_COMPANIES] = {{.size = size}, {.size = size}};
        status = row->measure(bench, row, (size_t)size, points, error);
        again[i] = points[company];
    }
    if (status == STATUS_OK && !probe_knee_stays(knee, curve->points, curve->count, again, AGAIN))
        knee->size = (struct interval){NAN, NAN, NAN, 0};
    return status;
}

static enum status measure_pass(struct structure_bench *bench, const struct structure_row *row,
                                struct structure_pass *pass, struct error *error)
{
    enum status status = STATUS_OK;
    double ratio = pow((double)row->most / (double)row->least, 1.0 / COARSE);
    for (int i = 0; status == STATUS_OK && i <= COARSE; i++)
        status = add_point(bench, row, (size_t)lround((double)row->least * pow(ratio, i)), pass, error);
    find_knees(row, pass);
    for (int closer = 0; status == STATUS_OK && closer < CLOSER; closer++) {
        status = look_closer(bench, row, pass, closer == 0 ? ratio : 1, error);
        find_knees(row, pass);
    }
    for (enum structure_company company = 0; company < STRUCTURE_COMPANIES; company++)
        for (size_t k = 0; status == STATUS_OK && k < pass->views[company].found; k++)
            status = confirm_knee(bench, row, pass, company, &pass->views[company].knees[k], error);
    return status;
}

/* ---- structures ---- */

/* Two passes that found the same knee. */
struct structure_agreement {
    const struct probe_knee *a, *b;
};

static bool find_agreement(const struct structure_pass *passes, size_t count, enum structure_company company,
                           size_t knee, struct structure_agreement *agreement)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct structure_view *a = &passes[j].views[company], *b = &passes[i].views[company];
            if (knee >= a->found || knee >= b->found || !probe_knee_agrees(&a->knees[knee], &b->knees[knee]))
                continue;
            *agreement = (struct structure_agreement){&a->knees[knee], &b->knees[knee]};
            return true;
        }
    return false;
}

static struct interval size_of(const struct structure_row *row, const struct structure_agreement *agreement)
{
    const struct interval *a = &agreement->a->size, *b = &agreement->b->size;
    double extra = (double)row->extra;
    return (struct interval){floor((a->value + b->value) / 2) + extra, floor(fmin(a->low, b->low)) + extra,
                             ceil(fmax(a->high, b->high)) + extra, a->n};
}

/* Adds the reason why no two passes agree on the knee. */
static void add_undetermined(struct probe *probe, const struct structure_row *row, size_t knee,
                             const struct structure_pass *passes, size_t count)
{
    size_t knees = 0, seen = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < STRUCTURE_COMPANIES; j++) {
            knees += passes[i].views[j].found > knee;
            seen += passes[i].views[j].valid;
        }
    if (knees == 0 && seen > 0)
        probe_add_missing(probe, row->values[knee], row->unit, "no knee seen from %zu to %zu", row->least,
                          row->most);
    else if (knees == 0)
        probe_add_missing(probe, row->values[knee], row->unit,
                          "undetermined: most of its samples were disturbed");
    else
        probe_add_missing(probe, row->values[knee], row->unit,
                          "undetermined: no two of %zu passes show the same knee", count);
}

/* Sets *size to the range of both knees; false: the range is too wide for a corner. */
static bool has_corner(const struct structure_agreement *agreement, struct interval *size)
{
    const struct interval *a = &agreement->a->size, *b = &agreement->b->size;
    *size = (struct interval){.low = fmin(a->low, b->low), .high = fmax(a->high, b->high)};
    return probe_is_corner(size);
}

/* Adds the value that two passes agree on, or the reason for none. */
static void add_value(struct probe *probe, const struct structure_row *row, size_t knee,
                      const struct structure_pass *passes, size_t count)
{
    struct structure_agreement alone, shared;
    struct interval rise = {.n = 0};
    bool has_alone = find_agreement(passes, count, STRUCTURE_ALONE, knee, &alone);
    bool has_shared = find_agreement(passes, count, STRUCTURE_SHARED, knee, &shared);
    const bool any = has_alone || has_shared;
    has_shared = has_shared && has_corner(&shared, &rise);
    has_alone = has_alone && has_corner(&alone, &rise);
    if (has_alone && has_shared)
        probe_add(probe, row->values[knee], row->unit, size_of(row, &alone),
                  "%s; %.0f while another thread of the core runs", row->remark, size_of(row, &shared).value);
    else if (has_alone)
        probe_add(probe, row->values[knee], row->unit, size_of(row, &alone), "%s", row->remark);
    else if (has_shared) {
        probe_add(probe, row->values[knee], row->unit, size_of(row, &shared), "%s", row->remark);
        probe->values[probe->value_count - 1].doubt =
            "another thread of the core ran all the time: it is the share that this thread left";
    } else if (any) {
        probe_add_missing(probe, row->values[knee], row->unit,
                          "undetermined: the curve rises from %.0f to %.0f without a corner", rise.low,
                          rise.high);
    } else {
        add_undetermined(probe, row, knee, passes, count);
    }
}

/* Whether two of the passes agree, with the core alone, on all knees or on none. */
static bool is_settled(const struct structure_pass *passes, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct structure_view *a = &passes[j].views[STRUCTURE_ALONE],
                                        *b = &passes[i].views[STRUCTURE_ALONE];
            bool same = a->valid && b->valid && a->found == b->found;
            for (size_t k = 0; same && k < a->found; k++)
                same = probe_knee_agrees(&a->knees[k], &b->knees[k]);
            if (same)
                return true;
        }
    return false;
}

/* Marks values that another structure may limit: the reorder buffer limits what is in flight, the instruction
 * cache the jumps. */
static void doubt_bounded(struct probe *probe, const struct structure_row *row, size_t first)
{
    static const double NEARLY = 0.93, NEAR = 0.15;
    const double l1i = (double)probe->request->machine->l1i.size;
    double whole = NAN;
    for (size_t i = 0; i < first; i++)
        if (probe->values[i].found && strcmp(probe->values[i].name, "reorder_buffer") == 0)
            whole = probe->values[i].interval.value;
    for (size_t i = first; i < probe->value_count; i++) {
        struct probe_value *value = &probe->values[i];
        if (value->found && row->measure == structure_window && value->interval.value >= NEARLY * whole)
            value->doubt = "at least: the reorder buffer, which is hardly larger, may limit it";
        if (value->found && row->measure == structure_target &&
            fabs(value->interval.value * row->parameter - l1i) < NEAR * l1i)
            value->doubt = "as many as the instruction cache holds: it may be that cache's size";
    }
}

/* Adds a row's values and curves from its passes. */
static void add_row(struct probe *probe, const struct structure_row *row, const struct structure_pass *passes,
                    size_t count)
{
    const size_t first = probe->value_count;
    for (size_t knee = 0; knee < STRUCTURE_KNEES && row->values[knee] != NULL; knee++)
        add_value(probe, row, knee, passes, count);
    doubt_bounded(probe, row, first);
    struct probe_structure *structure = &probe->structures[probe->structure_count++];
    *structure = (struct probe_structure){.values = {row->values[0], row->values[1]},
                                          .title = row->title,
                                          .x_label = row->x_label,
                                          .y_label = row->y_label};
    for (size_t i = 0; i < STRUCTURE_COMPANIES; i++)
        structure->curves[i] = passes[count - 1].views[i].curve;
}

static enum status open_bench(struct structure_bench *bench, struct error *error)
{
    static const struct probe_loop nops = {.body = "nop", .repeat = NOPS};
    struct probe *probe = bench->probe;
    unsigned char *bytes = probe->memory.bytes;
    size_t places = CHAIN_BYTES / CHAIN_STRIDE;
    bench->gate_least = INFINITY;
    bench->point_s = probe->request->time_s / (ROWS * PASSES * 4 * (COARSE + FINE));
    bench->first = (uintptr_t)probe_chain_random(bytes, places, CHAIN_STRIDE, 0);
    bench->second = (uintptr_t)probe_chain_random(bytes + CHAIN_BYTES, places, CHAIN_STRIDE, 0);
    bench->chain_places = places;
    bench->self = probe_chain_list(bytes + 2 * CHAIN_BYTES, &(size_t){0}, 1);
    bench->blocks = bytes + 2 * CHAIN_BYTES + (size_t)2 * PROBE_HUGE_PAGE;
    bench->dense = bytes + 2 * CHAIN_BYTES + PROBE_HUGE_PAGE;
    enum status status = probe_code_make(&probe->texts, &nops, &bench->gate, error);
    if (status == STATUS_OK)
        settle_samples(bench);
    return status == STATUS_OK
               ? probe_memory_map((size_t)PAGES * PROBE_SMALL_PAGE, false, &bench->small, error)
               : status;
}

static void add_lacking(struct probe *probe, const struct structure_row *row)
{
    for (size_t knee = 0; knee < STRUCTURE_KNEES && row->values[knee] != NULL; knee++)
        probe_add_missing(probe, row->values[knee], row->unit, "templates/%s/%s has no code for it",
                          probe->texts.isa->name, probe->texts.isa->probe);
}

static bool is_wanted(const struct probe *probe, const struct structure_row *row)
{
    return row->feature == NULL || machine_has(probe->request->machine, row->feature);
}

/* The passes of all rows. */
struct structure_runs {
    struct structure_pass passes[ROWS][PASSES];
    size_t counts[ROWS];
};

static enum status measure_rows(struct structure_bench *bench, struct structure_runs *runs,
                                struct error *error)
{
    struct probe *probe = bench->probe;
    const struct probe_request *request = probe->request;
    enum status status = STATUS_OK;
    for (size_t pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; status == STATUS_OK && i < ROWS; i++) {
            const struct structure_row *row = &rows[i];
            if (!is_wanted(probe, row) || template_section(&probe->texts, row->section) == NULL ||
                is_settled(runs->passes[i], runs->counts[i]))
                continue;
            if (request->step != NULL)
                request->step(pass * ROWS + i, PASSES * ROWS + 1, row->title, request->context);
            status = measure_pass(bench, row, &runs->passes[i][runs->counts[i]++], error);
        }
    return status;
}

enum status probe_structures(struct probe *probe, struct error *error)
{
    struct structure_bench bench = {.probe = probe};
    struct structure_runs *runs = memory_zeroed(1, sizeof *runs);
    enum status status = open_bench(&bench, error);
    probe->structures = memory_zeroed(ROWS, sizeof *probe->structures);
    if (status == STATUS_OK)
        status = measure_rows(&bench, runs, error);
    for (size_t i = 0; status == STATUS_OK && i < ROWS; i++)
        if (runs->counts[i] > 0)
            add_row(probe, &rows[i], runs->passes[i], runs->counts[i]);
        else if (is_wanted(probe, &rows[i]))
            add_lacking(probe, &rows[i]);
    free(runs);
    if (status == STATUS_OK) {
        if (probe->request->step != NULL)
            probe->request->step(PASSES * ROWS, PASSES * ROWS + 1, "replacement", probe->request->context);
        bench.point_s = probe->request->time_s / POLICY_TIMINGS;
        status = structure_replacement(&bench, error);
    }
    probe_code_free(&bench.gate);
    jump_links_free(&bench.links);
    probe_memory_free(&bench.small);
    return status;
}
