/* Runs the emitted standalone executable and takes its own count of time, as it was made to print it
 * (DESIGN.md section 3, a suite on disk): one line, {"iterations":N,"ticks":T,...}. */
#include "runner/launch/subject.h"

#include "base/json.h"
#include "generator/machine/detect_cpuid.h"
#include "generator/suite/manifest.h"
#include "runner/launch/child.h"
#include "runner/launch/gang.h"
#include "runner/launch/launcher.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Accesses of a walk that are observed. */
enum { MOST_WALKED = 1 << 22 };

/* So many passes take a tick of any clock. Between two readings of the TSC there are always some; other
 * processors' clocks tick every microsecond. */
#if defined(__x86_64__)
enum { PASSES_A_TICK = 1 };
#else
enum { PASSES_A_TICK = 100000 };
#endif

/* No clock of a processor ticks as often. */
static const double MOST_TICKS_PER_S = 1e11;

static bool is_count(const json_t *number)
{
    return json_is_integer(number) && json_integer_value(number) >= 0;
}

enum status subject_parse_line(const struct buffer *output, uint64_t iterations, struct subject_time *time,
                               struct error *error)
{
    const char *newline = output->size > 0 ? memchr(output->data, '\n', output->size) : NULL;
    if (newline == NULL || newline + 1 != output->data + output->size) {
        return error_set(error, STATUS_FAILED,
                         "the program wrote %zu bytes%s; expected one line {\"iterations\":N,\"ticks\":T}",
                         output->size, newline != NULL ? " in several lines" : " and no whole line");
    }
    struct error reason;
    json_t *line = json_parse(output->data, output->size, "the program's output", &reason);
    if (line == NULL)
        return error_set(error, STATUS_FAILED, "%s", reason.message);
    const json_t *made = json_object_get(line, "iterations");
    const json_t *taken = json_object_get(line, "ticks");
    const json_t *start = json_object_get(line, "start");
    enum status status = STATUS_OK;
    if (!is_count(made) || !is_count(taken) || (start != NULL && !is_count(start))) {
        status = error_set(error, STATUS_FAILED,
                           "the program wrote %.200s; expected whole numbers of 0 and more as "
                           "\"iterations\", \"ticks\" and \"start\"",
                           output->data);
    } else if ((uint64_t)json_integer_value(made) != iterations) {
        status = error_set(error, STATUS_FAILED,
                           "the program made %" JSON_INTEGER_FORMAT " iterations; it was asked for %" PRIu64,
                           json_integer_value(made), iterations);
    } else if (json_integer_value(taken) == 0 && iterations >= PASSES_A_TICK) {
        status = error_set(error, STATUS_FAILED,
                           "the program says that %" PRIu64 " iterations took 0 ticks, which cannot be",
                           iterations);
    } else {
        time->ticks = (uint64_t)json_integer_value(taken);
        time->start = (uint64_t)json_integer_value(start);
    }
    json_decref(line);
    return status;
}

enum status subject_check_ticks(const struct subject_time *time, double wall_s, struct error *error)
{
    if ((double)time->ticks <= wall_s * MOST_TICKS_PER_S)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED,
                     "the program says that its passes took %" PRIu64
                     " ticks, but it ran for %.3g s: no clock ticks as often",
                     time->ticks, wall_s);
}

/* What it left ran beside the measurement, and on after it. */
static enum status check_left(const struct child_result *result, struct error *error)
{
    char more[32] = "";
    if (result->left == 0)
        return STATUS_OK;
    if (result->left_more > 0)
        snprintf(more, sizeof more, " and %u more", result->left_more);
    error_set(error, STATUS_FAILED,
              "the program ended and left process %ld (%s)%s running; what it left was ended",
              (long)result->left, result->left_name, more);
    error_hint(error, "a generated program that runs by itself starts none: generate the suite again");
    return STATUS_FAILED;
}

static bool has_text(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *item = json_string_value(json_array_get(list, i));
        if (item != NULL && strcmp(item, text) == 0)
            return true;
    }
    return false;
}

/* The features that the processor has; new reference. */
static json_t *processor_features(const struct subject *subject)
{
    struct cpuid cpuid;
    if (subject->cpu_features != NULL)
        return json_incref((json_t *)(uintptr_t)subject->cpu_features);
    return cpuid_of_host(&cpuid) ? cpuid_features(&cpuid) : json_array();
}

enum status subject_check_features(const struct subject *subject, struct error *error)
{
    const json_t *needed = json_object_get(subject->manifest, "features");
    if (json_array_size(needed) == 0)
        return STATUS_OK;
    json_t *present = processor_features(subject);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < json_array_size(needed); i++) {
        const char *feature = json_string_value(json_array_get(needed, i));
        if (feature == NULL || !has_text(present, feature))
            status = error_set(error, STATUS_UNAVAILABLE,
                               "the program needs %.60s, which this processor does not have",
                               feature == NULL ? "a feature without a name" : feature);
    }
    json_decref(present);
    return status;
}

