/* The record of a grid's run (the kernels' fourth argument), and its summary. The record has one entry for
 * each block, which the block's thread 0 writes at the end: little endian, in the same form for PTX, GCN and
 * OpenCL C. */
#ifndef RUNNER_DEVICES_BLOCK_RECORD_H
#define RUNNER_DEVICES_BLOCK_RECORD_H

#include "base/error.h"
#include "generator/suite/manifest_read.h"
#include "runner/results/result_point.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An entry in memory: 64 bytes. */
struct block_record_entry {
    uint64_t start_ticks, stop_ticks; /* of the measured loop, on the multiprocessor's own clock */
    uint64_t start_ns, stop_ns;       /* on the device's timer; 0: the device has none */
    uint32_t place;                   /* PTX: %smid; GCN: the HW_ID register */
    uint32_t worked;                  /* 1: it ran the loop; 0: the placement test excluded it */
    uint64_t sum; /* of the values that thread 0 loaded; GCN: 32 bits, with XCC_ID in the bits above */
    uint64_t zero[2];
};

/* The value that fills memory before a launch; no block writes it. */
enum { RECORD_UNWRITTEN = 0xA5 };

/* A kind of part of the device, and its bits in an entry's place or, from bit 32 on, in the upper half of the
 * entry's sum. */
struct block_record_unit {
    const char *name;   /* "sm", "se" */
    unsigned low, size; /* up to 32 bits */
};

enum { RECORD_UNITS = 4 };

/* Nanoseconds on the device's timer; both equal: empty. */
struct block_record_span {
    uint64_t from_ns, to_ns;
};

/* The time in which any of the blocks ran, and in which all of them did. */
struct block_record_span block_record_any(const struct block_record_entry *entries, size_t blocks);
struct block_record_span block_record_all(const struct block_record_entry *entries, size_t blocks);

/* Nanoseconds of a pass, the mean of the blocks that worked; passes: of each block. 0: unknown. */
double block_record_pass_ns(const struct block_record_entry *entries, size_t blocks, uint64_t passes);

/* The blocks' run within a span. start and ticks: the time in which all of them ran, since the span's begin,
 * in cycles of clock_hz. iterations: the mean passes of a block. bytes: of all blocks, bytes_a_pass for each
 * pass. */
struct result_copy block_record_within(const struct block_record_entry *entries, size_t blocks,
                                       struct block_record_span span, double clock_hz, uint64_t passes,
                                       double bytes_a_pass);

/* The summary of a run's record: with places if there are units, and seconds and clock if the device has a
 * timer. STATUS_FAILED when a block wrote no entry, or an impossible one; STATUS_UNAVAILABLE when the
 * placement test excluded all blocks. Free with result_record_free; NULL after an error. */
struct result_record *block_record_summarize(const struct block_record_entry *entries, size_t blocks,
                                             const struct block_record_unit *units, size_t unit_count,
                                             struct error *error);

/* True when the manifest names places ("place": {unit: [k]}), or requests the place.<unit><k>.share of one.
 * units: the names of units, NULL-terminated. */
bool block_record_is_requested(const struct manifest *manifest, const char *const *units);

/* Adds place.<unit><k>.share, measured by "record", for each place that the manifest names or requests;
 * nothing if the record has no places. */
void block_record_observe(const struct result_record *record, const struct manifest *manifest,
                          const char *const *units, struct observations *list);

#endif
