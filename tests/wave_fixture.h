/* What the tests of the wave executor share: chips, code objects from hexadecimal text, a launch with data
 * and record in the ABI of GCN programs. Sources that include it define nothing before but cmocka's headers.
 */
#ifndef TESTS_WAVE_FIXTURE_H
#define TESTS_WAVE_FIXTURE_H

#include "base/buffer.h"
#include "base/file.h"
#include "sim/gcn/execute.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIXTURE_DATA 0x1000000000
#define FIXTURE_RECORD 0x2000000000
enum { FIXTURE_RECORD_BYTES = 64 };

/* Hawaii's shape: 4 shader engines of 11 CUs, 16 channels of 64 KiB. */
static inline struct wave_chip fixture_hawaii(void)
{
    struct wave_chip machine = {.xcc = 1,
                                .se = 4,
                                .sh_per_se = 1,
                                .cu_per_sh = 11,
                                .l2_channels = 16,
                                .interleave = 256,
                                .l1 = {.size = 16 << 10, .ways = 4, .line = 64, .policy = POLICY_LRU},
                                .l2 = {.size = 1 << 20, .ways = 16, .line = 64, .policy = POLICY_LRU},
                                .near_engines = 4};
    for (unsigned se = 0; se < 4; se++)
        for (unsigned channel = 0; channel < 4; channel++)
            machine.near[se][se * 4 + channel] = true;
    return machine;
}

static inline void fixture_hex(const char *path, struct buffer *object)
{
    struct buffer text = {0};
    struct error error;
    if (file_read(path, &text, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    for (size_t i = 0; i + 1 < text.size;) {
        unsigned byte;
        if (isspace((unsigned char)text.data[i])) {
            i++;
        } else {
            assert_int_equal(sscanf(text.data + i, "%2x", &byte), 1);
            buffer_append(object, &(char){(char)byte}, 1);
            i += 2;
        }
    }
    buffer_free(&text);
}

/* A launch in the ABI of GCN programs. */
struct fixture {
    struct wave_chip machine;
    struct buffer object;
    unsigned char *data;
    size_t data_bytes;
    uint64_t *record; /* [blocks * 8] */
    uint64_t arguments[4];
    struct device_range ranges[2];
    struct wave_launch launch;
    struct wave_result result;
    struct error error;
};

static inline void fixture_open(struct fixture *fixture, unsigned blocks, unsigned threads, size_t data_bytes)
{
    *fixture = (struct fixture){.machine = fixture_hawaii(), .data_bytes = data_bytes};
    fixture->data = calloc(1, data_bytes);
    fixture->record = calloc(blocks, FIXTURE_RECORD_BYTES);
    assert_non_null(fixture->data);
    assert_non_null(fixture->record);
    fixture->ranges[0] = (struct device_range){.name = "data",
                                               .address = FIXTURE_DATA,
                                               .size = data_bytes,
                                               .bytes = fixture->data,
                                               .writable = true,
                                               .counted = true};
    fixture->ranges[1] = (struct device_range){.name = "record",
                                               .address = FIXTURE_RECORD,
                                               .size = (uint64_t)blocks * FIXTURE_RECORD_BYTES,
                                               .bytes = (unsigned char *)fixture->record,
                                               .writable = true};
    fixture->launch = (struct wave_launch){.kernel = "trauma_kernel",
                                           .blocks = blocks,
                                           .threads = threads,
                                           .arguments = fixture->arguments,
                                           .argument_count = 4,
                                           .ranges = fixture->ranges,
                                           .range_count = 2};
    fixture->arguments[2] = FIXTURE_DATA;
    fixture->arguments[3] = FIXTURE_RECORD;
}

static inline enum status fixture_try(struct fixture *fixture, uint64_t iterations, uint64_t warmup)
{
    fixture->arguments[0] = iterations;
    fixture->arguments[1] = warmup;
    fixture->launch.object = fixture->object.data;
    fixture->launch.object_size = fixture->object.size;
    wave_result_free(&fixture->result);
    fixture->error = (struct error){0};
    return wave_run(&fixture->machine, &fixture->launch, &fixture->result, &fixture->error);
}

static inline void fixture_run(struct fixture *fixture, uint64_t iterations, uint64_t warmup)
{
    if (fixture_try(fixture, iterations, warmup) != STATUS_OK)
        fail_msg("%s", fixture->error.message);
}

static inline void fixture_close(struct fixture *fixture)
{
    wave_result_free(&fixture->result);
    buffer_free(&fixture->object);
    free(fixture->data);
    free(fixture->record);
}

#endif
