#include "generator/machine/machine.h"

#include "base/units.h"
#include "generator/machine/machine_field.h"
#include "generator/machine/machine_readers.h"
#include "isa/isa.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define KIB 1024.0
#define GIB (1024.0 * 1024.0 * 1024.0)

static const char *const policies[] = {
    [POLICY_UNKNOWN] = "unknown",
    [POLICY_LRU] = "lru",
    [POLICY_TREE_PLRU] = "tree-plru",
    [POLICY_RANDOM] = "random",
};

/* ---- readers for this description alone ---- */

/* A name becomes part of paths and of messages: [A-Za-z0-9_-][A-Za-z0-9._-]*. */
json_t *machine_read_name(struct field_reader *reader, const struct field *field, const json_t *value,
                          void *target)
{
    const char *text = json_string_value(value);
    if (text == NULL || text[0] == '.')
        return field_refuse(reader, field, value);
    for (const char *c = text; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("._-", *c) == NULL)
            return field_refuse(reader, field, value);
    return field_text(reader, field, value, target);
}

/* The identity that detection writes. Nothing is decided by it, so it is kept in the document only. */
static json_t *read_cpu(struct field_reader *reader, const struct field *field, const json_t *value,
                        void *target)
{
    (void)target;
    char text[64];
    return machine_read_name(reader, field, value, text);
}

static json_t *read_isa(struct field_reader *reader, const struct field *field, const json_t *value,
                        void *target)
{
    const char *text = json_string_value(value);
    if (!isa_is_processor(text))
        return field_refuse(reader, field, value);
    return field_text(reader, field, value, target);
}

static json_t *read_index(struct field_reader *reader, const struct field *field, const json_t *value,
                          void *target)
{
    const char *text = json_string_value(value);
    if (text == NULL || (strcmp(text, "virtual") != 0 && strcmp(text, "unknown") != 0))
        return field_refuse(reader, field, value);
    *(bool *)target = strcmp(text, "virtual") == 0;
    return json_string(text);
}

static json_t *read_gpu(struct field_reader *reader, const struct field *field, const json_t *value,
                        void *target)
{
    (void)field, (void)value, (void)target;
    error_set(reader->error, STATUS_RECIPE,
              "%s describes a GPU, but machine.isa is a processor's: remove it, or say \"ptx\" or \"gcn\"",
              reader->path);
    return NULL;
}

json_t *machine_read_policy(struct field_reader *reader, const struct field *field, const json_t *value,
                            void *target)
{
    for (size_t i = 0; json_is_string(value) && i < sizeof policies / sizeof policies[0]; i++) {
        if (strcmp(json_string_value(value), policies[i]) == 0) {
            *(enum cache_policy *)target = (enum cache_policy)i;
            return json_string(policies[i]);
        }
    }
    return field_refuse(reader, field, value);
}

/* ---- the fields, in the order of a machine file ---- */

static const char CACHE_EXAMPLE[] = "a table such as { size = \"32KiB\", ways = 8, line = 64 }";
static const char CYCLES[] = "a number of cycles above 0 and up to 1000000";

static const struct field cache_fields[] = {
    {"size", field_size, true, offsetof(struct cache, size), 1, 16 * GIB,
     "a size up to 16GiB such as \"32KiB\", or a whole number of bytes", NULL},
    {"ways", field_whole, true, offsetof(struct cache, ways), 1, 1024, "a whole number from 1 to 1024", NULL},
    {"line", field_line, true, offsetof(struct cache, line), 16, 256,
     "a power of two from 16 to 256, in bytes", NULL},
    {"policy", machine_read_policy, false, offsetof(struct cache, policy), 0, 0,
     "\"lru\", \"tree-plru\", \"random\" or \"unknown\"", NULL},
    {"effective", field_size, false, offsetof(struct cache, effective), 1, 16 * GIB,
     "a size such as \"7MiB\": what one core has of a level that others use too", NULL},
    {"shared_by", field_whole, false, offsetof(struct cache, shared_by), 1, 65536,
     "a whole number from 1 to 65536: logical processors that share the level", NULL},
    {0},
};

static const struct field level_fields[] = {
    {"L1I", field_table, true, offsetof(struct machine, l1i), 0, 0, CACHE_EXAMPLE, cache_fields},
    {"L1D", field_table, true, offsetof(struct machine, l1d), 0, 0, CACHE_EXAMPLE, cache_fields},
    {"L2", field_table, true, offsetof(struct machine, l2), 0, 0, CACHE_EXAMPLE, cache_fields},
    {"L3", field_table, false, offsetof(struct machine, l3), 0, 0, CACHE_EXAMPLE, cache_fields},
    {0},
};

