/* The kernels part: bandwidth compared with likwid-bench, latency with plain chases of the same level, and
 * how much of a loop is the recipe's. */
#include "base/json.h"
#include "bench/bench.h"
#include "bench/chase.h"
#include "bench/likwid_side.h"
#include "bench/program_side.h"

#include <stdio.h>
#include <string.h>

static const char part[] = "kernels";

/* likwid-bench uses the first processor of its domain. */
enum { LIKWID_CPU = 0 };

/* likwid-bench's names for the benchmarks of recipes/bandwidth/streams. */
static const struct {
    const char *benchmark, *likwid;
} streams[] = {{"read", "load"}, {"write", "store"}, {"copy", "copy"}};

static const char *likwid_word(const char *benchmark)
{
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++)
        if (strcmp(streams[i].benchmark, benchmark) == 0)
            return streams[i].likwid;
    return benchmark;
}

static enum status compare_bandwidth(struct bench *bench, const struct bench_shop *shop,
                                     const struct bench_point *point, const char *name, const char *operation,
                                     struct error *error)
{
    struct program_side ours;
    struct likwid_side theirs;
    struct bench_ratio ratio;
    likwid_side_make(operation, (unsigned)json_number_or(point->parameters, "width", 8),
                     bench_footprint(point), &theirs);
    enum status status = program_side_open(shop, point, LIKWID_CPU, false, &ours, error);
    const struct bench_pair pair = {
        .part = part,
        .name = name,
        .unit = "bytes/s",
        .ours = {"trauma", program_side_measure, &ours},
        .theirs = {theirs.test, likwid_side_measure, &theirs},
        .least = 0.97,
        .below = "our stream is slower than likwid-bench's of the same size and width: "
                 "a fault of recipes/bandwidth/streams.lua on this processor; another "
                 "`loop` there may mend it"};
    if (status == STATUS_OK)
        status = bench_compare(bench, &pair, &ratio, error);
    program_side_close(&ours);
    return status;
}

static enum status stream(struct bench *bench, const struct bench_shop *shop, const struct bench_point *point,
                          struct error *error)
{
    const char *benchmark = point->point->benchmark;
    char name[64];
    snprintf(name, sizeof name, "%.20s %.10s %g", benchmark, json_string_or(point->parameters, "level", ""),
             json_number_or(point->parameters, "width", 0));
    if (!bench_wants(bench, name))
        return STATUS_OK;
    return compare_bandwidth(bench, shop, point, name, likwid_word(benchmark), error);
}

enum { LEVELS = 4, TRIES = 3, SAMPLES = 3 };
static const char *const levels[LEVELS] = {"L1", "L2", "L3", "MEM"};

/* Limits for the time of a load relative to a plain chase's. A faster one is served by a nearer level,
 * whatever a simulator reports. */
static const double LEAST = 0.85, MOST = 1.15;
/* If plain chases of neighbouring levels are closer than this, they cannot show levels. */
static const double APART = 1.25;
static const double NS = 1e9;
static const double KIB = 1024;

static uint64_t between(uint64_t bytes, uint64_t least, uint64_t most)
{
    return bytes < least ? least : bytes > most ? most : bytes;
}

/* A plain working set that the level serves: well below its size, and well above the nearer one's. 0: the
 * machine lacks the level. */
static uint64_t chase_bytes(const struct machine *machine, const char *level)
{
    const struct cache *last = machine->l3.size > 0 ? &machine->l3 : &machine->l2;
    if (strcmp(level, "L1") == 0)
        return machine->l1d.size / 2;
    if (strcmp(level, "L2") == 0)
        return between(machine->l1d.size * 8, 0, machine->l2.size / 2);
    if (strcmp(level, "L3") == 0)
        return machine->l3.size > 0 ? machine->l2.size * 2 : 0;
    return between(last->size * 4, UINT64_C(256) << 20, UINT64_C(2) << 30);
}

static struct chase_side plain_chase(const struct machine *machine, const char *level)
{
    return (struct chase_side){
        .bytes = chase_bytes(machine, level), .line = machine->l1d.line, .cpu = LIKWID_CPU};
}

static enum status time_chase(const struct machine *machine, const char *level, double *ns,
                              struct error *error)
{
    double samples[SAMPLES];
    struct chase_side side = plain_chase(machine, level);
    for (int i = 0; i < SAMPLES; i++) {
        enum status status = chase_side_measure(&side, &samples[i], error);
        if (status != STATUS_OK)
            return status;
        samples[i] = NS / samples[i];
    }
    *ns = stats_median(samples, SAMPLES);
    return STATUS_OK;
}

/* The nearest level from `from` on in steps of 1 or -1; NULL: none. */
static const char *level_from(const struct machine *machine, int from, int step)
{
    for (int i = from; i >= 0 && i < LEVELS; i += step)
        if (chase_bytes(machine, levels[i]) > 0)
            return levels[i];
    return NULL;
}

