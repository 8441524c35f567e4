#include "bench/likwid_side.h"

#include "runner/process/child.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double RUN_S = 0.15;
static const double TIMEOUT_S = 120;
static const double MB = 1e6;
/* Bytes moved by the run that finds how many iterations a timed run takes. */
static const double FIRST_BYTES = 4e8;
enum { FEWEST = 2 };

bool likwid_is_there(void)
{
    return child_program_exists("likwid-bench");
}

void likwid_side_make(const char *operation, unsigned width, uint64_t bytes, struct likwid_side *side)
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
    return error_set(error, STATUS_FAILED, "likwid-bench says no MByte/s: another version of it?");
}

static enum status run(const struct likwid_side *side, uint64_t iterations, double *rate, struct error *error)
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

enum status likwid_side_measure(void *context, double *rate, struct error *error)
{
    struct likwid_side *side = context;
    if (side->iterations == 0) {
        uint64_t first = (uint64_t)(FIRST_BYTES / (double)side->bytes);
        enum status status = run(side, first < FEWEST ? FEWEST : first, rate, error);
        if (status != STATUS_OK)
            return status;
        uint64_t wanted = (uint64_t)(RUN_S * *rate / (double)side->bytes);
        side->iterations = wanted < FEWEST ? FEWEST : wanted;
    }
    return run(side, side->iterations, rate, error);
}
