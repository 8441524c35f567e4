#include "runner/probe/probe.h"

#include "base/json.h"
#include "generator/suite/program.h"
#include "runner/devices/launcher.h"
#include "runner/probe/family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SMALLEST = 4096,
    PARTS = 4,
    BEYOND_L2 = 4,
    SAMPLES = 5,
    LEVELS = 3,
    LEAST_LOADS = 1 << 15,
    MOST_LOADS = 1 << 18,
    SEED = 1
};
static const double TIMEOUT_S = 60;

/* The least ratio of the times of far and near accesses. */
static const double LEAST_FARTHER = 1.1;

static const struct probe_level levels[LEVELS] = {
    {"latency.L1", "latency_ns.L1", "l1.size", offsetof(struct machine, l1d), "its family",
     "the driver reserves part of it as shared memory"},
    {"latency.L2", "latency_ns.L2", "l2.size", offsetof(struct machine, l2), "the driver",
     "a multiprocessor may use only the near half of an L2 of two sides for what it reads"},
    {"latency.MEM", "latency_ns.MEM", NULL, 0, NULL, NULL},
};

/* The data that all measurements share. */
struct device_bench {
    struct code_generator code_generator;
    const struct machine *machine;
    unsigned device;
};

/* The point of a chase, as from a recipe. side: through a part of the "near" or "far" side of L2; NULL:
 * through that many bytes or, if 0, through shared memory. New reference. */
static json_t *describe_chase(const struct machine *machine, size_t bytes, const char *side)
{
    json_t *load = json_pack("{s:s, s:s, s:s, s:i, s:i}", "op", "load", "order", "shuffled", "address",
                             "chase", "width", 8, "count", 1);
    if (side != NULL) {
        json_object_set_new(load, "served", json_pack("{s:i}", "L2", 1));
        json_object_set_new(load, "cache", json_string("cg"));
    } else if (bytes > 0) {
        json_object_set_new(load, "working_set", json_integer((json_int_t)bytes));
        json_object_set_new(load, "stride", json_integer(machine->l1d.line));
    } else {
        json_object_set_new(load, "served", json_pack("{s:i}", "SHARED", 1));
    }
    json_t *point = json_pack("{s:s, s:s, s:{}, s:s, s:{s:[o], s:{}}, s:{s:i, s:i}}", "benchmark", "probe",
                              "point", "chase", "parameters", "target", machine->isa, "kernel", "unit", load,
                              "loop", "grid", "blocks", 1, "threads", 1);
    if (side != NULL)
        json_object_set_new(point, "place", json_pack("{s:s}", "side", side));
    return point;
}

/* Loads per pass of one thread. */
static double loads_of(const struct manifest *manifest)
{
    double loads = 0;
    for (size_t i = 0; i < manifest->stream_count; i++)
        loads += manifest->streams[i].per_pass;
    return loads;
}

/* Runs the loaded program and returns cycles and nanoseconds per load. */
static enum status take_samples(struct probe *probe, const struct test_program *test_program, double loads,
                                struct probe_point *point, struct error *error)
{
    double cycles[SAMPLES];
    double ns[SAMPLES];
    double a_pass = loads_of(test_program->manifest);
    struct test_program_call call = {.iterations = (uint64_t)ceil(loads / fmax(a_pass, 1)),
                                     .timeout_s = TIMEOUT_S};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < SAMPLES; i++) {
        struct test_program_time time = {0};
        status = launch_run(test_program, &call, &time, error);
        cycles[i] = (double)time.ticks / ((double)call.iterations * a_pass);
        ns[i] = cycles[i] / (time.record == NULL ? NAN : time.record->clock_hz) * 1e9;
        result_record_free(time.record);
    }
    if (status != STATUS_OK)
        return status;
    size_t dropped;
    point->cycles = probe_quiet(cycles, SAMPLES, &dropped);
    point->ns = probe_quiet(ns, SAMPLES, &dropped);
    probe->samples_taken += SAMPLES;
    probe->samples_dropped += dropped;
    return STATUS_OK;
}

/* Measures a chase; parameters as describe_chase. */
static enum status measure(struct probe *probe, const struct device_bench *bench, size_t bytes,
                           const char *side, struct probe_point *point, struct error *error)
{
    struct program program = {0};
    json_t *chase = describe_chase(bench->machine, bytes, side);
    struct manifest *stated = point_from_json(chase);
    enum status status = program_make(&bench->code_generator, stated, bench->machine, SEED, &program, error);
    struct test_program test_program = {.benchmark = "probe",
                                        .point = "chase",
                                        .manifest = program.manifest,
                                        .executable = program.source.data,
                                        .executable_size = program.source.size,
                                        .machine = bench->machine,
                                        .cpu = -1,
                                        .device = bench->device};
    double rows = (double)bytes / bench->machine->l1d.line;
    *point = (struct probe_point){.size = (double)bytes};
    if (status == STATUS_OK)
        status = launch_open(&test_program, error);
    if (status == STATUS_OK)
        status = take_samples(probe, &test_program, fmin(fmax(rows, LEAST_LOADS), MOST_LOADS), point, error);
    launch_close(&test_program);
    program_free(&program);
    manifest_free(stated);
    json_decref(chase);
    return status;
}

/* ---- the curve ---- */