/* Two plain chases, the nearer level's first; *sentence is "" if the farther one is clearly slower. */
static enum status compare_levels(const struct machine *machine, const char *near, const char *far,
                                  char *sentence, size_t size, struct error *error)
{
    double near_ns = 0;
    double far_ns = 0;
    sentence[0] = '\0';
    if (near == NULL || far == NULL)
        return STATUS_OK;
    enum status status = time_chase(machine, near, &near_ns, error);
    if (status == STATUS_OK)
        status = time_chase(machine, far, &far_ns, error);
    if (status == STATUS_OK && far_ns < APART * near_ns)
        snprintf(sentence, size,
                 "plain chases through %.0f KiB for %s and %.0f KiB for %s take %.3g and %.3g ns a load, "
                 "expected at "
                 "least %g times as long: others use these caches now, or a core has less of them than this "
                 "machine "
                 "says; measure again on a quiet machine, and see `trauma machine probe`",
                 (double)chase_bytes(machine, near) / KIB, near, (double)chase_bytes(machine, far) / KIB, far,
                 near_ns, far_ns, APART);
    return status;
}

/* Whether plain chases distinguish the level from its neighbours; *sentence is "" if so. */
static enum status find_levels_apart(const struct machine *machine, const char *level, char *sentence,
                                     size_t size, struct error *error)
{
    int own = 0;
    while (own < LEVELS - 1 && strcmp(levels[own], level) != 0)
        own++;
    enum status status = STATUS_OK;
    for (int i = 0; i < TRIES; i++) {
        status = compare_levels(machine, level_from(machine, own - 1, -1), level, sentence, size, error);
        if (status == STATUS_OK && sentence[0] == '\0')
            status = compare_levels(machine, level, level_from(machine, own + 1, 1), sentence, size, error);
        if (status != STATUS_OK || sentence[0] == '\0')
            break;
    }
    return status;
}

static enum status compare_chase(struct bench *bench, const struct bench_shop *shop,
                                 const struct bench_point *point, const char *level, const char *name,
                                 struct error *error)
{
    struct program_side ours;
    struct chase_side theirs = plain_chase(&shop->machine, level);
    struct bench_ratio ratio;
    char plain[64];
    char below[400];
    char above[400];
    snprintf(plain, sizeof plain, "a plain chase through %.0f KiB", (double)theirs.bytes / KIB);
    snprintf(below, sizeof below,
             "its loads take less than %s's: a nearer cache serves some of them, and the program is not what "
             "it says; "
             "describe what a core has by `trauma machine probe -o here.lua`, then see `trauma check "
             "bandwidth/latency -m here.lua --here --filter level=%s`",
             level, level);
    snprintf(
        above, sizeof above,
        "its loads take more than %s's: a farther level serves some of them, or they wait for translations; "
        "repeat while nothing else runs; if it stays so, describe what a core has by `trauma machine probe "
        "-o "
        "here.lua`, then see `trauma check bandwidth/latency -m here.lua --here --filter level=%s`",
        level, level);
    enum status status = program_side_open(shop, point, LIKWID_CPU, true, &ours, error);
    const struct bench_pair pair = {.part = part,
                                    .name = name,
                                    .unit = "load",
                                    .ours = {"trauma", program_side_measure, &ours},
                                    .theirs = {plain, chase_side_measure, &theirs},
                                    .least = LEAST,
                                    .most = MOST,
                                    .times = true,
                                    .below = below,
                                    .above = above};
    if (status == STATUS_OK)
        status = bench_compare(bench, &pair, &ratio, error);
    program_side_close(&ours);
    return status;
}

static enum status latency(struct bench *bench, const struct bench_shop *shop,
                           const struct bench_point *point, struct error *error)
{
    const char *level = json_string_or(point->parameters, "level", "");
    char name[64];
    char sentence[512];
    snprintf(name, sizeof name, "latency %s", level);
    if (!bench_wants(bench, name))
        return STATUS_OK;
    enum status status = find_levels_apart(&shop->machine, level, sentence, sizeof sentence, error);
    if (status != STATUS_OK)
        return status;
    if (sentence[0] == '\0')
        return compare_chase(bench, shop, point, level, name, error);
    bench_cannot_tell(bench, part, name, sentence);
    return STATUS_OK;
}

/* `trauma check` counts a loop's instructions in its code; the plan's own number is the same. */
static enum status body_share(struct bench *bench, const struct bench_shop *shop,
                              const struct bench_point *point, struct error *error)
{
    struct program_side ours;
    char name[64];
    snprintf(name, sizeof name, "body.share %.40s", point->point->name);
    if (!bench_wants(bench, name))
        return STATUS_OK;
    enum status status = program_side_open(shop, point, LIKWID_CPU, true, &ours, error);
    if (status == STATUS_OK)
        bench_value(bench,
                    &(struct bench_number){
                        .part = part,
                        .name = name,
                        .value = rates_get(&ours.program.manifest->expected, "body.share", 0),
                        .unit = "of instructions",
                        .limit = 0.9998,
                        .at_least = true,
                        .advice = "the loop is too short for its own instructions to be few: L1I is "
                                  "smaller than 32 KiB here, or detected so (`trauma machine detect`)"});
    program_side_close(&ours);
    return status;
}

enum status bench_kernels(struct bench *bench, struct error *error)
{
    struct bench_shop shop;
    enum status status = bench_shop_open(&shop, error);
    if (status == STATUS_OK && !likwid_is_there())
        bench_skip(bench, part,
                   "bandwidth, as likwid-bench is not installed; Debian: apt-get install likwid");
    if (status == STATUS_OK && likwid_is_there())
        status = bench_points(bench, &shop, "bandwidth/streams", stream, error);
    if (status == STATUS_OK)
        status = bench_points(bench, &shop, "bandwidth/latency", latency, error);
    if (status == STATUS_OK)
        status = bench_points(bench, &shop, "bandwidth/issue", body_share, error);
    bench_shop_close(&shop);
    return status;
}
