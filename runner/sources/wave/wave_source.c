/* Source "wave": executes GCN machine code wave by wave on the described machine (sim/gcn/): the binary that
 * a device's runtime made if a device runs the program, else the emitted code object. Accesses and operations
 * are compared with the manifest; the levels that it expects are not used. */
#include "base/memory.h"
#include "generator/kernel/kernel.h"
#include "generator/suite/compiled.h"
#include "runner/devices/launcher.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"
#include "runner/sources/gpu/grid_dealt.h"
#include "runner/sources/gpu/grid_streams.h"
#include "runner/sources/gpu/grid_words.h"
#include "runner/sources/identity.h"
#include "runner/sources/source.h"
#include "runner/sources/wave/wave_parts.h"
#include "sim/gcn/chip.h"
#include "sim/gcn/execute.h"
#include "sim/gcn/kernel_object.h"
#include "sim/gcn/wave_result.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* throttle.duty of a GCN program, from the cycles that its accesses take at the described chip's peak, and
 * those of its idle instructions. */

enum { SIMDS = 4, SLOTS = 32 }; /* of a compute unit; of a SIMD, at most */

static const char METRIC[] = "throttle.duty";

/* Cycles for those bytes; NAN: the machine file states no bandwidth for them. */
static double cycles_of(const struct machine *machine, const char *level, double bytes)
{
    double peak = machine_bandwidth(machine, level);
    return bytes > 0 ? bytes / (peak > 0 ? peak : NAN) : 0;
}

/* Lines that were requested from L2: all, and those of the busiest channel. */
struct channel_lines {
    double all, most;
};

static struct channel_lines lines_of_channels(const struct wave_chip *chip, const struct wave_result *result)
{
    struct channel_lines lines = {0, 0};
    for (unsigned i = 0; i < chip->l2_channels; i++) {
        lines.all += (double)result->channels[i];
        lines.most = fmax(lines.most, (double)result->channels[i]);
    }
    return lines;
}

/* The busiest compute unit's share of the accesses; 0: there are none. */
static double busiest_share(const struct wave_chip *chip, const struct wave_result *result)
{
    double all = 0, most = 0;
    for (unsigned i = 0; i < wave_chip_units(chip); i++) {
        all += (double)result->unit_accesses[i];
        most = fmax(most, (double)result->unit_accesses[i]);
    }
    return all > 0 ? most / all : 0;
}

/* Cycles of the accesses at the chip's peak: the longest of its busiest channel, the memory behind it, and
 * the busiest compute unit, which reads through its L1. NAN: a bandwidth is unknown. */
static double peak_cycles(const struct machine *machine, const struct wave_chip *chip,
                          const struct wave_result *result)
{
    double line = (double)chip->l1.line;
    struct channel_lines lines = lines_of_channels(chip, result);
    double skew = lines.all > 0 ? lines.most * chip->l2_channels / lines.all : 1;
    double through_l1 = ((double)result->lines[GPU_L1] + lines.all) * line * busiest_share(chip, result);
    const double cycles[] = {
        cycles_of(machine, "L2", lines.all * line * skew),
        cycles_of(machine, "L3", (double)result->lines[GPU_L3] * line * skew),
        cycles_of(machine, "MEM", (double)result->lines[GPU_MEM] * line * skew),
        machine_bandwidth(machine, "L1") > 0 || result->lines[GPU_L1] > 0
            ? cycles_of(machine, "L1", through_l1)
            : 0,
        cycles_of(machine, "SHARED",
                  (double)result->loads[GPU_SHARED] * sizeof(uint32_t) * busiest_share(chip, result)),
    };
    double most = 0;
    for (size_t i = 0; i < sizeof cycles / sizeof cycles[0]; i++)
        most = isnan(cycles[i]) || isnan(most) ? NAN : fmax(most, cycles[i]);
    return most;
}

/* The largest number of waves in one place, which idle one after the other. *working: all waves that
 * worked. */