static const struct field tlb_fields[] = {
    {"entries", field_whole, true, offsetof(struct tlb, entries), 1, 65536, "a whole number from 1 to 65536",
     NULL},
    {"ways", field_whole, true, offsetof(struct tlb, ways), 1, 65536, "a whole number from 1 to 65536", NULL},
    {"page", field_size, true, offsetof(struct tlb, page), 1 * KIB, 1 * GIB,
     "a size from 1KiB to 1GiB such as \"4KiB\"", NULL},
    {0},
};

static const struct field tlbs_fields[] = {
    {"data", field_table, false, offsetof(struct machine, data_tlb), 0, 0,
     "a table such as { entries = 64, ways = 4, page = \"4KiB\" }", tlb_fields},
    {0},
};

static const struct field latency_fields[] = {
    {"L1D", field_number, false, offsetof(struct machine, latency_l1d), 0, 1e6, CYCLES, NULL},
    {"L2", field_number, false, offsetof(struct machine, latency_l2), 0, 1e6, CYCLES, NULL},
    {"L3", field_number, false, offsetof(struct machine, latency_l3), 0, 1e6, CYCLES, NULL},
    {"MEM", field_number, false, offsetof(struct machine, latency_mem), 0, 1e6, CYCLES, NULL},
    {0},
};

static const struct field port_fields[] = {
    {"load", field_whole, false, offsetof(struct machine, load_ports), 1, 16, "a whole number from 1 to 16",
     NULL},
    {"store", field_whole, false, offsetof(struct machine, store_ports), 1, 16, "a whole number from 1 to 16",
     NULL},
    {0},
};

static const struct field event_fields[] = {
    {"", field_words, false, 0, 0, 0, "a list of texts such as { \"r0F48\", \"per\", \"r0143\" }", NULL},
};

/* One state of voltage and frequency; nothing is decided by it here, so it is kept in the document only. */
struct vf_state {
    double volts, ghz;
};

static const struct field vf_fields[] = {
    {"volts", field_number, true, offsetof(struct vf_state, volts), 0, 10,
     "a number of volts above 0 and up to 10", NULL},
    {"ghz", field_number, true, offsetof(struct vf_state, ghz), 0, 1000, "a number above 0 and up to 1000",
     NULL},
    {0},
};

json_t *machine_read_vf(struct field_reader *reader, const struct field *field, const json_t *value,
                        void *target)
{
    (void)target;
    struct vf_state state;
    struct field listed = *field;
    listed.rows = vf_fields;
    return field_list(reader, &listed, value, &state);
}

/* Kept in the document only: throttle.c looks there. */
static json_t *keep_rate(struct field_reader *reader, const struct field *field, const json_t *value,
                         void *target)
{
    (void)target;
    double rate;
    return field_number(reader, field, value, &rate);
}

static const struct field per_cycle_fields[] = {
    {"", keep_rate, false, 0, 0, 64, "a number above 0 and up to 64: operations a cycle", NULL},
    {0},
};

