/* The kernels part: bandwidth compared with likwid-bench, latency with plain chases of the same level, and
 * how much of a loop is the recipe's. */
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/files/paths.h"
#include "base/json.h"
#include "base/random.h"
#include "bench/bench.h"
#include "generator/machine/detect.h"
#include "generator/recipe/recipe.h"
#include "generator/suite/program.h"
#include "runner/launch/test_program.h"
#include "runner/measure/process_group.h"
#include "runner/process/child.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <x86intrin.h>

/* ---- generated programs ---- */

/* Shared by all programs of a part. */
struct bench_shop {
    struct machine machine; /* the present one */
    struct code_generator code_generator;
    double ticks_per_s; /* of the time stamp counter */
};

/* One program. Rates count `each`. */
struct program_side {
    const struct bench_shop *shop;
    struct program program;
    struct test_program test_program;
    double each_per_pass; /* bytes, or loads */
    uint64_t least;       /* passes of a run: at least once through all of the data */
    uint64_t passes;      /* of a run; 0: not known yet */
};

/* One point of a recipe, valid during the visit. */
struct bench_point {
    const struct point *point;
    const struct manifest *stated; /* what the recipe states */
};

typedef enum status bench_visit(struct bench *bench, const struct bench_shop *shop,
                                const struct bench_point *point, struct error *error);

/* Long enough that the scheduler's slices matter little, short enough for many rounds. */
static const double RUN_S = 0.15;
static const double CLOCK_S = 0.05;
static const double TIMEOUT_S = 120;
enum { FIRST_PASSES = 1000 };

static double ticks_per_second(void)
{
    double begin_s = clock_now_s();
    uint64_t begin = __rdtsc();
    while (clock_now_s() - begin_s < CLOCK_S) {
    }
    uint64_t ticks = __rdtsc() - begin;
    return (double)ticks / (clock_now_s() - begin_s);
}

/* STATUS_UNAVAILABLE if the machine cannot be detected. Close it also after an error. */
static enum status bench_shop_open(struct bench_shop *shop, struct error *error)
{
    memset(shop, 0, sizeof *shop);
    enum status status = detect_machine(&shop->machine, error);
    if (status == STATUS_OK)
        status = code_generator_open(shop->machine.isa, &shop->code_generator, error);
    if (status != STATUS_OK)
        return status;
    shop->ticks_per_s = ticks_per_second();
    return STATUS_OK;
}

static void bench_shop_close(struct bench_shop *shop)
{
    code_generator_close(&shop->code_generator);
    machine_free(&shop->machine);
}

static enum status load(const struct bench_shop *shop, const char *name, struct recipe *recipe,
                        struct error *error)
{
    char home[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    char file[64];
    memset(recipe, 0, sizeof *recipe);
    enum status status = paths_home(home, error);
    if (status != STATUS_OK)
        return status;
    snprintf(file, sizeof file, "recipes/%s.lua", name);
    return recipe_load(file_join(path, home, file), &shop->machine, &shop->code_generator.templates, NULL, 0,
                       recipe, error);
}

/* Calls visit for each point of recipes/NAME.lua, up to the first error. */
static enum status bench_points(struct bench *bench, const struct bench_shop *shop, const char *name,
                                bench_visit *visit, struct error *error)
{
    struct recipe recipe;
    enum status status = load(shop, name, &recipe, error);
    for (size_t i = 0; status == STATUS_OK && i < recipe.count; i++) {
        struct buffer text = {0};
        struct manifest *stated = NULL;
        status = recipe_text(&recipe, &recipe.points[i], &text, error);
        if (status == STATUS_OK)
            stated = point_read(&text, recipe.file, error);
        const struct bench_point point = {&recipe.points[i], stated};
        if (status == STATUS_OK)
            status = stated == NULL ? error->code : visit(bench, shop, &point, error);
        manifest_free(stated);
        buffer_free(&text);
    }
    recipe_free(&recipe);
    return status;
}

/* The bytes that the point's loads and stores walk through. */
static uint64_t bench_footprint(const struct bench_point *point)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < point->stated->unit_count; i++)
        bytes += (uint64_t)point->stated->unit[i].working_set;
    return bytes;
}

static double bytes_per_pass(const struct bench_point *point, const struct manifest *manifest)
{
    double bytes = 0;
    for (size_t i = 0; i < point->stated->unit_count; i++) {
        const struct manifest_item *item = &point->stated->unit[i];
        bytes += (isnan(item->width) ? 0 : item->width) * (item->count == 0 ? 1 : item->count);
    }
    return bytes * manifest->units;
}

/* Makes the program of the point, to run on the processor. Its rate counts bytes of loads and stores, or with
 * count_loads, loads. Close it also after an error. */