static enum status measure_curve(struct probe *probe, const struct device_bench *bench, struct error *error)
{
    struct probe_curve *curve = &probe->latency;
    const struct probe_request *request = probe->request;
    size_t sizes[PROBE_POINTS_MOST];
    size_t count = 0;
    for (size_t octave = SMALLEST; octave <= BEYOND_L2 * bench->machine->l2.size; octave *= 2)
        for (size_t part = 0; part < PARTS && count < PROBE_POINTS_MOST; part++)
            sizes[count++] = octave / PARTS * (PARTS + part);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        if (request->step != NULL)
            request->step(i, count, "latency over array size", request->context);
        status = measure(probe, bench, sizes[i], NULL, &curve->points[i], error);
        curve->count += status == STATUS_OK;
    }
    return status;
}

/* Finds the plateaus of the levels. An L2 with two sides has another plateau within its size, where the near
 * side can hold no more copies of the far side's lines: it is dropped here, and measured by add_sides. */
static size_t find_levels(const struct probe *probe, struct probe_plateau plateaus[PLATEAUS_MOST])
{
    const struct probe_curve *curve = &probe->latency;
    const struct machine *machine = probe->request->machine;
    size_t found = probe_plateaus(curve->points, curve->count, LEVELS + 1, plateaus);
    if (found <= LEVELS)
        return found;
    if (machine->gpu.sides < 2 || curve->points[plateaus[2].first].size >= (double)machine->l2.size)
        return probe_plateaus(curve->points, curve->count, LEVELS, plateaus);
    plateaus[2] = plateaus[3];
    return LEVELS;
}

static void add_levels(struct probe *probe)
{
    static const char why[] = "the curve has %zu plateaus, none of which is this level's";
    struct probe_plateau plateaus[PLATEAUS_MOST];
    size_t found = find_levels(probe, plateaus);
    for (size_t level = 0; level < LEVELS; level++) {
        if (found < LEVELS) {
            probe_add_missing(probe, levels[level].cycles, "cycles", why, found);
            continue;
        }
        probe_add_latency(probe, &levels[level], &plateaus[level], "chase", "");
        if (levels[level].size != NULL)
            probe_add_size(probe, &levels[level], &plateaus[level], &plateaus[level + 1]);
    }
}

/* Adds the latencies of both sides of a two-part L2, which the curve mixes. They are missing, with the
 * reason, if the sides cannot be determined, or if the far one is as short as the near one because copies
 * serve it. */
static enum status add_sides(struct probe *probe, const struct device_bench *bench, struct error *error)
{
    static const char *const ways[][2] = {{"near", "latency.L2_NEAR"}, {"far", "latency.L2_FAR"}};
    double near_cycles = NAN;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < 2; i++) {
        struct probe_point point;
        status = measure(probe, bench, 0, ways[i][0], &point, error);
        if (status == STATUS_OK && point.cycles.value < LEAST_FARTHER * near_cycles)
            probe_add_missing(
                probe, ways[i][1], "cycles",
                "lines of the far side take %.0f cycles, because the near side keeps copies of them",
                point.cycles.value);
        else if (status == STATUS_OK)
            probe_add(probe, ways[i][1], "cycles", point.cycles,
                      "chase through lines whose home is the %s side", ways[i][0]);
        else if (status == STATUS_UNAVAILABLE)
            probe_add_missing(probe, ways[i][1], "cycles", "%s", error->message);
        near_cycles = status == STATUS_OK ? point.cycles.value : NAN;
        status = status == STATUS_UNAVAILABLE ? STATUS_OK : status;
    }
    return status;
}

enum status device_probe(const struct probe_request *request, unsigned device, struct probe *probe,
                         struct error *error)
{
    struct device_bench bench = {.machine = request->machine, .device = device};
    struct probe_point shared;
    *probe = (struct probe){.request = request};
    enum status status = code_generator_open(request->machine->isa, &bench.code_generator, error);
    if (status == STATUS_OK)
        status = measure(probe, &bench, 0, NULL, &shared, error);
    if (status == STATUS_OK) {
        probe_add(probe, "latency.SHARED", "cycles", shared.cycles, "chase through a part of shared memory");
        status = measure_curve(probe, &bench, error);
    }
    if (status == STATUS_OK)
        add_levels(probe);
    if (status == STATUS_OK && request->machine->gpu.sides == 2)
        status = add_sides(probe, &bench, error);
    code_generator_close(&bench.code_generator);
    return status;
}

enum status device_probe_describe(const struct probe *probe, struct machine *machine, struct error *error)
{
    static const char *const names[][2] = {{"SHARED", "SHARED"}, {"L1", "L1"},         {"L2", "L2"},
                                           {"L2", "L2_NEAR"},    {"L2_FAR", "L2_FAR"}, {"MEM", "MEM"}};
    json_t *document = json_deep_copy(probe->request->machine->document);
    json_t *latency = json_object();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char key[32];
        snprintf(key, sizeof key, "latency.%s", names[i][1]);
        const struct probe_value *value = probe_find(probe, key);
        if (value != NULL && value->found)
            json_object_set_new(latency, names[i][0], json_real(round(value->interval.value * 10) / 10));
    }
    if (json_object_size(latency) > 0)
        json_object_set(document, "latency", latency);
    enum status status = machine_from_json(document, NULL, machine, error);
    json_decref(latency);
    json_decref(document);
    return status;
}