static const struct field machine_fields[] = {
    {"name", machine_read_name, true, offsetof(struct machine, name), 0,
     sizeof((struct machine *)0)->name - 1, "up to 63 letters, digits, '_', '-' and '.', the first no '.'",
     NULL},
    {"isa", read_isa, true, offsetof(struct machine, isa), 0, sizeof((struct machine *)0)->isa - 1,
     "\"x86_64\", \"ptx\" or \"gcn\"", NULL},
    {"vendor", field_text, false, offsetof(struct machine, vendor), 0,
     sizeof((struct machine *)0)->vendor - 1, "a text of 1 to 63 bytes", NULL},
    {"clock_ghz", field_number, false, offsetof(struct machine, clock_ghz), 0, 1000,
     "a number above 0 and up to 1000", NULL},
    {"frequencies", field_numbers, false, 0, 0, 1000,
     "a list of clocks that it can be set to, in GHz, such as { 1.4, 2.3, 3.5 }", NULL},
    {"idle_w", field_number, false, offsetof(struct machine, idle_w), 0, 1e6,
     "a number above 0: watts that the processor's maker publishes for its idling", NULL},
    {"issue_width", field_whole, false, offsetof(struct machine, issue_width), 1, 64,
     "a whole number from 1 to 64", NULL},
    {"sockets", field_whole, false, offsetof(struct machine, sockets), 1, 1024,
     "a whole number from 1 to 1024", NULL},
    {"cu", field_whole, false, offsetof(struct machine, cu), 1, 65536,
     "a whole number from 1 to 65536: compute units, which are the cores that share an L2", NULL},
    {"cores", field_whole, false, offsetof(struct machine, cores), 1, 65536,
     "a whole number from 1 to 65536: logical processors", NULL},
    {"index", read_index, false, offsetof(struct machine, index_known), 0, 0,
     "\"virtual\": caches are indexed by the addresses of programs, as in a simulator; or \"unknown\"", NULL},
    {"virtual", field_boolean, false, offsetof(struct machine, is_virtual), 0, 0,
     "true or false: a hypervisor stands between it and the hardware", NULL},
    {"cpu", read_cpu, false, 0, 0, 63, "such as \"GenuineIntel-6-85-4\" (family, model, stepping)", NULL},
    {"vf", machine_read_vf, false, 0, 0, 0,
     "a list of states of voltage and frequency such as { { volts = 0.9, ghz = 1.4 } }", NULL},
    {"caches", field_table, true, 0, 0, 0, "a table with L1I, L1D and L2", level_fields},
    {"measured", field_words, false, 0, 0, 0,
     "a list of caches such as { \"L3\" }, whose sizes were measured", NULL},
    {"tlb", field_table, false, 0, 0, 0, "a table with data", tlbs_fields},
    {"features", field_words, false, 0, 0, 0, "a list of texts such as { \"sse2\" }", NULL},
    {"latency", field_table, false, 0, 0, 0, "a table such as { L1D = 4, L2 = 14 }", latency_fields},
    {"ports", field_table, false, 0, 0, 0, "a table such as { load = 2, store = 1 }", port_fields},
    {"per_cycle", field_map, false, 0, 0, 0,
     "a table such as { add = 4, mul = 1, fma = 2 }: operations a cycle", per_cycle_fields},
    {"events", field_map, false, 0, 0, 0,
     "a table such as { [\"l1d.miss_rate\"] = { \"r0F48\", \"per\", \"r0143\" } }", event_fields},
    {"gpu", read_gpu, false, 0, 0, 0, "no such field", NULL},
    {0},
};

static const struct field machine_field = {"machine",
                                           field_table,
                                           true,
                                           0,
                                           0,
                                           0,
                                           "a table such as { name = \"my-machine\", isa = \"x86_64\", ... }",
                                           machine_fields};

static const struct field gpu_field = {"machine",
                                       field_table,
                                       true,
                                       0,
                                       0,
                                       0,
                                       "a table such as { name = \"my-gpu\", isa = \"ptx\", ... }",
                                       machine_gpu_fields};

static bool names_gpu(const char *isa)
{
    return isa != NULL && (strcmp(isa, "ptx") == 0 || strcmp(isa, "gcn") == 0);
}

/* ---- what the numbers must be together ---- */

/* L1 is indexed by plain address bits, so its sets are a power of two. An L3 has its sets chosen by a hash,
 * and slices that make no power of two; a shared L2 may too. */
struct level {
    const char *name;
    size_t offset;
    double largest; /* bytes */
    bool power_of_two;
};

static const struct level levels[] = {
    {"L1I", offsetof(struct machine, l1i), 1 * GIB, true},
    {"L1D", offsetof(struct machine, l1d), 1 * GIB, true},
    {"L2", offsetof(struct machine, l2), 1 * GIB, false},
    {"L3", offsetof(struct machine, l3), 16 * GIB, false},
};

static enum status check_level(const struct machine *machine, const struct level *level, struct error *error)
{
    const struct cache *cache = (const struct cache *)((const char *)machine + level->offset);
    char size[32], set[32];
    units_format_size(cache->size, size, sizeof size);
    uint64_t bytes_a_set = (uint64_t)cache->ways * cache->line;
    if (cache->size == 0)
        return STATUS_OK; /* no such level */
    if ((double)cache->size > level->largest)
        return error_set(error, STATUS_RECIPE, "machine.caches.%s.size is %s: expected at most %.0fGiB",
                         level->name, size, level->largest / GIB);
    if (cache->size % bytes_a_set != 0)
        return error_set(
            error, STATUS_RECIPE,
            "machine.caches.%s.size is %s: expected a multiple of ways * line, which is %u * %u = %s",
            level->name, size, cache->ways, cache->line, units_format_size(bytes_a_set, set, sizeof set));
    if (level->power_of_two && !units_is_power_of_two(cache_sets(cache)))
        return error_set(
            error, STATUS_RECIPE,
            "machine.caches.%s has %u sets (size %s, %u ways, lines of %u B): expected a power of two",
            level->name, cache_sets(cache), size, cache->ways, cache->line);
    return STATUS_OK;
}

