/* Source "wave": the emitted GCN machine code, executed wave by wave on the described machine (sim/gcn/).
 * From the plan it uses only how often each thread should have loaded and stored, for comparison. */
#include "generator/plan/gpu/gpu_image.h"
#include "runner/sources/identity.h"
#include "runner/sources/source.h"
#include "sim/gcn/chip.h"
#include "sim/gcn/execute.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Addresses of program and record; the number of measured passes; the limits for bytes of data and for
 * instructions of all waves. */
#define DATA_ADDRESS UINT64_C(0x1000000000)
#define RECORD_ADDRESS UINT64_C(0x8000000000)
#define MOST_DATA (UINT64_C(1) << 30)
#define MOST_INSTRUCTIONS (UINT64_C(1) << 27)
enum {
    MOST_BLOCKS = 1 << 20,
    MOST_THREADS = 1024,
    MOST_PERIOD = 100,
    MOST_WARMUP = 1 << 20,
    MOST_ACCESSES = 1 << 20
};
enum { PASSES = 4, RECORD_BYTES = 64, RECORD_WORKED = 36, USUAL_BUS = 64, MOST_BUS = 1 << 20 };

/* One run and its memory. */
struct stage {
    const struct test_program *test_program;
    struct wave_chip chip;
    struct arena arena;
    unsigned char *data, *record;
    unsigned blocks, threads;
    uint64_t passes, warmup;
    struct wave_result result;
};

static enum status usable(struct error *why_not)
{
    (void)why_not;
    return STATUS_OK;
}

static enum status read_data(struct stage *stage, struct gpu_image *image, struct error *error)
{
    enum status status =
        gpu_image_read(stage->test_program->manifest->data.document, &stage->arena, image, error);
    if (status != STATUS_OK)
        return status;
    if (image->bytes > MOST_DATA || image->align > DATA_ADDRESS)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the program has %" PRIu64 " bytes of data, too many to simulate", image->bytes);
    size_t size = (size_t)(image->bytes + 7) / 8 * 8;
    stage->data = calloc(size + 8, 1);
    if (stage->data == NULL)
        return error_set(error, STATUS_UNAVAILABLE, "there is no memory for %zu bytes of data", size);
    return STATUS_OK;
}

/* A number of the manifest, which is untrusted, if it is whole and from 0 to most; else `most + 1`. */
static uint64_t whole(double number, uint64_t most)
{
    return number >= 0 && number <= (double)most && number == floor(number) ? (uint64_t)number : most + 1;
}

/* The bus width in bytes that the loads' data is made for, if the loads agree and lines are whole words of
 * it. */
static unsigned bus_of(const struct stage *stage)
{
    const struct manifest *manifest = stage->test_program->manifest;
    uint64_t line = stage->chip.l1.line, bus = 0;
    for (size_t i = 0; i < manifest->stream_count; i++) {
        uint64_t own = whole(manifest->streams[i].bus, MOST_BUS);
        if (strcmp(manifest->streams[i].op, "load") != 0)
            continue;
        bus = bus == 0 || bus == own ? own : USUAL_BUS;
    }
    bool fits = bus >= 8 && bus <= line && line % bus == 0;
    return (unsigned)(fits ? bus : line < USUAL_BUS ? line : USUAL_BUS);
}

