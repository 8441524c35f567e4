/* PTX on a small chip, whose data a test fills and reads. */
#ifndef TESTS_WARP_FIXTURE_H
#define TESTS_WARP_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/ptx/ptx_code.h"
#include "sim/ptx/warp_launch.h"

#include <string.h>

#define WARP_FIXTURE_DATA UINT64_C(0x100000)
enum { WARP_FIXTURE_BYTES = 1 << 16 };

static unsigned char warp_fixture_data[WARP_FIXTURE_BYTES];

/* What is run: grid, regions, visitor. The rest of a launch is the fixture's. */
struct warp_fixture {
    unsigned sms;
    struct warp_launch launch;
};

static inline void warp_fixture_fill(void)
{
    for (size_t i = 0; i < WARP_FIXTURE_BYTES; i++)
        warp_fixture_data[i] = (unsigned char)(i * 7 + i / 256);
}

/* Runs the text's entry k, whose one parameter is the data's address. Free *result in every case. */
static inline enum status warp_fixture_run(const struct warp_fixture *fixture, const char *text,
                                           struct warp_result *result, struct error *error)
{
    static const uint64_t parameters[] = {WARP_FIXTURE_DATA};
    static const struct device_range range = {
        "the data", WARP_FIXTURE_DATA, WARP_FIXTURE_BYTES, warp_fixture_data, true, true};
    const struct warp_chip chip = {.sms = fixture->sms,
                                   .sides = 1,
                                   .side_bytes = 4096,
                                   .l1 = {.size = 16384, .ways = 16, .line = 128, .sector = 32},
                                   .l2 = {.size = 131072, .ways = 16, .line = 128, .sector = 32}};
    struct ptx_program program;
    struct warp_launch launch = fixture->launch;
    memset(result, 0, sizeof *result);
    memset(error, 0, sizeof *error);
    enum status status = ptx_read(text, strlen(text), "k", &program, error);
    launch.program = &program;
    launch.parameters = parameters;
    launch.ranges = &range;
    launch.range_count = 1;
    launch.most_instructions = 1 << 20;
    if (status == STATUS_OK)
        status = warp_run(&chip, &launch, result, error);
    ptx_free(&program);
    return status;
}

/* Fails the test unless the code, which gave this status and error, was to give that status and message. */
static inline void warp_fixture_expect(const char *code, enum status got, const struct error *error,
                                       enum status status, const char *message)
{
    if (got != status || strstr(error->message, message) == NULL)
        fail_msg("%s: %d, %s; expected %s", code, (int)got, got == STATUS_OK ? "" : error->message,
                 status == STATUS_OK ? "success" : message);
}

#endif
