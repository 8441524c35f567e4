#include "runner/launch/placement.h"

#include "base/memory.h"
#include "runner/launch/host_cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The kinds of place, and the topology's objects that each means: the first type that the topology has. */
static const struct kind {
    const char *key;
    const char *what;
    hwloc_obj_type_t types[3];
    bool by_system_number; /* numbered by the operating system, not in hwloc's order */
} kinds[] = {
    {"cores", "logical processor", {HWLOC_OBJ_PU, HWLOC_OBJ_PU, HWLOC_OBJ_PU}, true},
    {"cu", "compute unit", {HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE, HWLOC_OBJ_PU}, false},
    {"sockets", "socket", {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_MACHINE, HWLOC_OBJ_MACHINE}, false},
    {"node", "NUMA node", {HWLOC_OBJ_NUMANODE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_NUMANODE}, true},
};

/* Words of place.cores: the first processor of each such unit. */
static const struct kind one_each[] = {
    {"core", "core", {HWLOC_OBJ_CORE, HWLOC_OBJ_PU, HWLOC_OBJ_PU}, false},
    {"cluster", "cluster", {HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_PACKAGE}, false},
    {"socket", "socket", {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_MACHINE, HWLOC_OBJ_MACHINE}, false},
};

/* Copies without a place spread over cores. */
static const struct kind anywhere = {"cores", "core", {HWLOC_OBJ_CORE, HWLOC_OBJ_PU, HWLOC_OBJ_PU}, false};

/* A logical processor that may get a copy: lower ranks first, in the order found. */
struct processor_choice {
    int cpu;
    unsigned rank; /* index within its unit */
    unsigned order;
};

struct placement_search {
    hwloc_topology_t topology;
    hwloc_const_bitmap_t allowed;
    const struct kind *kind;
    hwloc_obj_type_t type;
    struct processor_choice *candidates;
    size_t count;
    struct error *error;
};

static char *list_of(hwloc_const_bitmap_t set)
{
    char *text = NULL;
    if (hwloc_bitmap_list_asprintf(&text, set) < 0)
        abort(); /* out of memory */
    return text;
}

static enum status not_allowed(const struct placement_search *search, int cpu)
{
    char *allowed = list_of(search->allowed);
    error_set(search->error, STATUS_UNAVAILABLE,
              "this process may not use logical processor %d; it may use %s", cpu, allowed);
    error_hint(search->error, "`taskset` and the cpuset of a container or batch job set this limit");
    free(allowed);
    return STATUS_UNAVAILABLE;
}

/* The second hardware threads of cores come after the first threads of all cores. */
static int by_thread(const void *a, const void *b)
{
    const hwloc_obj_t *first = a;
    const hwloc_obj_t *second = b;
    unsigned thread_a = (*first)->parent->type == HWLOC_OBJ_CORE ? (*first)->sibling_rank : 0;
    unsigned thread_b = (*second)->parent->type == HWLOC_OBJ_CORE ? (*second)->sibling_rank : 0;
    if (thread_a != thread_b)
        return thread_a < thread_b ? -1 : 1;
    return (*first)->logical_index < (*second)->logical_index ? -1 : 1;
}

/* Adds the processors of a unit. named: the recipe names the unit, so all of it must be allowed. */
static enum status add_unit(struct placement_search *search, hwloc_obj_t unit, bool named)
{
    int count = hwloc_get_nbobjs_inside_cpuset_by_type(search->topology, unit->cpuset, HWLOC_OBJ_PU);
    hwloc_obj_t *processors = memory_zeroed((size_t)count + 1, sizeof(hwloc_obj_t));
    for (int i = 0; i < count; i++)
        processors[i] =
            hwloc_get_obj_inside_cpuset_by_type(search->topology, unit->cpuset, HWLOC_OBJ_PU, (unsigned)i);
    qsort(processors, (size_t)count, sizeof(hwloc_obj_t), by_thread);
    enum status status = STATUS_OK;
    unsigned rank = 0;
    for (int i = 0; status == STATUS_OK && i < count; i++) {
        int cpu = (int)processors[i]->os_index;
        bool usable = hwloc_bitmap_isset(search->allowed, (unsigned)cpu);
        if (usable)
            search->candidates[search->count] =
                (struct processor_choice){.cpu = cpu, .rank = rank, .order = (unsigned)search->count};
        search->count += usable;
        rank += usable;
        if (!usable && named)
            status = not_allowed(search, cpu);
    }
    free(processors);
    return status;
}

