#include "runner/sources/timing/timing_source.h"

#include "base/stats.h"
#include "runner/devices/launcher.h"

#include <string.h>

enum { TEST_PROGRAM, NEAR, FAR, PARTS, ROUNDS = 9, PASSES = 100, WAVE = 32 };
static const double TIMEOUT_S = 60;

/* Distances closer to each other than this reveal nothing. */
static const double LEAST_SPREAD = 1.1;

static const char *const sides[PARTS] = {NULL, "near", "far"};

bool timing_device_concerns(const struct test_program *test_program)
{
    const struct manifest *manifest = test_program->manifest;
    bool one_chain = manifest->stream_count > 0;
    for (size_t i = 0; i < manifest->stream_count; i++) {
        const struct manifest_stream *stream = &manifest->streams[i];
        one_chain = one_chain && stream->chase && stream->side != NULL && strcmp(stream->level, "L2") == 0;
    }
    return one_chain && test_program_is_on_device(test_program) && manifest->block_threads <= WAVE;
}

typedef double ticks_of_round[PARTS];

static double median_of(const ticks_of_round *ticks, int part, const size_t *chosen, size_t count)
{
    double numbers[ROUNDS] = {0};
    for (size_t i = 0; i < count; i++)
        numbers[i] = ticks[chosen[i]][part];
    return stats_median(numbers, count);
}

static double spread_of(const size_t *chosen, size_t count, const void *context)
{
    return median_of(context, FAR, chosen, count) / median_of(context, NEAR, chosen, count);
}

static double share_of(const size_t *chosen, size_t count, const void *context)
{
    double near_end = median_of(context, NEAR, chosen, count);
    double far_end = median_of(context, FAR, chosen, count);
    return (median_of(context, TEST_PROGRAM, chosen, count) - near_end) / (far_end - near_end);
}

static enum status add_share(const ticks_of_round *ticks, struct observations *list, struct error *error)
{
    struct interval spread = stats_bootstrap_rounds(ROUNDS, spread_of, ticks);
    if (!(spread.low >= LEAST_SPREAD))
        return error_set(error, STATUS_UNAVAILABLE,
                         "far lines of L2 take %.2f times as long as near ones: too little, or too noisy, to "
                         "determine a share",
                         spread.value);
    struct interval share = stats_bootstrap_rounds(ROUNDS, share_of, ticks);
    observations_add_copy(list, 0, "l2.far_share", "timing", EVIDENCE_INFERRED, share);
    return STATUS_OK;
}

static enum status race(const struct test_program parts[PARTS], ticks_of_round *ticks, struct error *error)
{
    const struct test_program_call call = {.iterations = PASSES, .timeout_s = TIMEOUT_S};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < (size_t)ROUNDS * PARTS && status == STATUS_OK; i++) {
        struct test_program_time time = {0};
        status = launch_run(&parts[i % PARTS], &call, &time, error);
        ticks[i / PARTS][i % PARTS] = (double)time.ticks;
        result_record_free(time.record);
    }
    return status;
}

enum status timing_device_observe(const struct test_program *test_program, struct observations *list,
                                  struct error *error)
{
    struct test_program parts[PARTS] = {*test_program, *test_program, *test_program};
    struct manifest manifests[PARTS];
    ticks_of_round ticks[ROUNDS] = {{0}};
    if (test_program->launch == NULL && !test_program->machine->present)
        return error_set(error, STATUS_UNAVAILABLE, "its program is for another machine");
    enum status status = launch_open(&parts[TEST_PROGRAM], error);
    for (int i = NEAR; i < PARTS; i++) {
        manifests[i] = *test_program->manifest;
        manifests[i].data.side = sides[i];
        parts[i].manifest = &manifests[i];
        parts[i].launch = NULL;
        if (status == STATUS_OK)
            status = launch_open(&parts[i], error);
    }
    if (status == STATUS_OK)
        status = race((const struct test_program *)parts, ticks, error);
    if (status == STATUS_OK)
        status = add_share((const ticks_of_round *)ticks, list, error);
    for (int i = test_program->launch == NULL ? TEST_PROGRAM : NEAR; i < PARTS; i++)
        launch_close(&parts[i]);
    return status;
}
