/* The huge pages that a program asks for, as Linux gives them: whole ones of the spans that it names. */
#ifndef SIM_QEMU_HUGE_PAGES_H
#define SIM_QEMU_HUGE_PAGES_H

#include "sim/qemu/line_cache.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HUGE_SPANS = 16, HUGE_ADVICE = 14 /* of madvise */ };

struct huge_pages {
    uint64_t bytes;   /* of one; 0: the system has none */
    bool placed;      /* distance is known: */
    int64_t distance; /* of the memory of a process of qemu-user, from where the program sees it */
    struct {
        uint64_t start, end;
    } spans[HUGE_SPANS];
    size_t count;
};

/* host: where the address is in QEMU's process; NULL: not known. */
void huge_pages_place(struct huge_pages *pages, const void *host, uint64_t address);

/* If placed, also asks the host for them, which QEMU does not: touching them takes a tenth of the time.
 * False: there are HUGE_SPANS already. */
bool huge_pages_add(struct huge_pages *pages, uint64_t address, uint64_t bytes);

bool huge_pages_have(const struct huge_pages *pages, uint64_t address);

/* An access of the data TLBs: true if it hits. huge_tlb: without ways: huge pages are in the other, too. */
bool huge_pages_translate(const struct huge_pages *pages, struct line_cache *tlb, struct line_cache *huge_tlb,
                          uint64_t address);

#endif