enum status subject_check_executable(const struct subject *subject, struct error *error)
{
    if (subject->executable_size >= SELFMAG && memcmp(subject->executable, ELFMAG, SELFMAG) == 0)
        return STATUS_OK;
    error_set(error, STATUS_FAILED, "the program is no executable (%zu bytes, expected an ELF file)",
              subject->executable_size);
    error_hint(error, "generate the suite again");
    return STATUS_FAILED;
}

void subject_find_place(struct subject *subject, struct placement *place)
{
    if (subject_is_on_device(subject) || !placement_asked(subject->manifest))
        return;
    (void)placement_choose(subject->manifest, place, NULL); /* why not is in the place */
    subject->place = place;
}

enum status subject_check_walk(const struct subject *subject, struct error *error)
{
    const json_t *manifest = subject->manifest;
    double accesses = json_number_or(manifest, "warmup", 0) *
                      (json_number_or(manifest, "loads", 0) + json_number_or(manifest, "stores", 0));
    if (json_object_size(json_object_get(manifest, "targets")) > 0 || accesses <= MOST_WALKED)
        return STATUS_OK;
    return error_set(
        error, STATUS_UNAVAILABLE,
        "the walk makes %.3g accesses before it comes round, and nothing is promised of it: up to "
        "%d are looked at",
        accesses, MOST_WALKED);
}

bool subject_shares(const struct subject *subject)
{
    const json_t *bases = json_object_get(json_object_get(subject->manifest, "data"), "bases");
    bool shares = subject_copies(subject) > 1;
    for (size_t i = 0; i < json_array_size(bases); i++)
        shares = shares || manifest_base_level(json_array_get(bases, i)) >= LEVEL_L3;
    return shares;
}

const struct machine *subject_yardstick(const struct subject *subject)
{
    return subject->yardstick != NULL ? subject->yardstick : subject->machine;
}

size_t subject_copies(const struct subject *subject)
{
    return subject->place == NULL ? 1 : subject->place->count;
}

enum status subject_check_runs(const struct subject *subject, struct error *error)
{
    if (subject_copies(subject) > 0)
        return STATUS_OK;
    if (subject->place->why_not.message[0] == '\0')
        return error_set(error, STATUS_UNAVAILABLE, "threads is 0: no copy of it runs");
    if (error != NULL)
        *error = subject->place->why_not;
    return STATUS_UNAVAILABLE;
}

bool subject_is_on_device(const struct subject *subject)
{
    const struct launcher *launcher = launcher_of(subject->manifest);
    return launcher != NULL && launcher->driver != NULL;
}

static enum status run_executable(const struct subject *subject, const struct subject_call *call,
                                  struct subject_time *time, struct error *error)
{
    char name[] = "program";
    char count[24];
    char meet[16];
    snprintf(count, sizeof count, "%" PRIu64, call->iterations);
    snprintf(meet, sizeof meet, "%d", call->meet_fd);
    char *const arguments[] = {name, count, call->meet_fd == 0 ? NULL : meet, NULL};
    const struct child_request request = {.image = subject->executable,
                                          .image_size = subject->executable_size,
                                          .arguments = arguments,
                                          .cpu = call->cpu,
                                          .keep_fd = call->meet_fd,
                                          .timeout_s = call->timeout_s,
                                          .before_start = call->before_start,
                                          .context = call->context};
    struct child_result result;
    enum status status = subject_check_executable(subject, error);
    if (status == STATUS_OK)
        status = subject_check_features(subject, error);
    if (status != STATUS_OK)
        return status;
    status = child_run(&request, &result, error);
    if (status == STATUS_OK)
        status = subject_parse_line(&result.output, call->iterations, time, error);
    if (status == STATUS_OK)
        status = subject_check_ticks(time, result.wall_s, error);
    if (status == STATUS_OK)
        status = check_left(&result, error);
    child_result_free(&result);
    return status;
}

enum status subject_run_one(const struct subject *subject, const struct subject_call *call,
                            struct subject_time *time, struct error *error)
{
    if (launcher_of(subject->manifest) == NULL)
        return error_set(error, STATUS_UNAVAILABLE, "programs for %.40s cannot be run by this version",
                         json_string_or(subject->manifest, "target", ""));
    return subject_is_on_device(subject) ? launch_run(subject, call, time, error)
                                         : run_executable(subject, call, time, error);
}

enum status subject_run(const struct subject *subject, uint64_t iterations, double timeout_s, uint64_t *ticks,
                        struct error *error)
{
    struct gang gang;
    enum status status = gang_open(subject, iterations, timeout_s, &gang, error);
    if (status == STATUS_OK)
        status = gang_run(&gang, error);
    if (status == STATUS_OK)
        *ticks = gang_mean_ticks(&gang);
    gang_close(&gang);
    return status;
}