static unsigned turns_of(const struct wave_chip *chip, const struct wave_result *result, size_t *working)
{
    size_t places = (size_t)wave_chip_units(chip) * SIMDS * SLOTS;
    unsigned *turns = memory_zeroed(places, sizeof *turns), most = 0;
    *working = 0;
    for (size_t i = 0; i < result->wave_count; i++) {
        const struct wave_place *place = &result->waves[i].place;
        unsigned *own = &turns[((size_t)place->unit * SIMDS + place->simd) * SLOTS + place->slot];
        *working += result->waves[i].worked;
        *own += result->waves[i].worked;
        most = *own > most ? *own : most;
    }
    free(turns);
    return most;
}

/* Adds the duty if the manifest has it as a target. Adds nothing if the machine file lacks a needed
 * bandwidth, or there was no access. */
static void wave_duty_observe(const struct test_program *test_program, const struct wave_chip *chip,
                              const struct wave_result *result, struct observations *list)
{
    size_t working;
    if (!manifest_has_target(test_program->manifest, METRIC))
        return;
    double turns = turns_of(chip, result, &working);
    double peak = peak_cycles(test_program->machine, chip, result);
    double idle = working > 0 ? turns * (double)result->idle_cycles / (double)working : 0;
    double duty = peak / fmax(peak, idle);
    if (peak > 0)
        source_add(&counter_wave, list, METRIC, duty, (double)working);
}

/* Timed passes per period, an offset and the initial content of a block's entry of the record, and limits for
 * the instructions of all waves. */
#define MOST_INSTRUCTIONS (UINT64_C(1) << 27)
#define MOST_WRAPPING (UINT64_C(1) << 24)
enum { PASSES = 4, RECORD_DIE = 44, UNWRITTEN = 0xa5 };
enum { ARGUMENTS = 4, MOST_PERIOD = 100, USUAL_LANES = 64, USUAL_BUS = 64 };

/* One run and its memory. */
struct wave_stage {
    const struct test_program *test_program;
    struct wave_chip chip;
    struct grid_manifest manifest;
    struct grid_streams *streams;
    struct grid_touched *touched;
    struct grid_words *words; /* of atomics, while the whole grid runs; else NULL */
    struct grid_words_seen changed;
    struct demand_memory data;
    unsigned char *record;
    unsigned char *works; /* [blocks]: those that recorded that they worked */
    unsigned working;     /* of them */
    uint64_t passes;
    bool has_clocks; /* it was emitted for a stated kernel, not made by a compiler */
    size_t of_units; /* instructions of the loop that belong to units; 0: not known */
    struct wave_result result;
    bool evicts;               /* some accesses are marked for early eviction */
    struct wave_result second; /* the same launch, where their lines are the first to leave L2 */
};

/* The bus width in bytes for which the loads' data is made, if all loads agree and lines are whole words of
 * it. */
static unsigned bus_of(const struct wave_stage *stage)
{
    unsigned line = (unsigned)stage->chip.l1.line, bus = 0;
    for (size_t i = 0; i < stage->manifest.stream_count; i++) {
        unsigned own = stage->manifest.streams[i].bus;
        if (!stage->manifest.streams[i].store)
            bus = bus == 0 || bus == own ? own : USUAL_BUS;
    }
    bool fits = bus >= 4 && bus <= line && line % bus == 0;
    return fits ? bus : line < USUAL_BUS ? line : USUAL_BUS;
}

/* Compares the access with the streams of the manifest. */
static bool visit(const struct lane_access *seen, void *context, struct error *error)
{
    struct wave_stage *stage = context;
    struct lane_access access = *seen;
    access.region = grid_manifest_region(&stage->manifest, access.shared, access.addresses[0]);
    grid_touched_note(stage->touched, &access);
    if (stage->words != NULL)
        grid_words_note(stage->words, &access);
    return grid_streams_visit(&access, stage->streams, error);
}

