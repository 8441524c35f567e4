/* Describes the present machine as a machine file would and has that checked. On a processor with several
 * kinds of core the description is that of the first core in the calling thread's affinity mask: pin the
 * program (taskset -c 8 trauma ...) to describe another kind. Core and CPUID are read while bound to that
 * core. */
#include "generator/machine/detect.h"

#include "base/json.h"
#include "generator/machine/detect_cpuid.h"
#include "isa/isa.h"

#include <ctype.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ADVICE[] =
    "describe the machine in a file (recipes/machines has examples) and pass -m FILE";

struct detected_level {
    const char *name;
    hwloc_obj_type_t object;
    unsigned depth;
    enum cpuid_cache_type type;
    bool required;
};

static const struct detected_level levels[] = {
    {"L1I", HWLOC_OBJ_L1ICACHE, 1, CPUID_CACHE_INSTRUCTION, true},
    {"L1D", HWLOC_OBJ_L1CACHE, 1, CPUID_CACHE_DATA, true},
    {"L2", HWLOC_OBJ_L2CACHE, 2, CPUID_CACHE_UNIFIED, true},
    {"L3", HWLOC_OBJ_L3CACHE, 3, CPUID_CACHE_UNIFIED, false},
};

struct vendor {
    const char *cpuid;
    const char *name;
};

static const struct vendor vendors[] = {
    {"GenuineIntel", "Intel"},   {"AuthenticAMD", "AMD"},     {"HygonGenuine", "Hygon"},
    {"CentaurHauls", "Centaur"}, {"  Shanghai  ", "Zhaoxin"},
};

static void put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        abort(); /* out of memory */
}

/* ---- caches ---- */

/* The operating system's numbers; 0 for each that it lacks. */
static struct cache cache_by_system(hwloc_obj_t unit, hwloc_obj_type_t type, bool *fully_associative)
{
    *fully_associative = false;
    while (unit != NULL && unit->type != type)
        unit = unit->parent;
    if (unit == NULL)
        return (struct cache){0};
    int users = hwloc_bitmap_weight(unit->complete_cpuset);
    int ways = unit->attr->cache.associativity; /* -1: fully associative */
    *fully_associative = ways < 0;
    return (struct cache){.size = unit->attr->cache.size,
                          .ways = ways > 0 ? (unsigned)ways : 0,
                          .line = unit->attr->cache.linesize,
                          .shared_by = users > 1 ? (unsigned)users : 0};
}

/* The operating system's numbers; CPUID supplies missing ones. */
static struct cache find_cache(hwloc_obj_t unit, const struct cpuid *cpuid,
                               const struct detected_level *level)
{
    bool fully_associative;
    struct cache cache = cache_by_system(unit, level->object, &fully_associative);
    struct cache other = {0};
    if (cache.size == 0 || cache.ways == 0 || cache.line == 0)
        cpuid_cache(cpuid, level->depth, level->type, &other);
    cache.size = cache.size != 0 ? cache.size : other.size;
    cache.ways = cache.ways != 0 ? cache.ways : other.ways;
    cache.line = cache.line != 0 ? cache.line : other.line;
    if (cache.ways == 0 && fully_associative && cache.line != 0)
        cache.ways = (unsigned)(cache.size / cache.line);
    return cache;
}

static json_t *describe_caches(hwloc_obj_t unit, const struct cpuid *cpuid, struct error *error)
{
    json_t *caches = json_object();
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        struct cache cache = find_cache(unit, cpuid, &levels[i]);
        const char *missing = cache.size == 0   ? "size"
                              : cache.ways == 0 ? "ways"
                              : cache.line == 0 ? "line size"
                                                : NULL;
        if (missing == NULL) {
            json_t *found =
                json_pack("{s:I, s:i, s:i, s:s}", "size", (json_int_t)cache.size, "ways", (int)cache.ways,
                          "line", (int)cache.line, "policy", cache_policy_name(POLICY_UNKNOWN));
            if (cache.shared_by > 0)
                put(found, "shared_by", json_integer(cache.shared_by));
            put(caches, levels[i].name, found);
        } else if (levels[i].required) {
            error_set(error, STATUS_UNAVAILABLE, "neither the operating system nor CPUID reports the %s %s",
                      levels[i].name, missing);
            error_hint(error, "%s", ADVICE);
            json_decref(caches);
            return NULL;
        }
    }
    return caches;
}

/* ---- identity ---- */

static void describe_identity(const struct cpuid *cpuid, json_t *document)
{
    struct cpuid_identity identity = cpuid_identity(cpuid);
    char text[MACHINE_NAME_BYTES];
    machine_make_name(identity.brand, true, "this-machine", text);
    put(document, "name", json_string(text));
    put(document, "isa", json_string(isa_of_host()->name));
    const char *vendor = identity.vendor;
    for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++)
        if (strcmp(vendor, vendors[i].cpuid) == 0)
            vendor = vendors[i].name;
    if (vendor[0] != '\0')
        put(document, "vendor", json_string(vendor));
    snprintf(text, sizeof text, "%s-%u-%u-%u", identity.vendor, identity.family, identity.model,
             identity.stepping);
    for (char *c = text; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c))
            *c = '-';
    put(document, "cpu", json_string(text));
}

/* ---- the machine ---- */

