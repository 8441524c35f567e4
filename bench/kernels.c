/* The kernels part: bandwidth beside likwid-bench, latency beside a chase written by hand, and how much of a
 * loop is the recipe's. */
#include "base/json.h"
#include "bench/bench.h"
#include "bench/chase.h"
#include "bench/likwid_side.h"
#include "bench/program_side.h"

#include <stdio.h>
#include <string.h>

static const char part[] = "kernels";

/* likwid-bench takes the first processor of its domain. */
enum { LIKWID_CPU = 0 };

/* What likwid-bench calls the benchmarks of recipes/bandwidth/streams. */
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
    const struct bench_pair pair = {.part = part,
                                    .name = name,
                                    .unit = "bytes/s",
                                    .ours = {"trauma", program_side_measure, &ours},
                                    .theirs = {theirs.test, likwid_side_measure, &theirs},
                                    .least = 0.97,
                                    .reaches = 1};
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

/* A working set that the level serves: well below its size, and well above the nearer one's. */
static uint64_t chase_bytes(const struct machine *machine, const char *level)
{
    static const uint64_t most = UINT64_C(1) << 30;
    const struct cache *last = machine->l3.size > 0 ? &machine->l3 : &machine->l2;
    if (strcmp(level, "L1") == 0)
        return machine->l1d.size / 2;
    if (strcmp(level, "L2") == 0)
        return machine->l1d.size * 4;
    if (strcmp(level, "L3") == 0)
        return machine->l2.size * 2;
    return last->size * 4 < most ? last->size * 4 : most;
}

static enum status compare_chase(struct bench *bench, const struct bench_shop *shop,
                                 const struct bench_point *point, const char *name, struct error *error)
{
    struct program_side ours;
    struct chase_side theirs = {
        .bytes = chase_bytes(&shop->machine, json_string_or(point->parameters, "level", "")),
        .line = shop->machine.l1d.line,
        .cpu = LIKWID_CPU};
    struct bench_ratio ratio;
    enum status status = program_side_open(shop, point, LIKWID_CPU, true, &ours, error);
    const struct bench_pair pair = {.part = part,
                                    .name = name,
                                    .unit = "loads/s",
                                    .ours = {"trauma", program_side_measure, &ours},
                                    .theirs = {"a chase by hand", chase_side_measure, &theirs},
                                    .within = 0.03};
    if (status == STATUS_OK)
        status = bench_compare(bench, &pair, &ratio, error);
    program_side_close(&ours);
    return status;
}

static enum status latency(struct bench *bench, const struct bench_shop *shop,
                           const struct bench_point *point, struct error *error)
{
    char name[64];
    snprintf(name, sizeof name, "latency %s", json_string_or(point->parameters, "level", ""));
    return bench_wants(bench, name) ? compare_chase(bench, shop, point, name, error) : STATUS_OK;
}

/* A loop's instructions are counted from its code by `trauma check`; the plan's own number is the same. */
static enum status body_share(struct bench *bench, const struct bench_shop *shop,
                              const struct bench_point *point, struct error *error)
{
    struct program_side ours;
    char name[64];
    snprintf(name, sizeof name, "body.share %.40s", point->point->name);
    if (!bench_wants(bench, name))
        return STATUS_OK;
    enum status status = program_side_open(shop, point, LIKWID_CPU, true, &ours, error);
    const json_t *expected = json_object_get(ours.program.manifest, "expected");
    if (status == STATUS_OK)
        bench_value(bench, part, name, json_number_or(expected, "body.share", 0), "", 0.9998, true);
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