static hwloc_obj_t find_unit(const struct placement_search *search, unsigned number)
{
    if (search->kind->types[0] == HWLOC_OBJ_NUMANODE)
        return hwloc_get_numanode_obj_by_os_index(search->topology, number);
    if (search->kind->by_system_number)
        return hwloc_get_pu_obj_by_os_index(search->topology, number);
    return hwloc_get_obj_by_type(search->topology, search->type, number);
}

static enum status add_named(struct placement_search *search, const struct manifest_units *units)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < units->count; i++) {
        long long number = units->numbers[i];
        hwloc_obj_t unit = number >= 0 && number < 65536 ? find_unit(search, (unsigned)number) : NULL;
        for (size_t j = 0; j < i; j++)
            if (units->numbers[j] == number)
                return error_set(search->error, STATUS_RECIPE, "place.%s names %lld twice", search->kind->key,
                                 number);
        if (unit != NULL && hwloc_bitmap_iszero(unit->cpuset))
            status = error_set(search->error, STATUS_UNAVAILABLE,
                               "place.%s names %s %lld, which has memory and no processors: expected another",
                               search->kind->key, search->kind->what, number);
        else if (unit != NULL)
            status = add_unit(search, unit, true);
        else
            status =
                error_set(search->error, STATUS_UNAVAILABLE,
                          "place.%s names %s %lld, which is not on this machine: it has %d, numbered from 0",
                          search->kind->key, search->kind->what, number,
                          hwloc_get_nbobjs_by_type(search->topology, search->type));
    }
    return status;
}

static enum status add_all(struct placement_search *search)
{
    enum status status = STATUS_OK;
    int units = hwloc_get_nbobjs_by_type(search->topology, search->type);
    for (int i = 0; status == STATUS_OK && i < units; i++)
        status = add_unit(search, hwloc_get_obj_by_type(search->topology, search->type, (unsigned)i), false);
    return status;
}

static hwloc_obj_type_t type_of(hwloc_topology_t topology, const struct kind *kind)
{
    size_t i = 0;
    while (i < 2 && hwloc_get_nbobjs_by_type(topology, kind->types[i]) <= 0)
        i++;
    return kind->types[i];
}

/* Omits processors of another kind than the first: the program was made for the first one's caches. */
static void keep_alike(struct placement_search *search)
{
    size_t kept = 0;
    for (size_t i = 0; i < search->count; i++)
        if (host_cpu_alike(search->topology, search->candidates[0].cpu, search->candidates[i].cpu))
            search->candidates[kept++] = search->candidates[i];
    search->count = kept;
}

static int by_rank(const void *a, const void *b)
{
    const struct processor_choice *first = a;
    const struct processor_choice *second = b;
    if (first->rank != second->rank)
        return first->rank < second->rank ? -1 : 1;
    return first->order < second->order ? -1 : 1;
}

/* Fills the candidates in order of use. */
static enum status gather(struct placement_search *search, const struct manifest *manifest)
{
    const struct manifest_units *units = NULL;
    search->kind = &anywhere;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (manifest_units(manifest, kinds[i].key) == NULL)
            continue;
        search->kind = &kinds[i];
        units = manifest_units(manifest, kinds[i].key);
    }
    bool all = units != NULL && units->word != NULL, each = false;
    for (size_t i = 0; all && !each && i < sizeof one_each / sizeof one_each[0]; i++) {
        each = strcmp(units->word, one_each[i].key) == 0;
        search->kind = each ? &one_each[i] : search->kind;
    }
    if (manifest->place.given && !all && (units == NULL || units->count == 0))
        return error_set(search->error, STATUS_RECIPE,
                         "place names nothing: expected cores, cu, sockets or node");
    search->type = type_of(search->topology, search->kind);
    enum status status = units == NULL || all ? add_all(search) : add_named(search, units);
    if (status == STATUS_OK && units == NULL && search->count > 0)
        keep_alike(search);
    qsort(search->candidates, search->count, sizeof *search->candidates, by_rank);
    while (each && search->count > 0 && search->candidates[search->count - 1].rank > 0)
        search->count--;
    return status;
}