static enum status check_geometry(const struct machine *machine, struct error *error)
{
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        enum status status = check_level(machine, &levels[i], error);
        if (status != STATUS_OK)
            return status;
    }
    if (machine->l2.line < machine->l1d.line)
        return error_set(error, STATUS_RECIPE,
                         "machine.caches.L2.line is %u: expected no less than the %u of L1D",
                         machine->l2.line, machine->l1d.line);
    char l1d[32], l2[32];
    if (machine->l2.size < machine->l1d.size)
        return error_set(error, STATUS_RECIPE,
                         "machine.caches.L2.size is %s: expected no less than the %s of L1D",
                         units_format_size(machine->l2.size, l2, sizeof l2),
                         units_format_size(machine->l1d.size, l1d, sizeof l1d));
    const struct tlb *tlb = &machine->data_tlb;
    if (tlb->entries != 0 && tlb->entries % tlb->ways != 0)
        return error_set(error, STATUS_RECIPE,
                         "machine.tlb.data.entries is %u: expected a multiple of its %u ways", tlb->entries,
                         tlb->ways);
    return STATUS_OK;
}

/* ---- what machine.h declares ---- */

enum status machine_set_index(struct machine *machine, const char *word, struct error *error)
{
    bool known = strcmp(word, "virtual") == 0;
    if (!known && strcmp(word, "unknown") != 0)
        return error_set(error, STATUS_USAGE, "--index %s: expected virtual or unknown", word);
    if (machine_is_gpu(machine))
        return error_set(error, STATUS_USAGE, "--index: %s is a GPU; its caches go by their channels' hash",
                         machine->name);
    machine->index_known = known;
    json_object_set_new(machine->document, "index", json_string(word));
    return STATUS_OK;
}

enum status machine_from_json(const json_t *document, const char *file, struct machine *machine,
                              struct error *error)
{
    memset(machine, 0, sizeof *machine);
    struct error unasked;
    if (error == NULL)
        error = &unasked;
    struct field_reader reader = {error, "machine"};
    bool gpu = names_gpu(json_string_value(json_object_get(document, "isa")));
    machine->document = field_table(&reader, gpu ? &gpu_field : &machine_field, document, machine);
    enum status status = machine->document == NULL ? STATUS_RECIPE
                         : gpu                     ? machine_gpu_complete(machine, error)
                                                   : check_geometry(machine, error);
    if (status == STATUS_OK)
        return STATUS_OK;
    machine_free(machine);
    error_at(error, file, 0);
    return STATUS_RECIPE;
}

bool machine_is_gpu(const struct machine *machine)
{
    return names_gpu(machine->isa);
}

const char *level_name(int level)
{
    static const char *const names[] = {"L1", "L2", "L3", "MEM", "L1, past the TLB"};
    return names[level];
}

const struct cache *machine_cache(const struct machine *machine, int level)
{
    const struct cache *caches[] = {&machine->l1d, &machine->l2, &machine->l3, NULL};
    return caches[level] == NULL || caches[level]->size == 0 ? NULL : caches[level];
}

unsigned cache_sets(const struct cache *cache)
{
    uint64_t bytes_a_set = (uint64_t)cache->ways * cache->line;
    return bytes_a_set == 0 ? 0 : (unsigned)(cache->size / bytes_a_set);
}

bool machine_has(const struct machine *machine, const char *feature)
{
    const json_t *features = json_object_get(machine->document, "features");
    if (features == NULL)
        return strcmp(feature, "sse2") == 0;
    for (size_t i = 0; i < json_array_size(features); i++)
        if (strcmp(json_string_value(json_array_get(features, i)), feature) == 0)
            return true;
    return false;
}

const char *cache_policy_name(enum cache_policy policy)
{
    return policies[policy];
}

void machine_free(struct machine *machine)
{
    json_decref(machine->document);
    memset(machine, 0, sizeof *machine);
}
