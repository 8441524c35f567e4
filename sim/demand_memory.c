#include "sim/demand_memory.h"

#include "base/memory.h"

#include <stdlib.h>
#include <sys/mman.h>

enum status demand_memory_open(uint64_t size, demand_fill *fill, const void *context,
                               struct demand_memory *memory, struct error *error)
{
    *memory = (struct demand_memory){.fill = fill, .context = context};
    memory->size = (size + DEMAND_GRAIN) / DEMAND_GRAIN * DEMAND_GRAIN;
    void *bytes = mmap(NULL, (size_t)memory->size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return error_set(error, STATUS_UNAVAILABLE, "there is no memory for %llu bytes of data",
                         (unsigned long long)size);
    memory->bytes = bytes;
    size_t words = (size_t)(memory->size / DEMAND_GRAIN / 64 + 1);
    if (fill != NULL) {
        memory->made = memory_zeroed(words, sizeof *memory->made);
        memory->shown = memory_zeroed(words, sizeof *memory->shown);
    }
    return STATUS_OK;
}

void demand_memory_free(struct demand_memory *memory)
{
    if (memory->bytes != NULL)
        munmap(memory->bytes, (size_t)memory->size);
    free(memory->made);
    free(memory->shown);
    *memory = (struct demand_memory){0};
}

void demand_memory_make(struct demand_memory *memory, uint64_t grain)
{
    memory->made[grain / 64] |= UINT64_C(1) << grain % 64;
    memory->fill(memory->context, grain * DEMAND_GRAIN, DEMAND_GRAIN, memory->bytes + grain * DEMAND_GRAIN);
}

bool demand_memory_show(struct demand_memory *memory, uint64_t from, uint64_t size, unsigned char *grains)
{
    uint64_t first = from / DEMAND_GRAIN, last = (from + size - 1) / DEMAND_GRAIN;
    bool known = memory->made == NULL;
    for (uint64_t grain = first; !known && grain <= last; grain++)
        known = ((memory->made[grain / 64] | memory->shown[grain / 64]) >> grain % 64 & 1) != 0;
    if (known)
        return false;
    for (uint64_t grain = first; grain <= last; grain++)
        memory->shown[grain / 64] |= UINT64_C(1) << grain % 64;
    memory->fill(memory->context, first * DEMAND_GRAIN, (size_t)(last - first + 1) * DEMAND_GRAIN, grains);
    return true;
}
