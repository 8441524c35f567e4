#include "fake_cuda_executed.h"

#include "sim/ptx/ptx_code.h"
#include "sim/ptx/warp_launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANGES = 8, MOST_PASSES = 2, ENTRY = 64, PLACE = 32, UNWRITTEN = 0xa5 };

/* Of generator/machine, for caches: there are none here. */
unsigned cache_sets(const struct cache *cache)
{
    return (unsigned)(cache->size / cache->line);
}

bool fake_executes(const char *text)
{
    return strstr(text, "TRAUMA_LOOP:") != NULL;
}

static bool wrong(const char *format, uint64_t found, uint64_t expected)
{
    fprintf(stderr, "the made-up GPU: a launch %s %" PRIu64 ": expected %" PRIu64 "\n", format, found,
            expected);
    return false;
}

static bool fits(const struct fake_launch *launch, const struct ptx_program *program,
                 const struct fake_memory *record)
{
    if (launch->shared != 0)
        return wrong("with bytes of shared memory:", launch->shared, 0);
    if (launch->threads != program->most_threads)
        return wrong("of blocks with threads:", launch->threads, program->most_threads);
    if (record == NULL || record->bytes != (size_t)launch->blocks * ENTRY)
        return wrong("with bytes of record:", record == NULL ? 0 : record->bytes,
                     (uint64_t)launch->blocks * ENTRY);
    return true;
}

static bool has_record(const struct fake_launch *launch, const unsigned char *record, unsigned sms)
{
    for (unsigned i = 0; i < launch->blocks; i++) {
        uint32_t place, worked;
        memcpy(&place, record + (size_t)i * ENTRY + PLACE, sizeof place);
        memcpy(&worked, record + (size_t)i * ENTRY + PLACE + sizeof place, sizeof worked);
        if (place >= sms)
            return wrong("whose block records multiprocessor", place, sms - 1);
        if (worked > 1)
            return wrong("whose block records that it worked as", worked, 1);
    }
    return true;
}

static bool run(const struct fake_launch *launch, const struct ptx_program *program,
                const struct device_range *ranges, size_t count, unsigned sms)
{
    uint64_t passes = launch->parameters[0], warmup = launch->parameters[1];
    const uint64_t parameters[] = {passes < MOST_PASSES ? passes : MOST_PASSES,
                                   warmup < MOST_PASSES ? warmup : MOST_PASSES, launch->parameters[2],
                                   launch->parameters[3]};
    const struct warp_launch request = {.program = program,
                                        .blocks = launch->blocks,
                                        .threads = launch->threads,
                                        .parameters = parameters,
                                        .ranges = ranges,
                                        .range_count = count,
                                        .warmup = parameters[1],
                                        .most_instructions = UINT64_C(1) << 26,
                                        .no_caches = true,
                                        .placed = true};
    const struct warp_chip chip = {
        .sms = sms, .sides = 1, .l1 = {.line = 128, .sector = 32}, .l2 = {.line = 128, .sector = 32}};
    struct warp_result result;
    struct error error;
    enum status status = warp_run(&chip, &request, &result, &error);
    if (status != STATUS_OK)
        fprintf(stderr, "the made-up GPU: line %d: %s\n", error.line, error.message);
    bool good = status == STATUS_OK;
    if (good && result.working > 0 && result.least_passes != parameters[0] + parameters[1])
        good = wrong("that makes passes:", result.least_passes, parameters[0] + parameters[1]);
    warp_result_free(&result);
    return good;
}

bool fake_execute(const struct fake_launch *launch, const struct fake_memory *memory, size_t count,
                  unsigned sms)
{
    struct device_range ranges[MOST_RANGES];
    const struct fake_memory *record = NULL;
    struct ptx_program program;
    struct error error;
    if (ptx_read(launch->text, strlen(launch->text), "trauma_kernel", &program, &error) != STATUS_OK) {
        fprintf(stderr, "the made-up GPU: line %d: %s\n", error.line, error.message);
        ptx_free(&program);
        return false;
    }
    for (size_t i = 0; i < count && i < MOST_RANGES; i++) {
        unsigned char *bytes =
            (unsigned char *)(uintptr_t)memory[i].address; /* where it is in this process */
        ranges[i] = (struct device_range){
            "what was allocated", memory[i].address, memory[i].bytes, bytes, true, true};
        record = memory[i].address == launch->parameters[3] ? &memory[i] : record;
    }
    bool good = fits(launch, &program, record);
    if (good) {
        unsigned char *entries = (unsigned char *)(uintptr_t)record->address;
        memset(entries, UNWRITTEN, record->bytes);
        good = run(launch, &program, ranges, count < MOST_RANGES ? count : MOST_RANGES, sms) &&
               has_record(launch, entries, sms);
    }
    ptx_free(&program);
    return good;
}