/* One launch; all: everything is counted. */
static enum status launch(struct stage *stage, const struct gpu_image *image, uint64_t passes, bool all,
                          struct wave_result *result, struct error *error)
{
    const struct test_program *test_program = stage->test_program;
    const uint64_t arguments[] = {passes, stage->warmup, DATA_ADDRESS, RECORD_ADDRESS};
    uint64_t record_bytes = (uint64_t)stage->blocks * RECORD_BYTES;
    const struct device_range ranges[] = {
        {"the data", DATA_ADDRESS, (image->bytes + 7) / 8 * 8, stage->data, true, true},
        {"the record", RECORD_ADDRESS, record_bytes, stage->record, true, false},
    };
    const struct wave_launch request = {.object = test_program->object,
                                        .object_size = test_program->object_size,
                                        .kernel =
                                            manifest_text_or(test_program->manifest->entry, "trauma_kernel"),
                                        .blocks = stage->blocks,
                                        .threads = stage->threads,
                                        .arguments = arguments,
                                        .argument_count = sizeof arguments / sizeof arguments[0],
                                        .ranges = ranges,
                                        .range_count = sizeof ranges / sizeof ranges[0],
                                        .most_instructions = MOST_INSTRUCTIONS,
                                        .bus_bytes = bus_of(stage),
                                        .all = all};
    gpu_image_fill(image, DATA_ADDRESS, 0, (size_t)(image->bytes + 7) / 8 * 8, stage->data);
    return wave_run(&stage->chip, &request, result, error);
}

/* A program without clocks, compiled from OpenCL C, is run with fewer and with more passes; the difference is
 * the loop's. */
static enum status execute(struct stage *stage, const struct gpu_image *image, struct error *error)
{
    struct wave_result fewer = {0};
    enum status status = launch(stage, image, stage->passes, false, &stage->result, error);
    if (status != STATUS_OK || stage->result.clocked)
        return status;
    wave_result_free(&stage->result);
    status = launch(stage, image, stage->passes, true, &fewer, error);
    if (status == STATUS_OK)
        status = launch(stage, image, 2 * stage->passes, true, &stage->result, error);
    if (status == STATUS_OK)
        wave_result_subtract(&stage->result, &fewer);
    wave_result_free(&fewer);
    return status;
}

/* Loads or stores that each thread should perform in a pass. */
static uint64_t per_pass(const struct manifest *manifest, const char *op)
{
    uint64_t accesses = 0;
    for (size_t i = 0; i < manifest->stream_count; i++)
        if (strcmp(manifest->streams[i].op, op) == 0)
            accesses += whole(manifest->streams[i].per_pass, MOST_ACCESSES);
    return accesses;
}

static uint64_t all_loads(const struct wave_result *result)
{
    uint64_t loads = 0;
    for (int level = 0; level < WAVE_LEVELS; level++)
        loads += result->loads[level];
    return loads;
}

/* Compares what the program recorded, and how often it loaded and stored, with the observations. */
static enum status check(const struct stage *stage, struct error *error)
{
    const struct wave_result *result = &stage->result;
    unsigned waves = (unsigned)(result->wave_count / stage->blocks);
    bool reaches = stage->test_program->manifest->stream_count > 0;
    uint64_t threads = 0;
    for (size_t i = 0; i < result->wave_count; i++) {
        const struct wave_report *wave = &result->waves[i];
        unsigned before = wave->number * result->lanes;
        unsigned lanes = stage->threads - before < result->lanes ? stage->threads - before : result->lanes;
        bool said = stage->record[(size_t)wave->block * RECORD_BYTES + RECORD_WORKED] == 1;
        if (reaches && said != wave->worked)
            return error_set(error, STATUS_FAILED, "work-group %u recorded that it %s; its wave %u %s",
                             wave->block, said ? "worked" : "did not work", wave->number,
                             wave->worked ? "did" : "accessed nothing");
        threads += said ? lanes : 0; /* a program that only computes accesses nothing */
    }
    if (threads == 0)
        return error_set(
            error, STATUS_FAILED,
            "none of %zu waves on the %u x %u x %u compute units worked: the placement test passes nowhere",
            result->wave_count, stage->chip.se, stage->chip.sh_per_se, stage->chip.cu_per_sh);
    const struct {
        const char *op, *did;
        uint64_t seen;
    } kinds[] = {{"load", "loaded", all_loads(result)}, {"store", "stored", result->stores}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint64_t wanted = per_pass(stage->test_program->manifest, kinds[i].op) * stage->passes * threads;
        if (kinds[i].seen != wanted)
            return error_set(error, STATUS_FAILED,
                             "%" PRIu64 " threads in %u waves a work-group %s %" PRIu64 " times in %" PRIu64
                             " passes; by the manifest it would be %" PRIu64,
                             threads, waves, kinds[i].did, kinds[i].seen, stage->passes, wanted);
    }
    return STATUS_OK;
}

