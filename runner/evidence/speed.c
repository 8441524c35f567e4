#include "runner/evidence/speed.h"

#include "base/memory.h"
#include "generator/kernel/kernel.h"
#include "generator/metric/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SOURCE[] = "timing";
static const char PASS_NS[] = "pass.ns";
static const char PASS_CYCLES[] = "pass.cycles";
static const char DISTANCE[] = "branch.distance";

/* ---- the traffic of a pass, and the level that it waits for ---- */

enum { LEVEL_NONE = -1 };

struct level_traffic {
    bool known;    /* false: the recipe's own text, or caches of another machine, may serve it */
    int level;     /* the level that serves all accesses; LEVEL_NONE: several do, or there are none */
    double bytes;  /* of a pass, to and from that level */
    double loads;  /* of a pass */
    int waits_for; /* the level, if the unit is loads of one chase; else LEVEL_NONE */
};

/* Bytes of all walks together. */
static double walked(const struct manifest *manifest)
{
    double bytes = 0;
    for (size_t i = 0; i < manifest->unit_count; i++)
        bytes += manifest->unit[i].working_set;
    return bytes;
}

/* The nearest level that holds as many bytes. Its size is the part that one core can use, where that is
 * known. */
static int level_of(const struct machine *machine, double bytes)
{
    for (int level = LEVEL_L1; level < LEVEL_MEM; level++) {
        const struct cache *cache = machine_cache(machine, level);
        double size = cache == NULL ? 0 : (double)(cache->effective > 0 ? cache->effective : cache->size);
        if (bytes <= size)
            return level;
    }
    return LEVEL_MEM;
}

/* Size of the lines that move between the level and the one in front of it. */
static double line_of(const struct machine *machine, int level)
{
    double bytes = machine->l1d.line;
    for (int front = LEVEL_L1; front < level; front++) {
        const struct cache *cache = machine_cache(machine, front);
        if (cache != NULL && cache->size > 0)
            bytes = cache->line;
    }
    return bytes;
}

/* Bytes from one access of a walk to the next, at most a line. */
static double step_of(const struct manifest_item *item, double line)
{
    return item->stride > 0 ? fmin(item->stride, line) : line;
}

static double bytes_of(const struct manifest_item *item, const struct machine *machine, int level)
{
    double width = manifest_width(item), line = line_of(machine, level);
    if (level == LEVEL_L1)
        return width;
    /* A line is fetched once for all accesses of a walk in it. */
    return fmax(width, item->working_set > 0 ? step_of(item, line) : line);
}

static bool is_load(const struct manifest_item *item)
{
    return strcmp(item->op, "load") == 0;
}

static bool is_access(const struct manifest_item *item)
{
    return is_load(item) || strcmp(item->op, "store") == 0;
}

/* The level that serves all of the item's accesses, as the recipe states it; LEVEL_NONE: several do. */
static int level_of_item(const struct manifest *manifest, const struct machine *machine,
                         const struct manifest_item *item)
{
    if (item->working_set > 0)
        return level_of(machine, walked(manifest));
    int level = LEVEL_L1;
    while (item->is_served && level < LEVEL_COUNT && item->served[level] != 1)
        level++;
    return item->is_served && level < LEVEL_COUNT ? level : LEVEL_NONE;
}

/* True if the plan expects that the level serves all lines that loads of walks use. It does not where a
 * nearer level keeps some lines of a random walk, or where sets are too few. */
static bool serves_walks(const struct manifest *manifest, const struct machine *machine, int level)
{
    static const double ROUNDING = 1e-6;
    char metric[METRIC_BYTES];
    double lines = 0, loads = 0, line = line_of(machine, level);
    for (size_t i = 0; i < manifest->unit_count; i++) {
        const struct manifest_item *item = &manifest->unit[i];
        bool hits = item->working_set > 0 && level > LEVEL_L1;
        loads += is_load(item) ? item->count : 0;
        lines += is_load(item) ? item->count * (hits ? step_of(item, line) / line : 1) : 0;
    }
    snprintf(metric, sizeof metric, "served.%s", level_name(level));
    return walked(manifest) == 0 || loads == 0 ||
           rates_get(&manifest->expected, metric, 1) >= lines / loads - ROUNDING;
}

