/* The huge pages that a program requests by madvise. As in Linux, they are the whole huge pages within a
 * span. */
#ifndef SIM_QEMU_HUGE_PAGES_H
#define SIM_QEMU_HUGE_PAGES_H

#include "sim/qemu/line_cache.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HUGE_SPANS = 16, HUGE_ADVICE = 14 /* of madvise */ };

struct huge_pages {
    uint64_t bytes;   /* of one; 0: the system has none */
    bool placed;      /* distance is known */
    int64_t distance; /* qemu-user: from the program's addresses to those in QEMU's process */
    struct {
        uint64_t start, end;
    } spans[HUGE_SPANS];
    size_t count;
};

/* Determines the distance. host: the address in QEMU's process; NULL: unknown. */
void huge_pages_place(struct huge_pages *pages, const void *host, uint64_t address);

/* Adds a span. If placed, also requests huge pages from the host, which QEMU does not: first accesses then
 * take a tenth of the time. False if there are HUGE_SPANS already. */
bool huge_pages_add(struct huge_pages *pages, uint64_t address, uint64_t bytes);

/* True if the address is in a huge page. */
bool huge_pages_have(const struct huge_pages *pages, uint64_t address);

/* Accesses the data TLBs; true on a hit. If huge_tlb has no ways, the other one also holds huge pages. */
bool huge_pages_translate(const struct huge_pages *pages, struct line_cache *tlb, struct line_cache *huge_tlb,
                          uint64_t address);

#endif