static void add(struct observations *list, const char *metric, uint64_t part, uint64_t whole)
{
    double share = whole > 0 ? (double)part / (double)whole : 0;
    if (whole > 0)
        observations_add(list, metric, counter_wave.name, counter_wave.kind, share, share, share,
                         (double)whole);
}

__attribute__((format(printf, 2, 5))) static void add_numbered(struct observations *list, const char *format,
                                                               uint64_t part, uint64_t whole, ...);

static void add_numbered(struct observations *list, const char *format, uint64_t part, uint64_t whole, ...)
{
    char metric[METRIC_BYTES];
    va_list arguments;
    va_start(arguments, whole);
    vsnprintf(metric, sizeof metric, format, arguments);
    va_end(arguments);
    add(list, metric, part, whole);
}

static void add_service(const struct wave_result *result, struct observations *list)
{
    static const char *const names[WAVE_LEVELS] = {"served.L1", "served.L2", "served.MEM", "served.SHARED"};
    uint64_t past_l1 = result->lines[WAVE_L2] + result->lines[WAVE_MEM];
    for (int level = 0; level < WAVE_LEVELS; level++)
        add(list, names[level], result->loads[level], all_loads(result));
    add(list, "l1d.miss_rate", past_l1, past_l1 + result->lines[WAVE_L1]);
    add(list, "l2.miss_rate", result->lines[WAVE_MEM], past_l1);
}

/* The waves of a program without accesses show where it works. */
static void count_workers(struct stage *stage)
{
    struct wave_result *result = &stage->result;
    uint64_t all = 0;
    for (unsigned se = 0; se < stage->chip.se; se++)
        all += result->se_accesses[se];
    for (size_t i = 0; all == 0 && i < result->wave_count; i++) {
        const struct wave_report *wave = &result->waves[i];
        if (stage->record[(size_t)wave->block * RECORD_BYTES + RECORD_WORKED] != 1)
            continue;
        result->se_accesses[wave->place.se]++;
        result->unit_accesses[wave->place.unit]++;
    }
}

/* place.cu<k>: by the number in HW_ID, in any array; place.sh<k>: an array, of any engine. */
static void add_place(const struct stage *stage, struct observations *list)
{
    const struct wave_result *result = &stage->result;
    unsigned units = stage->chip.se * stage->chip.sh_per_se * stage->chip.cu_per_sh;
    uint64_t all = 0;
    for (unsigned se = 0; se < stage->chip.se; se++)
        all += result->se_accesses[se];
    for (unsigned se = 0; se < stage->chip.se; se++)
        add_numbered(list, "place.se%u.share", result->se_accesses[se], all, se);
    for (unsigned sh = 0; sh < stage->chip.sh_per_se; sh++) {
        uint64_t sum = 0;
        for (unsigned unit = 0; unit < units; unit++)
            sum +=
                unit / stage->chip.cu_per_sh % stage->chip.sh_per_se == sh ? result->unit_accesses[unit] : 0;
        add_numbered(list, "place.sh%u.share", sum, all, sh);
    }
    for (unsigned cu = 0; cu < stage->chip.cu_per_sh; cu++) {
        uint64_t sum = 0;
        for (unsigned array = 0; array < stage->chip.se * stage->chip.sh_per_se; array++)
            sum += result->unit_accesses[array * stage->chip.cu_per_sh + cu];
        add_numbered(list, "place.cu%u.share", sum, all, cu);
    }
}

/* The share of a wave's branches on EXEC at which its lanes diverge. */
static void add_branches(const struct wave_result *result, struct observations *list)
{
    add(list, "branch.divergence", result->parted, result->branches);
}