/* The level that serves all accesses of the unit. */
static int find_level(const struct manifest *manifest, const struct machine *machine)
{
    int level = LEVEL_NONE;
    for (size_t i = 0; i < manifest->unit_count; i++) {
        if (!is_access(&manifest->unit[i]))
            continue;
        int own = level_of_item(manifest, machine, &manifest->unit[i]);
        if (own == LEVEL_NONE || (level != LEVEL_NONE && own != level))
            return LEVEL_NONE;
        level = own;
    }
    return level != LEVEL_NONE && serves_walks(manifest, machine, level) ? level : LEVEL_NONE;
}

/* True if the unit is loads of one chase and nothing else. */
static bool is_only_chase(const struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->unit_count; i++)
        if (!is_load(&manifest->unit[i]) ||
            strcmp(manifest_text_or(manifest->unit[i].address, ""), "chase") != 0)
            return false;
    return true;
}

/* True if the unit is loads of one chase and, beyond L1, each of them needs another line. */
static bool is_chase(const struct manifest *manifest, const struct machine *machine, int level)
{
    double line = line_of(machine, level);
    for (size_t i = 0; i < manifest->unit_count; i++)
        if (manifest->unit[i].working_set > 0 && level > LEVEL_L1 && step_of(&manifest->unit[i], line) < line)
            return false;
    return manifest->unit_count > 0 && is_only_chase(manifest);
}

static struct level_traffic find_traffic(const struct manifest *manifest, const struct machine *machine)
{
    struct level_traffic traffic = {.level = LEVEL_NONE, .loads = manifest->loads, .waits_for = LEVEL_NONE};
    /* Lines come from other cores, or the program runs on other caches than the described ones. */
    if (manifest->shared.given || !machine->present)
        return traffic;
    for (size_t i = 0; i < manifest->unit_count; i++)
        if (manifest->unit[i].has_text)
            return traffic;
    traffic.known = true;
    traffic.level = find_level(manifest, machine);
    for (size_t i = 0; traffic.level != LEVEL_NONE && i < manifest->unit_count; i++) {
        const struct manifest_item *item = &manifest->unit[i];
        traffic.bytes +=
            is_access(item) ? item->count * manifest->units * bytes_of(item, machine, traffic.level) : 0;
    }
    if (traffic.level != LEVEL_NONE && is_chase(manifest, machine, traffic.level))
        traffic.waits_for = traffic.level;
    return traffic;
}

/* ---- whether the level served the loads ---- */

/* With a smaller share, the time lies between those of two levels. The source "timing" has a tolerance of
 * 0.03 and cannot resolve the last two hundredths. */
static const double SERVED = 0.95;

/* True if others use the cache too, and no source observed that it served the loads as promised. For walks,
 * and for copies that share the cache by intention, nothing is promised or observed. */
static bool is_in_doubt(const struct test_program *test_program, const struct observations *list, int level)
{
    const struct machine *machine = test_program->machine;
    const struct cache *cache = level < LEVEL_L1 || level >= LEVEL_MEM ? NULL : machine_cache(machine, level);
    bool last = level == (machine->l3.size > 0 ? LEVEL_L3 : LEVEL_L2);
    if (cache == NULL || !last || walked(test_program->manifest) > 0 ||
        !(machine->is_virtual || cache->shared_by > 1) || test_program_copies(test_program) > 1)
        return false;
    char metric[METRIC_BYTES];
    snprintf(metric, sizeof metric, "served.%s", level_name(level));
    for (size_t i = 0; i < list->count; i++) {
        const struct observation *seen = &list->items[i];
        bool silicon = seen->kind == EVIDENCE_MEASURED || seen->kind == EVIDENCE_INFERRED;
        if (silicon && seen->copy == 0 && strcmp(seen->metric, metric) == 0)
            return seen->value < SERVED;
    }
    return true;
}

/* ---- deriving ---- */

static struct interval scaled(const struct observation *seen, double factor)
{
    return (struct interval){seen->value * factor, seen->low * factor, seen->high * factor, (size_t)seen->n};
}

static struct interval under(double over, const struct observation *seen)
{
    return (struct interval){over / seen->value, over / seen->high, over / seen->low, (size_t)seen->n};
}

