/* Makes the description of a machine, as a machine file would state it, and checks it like one: of the
 * present machine, or of a copy of /proc and /sys. The thread is bound to the described core while it reads
 * the processor. */
#include "generator/machine/detect.h"

#include "base/file.h"
#include "base/files/paths.h"
#include "base/json.h"
#include "base/memory.h"
#include "generator/machine/core_kinds.h"
#include "generator/machine/processor.h"

#include <ctype.h>
#include <hwloc.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ADVICE[] =
    "describe the machine in a file (recipes/machines has examples) and pass -m FILE";

struct detected_level {
    const char *name, *type; /* the latter as sysfs writes it */
    enum processor_cache cache;
    unsigned depth;
    bool required;
};

static const struct detected_level levels[] = {
    {"L1I", "Instruction", PROCESSOR_L1I, 1, true},
    {"L1D", "Data", PROCESSOR_L1D, 1, true},
    {"L2", "Unified", PROCESSOR_L2, 2, true},
    {"L3", "Unified", PROCESSOR_L3, 3, false},
};

static void put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        abort(); /* out of memory */
}

/* ---- caches ---- */

enum { SMALL_TEXT = 256, INDEXES_MOST = 16 };

/* A file of one of the processor's caches. */
static const char *cache_text(const struct processor_files *files, unsigned index, const char *name,
                              char text[SMALL_TEXT])
{
    char path[SMALL_TEXT];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cache/index%u/%s", files->cpu, index, name);
    return processor_file(files, path, text, SMALL_TEXT);
}

static uint64_t cache_number(const struct processor_files *files, unsigned index, const char *name)
{
    char text[SMALL_TEXT], *end;
    unsigned long long number = strtoull(cache_text(files, index, name, text), &end, 10);
    return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : number;
}

/* The number of entries in a list such as "0-3,8". */
static unsigned count_of_list(const char *list)
{
    unsigned count = 0;
    while (isdigit((unsigned char)*list)) {
        char *end;
        unsigned long first = strtoul(list, &end, 10);
        unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        count += last >= first && last - first < 65536 ? (unsigned)(last - first) + 1 : 0;
        list = *end == ',' ? end + 1 : end;
    }
    return count;
}

/* The operating system's numbers; 0 for each that it lacks. The firmware of many machines reports sets but no
 * ways, or sizes alone; one set is a fully associative cache.
 * (Documentation/ABI/testing/sysfs-devices-system-cpu) */
static struct cache cache_by_system(const struct processor_files *files, const struct detected_level *level)
{
    char text[SMALL_TEXT];
    for (unsigned index = 0; index < INDEXES_MOST; index++) {
        if (cache_number(files, index, "level") != level->depth ||
            strcmp(cache_text(files, index, "type", text), level->type) != 0)
            continue;
        unsigned users = count_of_list(cache_text(files, index, "shared_cpu_list", text));
        struct cache cache = {.size = cache_number(files, index, "size"),
                              .ways = (unsigned)cache_number(files, index, "ways_of_associativity"),
                              .line = (unsigned)cache_number(files, index, "coherency_line_size"),
                              .shared_by = users > 1 ? users : 0};
        uint64_t sets = cache_number(files, index, "number_of_sets");
        if (cache.ways == 0 && sets != 0 && cache.line != 0)
            cache.ways = (unsigned)(cache.size / cache.line / sets);
        return cache;
    }
    return (struct cache){0};
}

/* The operating system's numbers; the processor supplies missing ones. */
static struct cache find_cache(const struct processor_files *files, const struct processor *processor,
                               const struct detected_level *level)
{
    struct cache cache = cache_by_system(files, level);
    const struct cache *other = &processor->caches[level->cache];
    cache.size = cache.size != 0 ? cache.size : other->size;
    cache.ways = cache.ways != 0 ? cache.ways : other->ways;
    cache.line = cache.line != 0 ? cache.line : other->line;
    return cache;
}

