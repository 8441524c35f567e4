#include "sim/ptx/warp_copies.h"

#include "base/memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The copies of one instruction that are under way. */
struct warp_copy {
    uint64_t group;
    uint64_t to[PTX_LANES];
    unsigned char count, bytes;
};

/* Copies in the order of their groups. */
struct warp_copies {
    struct warp_copy *items; /* [first, end): under way */
    size_t first, end, room;
    uint64_t group; /* number of the current group */
};

void warp_copies_find(const struct warp *warp, const struct ptx_instruction *it, uint32_t lanes,
                      struct warp_copied *copied)
{
    copied->count = 0;
    for (; lanes != 0; lanes &= lanes - 1)
        copied->to[copied->count++] = warp_address(warp, &it->to, (unsigned)__builtin_ctz(lanes));
}

static bool fits(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                 uint64_t to, unsigned bytes)
{
    size_t size = core->program->shared_bytes;
    if (to % bytes != 0)
        return warp_fault(
            core, warp, it,
            "copies %u bytes to 0x%" PRIx64 " of shared memory, which is not a multiple of that", bytes, to);
    if (to > size || bytes > size - to)
        return warp_fault(core, warp, it, "copies %u bytes to 0x%" PRIx64 ", outside shared memory", bytes,
                          to);
    return true;
}

/* How many addresses from the first on are contiguous; most copies of a warp's lanes are. */
static unsigned run_of(const uint64_t *addresses, unsigned count, unsigned bytes)
{
    unsigned run = 1;
    while (run < count && addresses[run] == addresses[run - 1] + bytes)
        run++;
    return run;
}

/* The first of the addresses where a copy is under way; count: none. */
static unsigned first_busy(const unsigned char *busy, const uint64_t *addresses, unsigned count,
                           unsigned bytes)
{
    for (unsigned i = 0, run; i < count; i += run) {
        run = run_of(addresses + i, count - i, bytes);
        const unsigned char *found = memchr(busy + addresses[i], 1, (size_t)run * bytes);
        if (found != NULL)
            return i + (unsigned)((size_t)(found - busy - addresses[i]) / bytes);
    }
    return count;
}

bool warp_copies_begin(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                       const struct warp_copied *copied)
{
    unsigned char *shared = warp->block->shared, *busy = warp->block->busy;
    if (warp->copies == NULL)
        warp->copies = memory_zeroed(1, sizeof *warp->copies);
    struct warp_copies *own = warp->copies;
    for (unsigned i = 0; i < copied->count; i++)
        if (!fits(core, warp, it, copied->to[i], copied->bytes))
            return false;
    for (unsigned i = 0, run; i < copied->count; i += run) { /* also detects lanes that copy to one place */
        run = run_of(copied->to + i, copied->count - i, copied->bytes);
        unsigned found = first_busy(busy, copied->to + i, run, copied->bytes);
        if (found < run)
            return warp_fault(core, warp, it,
                              "copies to 0x%" PRIx64 " of shared memory, where another copy is under way: "
                              "expected a wait for that one before",
                              copied->to[i + found]);
        memset(busy + copied->to[i], 1, (size_t)run * copied->bytes);
    }
    for (unsigned i = 0; i < copied->count; i++)
        memcpy(shared + copied->to[i], copied->from[i], copied->bytes);
    if (own->end == own->room && own->first > 0) {
        memmove(own->items, own->items + own->first, (own->end - own->first) * sizeof *own->items);
        own->end -= own->first;
        own->first = 0;
    }
    if (own->end == own->room) {
        own->room = own->room == 0 ? 8 : 2 * own->room;
        own->items = memory_resized(own->items, own->room, sizeof *own->items);
    }
    struct warp_copy *copy = &own->items[own->end++];
    copy->group = own->group;
    copy->count = (unsigned char)copied->count;
    copy->bytes = (unsigned char)copied->bytes;
    memcpy(copy->to, copied->to, copied->count * sizeof copy->to[0]);
    return true;
}

void warp_copies_commit(struct warp *warp)
{
    if (warp->copies == NULL)
        warp->copies = memory_zeroed(1, sizeof *warp->copies);
    warp->copies->group++;
}

void warp_copies_wait(struct warp *warp, unsigned pending)
{
    struct warp_copies *own = warp->copies;
    for (; own != NULL && own->first < own->end; own->first++) {
        const struct warp_copy *copy = &own->items[own->first];
        if (pending != UINT_MAX && copy->group + pending >= own->group)
            return;
        for (unsigned i = 0, run; i < copy->count; i += run) {
            run = run_of(copy->to + i, copy->count - i, copy->bytes);
            memset(warp->block->busy + copy->to[i], 0, (size_t)run * copy->bytes);
        }
    }
}

bool warp_copies_are_past(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                          const uint64_t *addresses, unsigned count, unsigned bytes)
{
    unsigned found = first_busy(warp->block->busy, addresses, count, bytes);
    return found == count ||
           warp_fault(core, warp, it,
                      "accesses 0x%" PRIx64 " of shared memory, which an asynchronous copy still writes: "
                      "expected a wait for it before",
                      addresses[found]);
}

size_t warp_copies_pending(const struct warp *warp)
{
    return warp->copies == NULL ? 0 : warp->copies->end - warp->copies->first;
}

void warp_copies_free(struct warp *warp)
{
    if (warp->copies != NULL)
        free(warp->copies->items);
    free(warp->copies);
    warp->copies = NULL;
}