static void put(struct observation *seen, struct interval interval)
{
    seen->value = interval.value;
    seen->low = interval.low;
    seen->high = interval.high;
}

static void add(struct observations *list, const struct observation *like, const char *metric,
                struct interval interval)
{
    observations_add_copy(list, like->copy, metric, like->source, like->kind, interval);
    observations_doubt(list, like->doubt);
}

static void derive_cycles(const struct manifest *manifest, const struct level_traffic *traffic,
                          const struct observation *ipc, struct observations *list)
{
    char metric[METRIC_BYTES];
    struct interval cycles = under(manifest->instructions, ipc);
    add(list, ipc, PASS_CYCLES, cycles);
    if (traffic->waits_for < 0 || !(traffic->loads > 0))
        return;
    snprintf(metric, sizeof metric, "latency.%s", level_name(traffic->waits_for));
    add(list, ipc, metric, under(manifest->instructions / traffic->loads, ipc));
}

static void derive_times(const struct level_traffic *traffic, const struct observation *pass, double copies,
                         struct observations *list)
{
    static const double NS = 1e-9;
    char metric[METRIC_BYTES];
    if (traffic->bytes > 0) {
        snprintf(metric, sizeof metric, "bandwidth.%s", level_name(traffic->level));
        add(list, pass, metric, under(copies * traffic->bytes / NS, pass));
    }
    if (traffic->waits_for < 0 || !(traffic->loads > 0))
        return;
    snprintf(metric, sizeof metric, "latency.%s_ns", level_name(traffic->waits_for));
    add(list, pass, metric, scaled(pass, 1 / traffic->loads));
}

/* The number of such operations in the unit. */
static double count_of(const struct manifest *manifest, const char *op)
{
    double count = 0;
    for (size_t i = 0; i < manifest->unit_count; i++)
        count += strcmp(manifest->unit[i].op, op) == 0 ? manifest->unit[i].count : 0;
    return count;
}

/* True if all branches of the loop, with the one that closes it, are those of branch{}. */
static bool has_only_stated_branches(const struct manifest *manifest)
{
    bool others = manifest->has_code;
    for (size_t i = 0; i < manifest->unit_count; i++)
        others = others || manifest->unit[i].has_text;
    return manifest->branches.given && manifest->branches.total > 0 && !others;
}

static void derive_units(const struct manifest *manifest, const struct observation *pass,
                         struct observations *list)
{
    static const struct {
        const char *op, *metric;
    } kinds[] = {
        {"load", "load.ns"}, {"store", "store.ns"}, {"atomic", "atomic.ns"}, {"branch", "branch.ns"}};
    if (strcmp(pass->metric, PASS_CYCLES) == 0) {
        add(list, pass, "unit.cycles", scaled(pass, 1 / manifest->units));
        if (has_only_stated_branches(manifest) && observations_find(list, DISTANCE, pass->source) == NULL)
            add(list, pass, DISTANCE, scaled(pass, 1 / manifest->branches.total));
        return;
    }
    add(list, pass, "unit.ns", scaled(pass, 1 / manifest->units));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        double count = count_of(manifest, kinds[i].op);
        if (count > 0)
            add(list, pass, kinds[i].metric, scaled(pass, 1 / (count * manifest->units)));
    }
}

/* The name of the metric for a pass that consists of accesses of one kind to shared regions; NULL: there is
 * none. *accesses: how many of them follow one another. Loads in a prepared state are counted by lines, with
 * the stores of a copy. */
static const char *find_coherence(const struct manifest *manifest, double copies, double *accesses)
{
    const struct manifest_shared *shared = &manifest->shared;
    bool prepared = shared->prepared_loads > 0 && shared->prepared_loads == shared->load;
    const char *state = prepared ? manifest_text_or(shared->coherence, "") : "";
    double all = 0;
    for (size_t i = 0; i < manifest->unit_count; i++)
        all += manifest->unit[i].count * manifest->units;
    const struct {
        const char *name;
        double count, each;
    } kinds[] = {{"pingpong", shared->turns, shared->turns * copies},
                 {state, shared->load, shared->pass_lines},
                 {prepared && shared->copied > 0 && shared->copied == shared->store ? "copy" : "",
                  shared->load + shared->store, shared->pass_lines},
                 {"atomic", shared->atomic, shared->atomic},
                 {"store", shared->store, shared->store}};
    for (size_t i = 0; shared->given && i < sizeof kinds / sizeof kinds[0]; i++) {
        *accesses = kinds[i].each;
        if (kinds[i].count > 0 && kinds[i].count == all && kinds[i].name[0] != '\0')
            return kinds[i].name;
    }
    return NULL;
}