/* Makes one launch; request has the members that differ between launches. */
static enum status launch(struct wave_stage *stage, const struct wave_launch *request, uint64_t passes,
                          uint64_t warmup, struct wave_result *result, struct error *error)
{
    const struct test_program *test_program = stage->test_program;
    const uint64_t arguments[ARGUMENTS] = {passes, warmup, GRID_DATA_ADDRESS, GRID_RECORD_ADDRESS};
    uint64_t record_bytes = (uint64_t)stage->manifest.blocks * GRID_RECORD_BYTES;
    if (grid_manifest_open_data(&stage->manifest, &stage->data, error) != STATUS_OK)
        return error->code;
    const struct device_range ranges[] = {
        {"the data", GRID_DATA_ADDRESS, (stage->manifest.image.bytes + 7) / 8 * 8, stage->data.bytes, true,
         true},
        {"the record", GRID_RECORD_ADDRESS, record_bytes, stage->record, true, false},
    };
    struct wave_launch whole = *request;
    whole.object = test_program->object;
    whole.object_size = test_program->object_size;
    whole.kernel = manifest_text_or(test_program->manifest->entry, "trauma_kernel");
    whole.blocks = stage->manifest.blocks;
    whole.threads = stage->manifest.threads;
    whole.arguments = arguments;
    whole.argument_count = sizeof arguments / sizeof arguments[0];
    whole.ranges = ranges;
    whole.data = &stage->data;
    whole.range_count = sizeof ranges / sizeof ranges[0];
    whole.most_instructions = MOST_INSTRUCTIONS;
    whole.bus_bytes = bus_of(stage);
    memset(stage->record, UNWRITTEN, (size_t)record_bytes);
    return wave_run(&stage->chip, &whole, result, error);
}

/* The passes between clock reads, which include the warm-up in some programs. */
static uint64_t clocked_passes(const struct wave_result *result, uint64_t passes, uint64_t warmup)
{
    for (size_t i = 0; i < result->wave_count; i++)
        if (result->waves[i].intervals > 1)
            return warmup + passes;
    return passes;
}

/* A launch with `passes` and `warmup` passes, whose accesses are compared with the manifest's streams. */
static enum status launch_watched(struct wave_stage *stage, const unsigned char *chosen, uint64_t passes,
                                  uint64_t warmup, struct wave_result *result, struct error *error)
{
    const struct wave_launch request = {.chosen = chosen, .visit = visit, .context = stage};
    const struct grid_clocks clocks = {.read = stage->has_clocks, .between = 0};
    stage->streams = grid_streams_new(&stage->manifest, &clocks);
    enum status status = launch(stage, &request, passes, warmup, result, error);
    if (status == STATUS_OK && result->clocked)
        status = grid_streams_end(stage->streams, clocked_passes(result, passes, warmup), error);
    grid_streams_free(stage->streams);
    stage->streams = NULL;
    return status;
}

/* Executes the program. One without clocks, compiled from OpenCL C, is run with fewer and with more passes;
 * the difference is the loop's. */
static enum status execute(struct wave_stage *stage, struct error *error)
{
    const struct wave_launch all = {.all = true};
    uint64_t warmup = stage->manifest.warmup;
    struct wave_result fewer = {0};
    enum status status = launch_watched(stage, NULL, stage->passes, warmup, &stage->result, error);
    if (status != STATUS_OK || stage->result.clocked)
        return status;
    wave_result_free(&stage->result);
    status = launch(stage, &all, stage->passes, warmup, &fewer, error);
    if (status == STATUS_OK)
        status = launch(stage, &all, 2 * stage->passes, warmup, &stage->result, error);
    if (status == STATUS_OK)
        wave_result_subtract(&stage->result, &fewer);
    wave_result_free(&fewer);
    return status;
}

/* Executes again with lines marked for early eviction as the first to leave L2: the hardware's treatment of
 * such lines is not published, and may be that or the usual one. */
