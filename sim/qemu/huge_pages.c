#include "sim/qemu/huge_pages.h"

#include <sys/mman.h>

void huge_pages_place(struct huge_pages *pages, const void *host, uint64_t address)
{
    if (pages->placed || host == NULL)
        return;
    pages->distance = (int64_t)((uint64_t)(uintptr_t)host - address);
    pages->placed = true;
}

bool huge_pages_add(struct huge_pages *pages, uint64_t address, uint64_t bytes)
{
    if (pages->placed)
        (void)madvise((void *)(uintptr_t)(address + (uint64_t)pages->distance), bytes, MADV_HUGEPAGE);
    if (pages->bytes == 0)
        return true;
    uint64_t start = (address + pages->bytes - 1) / pages->bytes * pages->bytes,
             end = (address + bytes) / pages->bytes * pages->bytes;
    if (start >= end)
        return true;
    if (pages->count == HUGE_SPANS)
        return false;
    pages->spans[pages->count].start = start;
    pages->spans[pages->count++].end = end;
    return true;
}

bool huge_pages_have(const struct huge_pages *pages, uint64_t address)
{
    for (size_t i = 0; i < pages->count; i++)
        if (address >= pages->spans[i].start && address < pages->spans[i].end)
            return true;
    return false;
}

/* In the shared TLB, a huge page's number is moved out of the range of small pages, but keeps its set. */
bool huge_pages_translate(const struct huge_pages *pages, struct line_cache *tlb, struct line_cache *huge_tlb,
                          uint64_t address)
{
    if (!huge_pages_have(pages, address))
        return line_cache_access(tlb, address);
    if (huge_tlb->ways > 0)
        return line_cache_access(huge_tlb, address);
    uint64_t page = address / pages->bytes + (tlb->sets << 32);
    return line_cache_access(tlb, page * tlb->line);
}