/* Copies with coherence take turns, so that each has the whole bandwidth to itself. */
static void derive_coherence(const struct manifest *manifest, const struct observation *pass, double copies,
                             struct observations *list)
{
    static const double NS = 1e-9;
    const struct manifest_shared *shared = &manifest->shared;
    char metric[METRIC_BYTES];
    double accesses = 0;
    const char *name = find_coherence(manifest, copies, &accesses);
    if (name == NULL || !(accesses > 0))
        return;
    snprintf(metric, sizeof metric, "coherence.%.20s_ns", name);
    add(list, pass, metric, scaled(pass, 1 / accesses));
    if (shared->coherence != NULL && shared->line > 0)
        add(list, pass, "coherence.bandwidth", under(accesses * shared->line / NS, pass));
}

/* Sets the time of a pass so that the bandwidth of all copies together is the sum of theirs. False if a copy
 * has no time. */
static bool pass_of_copies(const struct observations *list, double copies, struct observation *pass)
{
    double per_ns = 0, low = 0, high = 0, count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct observation *seen = &list->items[i];
        if (seen->copy == 0 || strcmp(seen->metric, PASS_NS) != 0)
            continue;
        per_ns += 1 / seen->value;
        low += 1 / seen->high;
        high += 1 / seen->low;
        count++;
    }
    if (count != copies || !(per_ns > 0))
        return false;
    put(pass, (struct interval){copies / per_ns, copies / high, copies / low, (size_t)pass->n});
    return true;
}

/* True for a value that can be divided by; it may have no interval. */
static bool is_positive(const struct observation *seen)
{
    return seen->value > 0 && !(seen->low <= 0);
}

/* Removes counters' bandwidths of other levels: a bandwidth is that of a level that serves all accesses. */
static void remove_parts(const struct level_traffic *traffic, struct observations *list)
{
    static const char BANDWIDTH[] = "bandwidth.";
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct observation *seen = &list->items[i];
        const char *level = traffic->level == LEVEL_NONE ? "" : level_name(traffic->level);
        bool part = strncmp(seen->metric, BANDWIDTH, strlen(BANDWIDTH)) == 0 &&
                    strcmp(seen->metric + strlen(BANDWIDTH), level) != 0 && strcmp(seen->source, "perf") == 0;
        if (!traffic->known || !part)
            list->items[kept++] = *seen;
    }
    list->count = kept;
}

static void derive_speeds(const struct test_program *test_program, struct observations *list)
{
    const struct manifest *manifest = test_program->manifest;
    struct level_traffic traffic = find_traffic(manifest, test_program->machine);
    if (is_in_doubt(test_program, list, traffic.waits_for))
        traffic.waits_for = LEVEL_NONE;
    remove_parts(&traffic, list);
    double copies = (double)test_program_copies(test_program);
    size_t count = list->count; /* derived observations derive nothing */
    for (size_t i = 0; i < count; i++) {
        struct observation seen = list->items[i]; /* the list moves when it grows */
        if (!is_positive(&seen))
            continue;
        if (strcmp(seen.metric, "ipc") == 0 && seen.kind != EVIDENCE_PREDICTED)
            derive_cycles(manifest, &traffic, &seen, list);
        if (strcmp(seen.metric, PASS_NS) != 0)
            continue;
        derive_coherence(manifest, &seen, copies, list);
        if (seen.copy == 0)
            (void)pass_of_copies(list, copies, &seen);
        derive_times(&traffic, &seen, seen.copy == 0 ? copies : 1, list);
    }
}

