/* Memory for measurements, on huge or small pages, and pointer chains through it: each word holds the address
 * of the next, so that a load waits for the one before it. */
#ifndef RUNNER_PROBE_PROBE_MEMORY_H
#define RUNNER_PROBE_PROBE_MEMORY_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROBE_SMALL_PAGE = 4096, PROBE_HUGE_PAGE = 2 * 1024 * 1024 };

/* All zeros: no memory. */
struct probe_memory {
    unsigned char *bytes; /* aligned to PROBE_HUGE_PAGE */
    size_t size;
    double huge_share; /* share of the bytes on huge pages, as the system reports; 0 if it does not */
    void *mapping;
    size_t mapping_size;
};

/* Maps and touches the bytes. huge: requests huge pages; huge_share shows how many were provided.
 * STATUS_UNAVAILABLE when there is no memory. */
enum status probe_memory_map(size_t size, bool huge, struct probe_memory *memory, struct error *error);

void probe_memory_free(struct probe_memory *memory);

/* Makes a cycle through count places `stride` bytes apart, from base on, in an order that no prefetcher
 * follows and that depends only on count. Each place's word is `shift` bytes further in than in the place
 * before it, modulo a small page, so that pages do not all use the same cache set. Returns the first place.
 */
void *probe_chain_random(unsigned char *base, size_t count, size_t stride, size_t shift);

/* Makes a cycle through the given offsets, in this order. */
void *probe_chain_list(unsigned char *base, const size_t *offsets, size_t count);

/* Bytes of memory that the system can spare; 0 if unknown. */
uint64_t probe_memory_spare(void);

#endif