static enum status program_side_open(const struct bench_shop *shop, const struct bench_point *point, int cpu,
                                     bool count_loads, struct program_side *side, struct error *error)
{
    memset(side, 0, sizeof *side);
    side->shop = shop;
    enum status status =
        program_make(&shop->code_generator, point->stated, &shop->machine, 1, &side->program, error);
    if (status != STATUS_OK)
        return status;
    const struct manifest *manifest = side->program.manifest;
    side->test_program = (struct test_program){.benchmark = point->point->benchmark,
                                               .point = point->point->name,
                                               .manifest = manifest,
                                               .executable = side->program.executable.data,
                                               .executable_size = side->program.executable.size,
                                               .object = side->program.object.data,
                                               .object_size = side->program.object.size,
                                               .machine = &shop->machine,
                                               .cpu = cpu};
    side->each_per_pass = count_loads ? manifest->loads : bytes_per_pass(point, manifest);
    side->least = (uint64_t)manifest->warmup;
    return STATUS_OK;
}

static void program_side_close(struct program_side *side)
{
    program_free(&side->program);
}

/* A bench_measure; the context is the struct program_side. */
static enum status program_side_measure(void *context, double *rate, struct error *error)
{
    struct program_side *side = context;
    bool known = side->passes > 0;
    uint64_t passes = known ? side->passes : side->least > FIRST_PASSES ? side->least : FIRST_PASSES;
    uint64_t ticks = 0;
    enum status status = process_group_run_program(&side->test_program, passes, TIMEOUT_S, &ticks, error);
    if (status != STATUS_OK)
        return status;
    double seconds = (double)ticks / side->shop->ticks_per_s;
    *rate = side->each_per_pass * (double)passes / seconds;
    if (known)
        return STATUS_OK;
    uint64_t wanted = (uint64_t)((double)passes * RUN_S / seconds);
    side->passes = wanted > side->least ? wanted : side->least;
    return program_side_measure(side, rate, error);
}

static const char part[] = "kernels";

/* ---- likwid-bench as one side ---- */

/* One of its kernels on the first processor. */
struct likwid_side {
    char test[32];       /* "copy_avx512" */
    uint64_t bytes;      /* of all of its streams together */
    uint64_t iterations; /* of a run; 0: not known yet */
};

static const double MB = 1e6;
/* Bytes moved by the run that finds how many iterations a timed run takes. */
static const double FIRST_BYTES = 4e8;
enum { FEWEST = 2 };

static bool likwid_is_there(void)
{
    return child_program_exists("likwid-bench");
}

/* Its name for an operation ("load", "store", "copy") on that many bytes at a time. */
static void likwid_side_make(const char *operation, unsigned width, uint64_t bytes, struct likwid_side *side)
{
    static const struct {
        unsigned width;
        const char *suffix;
    } suffixes[] = {{16, "_sse"}, {32, "_avx"}, {64, "_avx512"}};
    const char *suffix = "";
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (suffixes[i].width == width)
            suffix = suffixes[i].suffix;
    *side = (struct likwid_side){.bytes = bytes};
    snprintf(side->test, sizeof side->test, "%s%s", operation, suffix);
}

/* The number after "MByte/s:". */
static enum status read_rate(const struct child_result *result, double *rate, struct error *error)
{
    static const char key[] = "MByte/s:";
    const char *place = result->output.data == NULL ? NULL : strstr(result->output.data, key);
    *rate = place == NULL ? 0 : strtod(place + sizeof key - 1, NULL) * MB;
    if (*rate > 0)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED, "likwid-bench reports no MByte/s: is it another version?");
}

static enum status run_likwid(const struct likwid_side *side, uint64_t iterations, double *rate,
                              struct error *error)
{
    char name[] = "likwid-bench";
    char test[] = "-t";
    char group[] = "-w";
    char count_option[] = "-i";
    char where[64];
    char count[24];
    char kernel[sizeof side->test];
    memcpy(kernel, side->test, sizeof kernel);
    snprintf(where, sizeof where, "S0:%" PRIu64 "B:1", side->bytes);
    snprintf(count, sizeof count, "%" PRIu64, iterations);
    char *const arguments[] = {name, test, kernel, group, where, count_option, count, NULL};
    const struct child_request request = {
        .path = name, .arguments = arguments, .cpu = -1, .timeout_s = TIMEOUT_S};
    struct child_result result;
    enum status status = child_run(&request, &result, error);
    if (status == STATUS_OK)
        status = read_rate(&result, rate, error);
    child_result_free(&result);
    return status;
}

/* A bench_measure: bytes per second. */
static enum status likwid_side_measure(void *context, double *rate, struct error *error)
{
    struct likwid_side *side = context;
    if (side->iterations == 0) {
        uint64_t first = (uint64_t)(FIRST_BYTES / (double)side->bytes);
        enum status status = run_likwid(side, first < FEWEST ? FEWEST : first, rate, error);
        if (status != STATUS_OK)
            return status;
        uint64_t wanted = (uint64_t)(RUN_S * *rate / (double)side->bytes);
        side->iterations = wanted < FEWEST ? FEWEST : wanted;
    }
    return run_likwid(side, side->iterations, rate, error);
}

/* ---- a plain pointer chase as one side ---- */

/* One random cycle through all lines of a working set in huge pages, each load waiting for the previous one.
 */
struct chase_side {
    uint64_t bytes; /* of the working set */
    unsigned line;  /* bytes from node to node */
    int cpu;        /* logical processor */
    uint64_t loads; /* of a run; 0: not known yet */
};