void speed_derive(const struct test_program *test_program, struct observations *list)
{
    const struct manifest *manifest = test_program->manifest;
    if (!test_program_is_on_device(test_program) && manifest->instructions > 0)
        derive_speeds(test_program, list);
    size_t count = manifest->units > 0 ? list->count : 0;
    for (size_t i = 0; i < count; i++) {
        struct observation seen = list->items[i];
        if (is_positive(&seen) &&
            (strcmp(seen.metric, PASS_NS) == 0 || strcmp(seen.metric, PASS_CYCLES) == 0))
            derive_units(manifest, &seen, list);
    }
}

/* ---- alone ---- */

static bool has_company(const struct manifest *manifest)
{
    return manifest->together.count > 1;
}

void speed_name_solo(const struct manifest *manifest, struct observations *list)
{
    static const char *const of_time[] = {"bandwidth.", "dpc", DISTANCE};
    size_t kept = 0;
    for (size_t i = 0; has_company(manifest) && i < list->count; i++) {
        struct observation *seen = &list->items[i];
        bool predicted = seen->kind == EVIDENCE_PREDICTED, ns = strcmp(seen->metric, PASS_NS) == 0;
        bool dropped = ns && !(manifest->units > 0);
        for (size_t j = 0; j < sizeof of_time / sizeof of_time[0]; j++)
            dropped = dropped || strncmp(seen->metric, of_time[j], strlen(of_time[j])) == 0;
        if (ns) {
            put(seen, scaled(seen, 1 / manifest->units));
            snprintf(seen->metric, sizeof seen->metric, "solo.unit.ns");
        } else if (strcmp(seen->metric, "ipc") == 0 && !predicted) {
            snprintf(seen->metric, sizeof seen->metric, "solo.ipc");
        }
        if (predicted || !dropped)
            list->items[kept++] = *seen;
    }
    list->count = has_company(manifest) ? kept : list->count;
}

/* ---- metrics that a kernel does not have ---- */

/* The level that serves all of a device's accesses, as the plan assigns them; "": several do. *chase: whether
 * all of them are loads of chases. */
static const char *level_on_device(const struct manifest *manifest, bool *chase)
{
    const char *level = manifest->stream_count > 0 ? manifest->streams[0].level : "";
    *chase = true;
    for (size_t i = 0; i < manifest->stream_count; i++) {
        const struct manifest_stream *stream = &manifest->streams[i];
        level = strcmp(stream->level, level) == 0 ? level : "";
        *chase = *chase && stream->chase && strcmp(stream->op, "load") == 0;
    }
    return level;
}

bool speed_why_not(const struct test_program *test_program, const char *metric, char *why, size_t capacity)
{
    static const char BANDWIDTH[] = "bandwidth.*";
    const struct metric *row = metric_find(metric);
    struct level_traffic traffic = find_traffic(test_program->manifest, test_program->machine);
    bool on_device = test_program_is_on_device(test_program), chase = traffic.waits_for != LEVEL_NONE;
    const char *level = traffic.level == LEVEL_NONE ? "" : level_name(traffic.level);
    size_t length = 0;
    if (has_company(test_program->manifest) && row != NULL && row->trend != TREND_NONE &&
        (metric_row_has(row, "timing") || metric_row_has(row, "perf")) &&
        strncmp(row->name, "solo.", 5) != 0) {
        snprintf(
            why, capacity,
            "sources run it without the other cores' kernels: solo.unit.ns, solo.ipc; `trauma run` times all "
            "together: unit.ns");
        return true;
    }
    if (strcmp(metric, DISTANCE) == 0 && test_program->machine->issue_width == 0) {
        snprintf(why, capacity,
                 "cycles between branches follow from the machine's issue_width, which is unknown");
        return true;
    }
    if (row == NULL || row->star != STAR_LEVEL || !(on_device || traffic.known) ||
        (strcmp(row->name, BANDWIDTH) != 0 && strncmp(row->name, "latency.*", 9) != 0))
        return false;
    if (on_device)
        level = level_on_device(test_program->manifest, &chase);
    const char *requested = metric_part(row, metric, &length);
    if (strlen(level) != length || strncmp(level, requested, length) != 0)
        snprintf(why, capacity,
                 "%.*s does not serve all accesses of the kernel: load.ns is the time per load", (int)length,
                 requested);
    else if (strcmp(row->name, BANDWIDTH) != 0 && !chase)
        snprintf(why, capacity, "the kernel is more than one chase: load.ns is the time per load");
    else
        return false;
    return true;
}

