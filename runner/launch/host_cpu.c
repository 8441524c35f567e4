#include "runner/launch/host_cpu.h"

#include <stdint.h>

enum { LEVELS = 3 };

struct cache_sizes {
    uint64_t of_level[LEVELS]; /* L1D, L2, L3; 0: none, or unknown */
};

static struct cache_sizes sizes_of(hwloc_topology_t topology, int cpu)
{
    struct cache_sizes sizes = {0};
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology, (unsigned)cpu);
    for (; object != NULL; object = object->parent) {
        if (object->type >= HWLOC_OBJ_L1CACHE && object->type < HWLOC_OBJ_L1CACHE + LEVELS)
            sizes.of_level[object->type - HWLOC_OBJ_L1CACHE] = object->attr->cache.size;
    }
    return sizes;
}

static bool same_sizes(const struct cache_sizes *a, const struct cache_sizes *b)
{
    bool same = true;
    for (int i = 0; i < LEVELS; i++)
        same = same && a->of_level[i] == b->of_level[i];
    return same;
}

bool host_cpu_alike(hwloc_topology_t topology, int a, int b)
{
    struct cache_sizes first = sizes_of(topology, a);
    struct cache_sizes second = sizes_of(topology, b);
    return same_sizes(&first, &second);
}

int host_cpu_like_first(hwloc_topology_t topology, hwloc_const_bitmap_t allowed)
{
    int chosen = hwloc_bitmap_first(allowed);
    struct cache_sizes first = sizes_of(topology, chosen);
    for (int cpu = chosen; cpu >= 0; cpu = hwloc_bitmap_next(allowed, cpu)) {
        struct cache_sizes here = sizes_of(topology, cpu);
        if (same_sizes(&first, &here))
            chosen = cpu;
    }
    return chosen;
}
