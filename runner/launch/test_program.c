/* What a test program's manifest requires, and the line that the program prints (DESIGN.md section 3, a suite
 * on disk), {"iterations":N,"ticks":T,...}. */
#include "runner/launch/test_program.h"

#include "base/files/memory_file.h"
#include "base/json.h"
#include "generator/machine/detect.h"
#include "isa/isa.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A walk with more accesses is not observed. */
enum { MOST_WALKED = 1 << 22 };

/* No processor's clock is faster. */
static const double MOST_TICKS_PER_S = 1e11;

/* This many passes take at least one tick of the programs' clock. */
static uint64_t passes_per_tick(void)
{
    const struct isa *isa = isa_of_host();
    return isa == NULL ? UINT64_MAX : isa->host->passes_per_tick;
}

static bool is_count(const json_t *number)
{
    return json_is_integer(number) && json_integer_value(number) >= 0;
}

enum status test_program_open_share(int *fd, struct error *error)
{
    int low = -1;
    *fd = 0;
    enum status status = memory_file_open("", 0, false, &low, error);
    if (status != STATUS_OK)
        return status;
    *fd = fcntl(low, F_DUPFD_CLOEXEC, 3); /* 0 is none */
    close(low);
    if (*fd >= 0)
        return STATUS_OK;
    *fd = 0;
    return error_set(error, STATUS_FAILED, "cannot open the file that copies share: %s", strerror(errno));
}

void test_program_share_text(const struct test_program_call *call, char text[TEST_PROGRAM_SHARE_BYTES])
{
    char path[MEMORY_FILE_PATH_BYTES];
    memory_file_path(path, call->share_fd);
    snprintf(text, TEST_PROGRAM_SHARE_BYTES, "@%u/%u%s", call->copy, call->copies, path);
}

enum status test_program_parse_line(const struct buffer *output, uint64_t iterations,
                                    struct test_program_time *time, struct error *error)
{
    const char *newline = output->size > 0 ? memchr(output->data, '\n', output->size) : NULL;
    if (newline == NULL || newline + 1 != output->data + output->size) {
        return error_set(error, STATUS_FAILED,
                         "the program wrote %zu bytes%s; expected one line {\"iterations\":N,\"ticks\":T}",
                         output->size, newline != NULL ? " in several lines" : " and no complete line");
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
                           "the program made %" JSON_INTEGER_FORMAT " iterations; %" PRIu64 " were requested",
                           json_integer_value(made), iterations);
    } else if (json_integer_value(taken) == 0 && iterations >= passes_per_tick()) {
        status = error_set(
            error, STATUS_FAILED,
            "the program reports that %" PRIu64 " iterations took 0 ticks, which is impossible", iterations);
    } else {
        time->ticks = (uint64_t)json_integer_value(taken);
        time->start = (uint64_t)json_integer_value(start);
    }
    json_decref(line);
    return status;
}

enum status test_program_check_ticks(const struct test_program_time *time, double wall_s, struct error *error)
{
    if ((double)time->ticks <= wall_s * MOST_TICKS_PER_S)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED,
                     "the program reports that its passes took %" PRIu64
                     " ticks, but it ran for %.3g s: no clock ticks as often",
                     time->ticks, wall_s);
}

enum status test_program_read_map(const char *word, enum page_map *map, struct error *error)
{
    static const char *const words[] = {[MAP_NONE] = "none", [MAP_PAGES] = "pages", [MAP_HASHED] = "hashed"};
    *map = MAP_NONE;
    for (size_t i = 0; word != NULL && i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], word) == 0) {
            *map = (enum page_map)i;
            return STATUS_OK;
        }
    return word == NULL ? STATUS_OK
                        : error_set(error, STATUS_USAGE, "--map %s: expected none, pages or hashed", word);
}

enum status test_program_check_features(const struct test_program *test_program, struct error *error)
{
    const struct manifest_words *needed = &test_program->manifest->features;
    if (needed->count == 0)
        return STATUS_OK;
    struct text_set own = {0};
    const struct text_set *present = test_program->cpu_features;
    if (present == NULL) {
        detect_features(&own);
        present = &own;
    }
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < needed->count; i++) {
        const char *feature = needed->items[i];
        if (text_set_find(present, feature) == present->count)
            status = error_set(error, STATUS_UNAVAILABLE,
                               "the program needs %.60s, which this processor lacks", feature);
    }
    text_set_free(&own);
    return status;
}

enum status test_program_check_executable(const struct test_program *test_program, struct error *error)
{
    if (test_program->executable_size >= SELFMAG && memcmp(test_program->executable, ELFMAG, SELFMAG) == 0)
        return STATUS_OK;
    error_set(error, STATUS_FAILED, "the program is not an executable (%zu bytes, expected an ELF file)",
              test_program->executable_size);
    error_hint(error, "generate the suite again");
    return STATUS_FAILED;
}

void test_program_find_place(struct test_program *test_program, struct placement *place)
{
    const struct manifest *manifest = test_program->manifest;
    if (test_program_is_on_device(test_program) || (isnan(manifest->threads) && !manifest->place.given))
        return;
    (void)placement_choose(manifest, place, NULL); /* the place contains the reason */
    test_program->place = place;
}

enum status test_program_check_walk(const struct test_program *test_program, struct error *error)
{
    const struct manifest *manifest = test_program->manifest;
    double accesses = manifest->warmup * (manifest->loads + manifest->stores);
    if (manifest->targets.count > 0 || accesses <= MOST_WALKED)
        return STATUS_OK;
    return error_set(
        error, STATUS_UNAVAILABLE,
        "the walk makes %.3g accesses before it repeats, and it has no targets: at most %d are observed",
        accesses, MOST_WALKED);
}

bool test_program_shares(const struct test_program *test_program)
{
    const struct manifest_data *data = &test_program->manifest->data;
    bool shares = test_program_copies(test_program) > 1;
    for (size_t i = 0; i < data->base_count; i++)
        shares = shares || manifest_base_level(&data->bases[i]) >= LEVEL_L3;
    return shares;
}

const struct machine *test_program_reference_machine(const struct test_program *test_program)
{
    return test_program->reference_machine != NULL ? test_program->reference_machine : test_program->machine;
}

size_t test_program_copies(const struct test_program *test_program)
{
    return test_program->place == NULL ? 1 : test_program->place->count;
}

int test_program_cpu(const struct test_program *test_program, size_t copy)
{
    return test_program->place == NULL ? test_program->cpu : test_program->place->cpus[copy];
}

enum status test_program_check_runs(const struct test_program *test_program, struct error *error)
{
    if (test_program_copies(test_program) > 0)
        return placement_check_nodes(test_program->manifest, error);
    if (test_program->place->why_not.message[0] == '\0')
        return error_set(error, STATUS_UNAVAILABLE, "threads is 0: no copy of it runs");
    if (error != NULL)
        *error = test_program->place->why_not;
    return STATUS_UNAVAILABLE;
}

bool test_program_is_on_device(const struct test_program *test_program)
{
    const struct isa *isa = isa_find(manifest_text_or(test_program->manifest->target, ""));
    return isa != NULL && isa->gpu;
}