/* ---- from repetitions ---- */

/* Nanoseconds of a pass of that copy in the repetition, or with copy -1 the mean over all copies; NAN: the
 * repetition does not count. */
static double rep_ns(const struct result_point *point, const struct result_rep *rep, long copy,
                     double ticks_per_s)
{
    double ticks = rep->ticks, passes = rep->iterations;
    if (!result_rep_counts(rep, point->overlap) || (copy >= 0 && (size_t)copy >= rep->threads.count))
        return NAN;
    if (copy >= 0) {
        ticks = (double)rep->threads.items[copy].ticks;
        passes = (double)rep->threads.items[copy].iterations;
    }
    return ticks > 0 && passes > 0 ? ticks / passes / ticks_per_s * 1e9 : NAN;
}

/* Why repetitions, some of them quiet, have no interval. */
static const char *why_doubted(size_t quiet, size_t count)
{
    return count < 2   ? "timed in one repetition alone"
           : quiet < 2 ? "other programs used the processors in almost every repetition"
                       : "the repetitions do not agree";
}

/* From the repetitions without other programs on the processors, if there are two, else from all. *why: the
 * doubt; "": none. */
static struct interval pass_ns(const struct result_point *point, long copy, double ticks_per_s,
                               const char **why)
{
    double *ns = memory_zeroed(2 * point->rep_count + 1, sizeof *ns), *all = ns + point->rep_count;
    size_t count = 0, all_count = 0;
    for (size_t i = 0; i < point->rep_count; i++) {
        double own = rep_ns(point, &point->reps[i], copy, ticks_per_s);
        if (isnan(own))
            continue;
        all[all_count++] = own;
        if (!(point->reps[i].waited > RESULT_MOST_WAITED))
            ns[count++] = own;
    }
    struct interval interval = count >= 2 ? stats_fastest(ns, count) : stats_fastest(all, all_count);
    if (count < 2)
        interval.low = interval.high = NAN;
    interval.n = all_count;
    free(ns);
    *why = isnan(interval.low) ? why_doubted(count, all_count) : "";
    return interval;
}

/* Replaces the value that the source inferred from other runs than those of the copies. */
static void set(struct observations *list, struct interval interval, const char *why)
{
    for (size_t i = 0; i < list->count; i++) {
        struct observation *seen = &list->items[i];
        if (seen->copy != 0 || strcmp(seen->metric, PASS_NS) != 0)
            continue;
        put(seen, interval);
        seen->n = (double)interval.n;
        snprintf(seen->doubt, sizeof seen->doubt, "%s", why);
        return;
    }
    observations_add_copy(list, 0, PASS_NS, SOURCE, EVIDENCE_INFERRED, interval);
    observations_doubt(list, why);
}

/* Loads of a pass of a processor's program, or of one thread of a device's program that only chases; else
 * 0. */
static double loads_beside(const struct test_program *test_program)
{
    const struct manifest *manifest = test_program->manifest;
    const struct manifest_stream *chase = manifest->streams;
    if (!test_program_is_on_device(test_program))
        return manifest->loads;
    return manifest->stream_count == 1 && chase->chase ? chase->per_pass + chase->links : 0;
}

/* Bytes per second that the kernels beside it moved in the repetition. */
static double bandwidth_beside(const struct result_rep *rep, double ticks_per_s)
{
    double bytes = 0;
    bool whole = rep->threads.count == 1 && rep->threads.items[0].ticks > 0; /* all blocks' time */
    for (size_t i = 0; i < rep->company.count; i++)
        bytes += rep->company.items[i].bytes;
    return bytes / (whole ? (double)rep->threads.items[0].ticks : rep->ticks) * ticks_per_s;
}

/* Adds the value of the quiet repetitions if there are two, else of all. Disturbances act in both directions:
 * what delays a stream makes the chase faster. */