/* Advises a shipped file of that processor, if there is one. */
static void advise(const struct processor *processor, struct error *error)
{
    char name[MACHINE_NAME_BYTES], home[FILE_PATH_BYTES], path[FILE_PATH_BYTES];
    machine_make_name(processor->product, true, "", name);
    bool shipped = name[0] != '\0' && paths_home(home, NULL) == STATUS_OK;
    if (shipped) {
        int length = snprintf(path, sizeof path, "%s/recipes/machines/%s.lua", home, name);
        shipped = length > 0 && (size_t)length < sizeof path && file_is_regular(path);
    }
    if (shipped)
        error_hint(error, "recipes/machines describes this processor: pass -m %s --here", name);
    else
        error_hint(error, "%s", ADVICE);
}

/* Adds a note for the readers of the description. */
__attribute__((format(printf, 2, 3))) static void note(json_t *document, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_printed(format, arguments);
    va_end(arguments);
    if (json_object_get(document, "notes") == NULL)
        put(document, "notes", json_array());
    json_array_append_new(json_object_get(document, "notes"), json_from_text(text));
    free(text);
}

static json_t *describe_caches(const struct processor_files *files, const struct processor *processor,
                               const char *source, json_t *document, struct error *error)
{
    json_t *caches = json_object();
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        struct cache cache = find_cache(files, processor, &levels[i]);
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
            error_set(error, STATUS_UNAVAILABLE, "neither the operating system nor %s reports the %s %s",
                      source, levels[i].name, missing);
            advise(processor, error);
            json_decref(caches);
            return NULL;
        } else if (cache.size != 0) {
            note(document, "%s is left out: neither the operating system nor %s reports its %s",
                 levels[i].name, source, missing);
        }
    }
    return caches;
}

/* ---- identity ---- */

static void describe_identity(const struct processor *processor, const char *isa, json_t *document)
{
    char text[MACHINE_NAME_BYTES];
    machine_make_name(processor->product, true, "this-machine", text);
    put(document, "name", json_string(text));
    put(document, "isa", json_string(isa));
    if (processor->vendor[0] != '\0')
        put(document, "vendor", json_string(processor->vendor));
    snprintf(text, sizeof text, "%s", processor->cpu);
    for (char *c = text; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c))
            *c = '-';
    if (text[0] != '\0')
        put(document, "cpu", json_string(text));
}

/* ---- the issue width ---- */

/* Instructions per cycle that a core's front end delivers, by the processor's numbers or their beginning.
 * Hybrid processors are not listed, because their different cores have one number. Intel: Optimization
 * Reference Manual, volume 1, the pipelines' overviews; AMD: Software Optimization Guides for 15h, 17h, 19h
 * and 1Ah; Arm: software optimization guides of the cores. */
static const struct {
    const char *cpu;
    unsigned width;
} widths[] = {
    {"GenuineIntel-6-26-", 4},  {"GenuineIntel-6-44-", 4},  {"GenuineIntel-6-45-", 4},
    {"GenuineIntel-6-62-", 4},  {"GenuineIntel-6-63-", 4},  {"GenuineIntel-6-79-", 4},
    {"GenuineIntel-6-85-", 4},  {"GenuineIntel-6-94-", 4},  {"GenuineIntel-6-142-", 4},
    {"GenuineIntel-6-158-", 4}, {"GenuineIntel-6-106-", 5}, {"GenuineIntel-6-108-", 5},
    {"GenuineIntel-6-126-", 5}, {"GenuineIntel-6-140-", 5}, {"GenuineIntel-6-141-", 5},
    {"GenuineIntel-6-167-", 5}, {"GenuineIntel-6-143-", 6}, {"GenuineIntel-6-207-", 6},
    {"GenuineIntel-6-173-", 6}, {"GenuineIntel-6-174-", 6}, {"AuthenticAMD-21-", 4},
    {"AuthenticAMD-23-", 6},    {"AuthenticAMD-25-", 6},    {"AuthenticAMD-26-", 8},
    {"0x41-0xd03-", 2},         {"0x41-0xd08-", 3},         {"0x41-0xd0c-", 4},
    {"0x41-0xd49-", 5},         {"0x41-0xd4f-", 8},
};