static json_t *describe_machine(hwloc_obj_t unit, const struct cpuid *cpuid, struct error *error)
{
    json_t *caches = describe_caches(unit, cpuid, error);
    if (caches == NULL)
        return NULL;
    json_t *document = json_object();
    describe_identity(cpuid, document);
    if (cpuid_is_virtual(cpuid))
        put(document, "virtual", json_true());
    put(document, "caches", caches);
    put(document, "features", cpuid_features(cpuid));
    double clock = cpuid_clock_ghz(cpuid);
    if (clock > 0)
        put(document, "clock_ghz", json_from_number(clock));
    json_t *frequencies = detect_frequencies("");
    if (frequencies != NULL)
        put(document, "frequencies", frequencies);
    struct tlb tlb;
    if (cpuid_data_tlb(cpuid, &tlb))
        put(document, "tlb",
            json_pack("{s:{s:i, s:i, s:I}}", "data", "entries", (int)tlb.entries, "ways", (int)tlb.ways,
                      "page", (json_int_t)tlb.page));
    json_t *tlbs = json_object_get(document, "tlb");
    if (tlbs != NULL && cpuid_huge_tlb(cpuid, &tlb))
        put(tlbs, "huge", json_pack("{s:i, s:i}", "entries", (int)tlb.entries, "ways", (int)tlb.ways));
    return document;
}

/* The topology with all caches, or NULL: then only CPUID is used. */
static hwloc_topology_t load_topology(void)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return NULL;
    hwloc_topology_set_cache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    /* HWLOC_XMLFILE and the like may have substituted another machine. */
    if (hwloc_topology_load(topology) == 0 && hwloc_topology_is_thissystem(topology))
        return topology;
    hwloc_topology_destroy(topology);
    return NULL;
}

/* Counts of the units that a recipe's place can name, as far as the system shows them to this process. */
static void describe_counts(hwloc_topology_t topology, json_t *document)
{
    static const struct {
        const char *key;
        hwloc_obj_type_t type, otherwise;
    } counts[] = {{"sockets", HWLOC_OBJ_PACKAGE, HWLOC_OBJ_MACHINE},
                  {"cu", HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE},
                  {"cores", HWLOC_OBJ_PU, HWLOC_OBJ_PU}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        int count = hwloc_get_nbobjs_by_type(topology, counts[i].type);
        if (count <= 0)
            count = hwloc_get_nbobjs_by_type(topology, counts[i].otherwise);
        if (count > 0)
            put(document, counts[i].key, json_integer(count));
    }
}

/* Describes the mask's first unit while bound to it, because CPUID answers for the executing core. */
static json_t *describe_first_unit(const struct cpuid *cpuid, struct error *error)
{
    hwloc_topology_t topology = load_topology();
    if (topology == NULL)
        return describe_machine(NULL, cpuid, error);
    hwloc_bitmap_t mask = hwloc_bitmap_alloc();
    hwloc_obj_t unit = NULL;
    bool bound = false;
    if (hwloc_get_cpubind(topology, mask, HWLOC_CPUBIND_THREAD) == 0 && hwloc_bitmap_first(mask) >= 0)
        unit = hwloc_get_pu_obj_by_os_index(topology, (unsigned)hwloc_bitmap_first(mask));
    if (unit != NULL)
        bound = hwloc_set_cpubind(topology, unit->cpuset, HWLOC_CPUBIND_THREAD) == 0;
    json_t *document = describe_machine(unit, cpuid, error);
    if (document != NULL)
        describe_counts(topology, document);
    if (bound)
        hwloc_set_cpubind(topology, mask, HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_free(mask);
    hwloc_topology_destroy(topology);
    return document;
}

enum status detect_machine(struct machine *machine, struct error *error)
{
    memset(machine, 0, sizeof *machine);
    struct cpuid cpuid;
    if (!cpuid_of_host(&cpuid)) {
        error_set(error, STATUS_UNAVAILABLE,
                  "this host is not an x86-64 machine; only these can be detected");
        error_hint(error, "%s", ADVICE);
        return STATUS_UNAVAILABLE;
    }
    json_t *document = describe_first_unit(&cpuid, error);
    if (document == NULL)
        return STATUS_UNAVAILABLE;
    struct error wrong;
    enum status status = machine_from_json(document, NULL, machine, &wrong);
    json_decref(document);
    if (status != STATUS_OK) {
        error_set(error, STATUS_UNAVAILABLE, "no plan can use what this machine reports: %s", wrong.message);
        error_hint(error, "%s", ADVICE);
        return STATUS_UNAVAILABLE;
    }
    machine->present = true;
    return STATUS_OK;
}

static bool same_geometry(const struct cache *a, const struct cache *b)
{
    return a->size == b->size && a->ways == b->ways && a->line == b->line;
}

/* A probe may have measured another size than the system reports. */
static bool is_measured(const struct machine *machine, const char *level)
{
    const json_t *list = json_object_get(machine->document, "measured");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_string_value(json_array_get(list, i)), level) == 0)
            return true;
    return false;
}

bool detect_has_name(const char *name)
{
    struct cpuid cpuid;
    char own[MACHINE_NAME_BYTES];
    if (!cpuid_of_host(&cpuid))
        return false;
    machine_make_name(cpuid_identity(&cpuid).brand, true, "this-machine", own);
    return strcmp(name, own) == 0;
}

json_t *detect_features(void)
{
    struct cpuid cpuid;
    return cpuid_of_host(&cpuid) ? cpuid_features(&cpuid) : json_array();
}

double detect_clock_ghz(void)
{
    struct cpuid cpuid;
    return cpuid_of_host(&cpuid) ? cpuid_clock_ghz(&cpuid) : 0;
}

bool detect_same(const struct machine *a, const struct machine *b)
{
    const struct cache *ours[] = {&a->l1i, &a->l1d, &a->l2, &a->l3};
    const struct cache *theirs[] = {&b->l1i, &b->l1d, &b->l2, &b->l3};
    bool same = strcmp(a->name, b->name) == 0;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        same = same && (same_geometry(ours[i], theirs[i]) || is_measured(a, levels[i].name) ||
                        is_measured(b, levels[i].name));
    return same;
}