static enum status too_few(const struct placement_search *search, bool placed, double wanted)
{
    hwloc_bitmap_t found = hwloc_bitmap_alloc();
    for (size_t i = 0; i < search->count; i++)
        hwloc_bitmap_set(found, (unsigned)search->candidates[i].cpu);
    char *list = list_of(found);
    error_set(search->error, STATUS_UNAVAILABLE,
              "threads is %.10g, and there %s %zu logical processor%s for them here%s%s%s", wanted,
              search->count == 1 ? "is" : "are", search->count, search->count == 1 ? "" : "s",
              placed ? " in the place" : "", search->count == 0 ? "" : ": ", list);
    error_hint(search->error, "run it on a larger machine, or exclude the point with --filter or --set");
    free(list);
    hwloc_bitmap_free(found);
    return STATUS_UNAVAILABLE;
}

enum status placement_in(hwloc_topology_t topology, hwloc_const_bitmap_t allowed,
                         const struct manifest *manifest, struct placement *placement, struct error *error)
{
    int processors = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    struct error unused = {0};
    struct placement_search search = {
        .topology = topology,
        .allowed = allowed,
        .candidates = memory_zeroed((size_t)processors + 1, sizeof(struct processor_choice)),
        .error = error == NULL ? &unused : error};
    memset(placement, 0, sizeof *placement);
    enum status status = gather(&search, manifest);
    double wanted = isnan(manifest->threads) ? (double)search.count : manifest->threads;
    if (status == STATUS_OK && !(wanted >= 0 && wanted <= PLACEMENT_MOST))
        status = error_set(search.error, STATUS_RECIPE, "threads is %.10g: expected from 0 to %d", wanted,
                           PLACEMENT_MOST);
    if (status == STATUS_OK && wanted > (double)search.count)
        status = too_few(&search, manifest->place.given, wanted);
    placement->count = status == STATUS_OK ? (size_t)wanted : 0;
    for (size_t i = 0; i < placement->count; i++)
        placement->cpus[i] = search.candidates[i].cpu;
    if (status != STATUS_OK)
        placement->why_not = *search.error;
    free(search.candidates);
    return status;
}

enum status placement_count(size_t *count, struct error *error)
{
    const struct manifest no_place = {.threads = NAN};
    struct placement placement;
    enum status status = placement_choose(&no_place, &placement, error);
    *count = placement.count;
    return status;
}

enum status placement_choose(const struct manifest *manifest, struct placement *placement,
                             struct error *error)
{
    hwloc_topology_t topology;
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    enum status status = STATUS_UNAVAILABLE;
    memset(placement, 0, sizeof *placement);
    if (allowed == NULL || hwloc_topology_init(&topology) != 0)
        abort(); /* out of memory */
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    if (hwloc_topology_load(topology) == 0 &&
        hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) == 0) {
        status = placement_in(topology, allowed, manifest, placement, error);
    } else {
        error_set(&placement->why_not, STATUS_UNAVAILABLE,
                  "the operating system does not report which logical processors may be used");
        if (error != NULL)
            *error = placement->why_not;
    }
    hwloc_topology_destroy(topology);
    hwloc_bitmap_free(allowed);
    return status;
}

/* ---- data ---- */

static double node_of(const struct manifest *manifest)
{
    double node = NAN;
    for (size_t i = 0; i < manifest->unit_count && isnan(node); i++)
        node = manifest->unit[i].node;
    return node;
}

enum status placement_check_nodes(const struct manifest *manifest, struct error *error)
{
    double node = node_of(manifest);
    hwloc_topology_t topology;
    enum status status = STATUS_OK;
    if (isnan(node))
        return STATUS_OK;
    if (hwloc_topology_init(&topology) != 0)
        abort(); /* out of memory */
    if (hwloc_topology_load(topology) == 0 &&
        hwloc_get_numanode_obj_by_os_index(topology, (unsigned)node) == NULL) {
        char *nodes = list_of(hwloc_topology_get_topology_nodeset(topology));
        status =
            error_set(error, STATUS_UNAVAILABLE,
                      "its data is for NUMA node %.0f, which is not on this machine: it has %s", node, nodes);
        free(nodes);
    }
    hwloc_topology_destroy(topology);
    return status;
}