/* 0: unknown here; `trauma check --probe` measures it. */
static unsigned width_of(const char *cpu)
{
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        if (strncmp(cpu, widths[i].cpu, strlen(widths[i].cpu)) == 0)
            return widths[i].width;
    return 0;
}

/* ---- kinds of core ---- */

/* With several kinds: states the processors that are described, and how to describe the others. */
static void describe_kinds(const struct processor_files *files, json_t *document)
{
    struct core_kinds kinds = core_kinds_read(files);
    const struct core_kind *own = core_kinds_of(&kinds, files->cpu);
    if (own != NULL && kinds.count > 1) {
        put(document, "processors", json_string(own->cpus.data));
        for (size_t i = 0; i < kinds.count; i++)
            if (&kinds.items[i] != own)
                note(document,
                     "this describes the processors %s; `trauma machine detect --cpu %u` describes %s, which "
                     "differ",
                     own->cpus.data, kinds.items[i].first, kinds.items[i].cpus.data);
    }
    core_kinds_free(&kinds);
}

/* ---- the machine ---- */

/* The core's clock: as the processor reports it, or the highest without boost from cpufreq. */
static double clock_of(const struct processor_files *files, const struct processor *processor)
{
    return processor->clock_ghz > 0 ? processor->clock_ghz : detect_highest_ghz(files->root, files->cpu);
}

/* Replaces the clocks by those below the root. */
static void put_frequencies(const char *root, unsigned cpu, json_t *document)
{
    double ghz[DETECT_CLOCKS];
    size_t count = detect_frequencies(root, cpu, ghz);
    json_object_del(document, "frequencies");
    if (count == 0)
        return;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_from_number(ghz[i]));
    put(document, "frequencies", list);
}

static json_t *describe_machine(const struct processor_files *files, const struct processor *processor,
                                const struct processor_kind *kind, struct error *error)
{
    json_t *document = json_object();
    json_t *caches = describe_caches(files, processor, kind->source, document, error);
    if (caches == NULL) {
        json_decref(document);
        return NULL;
    }
    describe_kinds(files, document);
    describe_identity(processor, kind->isa, document);
    if (processor->is_virtual)
        put(document, "virtual", json_true());
    if (width_of(processor->cpu) > 0)
        put(document, "issue_width", json_integer(width_of(processor->cpu)));
    put(document, "caches", caches);
    json_t *features = json_array();
    for (size_t i = 0; i < processor->features.count; i++)
        json_array_append_new(features, json_string(processor->features.texts[i]));
    put(document, "features", features);
    double clock = clock_of(files, processor);
    if (clock > 0)
        put(document, "clock_ghz", json_from_number(clock));
    put_frequencies(files->root, files->cpu, document);
    const struct tlb *tlb = &processor->data_tlb;
    if (tlb->entries != 0)
        put(document, "tlb",
            json_pack("{s:{s:i, s:i, s:I}}", "data", "entries", (int)tlb->entries, "ways", (int)tlb->ways,
                      "page", (json_int_t)tlb->page));
    const struct tlb *huge = &processor->huge_tlb;
    if (tlb->entries != 0 && huge->entries != 0)
        put(json_object_get(document, "tlb"), "huge",
            json_pack("{s:i, s:i}", "entries", (int)huge->entries, "ways", (int)huge->ways));
    return document;
}

/* Adds NUMA nodes, if there are several. */
static void describe_nodes(hwloc_topology_t topology, json_t *document)
{
    int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
    json_t *nodes = json_array();
    for (int i = 0; i < count; i++) {
        const struct hwloc_obj *node = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, (unsigned)i);
        json_t *own = json_pack("{s:i, s:i}", "id", (int)node->os_index, "cores",
                                node->cpuset == NULL ? 0 : hwloc_bitmap_weight(node->cpuset));
        if (node->attr != NULL && node->attr->numanode.local_memory > 0)
            json_object_set_new(own, "memory", json_integer((json_int_t)node->attr->numanode.local_memory));
        json_array_append_new(nodes, own);
    }
    if (count > 1)
        put(document, "nodes", nodes);
    else
        json_decref(nodes);
}