static void add_channels(const struct stage *stage, struct observations *list)
{
    const struct wave_result *result = &stage->result;
    uint64_t all = 0;
    for (unsigned i = 0; i < stage->chip.l2_channels; i++)
        all += result->channels[i];
    for (unsigned i = 0; stage->chip.has_channels && i < stage->chip.l2_channels; i++)
        add_numbered(list, "l2.channel%u.share", result->channels[i], all, i);
    if (stage->chip.near_engines > 0 && result->untold == 0)
        add(list, "l2.far_share", result->far, result->near + result->far);
}

/* Over all loaded data: the buses from L1 or beyond, and from LDS. */
static void add_data(const struct wave_result *result, struct observations *list)
{
    const struct bus_count *lines = &result->l1_bus, *words = &result->lds_bus;
    add(list, "data.toggle_rate", lines->toggles + words->toggles, lines->compared + words->compared);
    add(list, "data.ones_rate", lines->ones + words->ones, lines->bits + words->bits);
}

/* The launch from the manifest. STATUS_FAILED if it contains none. */
static enum status read_launch(struct stage *stage, struct error *error)
{
    const struct manifest *manifest = stage->test_program->manifest;
    uint64_t blocks = whole(manifest->blocks, MOST_BLOCKS);
    uint64_t threads = whole(manifest->block_threads, MOST_THREADS);
    uint64_t period = whole(manifest->period, MOST_PERIOD);
    stage->warmup = whole(manifest->warmup, MOST_WARMUP);
    if (blocks == 0 || blocks > MOST_BLOCKS || threads == 0 || threads > MOST_THREADS || period == 0 ||
        period > MOST_PERIOD || stage->warmup > MOST_WARMUP)
        return error_set(
            error, STATUS_FAILED,
            "the manifest's grid, period or warmup is wrong: expected 1 to %d blocks of 1 to %d threads, "
            "a period of 1 to %d and at most %d passes before",
            MOST_BLOCKS, MOST_THREADS, MOST_PERIOD, MOST_WARMUP);
    stage->blocks = (unsigned)blocks;
    stage->threads = (unsigned)threads;
    stage->passes = period * PASSES;
    return STATUS_OK;
}

static enum status stand(struct stage *stage, struct error *error)
{
    const struct manifest *manifest = stage->test_program->manifest;
    struct gpu_image image = {0};
    if (strcmp(manifest_text_or(manifest->target, ""), "gcn") != 0)
        return error_set(error, STATUS_UNAVAILABLE, "it executes only programs of the target gcn");
    enum status status = read_launch(stage, error);
    if (status == STATUS_OK)
        status = wave_chip_from(stage->test_program->machine, &stage->chip, error);
    if (status == STATUS_OK)
        status = read_data(stage, &image, error);
    if (status != STATUS_OK)
        return status;
    stage->record = calloc((size_t)stage->blocks + 1, RECORD_BYTES);
    if (stage->record == NULL)
        return error_set(error, STATUS_UNAVAILABLE, "there is no memory for %u work-groups' records",
                         stage->blocks);
    status = execute(stage, &image, error);
    return status == STATUS_OK ? check(stage, error) : status;
}

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    struct stage stage = {.test_program = test_program};
    enum status status = stand(&stage, error);
    if (status == STATUS_OK) {
        add_service(&stage.result, list);
        count_workers(&stage);
        add_place(&stage, list);
        add_channels(&stage, list);
        add_branches(&stage.result, list);
        add_data(&stage.result, list);
    }
    wave_result_free(&stage.result);
    arena_free(&stage.arena);
    free(stage.data);
    free(stage.record);
    return status == STATUS_USAGE ? STATUS_UNAVAILABLE : status;
}

static void identify(const struct test_program *test_program, char identity[HASH_TEXT_BYTES])
{
    identity_of(test_program, test_program->object, test_program->object_size, identity);
}

const struct counter_source counter_wave = {.name = "wave",
                                            .kind = "simulated",
                                            .targets = "gcn",
                                            .usable = usable,
                                            .observe = observe,
                                            .identify = identify};
