#include "generator/machine/machine.h"

#include "base/json.h"
#include "base/units.h"
#include "generator/machine/machine_field.h"
#include "isa/gcn/target.h"
#include "isa/isa.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB 1024.0
#define GIB (1024.0 * 1024.0 * 1024.0)

static const char *const policies[] = {
    [POLICY_UNKNOWN] = "unknown", [POLICY_LRU] = "lru",   [POLICY_TREE_PLRU] = "tree-plru",
    [POLICY_RANDOM] = "random",   [POLICY_FIFO] = "fifo",
};

/* ---- readers for this description alone ---- */

/* Names occur in paths and messages, so they must match [A-Za-z0-9_-][A-Za-z0-9._-]*. */
static json_t *read_name(struct field_reader *reader, const struct field *field, const json_t *value,
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

/* The identity that detection writes. No decision depends on it, so only the document keeps it. */
static json_t *read_cpu(struct field_reader *reader, const struct field *field, const json_t *value,
                        void *target)
{
    (void)target;
    char text[64];
    return read_name(reader, field, value, text);
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

static json_t *read_policy(struct field_reader *reader, const struct field *field, const json_t *value,
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

static const char POLICIES[] = "\"lru\", \"tree-plru\", \"fifo\", \"random\" or \"unknown\"";

static const struct field cache_fields[] = {
    {"size", field_size, true, offsetof(struct cache, size), 1, 16 * GIB,
     "a size up to 16GiB such as \"32KiB\", or a whole number of bytes", NULL},
    {"ways", field_whole, true, offsetof(struct cache, ways), 1, 1024, "a whole number from 1 to 1024", NULL},
    {"line", field_line, true, offsetof(struct cache, line), 16, 256,
     "a power of two from 16 to 256, in bytes", NULL},
    {"policy", read_policy, false, offsetof(struct cache, policy), 0, 0, POLICIES, NULL},
    {"effective", field_size, false, offsetof(struct cache, effective), 1, 16 * GIB,
     "a size such as \"7MiB\": one core's part of a shared level", NULL},
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
    {"policy", read_policy, false, offsetof(struct tlb, policy), 0, 0, POLICIES, NULL},
    {0},
};

static const struct field huge_tlb_fields[] = {
    {"entries", field_whole, true, offsetof(struct tlb, entries), 1, 65536, "a whole number from 1 to 65536",
     NULL},
    {"ways", field_whole, true, offsetof(struct tlb, ways), 1, 65536, "a whole number from 1 to 65536", NULL},
    {"policy", read_policy, false, offsetof(struct tlb, policy), 0, 0, POLICIES, NULL},
    {0},
};

static const struct field tlbs_fields[] = {
    {"data", field_table, false, offsetof(struct machine, data_tlb), 0, 0,
     "a table such as { entries = 64, ways = 4, page = \"4KiB\" }", tlb_fields},
    {"huge", field_table, false, offsetof(struct machine, huge_tlb), 0, 0,
     "a table such as { entries = 32, ways = 4 }: entries of the data TLB's own for pages of 2 MiB",
     huge_tlb_fields},
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

/* One state of voltage and frequency; no decision here depends on it, so only the document keeps it. */
struct described_vf {
    double volts, ghz;
};

static const struct field vf_fields[] = {
    {"volts", field_number, true, offsetof(struct described_vf, volts), 0, 10,
     "a number of volts above 0 and up to 10", NULL},
    {"ghz", field_number, true, offsetof(struct described_vf, ghz), 0, 1000,
     "a number above 0 and up to 1000", NULL},
    {0},
};

static json_t *read_vf(struct field_reader *reader, const struct field *field, const json_t *value,
                       void *target)
{
    (void)target;
    struct described_vf state;
    struct field listed = *field;
    listed.rows = vf_fields;
    return field_list(reader, &listed, value, &state);
}

/* A NUMA node; only the document keeps it. */
struct described_node {
    unsigned id, cores;
    uint64_t memory;
};

static const struct field node_fields[] = {
    {"id", field_whole, true, offsetof(struct described_node, id), 0, 1023, "a whole number from 0 to 1023",
     NULL},
    {"cores", field_whole, true, offsetof(struct described_node, cores), 0, 65536,
     "a whole number from 0 to 65536: logical processors, 0 of a node that is memory alone", NULL},
    {"memory", field_size, false, offsetof(struct described_node, memory), 1, 1e18,
     "a size such as \"64GiB\"", NULL},
    {0},
};

static json_t *read_nodes(struct field_reader *reader, const struct field *field, const json_t *value,
                          void *target)
{
    (void)target;
    struct described_node node;
    struct field listed = *field;
    listed.rows = node_fields;
    return field_list(reader, &listed, value, &node);
}

/* Only the document keeps it, for throttle.c. */
static json_t *keep_rate(struct field_reader *reader, const struct field *field, const json_t *value,
                         void *target)
{
    (void)target;
    double rate;
    return field_number(reader, field, value, &rate);
}

static const struct field per_cycle_fields[] = {
    {"", keep_rate, false, 0, 0, 64, "a number above 0 and up to 64: operations per cycle", NULL},
    {0},
};

#define quoted(name) "\"" #name "\", "

static const struct field machine_fields[] = {
    {"name", read_name, true, offsetof(struct machine, name), 0, sizeof((struct machine *)0)->name - 1,
     "up to 63 letters, digits, '_', '-' and '.', not starting with '.'", NULL},
    {"isa", read_isa, true, offsetof(struct machine, isa), 0, sizeof((struct machine *)0)->isa - 1,
     ISA_PROCESSORS(quoted) "\"ptx\" or \"gcn\"", NULL},
    {"vendor", field_text, false, offsetof(struct machine, vendor), 0,
     sizeof((struct machine *)0)->vendor - 1, "a text of 1 to 63 bytes", NULL},
    {"clock_ghz", field_number, false, offsetof(struct machine, clock_ghz), 0, 1000,
     "a number above 0 and up to 1000", NULL},
    {"frequencies", field_numbers, false, 0, 0, 1000,
     "a list of settable clocks in GHz, such as { 1.4, 2.3, 3.5 }", NULL},
    {"idle_w", field_number, false, offsetof(struct machine, idle_w), 0, 1e6,
     "a number above 0: the idle power in watts that the processor's maker publishes", NULL},
    {"issue_width", field_whole, false, offsetof(struct machine, issue_width), 1, 64,
     "a whole number from 1 to 64", NULL},
    {"sockets", field_whole, false, offsetof(struct machine, sockets), 1, 1024,
     "a whole number from 1 to 1024", NULL},
    {"cu", field_whole, false, offsetof(struct machine, cu), 1, 65536,
     "a whole number from 1 to 65536: compute units, which are the cores that share an L2", NULL},
    {"cores", field_whole, false, offsetof(struct machine, cores), 1, 65536,
     "a whole number from 1 to 65536: logical processors", NULL},
    {"index", read_index, false, offsetof(struct machine, index_known), 0, 0,
     "\"virtual\" (caches are indexed by virtual addresses, as in a simulator) or \"unknown\"", NULL},
    {"virtual", field_boolean, false, offsetof(struct machine, is_virtual), 0, 0,
     "true or false: whether it runs under a hypervisor", NULL},
    {"cpu", read_cpu, false, 0, 0, 63, "such as \"GenuineIntel-6-85-4\" (family, model, stepping)", NULL},
    {"processors", field_text, false, offsetof(struct machine, processors), 0,
     sizeof((struct machine *)0)->processors - 1,
     "a list such as \"0-3,8\": the logical processors that are described, if others differ", NULL},
    {"notes", field_words, false, 0, 0, 0, "a list of texts: what a reader of the description has to know",
     NULL},
    {"vf", read_vf, false, 0, 0, 0,
     "a list of states of voltage and frequency such as { { volts = 0.9, ghz = 1.4 } }", NULL},
    {"nodes", read_nodes, false, 0, 0, 0,
     "a list of NUMA nodes such as { { id = 0, cores = 16, memory = \"64GiB\" } }", NULL},
    {"caches", field_table, true, 0, 0, 0, "a table with L1I, L1D and L2", level_fields},
    {"measured", field_words, false, 0, 0, 0,
     "a list of caches such as { \"L3\" }, whose sizes were measured", NULL},
    {"tlb", field_table, false, 0, 0, 0, "a table with data", tlbs_fields},
    {"features", field_words, false, 0, 0, 0, "a list of texts such as { \"sse2\" }", NULL},
    {"latency", field_table, false, 0, 0, 0, "a table such as { L1D = 4, L2 = 14 }", latency_fields},
    {"ports", field_table, false, 0, 0, 0, "a table such as { load = 2, store = 1 }", port_fields},
    {"per_cycle", field_map, false, 0, 0, 0,
     "a table such as { add = 4, mul = 1, fma = 2 }: operations per cycle", per_cycle_fields},
    {"events", field_map, false, 0, 0, 0,
     "a table such as { [\"l1d.miss_rate\"] = { \"r0F48\", \"per\", \"r0143\" } }", event_fields},
    {"gpu", read_gpu, false, 0, 0, 0, "no such field", NULL},
    {0},
};

/* ---- a GPU ---- */

enum { MOST_QUADRANTS = 64, MOST_CHANNELS = 1024, OLDEST_SM = 50, OLDEST = 7, WAVE32 = 10 };

/* Defaults for descriptions without these fields. */
enum { NVIDIA_WAVE = 32, AMD_WAVE = 64, USUAL_THREADS = 1024, NVIDIA_SHARED = 48 << 10, AMD_LDS = 32 << 10 };

/* "sm_90" or "gfx701": the assembler's name of the processor. */
static json_t *read_arch(struct field_reader *reader, const struct field *field, const json_t *value,
                         void *target)
{
    const char *text = json_string_value(value);
    size_t known = text == NULL ? 0 : strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789");
    bool nvidia = text != NULL && strncmp(text, "sm_", 3) == 0 && isdigit((unsigned char)text[3]);
    bool amd = text != NULL && strncmp(text, "gfx", 3) == 0 && isdigit((unsigned char)text[3]);
    if ((!nvidia && !amd) || text[known] != '\0')
        return field_refuse(reader, field, value);
    return field_text(reader, field, value, target);
}

/* The channels of one quadrant. */
static json_t *read_channels(const json_t *value)
{
    json_t *copy = json_array();
    bool good = json_array_size(value) > 0 && json_array_size(value) <= MOST_CHANNELS;
    for (size_t i = 0; good && i < json_array_size(value); i++) {
        const json_t *channel = json_array_get(value, i);
        good = json_is_integer(channel) && json_integer_value(channel) >= 0 &&
               json_integer_value(channel) < MOST_CHANNELS;
        json_array_append_new(copy, json_integer(json_integer_value(channel)));
    }
    if (good)
        return copy;
    json_decref(copy);
    return NULL;
}

/* Lists of channels, by shader engine. */
static json_t *read_quadrants(struct field_reader *reader, const struct field *field, const json_t *value,
                              void *target)
{
    (void)target;
    bool good = json_array_size(value) > 0 && json_array_size(value) <= MOST_QUADRANTS;
    json_t *copy = json_array();
    for (size_t i = 0; good && i < json_array_size(value); i++) {
        json_t *channels = read_channels(json_array_get(value, i));
        good = channels != NULL;
        if (good)
            json_array_append_new(copy, channels);
    }
    if (good)
        return copy;
    json_decref(copy);
    return field_refuse(reader, field, value);
}

/* Values without influence on decisions here: only the document keeps them. */
static json_t *keep_number(struct field_reader *reader, const struct field *field, const json_t *value,
                           void *target)
{
    (void)target;
    double number;
    return field_number(reader, field, value, &number);
}

static const char WHOLE[] = "a whole number from 1 to 65536";
enum { MOST_XCC = 16 }; /* XCC_ID has four bits */

#define COUNT(field) field_whole, false, offsetof(struct gpu, field), 1, 65536, WHOLE, NULL

static const struct field distance_rows[] = {
    {"", keep_number, false, 0, 0, 1000, "millimetres, above 0 and up to 1000", NULL}};

static const struct field bandwidth_rows[] = {
    {"SHARED", keep_number, false, 0, 0, 1e6, "bytes per cycle of one multiprocessor", NULL},
    {"DSMEM", keep_number, false, 0, 0, 1e6, "bytes per cycle of one multiprocessor", NULL},
    {"L1", keep_number, false, 0, 0, 1e6, "bytes per cycle of one multiprocessor", NULL},
    {"L2", keep_number, false, 0, 0, 1e6, "bytes per cycle of the whole chip", NULL},
    {"L3", keep_number, false, 0, 0, 1e6, "bytes per cycle of the whole chip", NULL},
    {"MEM", keep_number, false, 0, 0, 1e6, "bytes per cycle of the whole chip", NULL},
    {0}};

static const struct field gpu_fields[] = {
    {"arch", read_arch, true, offsetof(struct gpu, arch), 0, GPU_ARCH_BYTES - 1,
     "its name in an assembler, such as \"sm_90\" or \"gfx906\"", NULL},
    {"sm", COUNT(sm)},
    {"xcc", field_whole, false, offsetof(struct gpu, xcc), 1, MOST_XCC, "a whole number from 1 to 16", NULL},
    {"cu_per_xcc", COUNT(cu_per_xcc)},
    {"se", COUNT(se)},
    {"sh_per_se", COUNT(sh_per_se)},
    {"cu_per_sh", COUNT(cu_per_sh)},
    {"wave", field_whole, false, offsetof(struct gpu, wave), 32, 64, "32 or 64", NULL},
    {"block_threads", field_whole, false, offsetof(struct gpu, block_threads), 32, 4096,
     "a whole number from 32 to 4096", NULL},
    {"l2_channels", COUNT(l2_channels)},
    {"sides", field_whole, false, offsetof(struct gpu, sides), 1, 16, "a whole number from 1 to 16", NULL},
    {"side_bytes", field_size, false, offsetof(struct gpu, side_bytes), 512, 4096,
     "a size of 512B, 1KiB, 2KiB or 4KiB", NULL},
    {"interleave", field_size, false, offsetof(struct gpu, interleave), 32, 1 << 20,
     "a size from 32B to 1MiB such as \"256B\"", NULL},
    {"shared", field_size, false, offsetof(struct gpu, shared), 1024, 1 << 20,
     "a size from 1KiB to 1MiB such as \"48KiB\"", NULL},
    {"memory", field_size, false, offsetof(struct gpu, memory), 1 << 20, 4096 * GIB,
     "a size such as \"141GiB\"", NULL},
    {"quadrants", read_quadrants, false, 0, 0, 0,
     "a list of lists of L2 channels, the first near shader engine 0, such as { { 0, 1 }, { 2, 3 } }", NULL},
    {"distance_mm", field_map, false, 0, 0, 0, "a table such as { l1_l2 = 10.5 }", distance_rows},
    {"bandwidth", field_table, false, 0, 0, 0,
     "a table such as { L2 = 5120, MEM = 2048 }, in bytes per cycle", bandwidth_rows},
    {0},
};

static const struct field gpu_cache_fields[] = {
    {"size", field_size, true, offsetof(struct cache, size), 1024, 16 * GIB,
     "a size up to 16GiB such as \"256KiB\", or a whole number of bytes", NULL},
    {"ways", field_whole, false, offsetof(struct cache, ways), 1, 1024, "a whole number from 1 to 1024",
     NULL},
    {"line", field_line, false, offsetof(struct cache, line), 32, 256,
     "a power of two from 32 to 256, in bytes", NULL},
    {"sector", field_line, false, offsetof(struct cache, sector), 16, 256,
     "a power of two from 16 to 256, in bytes", NULL},
    {"policy", read_policy, false, offsetof(struct cache, policy), 0, 0, POLICIES, NULL},
    {0},
};

static const char GPU_CACHE_EXAMPLE[] = "a table such as { size = \"256KiB\", line = 128 }";

static const char SHARED_PLACE[] =
    "no SHARED here: shared memory is not a cache; gpu.shared = \"32KiB\" states its size";

static const struct field gpu_level_fields[] = {
    {"L1", field_table, false, offsetof(struct machine, l1d), 0, 0, GPU_CACHE_EXAMPLE, gpu_cache_fields},
    {"L1D", field_table, false, offsetof(struct machine, l1d), 0, 0, GPU_CACHE_EXAMPLE, gpu_cache_fields},
    {"L1I", field_table, false, offsetof(struct machine, l1i), 0, 0, GPU_CACHE_EXAMPLE, gpu_cache_fields},
    {"L2", field_table, true, offsetof(struct machine, l2), 0, 0, GPU_CACHE_EXAMPLE, gpu_cache_fields},
    {"L3", field_table, false, offsetof(struct machine, l3), 0, 0, GPU_CACHE_EXAMPLE, gpu_cache_fields},
    {"SHARED", field_elsewhere, false, 0, 0, 0, SHARED_PLACE, NULL},
    {"LDS", field_elsewhere, false, 0, 0, 0, SHARED_PLACE, NULL},
    {0},
};

static const struct field gpu_latency_fields[] = {
    {"SHARED", keep_number, false, 0, 0, 1e6, CYCLES, NULL},
    {"DSMEM", keep_number, false, 0, 0, 1e6, CYCLES, NULL},
    {"L1", field_number, false, offsetof(struct machine, latency_l1d), 0, 1e6, CYCLES, NULL},
    {"L2", field_number, false, offsetof(struct machine, latency_l2), 0, 1e6, CYCLES, NULL},
    {"L2_FAR", keep_number, false, 0, 0, 1e6, CYCLES, NULL},
    {"L3", field_number, false, offsetof(struct machine, latency_l3), 0, 1e6, CYCLES, NULL},
    {"MEM", field_number, false, offsetof(struct machine, latency_mem), 0, 1e6, CYCLES, NULL},
    {0},
};

static const struct field machine_gpu_fields[] = {
    {"name", read_name, true, offsetof(struct machine, name), 0, sizeof((struct machine *)0)->name - 1,
     "up to 63 letters, digits, '_', '-' and '.', not starting with '.'", NULL},
    {"isa", field_text, true, offsetof(struct machine, isa), 0, sizeof((struct machine *)0)->isa - 1,
     "\"ptx\" or \"gcn\"", NULL},
    {"vendor", field_text, false, offsetof(struct machine, vendor), 0,
     sizeof((struct machine *)0)->vendor - 1, "a text of 1 to 63 bytes", NULL},
    {"clock_ghz", field_number, false, offsetof(struct machine, clock_ghz), 0, 1000,
     "a number above 0 and up to 1000", NULL},
    {"frequencies", field_numbers, false, 0, 0, 1000,
     "a list of settable clocks in GHz, such as { 0.9, 1.2 }", NULL},
    {"idle_w", field_number, false, offsetof(struct machine, idle_w), 0, 1e6,
     "a number above 0: the idle power in watts that its maker publishes", NULL},
    {"vf", read_vf, false, 0, 0, 0,
     "a list of states of voltage and frequency such as { { volts = 0.9, ghz = 1.4 } }", NULL},
    {"caches", field_table, true, 0, 0, 0, "a table with L1 and L2", gpu_level_fields},
    {"features", field_words, false, 0, 0, 0, "a list of texts", NULL},
    {"latency", field_table, false, 0, 0, 0, "a table such as { L1 = 33, L2 = 200 }", gpu_latency_fields},
    {"events", field_map, false, 0, 0, 0, "a table of lists of texts", event_fields},
    {"gpu", field_table, true, offsetof(struct machine, gpu), 0, 0,
     "a table such as { arch = \"sm_90\", sm = 132 } or { arch = \"gfx906\", se = 4, sh_per_se = 1, "
     "cu_per_sh = 16 }",
     gpu_fields},
    {0},
};

static void fill_usual(struct machine *machine, bool nvidia)
{
    struct gpu *gpu = &machine->gpu;
    struct cache *const caches[] = {&machine->l1d, &machine->l2};
    for (size_t i = 0; i < 2; i++) {
        if (caches[i]->line == 0)
            caches[i]->line = nvidia ? 128 : 64;
        if (caches[i]->sector == 0)
            caches[i]->sector = nvidia ? 32 : caches[i]->line;
    }
    if (gpu->wave == 0)
        gpu->wave = nvidia ? NVIDIA_WAVE : AMD_WAVE;
    if (gpu->block_threads == 0)
        gpu->block_threads = USUAL_THREADS;
    if (gpu->shared == 0)
        gpu->shared = nvidia ? NVIDIA_SHARED : AMD_LDS;
    if (gpu->sh_per_se == 0)
        gpu->sh_per_se = 1;
    if (gpu->sides == 0)
        gpu->sides = 1;
}

static enum status check_sides(const struct machine *machine, struct error *error)
{
    uint64_t bytes = machine->gpu.side_bytes;
    if ((bytes & (bytes - 1)) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_RECIPE,
                     "machine.gpu.side_bytes is %llu: expected a size of 512B, 1KiB, 2KiB or 4KiB",
                     (unsigned long long)bytes);
}

/* Writes defaults that recipes may ask for into the document, in field order. */
static void tell_usual(struct machine *machine)
{
    json_t *told = json_object_get(machine->document, "gpu");
    json_t *ordered = json_object();
    json_object_set_new(told, "sm", json_integer(machine->gpu.sm));
    json_object_set_new(told, "wave", json_integer(machine->gpu.wave));
    for (const struct field *row = gpu_fields; row->name != NULL; row++)
        if (json_object_get(told, row->name) != NULL)
            json_object_set(ordered, row->name, json_object_get(told, row->name));
    json_object_set_new(machine->document, "gpu", ordered);
}

/* Every channel of a quadrant must be one of L2's and belong to only one quadrant. */
static enum status check_quadrants(const struct machine *machine, struct error *error)
{
    const json_t *quadrants = json_object_get(json_object_get(machine->document, "gpu"), "quadrants");
    bool seen[MOST_CHANNELS] = {false};
    for (size_t i = 0; i < json_array_size(quadrants); i++) {
        const json_t *channels = json_array_get(quadrants, i);
        for (size_t j = 0; j < json_array_size(channels); j++) {
            long long channel = json_integer_value(json_array_get(channels, j));
            if (channel >= (long long)machine->gpu.l2_channels || seen[channel])
                return error_set(error, STATUS_RECIPE,
                                 "machine.gpu.quadrants[%zu] has channel %lld: expected each of the %u "
                                 "l2_channels (from 0) in one quadrant",
                                 i + 1, channel, machine->gpu.l2_channels);
            seen[channel] = true;
        }
    }
    return STATUS_OK;
}

/* GFX6 lacks the FLAT instructions that chases and records need. */
static enum status check_processor(const struct machine *machine, struct error *error)
{
    const struct gcn_target *target = gcn_target_named(machine->gpu.arch);
    if (target == NULL)
        return error_set(error, STATUS_RECIPE,
                         "machine.gpu.arch is \"%s\", which LLVM does not know: expected a processor such as "
                         "gfx701, gfx803, gfx906, gfx90a or gfx1030",
                         machine->gpu.arch);
    if (target->generation < WAVE32 && machine->gpu.wave == 32)
        return error_set(
            error, STATUS_RECIPE,
            "machine.gpu.wave is 32, but waves of %s have 64 threads: expected 64 or no field wave",
            machine->gpu.arch);
    if (target->generation >= OLDEST)
        return STATUS_OK;
    return error_set(error, STATUS_RECIPE,
                     "machine.gpu.arch is \"%s\": expected gfx700 to GFX12, because GFX6 lacks the FLAT "
                     "instructions that chases and records need",
                     machine->gpu.arch);
}

/* Programs use features that this architecture introduced. */
static enum status check_multiprocessor(const struct machine *machine, struct error *error)
{
    if (strtoul(machine->gpu.arch + strlen("sm_"), NULL, 10) >= OLDEST_SM)
        return STATUS_OK;
    return error_set(error, STATUS_RECIPE, "machine.gpu.arch is \"%s\": expected sm_%d or later",
                     machine->gpu.arch, OLDEST_SM);
}

/* What NVIDIA's GPUs do not have. */
static enum status check_nvidia(struct machine *machine, struct error *error)
{
    if (machine->l3.size > 0)
        return error_set(error, STATUS_RECIPE,
                         "machine.caches.L3: only AMD's GPUs have a cache beside memory: expected L1 and L2");
    if (machine->gpu.xcc == 0 && machine->gpu.cu_per_xcc == 0)
        return STATUS_OK;
    return error_set(
        error, STATUS_RECIPE,
        "machine.gpu has xcc or cu_per_xcc, which AMD's GPUs of several dies have: expected sm alone");
}

/* Dies of compute units (XCD), whose number a program sees as XCC_ID. */
static enum status complete_dies(struct machine *machine, struct error *error)
{
    struct gpu *gpu = &machine->gpu;
    bool several = (gcn_target_named(gpu->arch)->traits & GCN_XCC) != 0;
    unsigned built = gpu->se * gpu->sh_per_se * gpu->cu_per_sh;
    if (several && gpu->xcc == 0)
        return error_set(
            error, STATUS_RECIPE,
            "machine.gpu.xcc is missing: expected the number of dies, each with an L2 of its own, that "
            "a program on %s runs on: 8 for an MI300X in the mode SPX, 1 in CPX",
            gpu->arch);
    if (!several && (gpu->xcc > 1 || gpu->cu_per_xcc > 0))
        return error_set(
            error, STATUS_RECIPE,
            "machine.gpu.%s is stated for %s, which is one die: expected no xcc and no cu_per_xcc",
            gpu->xcc > 1 ? "xcc" : "cu_per_xcc", gpu->arch);
    if (gpu->xcc > 1 && gpu->l2_channels > 0)
        return error_set(
            error, STATUS_RECIPE,
            "machine.gpu has l2_channels and %u dies (xcc): expected no l2_channels, as channels are "
            "chosen on one die only",
            gpu->xcc);
    if (gpu->cu_per_xcc > built)
        return error_set(error, STATUS_RECIPE,
                         "machine.gpu.cu_per_xcc is %u: expected at most se sh_per_se cu_per_sh, which is %u",
                         gpu->cu_per_xcc, built);
    gpu->xcc = gpu->xcc == 0 ? 1 : gpu->xcc;
    gpu->cu_per_xcc = gpu->cu_per_xcc == 0 ? built : gpu->cu_per_xcc;
    if (gpu->sm > 0 && gpu->sm != gpu->xcc * gpu->cu_per_xcc)
        return error_set(
            error, STATUS_RECIPE,
            "machine.gpu.sm is %u, and the other fields have %u compute units: expected %u or no sm", gpu->sm,
            gpu->xcc * gpu->cu_per_xcc, gpu->xcc * gpu->cu_per_xcc);
    gpu->sm = gpu->xcc * gpu->cu_per_xcc;
    return STATUS_OK;
}

/* Derives the remaining fields of a GPU. STATUS_RECIPE if the numbers are inconsistent. */
static enum status complete_gpu(struct machine *machine, struct error *error)
{
    struct gpu *gpu = &machine->gpu;
    bool nvidia = strncmp(gpu->arch, "sm_", 3) == 0;
    if (nvidia != (strcmp(machine->isa, "ptx") == 0))
        return error_set(error, STATUS_RECIPE,
                         "machine.gpu.arch is \"%s\": expected %s, as machine.isa is \"%s\"", gpu->arch,
                         nvidia ? "gfx and digits" : "sm_ and digits", machine->isa);
    if ((nvidia ? check_multiprocessor : check_processor)(machine, error) != STATUS_OK)
        return STATUS_RECIPE;
    if (machine->l1d.size == 0)
        return error_set(error, STATUS_RECIPE, "machine.caches.L1 is missing: expected %s",
                         GPU_CACHE_EXAMPLE);
    fill_usual(machine, nvidia);
    if (!nvidia && (gpu->se == 0 || gpu->cu_per_sh == 0))
        return error_set(error, STATUS_RECIPE,
                         "machine.gpu.%s is missing: expected the numbers of shader engines (se) and of "
                         "compute units per array (cu_per_sh)",
                         gpu->se == 0 ? "se" : "cu_per_sh");
    if ((nvidia ? check_nvidia : complete_dies)(machine, error) != STATUS_OK)
        return STATUS_RECIPE;
    if (gpu->sm == 0)
        return error_set(error, STATUS_RECIPE, "machine.gpu.sm is missing: expected %s", WHOLE);
    if ((gpu->l2_channels > 0) != (gpu->interleave > 0))
        return error_set(error, STATUS_RECIPE,
                         "machine.gpu has %s: expected l2_channels and interleave together",
                         gpu->l2_channels > 0 ? "l2_channels alone" : "interleave alone");
    tell_usual(machine);
    enum status status = check_sides(machine, error);
    return status == STATUS_OK ? check_quadrants(machine, error) : status;
}

/* ---- a whole description ---- */

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

/* Plain address bits index L1, so its sets are a power of two. A hash selects an L3's sets, and its slices
 * may not be a power of two; a shared L2 may be like that too. */
struct level_limits {
    const char *name;
    size_t offset;
    double largest; /* bytes */
    bool power_of_two;
};

static const struct level_limits levels[] = {
    {"L1I", offsetof(struct machine, l1i), 1 * GIB, true},
    {"L1D", offsetof(struct machine, l1d), 1 * GIB, true},
    {"L2", offsetof(struct machine, l2), 1 * GIB, false},
    {"L3", offsetof(struct machine, l3), 16 * GIB, false},
};

static enum status check_level(const struct machine *machine, const struct level_limits *level,
                               struct error *error)
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

static enum status check_tlb(const struct tlb *tlb, const char *name, struct error *error)
{
    if (tlb->entries != 0 && tlb->entries % tlb->ways != 0)
        return error_set(error, STATUS_RECIPE,
                         "machine.tlb.%s.entries is %u: expected a multiple of its %u ways", name,
                         tlb->entries, tlb->ways);
    if (!units_is_power_of_two(tlb->page) && tlb->page != 0)
        return error_set(error, STATUS_RECIPE, "machine.tlb.%s.page is %llu bytes: expected a power of two",
                         name, (unsigned long long)tlb->page);
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
                         "machine.caches.L2.line is %u: expected at least the %u of L1D", machine->l2.line,
                         machine->l1d.line);
    char l1d[32], l2[32];
    if (machine->l2.size < machine->l1d.size)
        return error_set(error, STATUS_RECIPE,
                         "machine.caches.L2.size is %s: expected at least the %s of L1D",
                         units_format_size(machine->l2.size, l2, sizeof l2),
                         units_format_size(machine->l1d.size, l1d, sizeof l1d));
    enum status status = check_tlb(&machine->data_tlb, "data", error);
    return status == STATUS_OK ? check_tlb(&machine->huge_tlb, "huge", error) : status;
}

/* ---- what machine.h declares ---- */

void machine_make_name(const char *product, bool of_brand, const char *fallback,
                       char name[MACHINE_NAME_BYTES])
{
    size_t length = 0;
    int depth = 0;
    for (const char *c = product; *c != '\0' && length < MACHINE_NAME_BYTES - 1; c++) {
        if (of_brand && *c == '@')
            break;
        depth += of_brand ? (*c == '(') - (*c == ')') : 0;
        if (depth == 0 && isalnum((unsigned char)*c))
            name[length++] = (char)tolower((unsigned char)*c);
        else if (length > 0 && name[length - 1] != '-')
            name[length++] = '-';
    }
    while (length > 0 && name[length - 1] == '-')
        length--;
    name[length] = '\0';
    if (length == 0)
        snprintf(name, MACHINE_NAME_BYTES, "%s", fallback);
}

enum status machine_set_index(struct machine *machine, const char *word, struct error *error)
{
    bool known = strcmp(word, "virtual") == 0;
    if (!known && strcmp(word, "unknown") != 0)
        return error_set(error, STATUS_USAGE, "--index %s: expected virtual or unknown", word);
    if (machine_is_gpu(machine))
        return error_set(error, STATUS_USAGE,
                         "--index: %s is a GPU, whose caches are indexed by their channels' hash",
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
                         : gpu                     ? complete_gpu(machine, error)
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

unsigned cache_keeps(const struct cache *cache)
{
    unsigned keeps = 1;
    while (keeps < cache->ways && 1U << (keeps - 1) < cache->ways)
        keeps++;
    return cache->policy == POLICY_TREE_PLRU ? keeps : cache->ways;
}

unsigned cache_sets(const struct cache *cache)
{
    uint64_t bytes_a_set = (uint64_t)cache->ways * cache->line;
    return bytes_a_set == 0 ? 0 : (unsigned)(cache->size / bytes_a_set);
}

static unsigned generation(const char *arch)
{
    const struct gcn_target *target = gcn_target_named(arch); /* includes "gfx11-generic" */
    size_t length = strlen(arch);
    if (target != NULL)
        return target->generation;
    return length > 5
               ? (unsigned)strtoul(arch + 3, NULL, 10) / (isdigit((unsigned char)arch[length - 1]) ? 100 : 10)
               : 0;
}

const char *machine_arch_of(const struct machine *machine, const char *feature)
{
    const char *arch = machine->gpu.arch;
    size_t length = strlen(arch);
    bool more = strncmp(feature, "=sm_", 4) == 0 && strncmp(feature + 1, arch, length) == 0 &&
                isdigit((unsigned char)arch[length - 1]) && strcmp(feature + 1 + length, "a") == 0;
    return more ? feature + 1 : arch;
}

static bool gpu_has(const struct machine *machine, const char *feature)
{
    const char *arch = machine->gpu.arch;
    if (strncmp(feature, "sm_", 3) == 0 && strncmp(arch, "sm_", 3) == 0)
        return atoi(arch + 3) >= atoi(feature + 3);
    if (strcmp(feature + (feature[0] == '='), arch) == 0 || machine_arch_of(machine, feature) != arch)
        return true;
    if (strcmp(feature, "xcc") == 0) {
        const struct gcn_target *target = gcn_target_named(arch);
        return target != NULL && (target->traits & GCN_XCC) != 0;
    }
    if (strncmp(feature, "wave", 4) == 0)
        return machine->gpu.wave == (unsigned)atoi(feature + 4);
    return strncmp(feature, "gfx", 3) == 0 && strncmp(arch, "gfx", 3) == 0 && strlen(feature) <= 5 &&
           generation(arch) >= (unsigned)atoi(feature + 3);
}

bool machine_has(const struct machine *machine, const char *feature)
{
    if (feature[0] == '\0' || (machine_is_gpu(machine) && gpu_has(machine, feature)))
        return true;
    const json_t *features = json_object_get(machine->document, "features");
    if (features == NULL)
        return strcmp(feature, "sse2") == 0 && !machine_is_gpu(machine);
    for (size_t i = 0; i < json_array_size(features); i++)
        if (strcmp(json_string_value(json_array_get(features, i)), feature) == 0)
            return true;
    return false;
}

bool machine_lists_features(const struct machine *machine)
{
    return json_object_get(machine->document, "features") != NULL;
}

const char *machine_node_list(const struct machine *machine, char *text, size_t size)
{
    const json_t *nodes = json_object_get(machine->document, "nodes");
    snprintf(text, size, "%s", nodes == NULL ? "0" : "");
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%.0f", i == 0 ? "" : ",",
                 json_number_or(json_array_get(nodes, i), "id", 0));
    }
    return text;
}

double machine_bandwidth(const struct machine *machine, const char *level)
{
    const json_t *moved = json_object_get(json_object_get(machine->document, "gpu"), "bandwidth");
    return json_number_or(moved, level, 0);
}

double machine_operations(const struct machine *machine, const char *operation)
{
    return json_number_or(json_object_get(machine->document, "per_cycle"), operation, 0);
}

const char *machine_cpu(const struct machine *machine, const char *fallback)
{
    return json_string_or(machine->document, "cpu", fallback);
}

static const json_t *quadrants_of(const struct machine *machine)
{
    return json_object_get(json_object_get(machine->document, "gpu"), "quadrants");
}

size_t machine_quadrants(const struct machine *machine)
{
    return json_array_size(quadrants_of(machine));
}

bool machine_quadrant_has(const struct machine *machine, size_t quadrant, unsigned channel)
{
    const json_t *channels = json_array_get(quadrants_of(machine), quadrant);
    for (size_t i = 0; i < json_array_size(channels); i++)
        if (json_integer_value(json_array_get(channels, i)) == (json_int_t)channel)
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
