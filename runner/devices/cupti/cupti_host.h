/* CUPTI's knowledge of a chip's counters: whether it has a metric, how many passes metrics need, and the
 * values of counter data. Works without a GPU for every chip in the library's list. */
#ifndef RUNNER_DEVICES_CUPTI_CUPTI_HOST_H
#define RUNNER_DEVICES_CUPTI_CUPTI_HOST_H

#include "base/buffer.h"
#include "runner/devices/cupti/cupti_library.h"

#include <stdbool.h>

/* A chip and the metrics requested of it; the caller owns names. */
struct cupti_host {
    const struct cupti_library *library;
    void *handle;
    const char **names;
    size_t count;
    struct buffer config; /* the profiler's configuration */
    size_t passes;        /* passes that the metrics need */
};

/* True when the chip ("GH100") has the metric ("lts__t_sectors_op_read.sum"). availability: of its device's
 * counters; NULL without a device. */
bool cupti_host_has(const struct cupti_library *library, const char *chip, const uint8_t *availability,
                    const char *metric);

/* Makes the configuration that counts the metrics. STATUS_UNAVAILABLE when the chip lacks a metric (naming
 * the first), or when the library does not know the chip. Free with cupti_host_close even after an error. */
enum status cupti_host_open(const struct cupti_library *library, const char *chip,
                            const uint8_t *availability, const char **names, size_t count,
                            struct cupti_host *host, struct error *error);

/* The metrics' values of one range of decoded counter data. */
enum status cupti_host_evaluate(const struct cupti_host *host, const uint8_t *data, size_t bytes,
                                size_t range, double *values, struct error *error);

void cupti_host_close(struct cupti_host *host);

#endif