/* Counts the units that a recipe's place can name, as far as they are visible to this process. */
static void describe_counts(json_t *document)
{
    static const struct {
        const char *key;
        hwloc_obj_type_t type, otherwise;
    } counts[] = {{"sockets", HWLOC_OBJ_PACKAGE, HWLOC_OBJ_MACHINE},
                  {"cu", HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE},
                  {"cores", HWLOC_OBJ_PU, HWLOC_OBJ_PU}};
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return;
    hwloc_topology_set_cache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    /* HWLOC_XMLFILE and the like may have substituted another machine. */
    bool own = hwloc_topology_load(topology) == 0 && hwloc_topology_is_thissystem(topology);
    for (size_t i = 0; own && i < sizeof counts / sizeof counts[0]; i++) {
        int count = hwloc_get_nbobjs_by_type(topology, counts[i].type);
        if (count <= 0)
            count = hwloc_get_nbobjs_by_type(topology, counts[i].otherwise);
        if (count > 0)
            put(document, counts[i].key, json_integer(count));
    }
    if (own)
        describe_nodes(topology, document);
    hwloc_topology_destroy(topology);
}

/* Binds the calling thread to the processor (DETECT_FIRST: the first of its mask), because a processor
 * reports on the executing core. False if that fails; *cpu is the processor, or 0. */
