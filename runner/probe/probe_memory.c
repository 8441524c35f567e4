#include "runner/probe/probe_memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* The mapping's "AnonHugePages" in smaps, in bytes. Includes mappings that were merged with it. */
static double huge_bytes(const void *address)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[256];
    bool inside = false;
    double kilobytes = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        unsigned long long start, end, found;
        if (sscanf(line, "%llx-%llx ", &start, &end) == 2)
            inside = (uintptr_t)address >= start && (uintptr_t)address < end;
        else if (inside && sscanf(line, "AnonHugePages: %llu kB", &found) == 1)
            kilobytes += (double)found;
    }
    if (file != NULL)
        fclose(file);
    return kilobytes * 1024;
}

enum status probe_memory_map(size_t size, bool huge, struct probe_memory *memory, struct error *error)
{
    size_t whole = size + PROBE_HUGE_PAGE;
    void *mapping = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) {
        error_set(error, STATUS_UNAVAILABLE, "the system provides no %zu MiB for measuring: %s", size >> 20,
                  strerror(errno));
        error_hint(error, "the cause is a limit on address space (ulimit -v) or too little memory");
        return STATUS_UNAVAILABLE;
    }
    uintptr_t start = ((uintptr_t)mapping + PROBE_HUGE_PAGE - 1) / PROBE_HUGE_PAGE * PROBE_HUGE_PAGE;
    unsigned char *bytes = (unsigned char *)mapping + (start - (uintptr_t)mapping);
    (void)madvise(bytes, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE); /* the result is queried below */
    for (size_t at = 0; at < size; at += PROBE_SMALL_PAGE)
        bytes[at] = 1;
    double share = huge_bytes(bytes) / (double)size;
    *memory = (struct probe_memory){.bytes = bytes,
                                    .size = size,
                                    .huge_share = share > 1 ? 1 : share,
                                    .mapping = mapping,
                                    .mapping_size = whole};
    return STATUS_OK;
}

void probe_memory_free(struct probe_memory *memory)
{
    if (memory->mapping != NULL)
        munmap(memory->mapping, memory->mapping_size);
    *memory = (struct probe_memory){0};
}

/* A permutation of the numbers below 2^bits: each step is invertible. */
static size_t mix(size_t value, unsigned bits)
{
    size_t mask = ((size_t)1 << bits) - 1;
    unsigned half = bits / 2 + 1;
    for (int round = 0; round < 3; round++) {
        value = (value * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0x632be59bd9b4e019)) & mask;
        value ^= value >> half;
    }
    return value;
}

/* Links the places in permuted order, skipping numbers from count on. So the chain needs no list of places,
 * and no store waits for another. */
void *probe_chain_random(unsigned char *base, size_t count, size_t stride, size_t shift)
{
    unsigned bits = 1;
    while (((size_t)1 << bits) < count)
        bits++;
    unsigned char *first = NULL;
    unsigned char *last = NULL;
    for (size_t i = 0; i < (size_t)1 << bits; i++) {
        size_t place = mix(i, bits);
        if (place >= count)
            continue;
        unsigned char *here = base + place * stride + place * shift % PROBE_SMALL_PAGE;
        if (last == NULL)
            first = here;
        else
            memcpy(last, &here, sizeof here);
        last = here;
    }
    memcpy(last, &first, sizeof first);
    return first;
}

void *probe_chain_list(unsigned char *base, const size_t *offsets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char *next = base + offsets[(i + 1) % count];
        memcpy(base + offsets[i], &next, sizeof next);
    }
    return base + offsets[0];
}

uint64_t probe_memory_spare(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    char line[256];
    unsigned long long kilobytes = 0;
    while (file != NULL && kilobytes == 0 && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) != 1)
            kilobytes = 0;
    if (file != NULL)
        fclose(file);
    return (uint64_t)kilobytes * 1024;
}
