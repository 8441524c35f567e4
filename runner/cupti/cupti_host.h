/* What CUPTI knows of a chip's counters: whether it has a metric, in how many passes metrics are counted, and
 * what counter data come to. Works for every chip of the library's list on a machine without a GPU. */
#ifndef RUNNER_CUPTI_CUPTI_HOST_H
#define RUNNER_CUPTI_CUPTI_HOST_H

#include "base/buffer.h"
#include "runner/cupti/cupti_library.h"

#include <stdbool.h>

/* A chip with the metrics that are wanted of it; names belong to the caller. */
struct cupti_host {
    const struct cupti_library *library;
    void *handle;
    const char **names;
    size_t count;
    struct buffer config; /* what the profiler is set up with */
    size_t passes;        /* in which the metrics are counted */
};

/* The chips that the library knows; static within it. STATUS_UNAVAILABLE. */
enum status cupti_chips_list(const struct cupti_library *library, const char *const **names, size_t *count,
                             struct error *error);

/* True when the chip ("GH100") has the metric ("lts__t_sectors_op_read.sum"). availability: of its device's
 * counters; NULL where there is no device. */
bool cupti_host_has(const struct cupti_library *library, const char *chip, const uint8_t *availability,
                    const char *metric);

/* Makes the configuration that counts the metrics. STATUS_UNAVAILABLE, with the first metric that it lacks,
 * or when the library does not know the chip. Free with cupti_host_close also after an error. */
enum status cupti_host_open(const struct cupti_library *library, const char *chip,
                            const uint8_t *availability, const char **names, size_t count,
                            struct cupti_host *host, struct error *error);

/* The metrics' values of one range of decoded counter data. */
enum status cupti_host_evaluate(const struct cupti_host *host, const uint8_t *data, size_t bytes,
                                size_t range, double *values, struct error *error);

void cupti_host_close(struct cupti_host *host);

#endif