enum { HUGE_BYTES = 2 << 20, UNROLLED = 16, FIRST_LOADS = 1 << 16 };

/* The number of hops must be a multiple of UNROLLED. Returns the last node, so that the compiler keeps the
 * loop. */
static void *hop(void *node, uint64_t hops)
{
    for (uint64_t i = 0; i < hops; i += UNROLLED) {
        __asm__ volatile(".rept 16\n\tmovq (%0), %0\n\t.endr" : "+r"(node) : : "memory");
    }
    return node;
}

/* Sattolo's shuffle: one cycle through all nodes. */
static bool link_nodes(char *data, const struct chase_side *side)
{
    size_t count = side->bytes / side->line;
    uint32_t *order = malloc(count * sizeof *order);
    struct random random = random_start(side->bytes, "chase");
    if (order == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        size_t other = random_below(&random, (unsigned)(i - 1));
        uint32_t node = order[i - 1];
        order[i - 1] = order[other];
        order[other] = node;
    }
    for (size_t i = 0; i < count; i++)
        *(void **)(data + (size_t)order[i] * side->line) = data + (size_t)order[(i + 1) % count] * side->line;
    free(order);
    return true;
}

static double time_hops(void **node, uint64_t loads)
{
    double begin = clock_now_s();
    *node = hop(*node, loads);
    return clock_now_s() - begin;
}

static double measure_hops(char *data, struct chase_side *side)
{
    void *node = data;
    uint64_t nodes = side->bytes / side->line;
    double seconds = time_hops(&node, nodes < FIRST_LOADS ? FIRST_LOADS : nodes);
    for (uint64_t loads = FIRST_LOADS; side->loads == 0; loads *= 2) {
        seconds = time_hops(&node, loads);
        if (seconds > RUN_S / 4)
            side->loads = (uint64_t)((double)loads * RUN_S / seconds) / UNROLLED * UNROLLED;
    }
    return (double)side->loads / time_hops(&node, side->loads);
}

/* A bench_measure: loads per second. */
static enum status chase_side_measure(void *context, double *rate, struct error *error)
{
    struct chase_side *side = context;
    size_t size = (side->bytes / HUGE_BYTES + 2) * HUGE_BYTES;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return error_set(error, STATUS_FAILED, "no memory for a chase through %llu bytes",
                         (unsigned long long)side->bytes);
    cpu_set_t before;
    cpu_set_t one;
    bool known = sched_getaffinity(0, sizeof before, &before) == 0;
    CPU_ZERO(&one);
    CPU_SET((size_t)side->cpu, &one);
    (void)sched_setaffinity(0, sizeof one, &one); /* without pinning, the chase is still valid */
    char *data = memory + (HUGE_BYTES - (uintptr_t)memory % HUGE_BYTES) % HUGE_BYTES;
    (void)madvise(data, size - HUGE_BYTES, MADV_HUGEPAGE);
    bool linked = link_nodes(data, side);
    if (linked)
        *rate = measure_hops(data, side);
    if (known)
        (void)sched_setaffinity(0, sizeof before, &before);
    munmap(memory, size);
    return linked ? STATUS_OK
                  : error_set(error, STATUS_FAILED, "no memory for the order of a chase through %llu bytes",
                              (unsigned long long)side->bytes);
}

/* ---- bandwidth ---- */

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
    likwid_side_make(operation, (unsigned)json_number_or(point->stated->parameters, "width", 8),
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
    snprintf(name, sizeof name, "%.20s %.10s %g", benchmark,
             json_string_or(point->stated->parameters, "level", ""),
             json_number_or(point->stated->parameters, "width", 0));
    if (!bench_wants(bench, name))
        return STATUS_OK;
    return compare_bandwidth(bench, shop, point, name, likwid_word(benchmark), error);
}

/* ---- latency ---- */

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

/* The nearest existing level from `from` on, in steps of 1 or -1; NULL: none. */
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
                 "plain chases through %.0f KiB for %s and %.0f KiB for %s take %.3g and %.3g ns a load; "
                 "expected at least %g times as long: others use these caches now, or a core has less of "
                 "them than reported; measure again on a quiet machine, and see `trauma machine probe`",
                 (double)chase_bytes(machine, near) / KIB, near, (double)chase_bytes(machine, far) / KIB, far,
                 near_ns, far_ns, APART);
    return status;
}

/* Checks that plain chases distinguish the level from its neighbours; *sentence is "" if they do. */
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
             "its loads take less time than %s's: a nearer cache serves some of them, and the program is not "
             "as stated; describe a core's caches with `trauma machine probe -o here.lua`, then see `trauma "
             "check bandwidth/latency -m here.lua --here --filter level=%s`",
             level, level);
    snprintf(
        above, sizeof above,
        "its loads take more time than %s's: a farther level serves some of them, or they wait for "
        "translations; repeat while nothing else runs; if it persists, describe a core's caches with `trauma "
        "machine probe -o here.lua`, then see `trauma check bandwidth/latency -m here.lua --here --filter "
        "level=%s`",
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
    const char *level = json_string_or(point->stated->parameters, "level", "");
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
    bench_undecided(bench, part, name, sentence);
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
