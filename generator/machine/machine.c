#include "generator/machine/machine.h"

#include "base/units.h"
#include "isa/gcn/target.h"
#include "isa/isa.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIB (1024.0 * 1024.0 * 1024.0)

static const char *const policies[] = {
    [POLICY_UNKNOWN] = "unknown", [POLICY_LRU] = "lru",   [POLICY_TREE_PLRU] = "tree-plru",
    [POLICY_RANDOM] = "random",   [POLICY_FIFO] = "fifo",
};

/* ---- a GPU ---- */

enum { OLDEST_SM = 50, OLDEST = 7, WAVE32 = 10 };

/* Defaults for descriptions without these fields. */
enum { NVIDIA_WAVE = 32, AMD_WAVE = 64, USUAL_THREADS = 1024, NVIDIA_SHARED = 48 << 10, AMD_LDS = 32 << 10 };

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

/* GFX6 lacks the FLAT instructions that chases and records need. */
static enum status check_processor(const struct machine *machine, struct error *error)
{
    const struct gcn_target *target = gcn_target_named(machine->gpu.arch);
    if (target == NULL)
        return error_set(error, STATUS_RECIPE,
                         "machine.gpu.arch is \"%s\", which LLVM does not support: expected a processor such "
                         "as gfx701, gfx803, gfx906, gfx90a or gfx1030",
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

/* Refuses older architectures, which lack features that programs use. */
static enum status check_multiprocessor(const struct machine *machine, struct error *error)
{
    if (strtoul(machine->gpu.arch + strlen("sm_"), NULL, 10) >= OLDEST_SM)
        return STATUS_OK;
    return error_set(error, STATUS_RECIPE, "machine.gpu.arch is \"%s\": expected sm_%d or later",
                     machine->gpu.arch, OLDEST_SM);
}

/* Refuses fields that NVIDIA's GPUs do not have. */
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

/* Checks the dies of compute units (XCD), whose number a program reads as XCC_ID. */
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
        return error_set(
            error, STATUS_RECIPE,
            "machine.caches.L1 is missing: expected a table such as { size = \"256KiB\", line = 128 }");
    fill_usual(machine, nvidia);
    if (!nvidia && (gpu->se == 0 || gpu->cu_per_sh == 0))
        return error_set(error, STATUS_RECIPE,
                         "machine.gpu.%s is missing: expected the numbers of shader engines (se) and of "
                         "compute units per array (cu_per_sh)",
                         gpu->se == 0 ? "se" : "cu_per_sh");
    if ((nvidia ? check_nvidia : complete_dies)(machine, error) != STATUS_OK)
        return STATUS_RECIPE;
    if (gpu->sm == 0)
        return error_set(error, STATUS_RECIPE,
                         "machine.gpu.sm is missing: expected a whole number from 1 to 65536");
    if ((gpu->l2_channels > 0) != (gpu->interleave > 0))
        return error_set(error, STATUS_RECIPE,
                         "machine.gpu has %s: expected l2_channels and interleave together",
                         gpu->l2_channels > 0 ? "l2_channels alone" : "interleave alone");
    return check_sides(machine, error);
}

/* ---- consistency of the numbers ---- */

/* Plain address bits index L1, so its sets are a power of two. A hash selects the sets of an L3, and of some
 * shared L2s, whose number of slices may not be a power of two. */
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

enum status machine_complete(struct machine *machine, struct error *error)
{
    return machine_is_gpu(machine) ? complete_gpu(machine, error) : check_geometry(machine, error);
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

bool machine_isa_is_gpu(const char *isa)
{
    return isa != NULL && (strcmp(isa, "ptx") == 0 || strcmp(isa, "gcn") == 0);
}

bool machine_is_gpu(const struct machine *machine)
{
    return machine_isa_is_gpu(machine->isa);
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

bool machine_gpu_has(const struct machine *machine, const char *feature)
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

const char *cache_policy_name(enum cache_policy policy)
{
    return policies[policy];
}