static enum status execute_streams(struct wave_stage *stage, struct error *error)
{
    const struct wave_launch request = {.streams_leave = true, .all = !stage->result.clocked};
    stage->evicts = stage->result.leaving > 0;
    if (!stage->evicts)
        return STATUS_OK;
    struct wave_result fewer = {0};
    uint64_t warmup = stage->manifest.warmup;
    enum status status = STATUS_OK;
    if (request.all)
        status = launch(stage, &request, stage->passes, warmup, &fewer, error);
    if (status == STATUS_OK)
        status =
            launch(stage, &request, stage->passes * (request.all ? 2 : 1), warmup, &stage->second, error);
    if (status == STATUS_OK && request.all)
        wave_result_subtract(&stage->second, &fewer);
    wave_result_free(&fewer);
    return status;
}

/* Executes, for each stream that has not wrapped so far, the block that wraps first. */
static enum status check_wraps(struct wave_stage *stage, struct error *error)
{
    const struct grid_manifest *manifest = &stage->manifest;
    uint64_t pass = stage->result.executed / (manifest->warmup + stage->passes) / stage->working;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && stage->result.clocked && i < manifest->stream_count; i++) {
        unsigned block = 0;
        uint64_t passes = grid_manifest_first_to_wrap(manifest, i, stage->works, &block);
        if (passes <= manifest->warmup + stage->passes || passes * pass > MOST_WRAPPING)
            continue;
        unsigned char *only = memory_zeroed(manifest->blocks, 1);
        struct wave_result result = {0};
        only[block] = 1;
        status = launch_watched(stage, only, 1, passes, &result, error);
        wave_result_free(&result);
        free(only);
    }
    return status;
}

/* The manifest's loads or stores of a thread per pass. */
static uint64_t per_pass(const struct grid_manifest *manifest, bool stores)
{
    uint64_t accesses = 0;
    for (size_t i = 0; i < manifest->stream_count; i++)
        accesses += manifest->streams[i].store == stores ? manifest->streams[i].per_pass : 0;
    return accesses;
}

static uint64_t past_l1(const struct wave_result *result)
{
    return result->lines[GPU_L2] + result->lines[GPU_L3] + result->lines[GPU_MEM];
}

static uint64_t all_loads(const struct wave_result *result)
{
    uint64_t loads = 0;
    for (int level = 0; level < GPU_LEVELS; level++)
        loads += result->loads[level];
    return loads;
}

/* Checks the place in the record: a program with clocks writes where its first wave ran. */
static enum status check_record(const struct wave_stage *stage, const struct wave_report *wave,
                                struct error *error)
{
    const unsigned char *entry = stage->record + (size_t)wave->block * GRID_RECORD_BYTES;
    uint32_t place;
    memcpy(&place, entry + GRID_RECORD_PLACE, sizeof place);
    bool whole =
        stage->test_program->manifest->from == NULL; /* a patched kernel may use what the patch reads */
    if (whole && stage->result.clocked && wave->number == 0 && place != wave->hw_id)
        return error_set(error, STATUS_FAILED,
                         "work-group %u recorded that it ran at 0x%08" PRIx32
                         " (HW_ID), and it ran at 0x%08" PRIx32,
                         wave->block, place, wave->hw_id);
    memcpy(&place, entry + RECORD_DIE, sizeof place);
    if (whole && stage->result.clocked && wave->number == 0 && stage->chip.xcc > 1 &&
        place != wave->place.xcc)
        return error_set(error, STATUS_FAILED,
                         "work-group %u recorded that it ran on die %" PRIu32
                         " (XCC_ID), and it ran on die %u",
                         wave->block, place, wave->place.xcc);
    return STATUS_OK;
}

