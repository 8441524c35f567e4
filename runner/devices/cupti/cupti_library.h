/* NVIDIA's profiling library, CUPTI, loaded at run time without its headers. Layouts are those of its ABI
 * (cupti_profiler_host.h, cupti_range_profiler.h, cupti_profiler_target.h of CUDA 13.0), compared with the
 * headers of 13.0 and 13.5. Each struct begins with its size up to the last field that the caller uses. The
 * host functions need neither a GPU nor a driver; libcupti loads libnvperf_host.so from the same folder. */
#ifndef RUNNER_DEVICES_CUPTI_CUPTI_LIBRARY_H
#define RUNNER_DEVICES_CUPTI_CUPTI_LIBRARY_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The CUptiResult values that are distinguished. */
enum {
    CUPTI_OK = 0,
    CUPTI_INVALID_METRIC = 17,
    CUPTI_HARDWARE_BUSY = 26,
    CUPTI_VIRTUALIZED = 33,
    CUPTI_NO_PRIVILEGE = 35,
    CUPTI_OLD_PROFILER_HELD = 36,
    CUPTI_OTHER_TOOL = 39,
    CUPTI_VIRTUAL_NO_PRIVILEGE = 40,
    CUPTI_CONFIDENTIAL = 41,
    CUPTI_MIG = 43,
    CUPTI_WSL = 45,
    CUPTI_INVALID_CHIP = 46,
    CUPTI_UNKNOWN = 999
};

/* CUpti_ProfilerType, CUpti_ProfilerRange, CUpti_ProfilerReplayMode */
enum { CUPTI_RANGE_PROFILER = 0, CUPTI_USER_RANGE = 2, CUPTI_USER_REPLAY = 3 };

/* The head of each struct that a function takes: its size, and a pointer that stays NULL. */
#define CUPTI_HEAD                                                                                           \
    size_t size;                                                                                             \
    void *reserved

/* The size that CUPTI expects: up to the end of the last field. */
#define CUPTI_SIZE(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

struct cupti_plain {
    CUPTI_HEAD;
};
struct cupti_chip_name {
    CUPTI_HEAD;
    size_t device;
    const char *name;
};
struct cupti_availability {
    CUPTI_HEAD;
    void *context; /* CUcontext; NULL: the current one */
    size_t image_size;
    uint8_t *image; /* NULL: query the size */
};
struct cupti_host_open {
    CUPTI_HEAD;
    int profiler;
    const char *chip;
    const uint8_t *availability; /* NULL: use the library's own data on the chip */
    void *host;
};
struct cupti_host_close {
    CUPTI_HEAD;
    void *host;
};
struct cupti_add_metrics {
    CUPTI_HEAD;
    void *host;
    const char **names;
    size_t count;
};
struct cupti_config_size {
    CUPTI_HEAD;
    void *host;
    size_t bytes;
};
struct cupti_config {
    CUPTI_HEAD;
    void *host;
    size_t bytes;
    uint8_t *image;
};
struct cupti_passes {
    CUPTI_HEAD;
    size_t bytes;
    uint8_t *image;
    size_t passes;
};
struct cupti_evaluate {
    CUPTI_HEAD;
    void *host;
    const uint8_t *data;
    size_t bytes, range;
    const char **names;
    size_t count;
    double *values;
};
struct cupti_enable {
    CUPTI_HEAD;
    void *context;
    void *profiler;
};
struct cupti_object { /* Disable, Start, PopRange */
    CUPTI_HEAD;
    void *profiler;
};
struct cupti_data_size {
    CUPTI_HEAD;
    void *profiler;
    const char **names;
    size_t count, most_ranges;
    uint32_t most_nodes;
    size_t bytes;
};
struct cupti_data_begin {
    CUPTI_HEAD;
    void *profiler;
    size_t bytes;
    uint8_t *data;
};
struct cupti_set_config {
    CUPTI_HEAD;
    void *profiler;
    size_t config_bytes;
    const uint8_t *config;
    size_t data_bytes;
    uint8_t *data;
    int range, replay;
    size_t most_ranges;
    uint16_t nesting_levels, least_nesting;
    size_t pass;
    uint16_t target_nesting;
};
struct cupti_push {
    CUPTI_HEAD;
    void *profiler;
    const char *name;
};
struct cupti_stop {
    CUPTI_HEAD;
    void *profiler;
    size_t pass, target_nesting;
    uint8_t all_submitted;
};
struct cupti_decode {
    CUPTI_HEAD;
    void *profiler;
    size_t dropped;
};
struct cupti_data_info {
    CUPTI_HEAD;
    const uint8_t *data;
    size_t bytes, ranges;
};

/* All functions return a CUptiResult. */
struct cupti_library {
    void *handle;
    int (*version)(uint32_t *version); /* 130000: the API's number */
    int (*result_text)(int result, const char **text);
    int (*initialize)(struct cupti_plain *parameters);
    int (*deinitialize)(struct cupti_plain *parameters);
    int (*availability)(struct cupti_availability *parameters);
    int (*chip_name)(struct cupti_chip_name *parameters);
    int (*host_open)(struct cupti_host_open *parameters);
    int (*host_close)(struct cupti_host_close *parameters);
    int (*add_metrics)(struct cupti_add_metrics *parameters);
    int (*config_size)(struct cupti_config_size *parameters);
    int (*config)(struct cupti_config *parameters);
    int (*passes)(struct cupti_passes *parameters);
    int (*evaluate)(struct cupti_evaluate *parameters);
    int (*enable)(struct cupti_enable *parameters);
    int (*disable)(struct cupti_object *parameters);
    int (*data_size)(struct cupti_data_size *parameters);
    int (*data_begin)(struct cupti_data_begin *parameters);
    int (*set_config)(struct cupti_set_config *parameters);
    int (*start)(struct cupti_object *parameters);
    int (*stop)(struct cupti_stop *parameters);
    int (*push)(struct cupti_push *parameters);
    int (*pop)(struct cupti_object *parameters);
    int (*decode)(struct cupti_decode *parameters);
    int (*data_info)(struct cupti_data_info *parameters);
};

/* Opens the library that the variable TRAUMA_CUPTI names, else the newest one of the loader or
 * /usr/local/cuda*. STATUS_UNAVAILABLE, with the remedy, when there is none or it is older than that of CUDA
 * 12.6. It stays open, because it cannot be closed safely under a driver that it has hooked. */
enum status cupti_library_open(struct cupti_library *library, struct error *error);

/* STATUS_OK for CUPTI_OK. Otherwise fills *error from the result of a call, after "what: ", with its meaning
 * and the remedy, and returns STATUS_UNAVAILABLE: a profiler that does not work is no fault of the program.
 */
enum status cupti_refusal(const struct cupti_library *library, int result, const char *what,
                          struct error *error);

/* ---- the host part: counters by name ---- */

/* CUPTI's data about a chip's counters: whether it has a metric, how many passes metrics need, and the values
 * of counter data. Works without a GPU for every chip in the library's list. */

/* A chip and the metrics to count on it; the caller owns names. */
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
 * the first), or when the library does not support the chip. Free with cupti_host_close even after an error.
 */
enum status cupti_host_open(const struct cupti_library *library, const char *chip,
                            const uint8_t *availability, const char **names, size_t count,
                            struct cupti_host *host, struct error *error);

/* The metrics' values of one range of decoded counter data. */
enum status cupti_host_evaluate(const struct cupti_host *host, const uint8_t *data, size_t bytes,
                                size_t range, double *values, struct error *error);

void cupti_host_close(struct cupti_host *host);

#endif