static bool bind_to(int wanted, cpu_set_t *mask, unsigned *cpu)
{
    *cpu = wanted == DETECT_FIRST ? 0 : (unsigned)wanted;
    if (sched_getaffinity(0, sizeof *mask, mask) != 0)
        return false;
    while (wanted == DETECT_FIRST && *cpu + 1 < CPU_SETSIZE && !CPU_ISSET(*cpu, mask))
        ++*cpu;
    cpu_set_t one;
    CPU_ZERO(&one);
    if (*cpu < CPU_SETSIZE)
        CPU_SET(*cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

/* The processor of the present machine, or that of the files below a root. */
static bool read_processor(const char *root, int wanted, struct processor *processor,
                           const struct processor_kind **kind, unsigned *cpu)
{
    cpu_set_t mask;
    *cpu = wanted == DETECT_FIRST ? 0 : (unsigned)wanted;
    bool bound = root[0] == '\0' && bind_to(wanted, &mask, cpu);
    bool known =
        (bound || root[0] != '\0' || wanted == DETECT_FIRST) && processor_read(root, *cpu, processor, kind);
    if (bound)
        sched_setaffinity(0, sizeof mask, &mask);
    return known;
}

static enum status no_processor(const char *root, int cpu, struct error *error)
{
    char name[PROCESSOR_NAME_BYTES], path[FILE_PATH_BYTES];
    processor_name_other(root, name);
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d", root, cpu);
    if (cpu != DETECT_FIRST && !file_is_folder(path)) {
        error_set(error, STATUS_UNAVAILABLE, "there is no %s", path);
        error_hint(error, "--cpu takes the number of a logical processor");
    } else if (name[0] != '\0') {
        error_set(error, STATUS_UNAVAILABLE,
                  "this is %s: only x86-64, AArch64 and RISC-V of 64 bits can be detected", name);
        error_hint(error, "%s", ADVICE);
    } else if (root[0] == '\0') {
        error_set(error, STATUS_UNAVAILABLE,
                  "this processor is not an x86-64, AArch64 or RISC-V one of 64 bits: "
                  "only these can be detected");
        error_hint(error, "%s", ADVICE);
    } else {
        error_set(
            error, STATUS_UNAVAILABLE,
            "%s/proc/cpuinfo and sys/devices/system/cpu/cpu0/regs describe no x86-64, AArch64 or RISC-V "
            "processor of 64 bits",
            root);
        error_hint(error, "expected a copy of the machine's /proc/cpuinfo and /sys/devices/system/cpu");
    }
    return STATUS_UNAVAILABLE;
}

static json_t *describe(const char *root, int cpu, struct error *error)
{
    struct processor processor = {.is_virtual = false};
    const struct processor_kind *kind;
    struct processor_files files = {.root = root, .cpuinfo = ""};
    struct buffer cpuinfo = {0};
    json_t *document = NULL;
    char path[FILE_PATH_BYTES];
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    if (file_read(path, &cpuinfo, NULL) == STATUS_OK && cpuinfo.data != NULL)
        files.cpuinfo = cpuinfo.data;
    if (read_processor(root, cpu, &processor, &kind, &files.cpu))
        document = describe_machine(&files, &processor, kind, error);
    else
        no_processor(root, cpu, error);
    processor_free(&processor);
    buffer_free(&cpuinfo);
    return document;
}

/* Reads the description; without L3, which a machine need not have, if nothing else is wrong. */
static enum status take(json_t *document, struct machine *machine, struct error *wrong)
{
    json_t *caches = json_object_get(document, "caches");
    enum status status = machine_from_json(document, NULL, machine, wrong);
    if (status == STATUS_OK || json_object_get(caches, "L3") == NULL)
        return status;
    struct error other;
    json_object_del(caches, "L3");
    note(document,
         "L3 is left out, as no cache can be what the system reports: %s; a machine file can have it, with "
         "numbers that fit",
         wrong->message);
    return machine_from_json(document, NULL, machine, &other);
}

enum status detect_machine_in(const char *root, int cpu, struct machine *machine, struct error *error)
{
    memset(machine, 0, sizeof *machine);
    json_t *document = describe(root, cpu, error);
    if (document == NULL)
        return STATUS_UNAVAILABLE;
    if (root[0] == '\0')
        describe_counts(document);
    struct error wrong;
    enum status status = take(document, machine, &wrong);
    json_decref(document);
    if (status != STATUS_OK) {
        error_set(error, STATUS_UNAVAILABLE, "no plan can use what this machine reports: %s", wrong.message);
        error_hint(error, "%s", ADVICE);
        return STATUS_UNAVAILABLE;
    }
    machine->present = root[0] == '\0';
    return STATUS_OK;
}

enum status detect_machine(struct machine *machine, struct error *error)
{
    return detect_machine_in("", DETECT_FIRST, machine, error);
}

enum status detect_machine_with_clocks(const char *root, struct machine *machine, struct error *error)
{
    enum status status = detect_machine(machine, error);
    if (status != STATUS_OK || root[0] == '\0')
        return status;
    /* From the first processor that it describes. */
    const char *processors = json_string_or(machine->document, "processors", "0");
    put_frequencies(root, (unsigned)strtoul(processors, NULL, 10), machine->document);
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
    struct processor processor;
    const struct processor_kind *kind;
    unsigned cpu;
    char own[MACHINE_NAME_BYTES] = "";
    bool known = read_processor("", DETECT_FIRST, &processor, &kind, &cpu);
    if (known)
        machine_make_name(processor.product, true, "this-machine", own);
    processor_free(&processor);
    return known && strcmp(name, own) == 0;
}

void detect_features(struct text_set *features)
{
    struct processor processor;
    const struct processor_kind *kind;
    unsigned cpu;
    if (read_processor("", DETECT_FIRST, &processor, &kind, &cpu))
        for (size_t i = 0; i < processor.features.count; i++)
            text_set_add(features, processor.features.texts[i]);
    processor_free(&processor);
}

double detect_tick_ghz(void)
{
    struct processor processor;
    const struct processor_kind *kind;
    unsigned cpu;
    double ghz = read_processor("", DETECT_FIRST, &processor, &kind, &cpu) ? processor.tick_ghz : 0;
    processor_free(&processor);
    return ghz;
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