/* Checks which work-groups worked, by the record and by their waves' accesses. *threads: of these. */
static enum status check_waves(struct wave_stage *stage, uint64_t *threads, struct error *error)
{
    const struct wave_result *result = &stage->result;
    enum status status = STATUS_OK;
    *threads = 0;
    for (size_t i = 0; status == STATUS_OK && i < result->wave_count; i++) {
        const struct wave_report *wave = &result->waves[i];
        unsigned before = wave->number * result->lanes, left = stage->manifest.threads - before;
        bool recorded = stage->record[(size_t)wave->block * GRID_RECORD_BYTES + GRID_RECORD_WORKED] == 1;
        if (stage->manifest.stream_count > 0 && recorded != wave->worked)
            return error_set(error, STATUS_FAILED, "work-group %u recorded that it %s; its wave %u %s",
                             wave->block, recorded ? "worked" : "did not work", wave->number,
                             wave->worked ? "did" : "accessed nothing");
        *threads += !recorded ? 0 : left < result->lanes ? left : result->lanes;
        stage->working += recorded && stage->works[wave->block] == 0;
        stage->works[wave->block] = recorded;
        status = check_record(stage, wave, error);
    }
    if (status == STATUS_OK && *threads == 0)
        return error_set(error, STATUS_FAILED,
                         "none of %zu waves on the %u x %u x %u compute units%s worked: the placement test "
                         "passes nowhere",
                         result->wave_count, stage->chip.se, stage->chip.sh_per_se, stage->chip.cu_per_sh,
                         stage->chip.xcc > 1 ? " of each die" : "");
    return status;
}

/* Compares the totals of the measured passes with those of a manifest that states a kernel. */
static enum status check_totals(const struct wave_stage *stage, struct error *error)
{
    const struct grid_manifest *manifest = &stage->manifest;
    const struct wave_result *result = &stage->result;
    uint64_t each = stage->passes * stage->working;
    uint64_t shared[2];
    if (manifest->stated->unit_count > 0 &&
        grid_manifest_check_working(manifest, stage->working, error) != STATUS_OK)
        return error->code;
    for (unsigned stores = 0; stores < 2; stores++)
        shared[stores] = grid_manifest_shared_sectors(manifest, stage->chip.l1.line, stores != 0) * each;
    const struct {
        const char *what;
        uint64_t seen, stated;
    } rows[] = {{"accesses", all_loads(result), manifest->accesses},
                {"transfers", past_l1(result) + result->lines[GPU_L1] + shared[0], manifest->transfers},
                {"stored", result->stored + shared[1], manifest->stored}};
    for (size_t i = 0; manifest->stated->unit_count > 0 && i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].seen != rows[i].stated * stage->passes)
            return error_set(error, STATUS_FAILED,
                             "in %" PRIu64 " passes the %u work-groups that work make %" PRIu64
                             " %s; by the manifest it would be %" PRIu64,
                             stage->passes, stage->working, rows[i].seen, rows[i].what,
                             rows[i].stated * stage->passes);
    return STATUS_OK;
}

/* Compares the record, the number of accesses, and the lines with the execution. */
static enum status check(struct wave_stage *stage, struct error *error)
{
    const struct grid_manifest *manifest = &stage->manifest;
    const struct wave_result *result = &stage->result;
    uint64_t threads;
    enum status status = check_waves(stage, &threads, error);
    if (status != STATUS_OK)
        return status;
    if (check_totals(stage, error) != STATUS_OK)
        return STATUS_FAILED;
    const struct {
        const char *did;
        uint64_t seen, wanted;
    } kinds[] = {{"load", all_loads(result), per_pass(manifest, false) * threads},
                 {"store", result->stores + result->atomics, per_pass(manifest, true) * threads}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].seen != kinds[i].wanted * stage->passes)
            return error_set(error, STATUS_FAILED,
                             "%" PRIu64 " threads %s %" PRIu64 " times in %" PRIu64
                             " passes; by the manifest it would be %" PRIu64,
                             threads, kinds[i].did, kinds[i].seen, stage->passes,
                             kinds[i].wanted * stage->passes);
    if (!result->clocked)
        return STATUS_OK;
    uint64_t waves = stage->working * ((manifest->threads + result->lanes - 1) / result->lanes);
    const struct wave_passes passes = {.all = waves * clocked_passes(result, stage->passes, manifest->warmup),
                                       .measured = waves * stage->passes};
    status = stage->has_clocks ? wave_operations_around(result, error) : STATUS_OK;
    return status != STATUS_OK
               ? status
               : wave_operations_check(stage->test_program, result, &passes, &stage->of_units, error);
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
    source_add_share(&counter_wave, list, metric, part, whole);
}