static void add_beside(struct observations *list, const char *metric, const char *source,
                       const double *values, size_t quiet, size_t count)
{
    struct interval interval = stats_agreeing(values, quiet >= 2 ? quiet : count);
    if (quiet < 2)
        interval.low = interval.high = NAN;
    interval.n = count;
    observations_add_copy(list, 0, metric, source, EVIDENCE_MEASURED, interval);
    if (isnan(interval.low))
        observations_doubt(list, why_doubted(quiet, count));
}

/* Fills in the values of the repetitions that count, quiet ones first. Returns their number. */
static size_t find_beside(const struct result_point *point, double loads, bool alone, double *bandwidths,
                          double *latencies, size_t *quiet)
{
    size_t count = 0;
    *quiet = 0;
    for (int others = 0; others < 2; others++) {
        for (size_t i = 0; i < point->rep_count; i++) {
            const struct result_rep *rep = &point->reps[i];
            bool waited = rep->waited > RESULT_MOST_WAITED;
            double ticks_per_s = rep->record != NULL ? rep->record->clock_hz : point->ticks_per_s;
            if (waited != (others == 1) || !(rep->ticks > 0) || !(ticks_per_s > 0) ||
                (!alone && result_rep_overlap(rep) < RESULT_BESIDE))
                continue;
            bandwidths[count] = bandwidth_beside(rep, ticks_per_s);
            latencies[count++] = rep->ticks / rep->iterations / loads / ticks_per_s * 1e9;
            *quiet += !waited;
        }
    }
    return count;
}

void speed_beside(const struct test_program *test_program, const struct result_point *point,
                  struct observations *list)
{
    const struct manifest *manifest = test_program->manifest;
    const char *source = point->on_device ? "record" : SOURCE;
    bool alone = !has_company(manifest);
    double loads = loads_beside(test_program);
    if (manifest->together.count == 0)
        return;
    double *bandwidths = memory_zeroed(2 * point->rep_count + 1, sizeof *bandwidths);
    double *latencies = bandwidths + point->rep_count;
    size_t quiet, count = find_beside(point, loads, alone, bandwidths, latencies, &quiet);
    if (count > 0 && !alone && bandwidths[0] > 0)
        add_beside(list, "loaded.bandwidth", source, bandwidths, quiet, count);
    else if (count > 0 && alone)
        observations_add_copy(list, 0, "loaded.bandwidth", source, EVIDENCE_MEASURED,
                              (struct interval){0, 0, 0, count});
    if (count > 0 && loads > 0 && is_only_chase(manifest))
        add_beside(list, "loaded.latency_ns", source, latencies, quiet, count);
    free(bandwidths);
}

/* Removes the program's times of a pass. */
static void remove_passes(struct observations *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].metric, PASS_NS) != 0)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

/* Marks the times of a pass as those of some of the repetitions. */
static void doubt_some(struct observations *list, size_t count, size_t all)
{
    char why[OBSERVATION_DOUBT_BYTES];
    snprintf(why, sizeof why,
             "of %zu of %zu repetitions: in the others not all cores worked at the same time", count, all);
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].metric, PASS_NS) == 0)
            snprintf(list->items[i].doubt, sizeof list->items[i].doubt, "%s", why);
}

void speed_take(const struct result_point *point, struct observations *list)
{
    const char *why;
    bool beside = point->rep_count > 0 && point->reps[0].company.count > 0;
    bool together = point->rep_count > 0 && point->reps[0].threads.count > 1;
    if (together && point->overlap < RESULT_TOGETHER && !beside) {
        remove_passes(list);
        return;
    }
    if (point->on_device || !(point->ticks_per_s > 0) || point->ticks_per_pass.n == 0)
        return;
    for (size_t i = 0; together && i < point->reps[0].threads.count; i++) {
        struct interval own = pass_ns(point, (long)i, point->ticks_per_s, &why);
        if (own.n == 0)
            continue;
        observations_add_copy(list, (unsigned)i + 1, PASS_NS, SOURCE, EVIDENCE_INFERRED, own);
        observations_doubt(list, why);
    }
    struct interval all = pass_ns(point, -1, point->ticks_per_s, &why);
    if (all.n > 0 && (together || observations_find(list, PASS_NS, SOURCE) == NULL))
        set(list, all, why);
    if (all.n > 0 && all.n < point->rep_count && beside)
        doubt_some(list, all.n, point->rep_count);
}