/* Adds the share by the first model of L2, with an interval to that of the second. */
static void add_both(const struct wave_stage *stage, struct observations *list, const char *metric,
                     const uint64_t parts[2], const uint64_t wholes[2])
{
    double first = wholes[0] > 0 ? (double)parts[0] / (double)wholes[0] : 0;
    double second = stage->evicts && wholes[1] > 0 ? (double)parts[1] / (double)wholes[1] : first;
    if (wholes[0] > 0)
        observations_add(list, metric, counter_wave.name, counter_wave.kind, first, fmin(first, second),
                         fmax(first, second), (double)wholes[0]);
}

static void add_service(const struct wave_stage *stage, struct observations *list)
{
    static const enum gpu_level levels[] = {GPU_L1, GPU_L2, GPU_L3, GPU_MEM, GPU_SHARED};
    const struct wave_result *result = &stage->result, *second = &stage->second;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        char metric[METRIC_BYTES];
        if (levels[i] == GPU_L3 && stage->chip.l3.size == 0)
            continue;
        snprintf(metric, sizeof metric, "served.%s", gpu_level_name(levels[i]));
        add_both(stage, list, metric, (const uint64_t[]){result->loads[levels[i]], second->loads[levels[i]]},
                 (const uint64_t[]){all_loads(result), all_loads(second)});
    }
    source_add_share(&counter_wave, list, "l1d.miss_rate", past_l1(result),
                     past_l1(result) + result->lines[GPU_L1]);
    add_both(
        stage, list, "l2.miss_rate",
        (const uint64_t[]){past_l1(result) - result->lines[GPU_L2], past_l1(second) - second->lines[GPU_L2]},
        (const uint64_t[]){past_l1(result), past_l1(second)});
}

/* Counts the waves of a program without accesses, which then show where it works. */
static void count_workers(struct wave_stage *stage)
{
    struct wave_result *result = &stage->result;
    uint64_t all = 0;
    for (unsigned se = 0; se < stage->chip.se; se++)
        all += result->se_accesses[se];
    for (size_t i = 0; all == 0 && i < result->wave_count; i++) {
        const struct wave_report *wave = &result->waves[i];
        if (stage->works[wave->block] == 0)
            continue;
        result->se_accesses[wave->place.se]++;
        result->unit_accesses[wave->place.unit]++;
    }
}

/* place.cu<k>: by the number in HW_ID, in any array; place.sh<k>: an array, of any engine. */
static void add_place(const struct wave_stage *stage, struct observations *list)
{
    const struct wave_result *result = &stage->result;
    unsigned units = wave_chip_units(&stage->chip), dies = stage->chip.xcc;
    uint64_t all = 0;
    for (unsigned se = 0; se < stage->chip.se; se++)
        all += result->se_accesses[se];
    for (unsigned se = 0; se < stage->chip.se; se++)
        add_numbered(list, "place.se%u.share", result->se_accesses[se], all, se);
    bool numbered = machine_has(stage->test_program->machine, "xcc");
    const struct {
        const char *name;
        unsigned count, together; /* consecutive units with one number */
    } parts[] = {{"xcc", numbered ? dies : 0, 1},
                 {"sh", stage->chip.sh_per_se, dies * stage->chip.cu_per_sh},
                 {"cu", stage->chip.cu_per_sh, dies}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (unsigned number = 0; number < parts[i].count; number++) {
            uint64_t sum = 0;
            for (unsigned unit = 0; unit < units; unit++)
                sum += unit / parts[i].together % parts[i].count == number ? result->unit_accesses[unit] : 0;
            add_numbered(list, "place.%s%u.share", sum, all, parts[i].name, number);
        }
}

/* Adds the share of branches on EXEC at which a wave's lanes diverge. An emitted branch has two sides. */
static void add_branches(const struct wave_stage *stage, struct observations *list)
{
    const struct wave_result *result = &stage->result;
    source_add_share(&counter_wave, list, "branch.divergence",
                     stage->has_clocks ? result->halved : result->diverged, result->branches);
}

static void add_channels(const struct wave_stage *stage, struct observations *list)
{
    const struct wave_result *result = &stage->result;
    uint64_t all = 0;
    for (unsigned i = 0; i < stage->chip.l2_channels; i++)
        all += result->channels[i];
    for (unsigned i = 0; stage->chip.has_channels && i < stage->chip.l2_channels; i++)
        add_numbered(list, "l2.channel%u.share", result->channels[i], all, i);
    if (stage->chip.near_engines > 0 && result->undetermined == 0)
        source_add_share(&counter_wave, list, "l2.far_share", result->far, result->near + result->far);
}

/* Adds the rates of all loaded data: of the buses from L1 or beyond, and from LDS. */
static void add_data(struct wave_stage *stage, struct observations *list)
{
    struct bus_count *orders = stage->result.bus;
    grid_touched_count(stage->touched, &stage->data, &orders[BUS_ADDRESS]);
    grid_dealt_observe(&counter_wave, stage->test_program->manifest, orders, BUS_ORDERS, list);
}

static enum status simulate(struct wave_stage *stage, struct error *error)
{
    const struct manifest *stated = stage->test_program->manifest;
    const struct machine *machine = stage->test_program->machine;
    if (strcmp(manifest_text_or(stated->target, ""), "gcn") != 0)
        return error_set(error, STATUS_UNAVAILABLE, "it executes only programs of the target gcn");
    if (!(stated->period >= 1 && stated->period <= MOST_PERIOD))
        return error_set(error, STATUS_FAILED, "the manifest's period is wrong: expected 1 to %d",
                         MOST_PERIOD);
    stage->passes = (uint64_t)stated->period * PASSES;
    enum status status = wave_chip_from(machine, &stage->chip, error);
    if (status == STATUS_OK)
        status = grid_manifest_read(stated, machine->gpu.wave > 0 ? machine->gpu.wave : USUAL_LANES,
                                    &stage->manifest, error);
    if (status != STATUS_OK)
        return status;
    stage->record = memory_zeroed((size_t)stage->manifest.blocks + 1, GRID_RECORD_BYTES);
    stage->works = memory_zeroed(stage->manifest.blocks, 1);
    stage->touched = grid_touched_new(&stage->manifest);
    unsigned lanes = stage->manifest.lanes, warps = (stage->manifest.threads + lanes - 1) / lanes;
    stage->words = grid_words_new((unsigned)stage->chip.l2.line, warps,
                                  (size_t)stage->manifest.blocks * warps, stage->manifest.stream_count);
    status = execute(stage, error);
    grid_words_count(stage->words, &stage->changed);
    grid_words_free(stage->words);
    stage->words = NULL;
    if (status == STATUS_OK)
        status = check(stage, error);
    if (status == STATUS_OK)
        status = execute_streams(stage, error);
    return status == STATUS_OK ? check_wraps(stage, error) : status;
}

static enum status observe_object(const struct test_program *test_program, struct observations *list,
                                  struct error *error)
{
    struct wave_stage stage = {.test_program = test_program,
                               .has_clocks = test_program->launch == NULL &&
                                             test_program->manifest->from == NULL &&
                                             test_program->manifest->unit_count > 0};
    enum status status = simulate(&stage, error);
    if (status == STATUS_OK)
        status = wave_operations_observe(test_program, &stage.result, stage.of_units, list, error);
    if (status == STATUS_OK) {
        add_service(&stage, list);
        wave_duty_observe(test_program, &stage.chip, &stage.result, list);
        count_workers(&stage);
        add_place(&stage, list);
        add_channels(&stage, list);
        add_branches(&stage, list);
        grid_words_observe(&counter_wave, &stage.changed, list);
        add_data(&stage, list);
    }
    wave_result_free(&stage.result);
    wave_result_free(&stage.second);
    grid_touched_free(stage.touched);
    grid_manifest_free(&stage.manifest);
    demand_memory_free(&stage.data);
    free(stage.record);
    free(stage.works);
    return status == STATUS_USAGE ? STATUS_UNAVAILABLE : status;
}

/* Proves that a compiled kernel is the recipe's, patched, and finds the code object to execute, which needs
 * program.cl's arguments. */
static enum status take_compiled(struct test_program *runs, struct error *error)
{
    const struct manifest *manifest = runs->manifest;
    struct wave_kernel kernel = {0};
    enum status status = compiled_prove(manifest->from, runs->object, runs->object_size, error);
    if (status == STATUS_OK)
        status = runtime_binary_find("program.co, whose patch is proven,", runs->machine->gpu.arch,
                                     &runs->object, &runs->object_size, error);
    if (status != STATUS_OK)
        return status;
    status = wave_kernel_load(runs->object, runs->object_size,
                              manifest_text_or(manifest->entry, "trauma_kernel"), &kernel, error);
    if (status == STATUS_OK && (kernel.kernarg_bytes < ARGUMENTS * sizeof(uint64_t) ||
                                !runtime_binary_has_arguments(runs->object, runs->object_size)))
        status = error_set(error, STATUS_UNAVAILABLE,
                           "program.co's patch is proven, but its kernel has other arguments than program.cl "
                           "(iterations, warm-up, data, record), with which alone it can be executed here");
    wave_kernel_free(&kernel);
    return status;
}

/* Takes the binary that the device's runtime made. The emitted code object is another compilation of the same
 * source, which is judged only where no device runs the program. */
static enum status take_binary(struct test_program *runs, struct error *error)
{
    const struct buffer *binary = launch_binary(runs, error);
    if (binary == NULL)
        return error->code;
    runs->object = binary->data;
    runs->object_size = binary->size;
    enum status status = runtime_binary_find("the binary that ran", runs->machine->gpu.arch, &runs->object,
                                             &runs->object_size, error);
    size_t used = status == STATUS_OK ? 0 : strlen(error->message);
    if (used > 0)
        snprintf(error->message + used, sizeof error->message - used, ", and program.co did not run");
    return status;
}

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    struct test_program runs = *test_program;
    bool opens = runs.launch == NULL && test_program->machine->present;
    enum status status = test_program->manifest->from == NULL ? STATUS_OK : take_compiled(&runs, error);
    opens = opens && status == STATUS_OK;
    if (opens)
        status = launch_open(&runs, error);
    if (opens && status == STATUS_UNAVAILABLE)
        status = STATUS_OK; /* nothing can run it here */
    if (status == STATUS_OK && runs.launch != NULL)
        status = take_binary(&runs, error);
    if (status == STATUS_OK)
        status = observe_object(&runs, list, error);
    if (opens)
        launch_close(&runs);
    return status;
}

/* The code object determines the observations; on the present machine, so does program.cl, which a runtime
 * may compile. */
static void identify(const struct test_program *test_program, char identity[HASH_TEXT_BYTES])
{
    struct buffer code = {0};
    buffer_append(&code, test_program->object, test_program->object_size);
    if (test_program->machine->present)
        buffer_append(&code, test_program->source, test_program->source_size);
    identity_of(test_program, code.data, code.size, identity);
    buffer_free(&code);
}

const struct counter_source counter_wave = {
    .name = "wave", .kind = EVIDENCE_SIMULATED, .targets = "gcn", .observe = observe, .identify = identify};
