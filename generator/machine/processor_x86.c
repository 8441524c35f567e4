#include "generator/machine/processor_x86.h"

#include "generator/machine/cpuinfo.h"
#include "generator/machine/processor.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Protects against a hypervisor's endless list. */
enum { SUBLEAVES_MOST = 64 };

static const uint32_t EXTENDED = 0x80000000u;
static const uint64_t YMM_STATE = 0x06;     /* XCR0: SSE and AVX registers are saved */
static const uint64_t TILE_STATE = 0x60000; /* the tiles of AMX and their shapes */
static const uint64_t ZMM_STATE = 0xe6;     /* and opmasks, upper halves, registers 16 to 31 */

/* ---- the instruction ---- */

#if defined(__x86_64__)

static struct cpuid_registers run_cpuid(const void *context, uint32_t leaf, uint32_t subleaf)
{
    (void)context;
    struct cpuid_registers out;
    __cpuid_count(leaf, subleaf, out.eax, out.ebx, out.ecx, out.edx);
    return out;
}

bool cpuid_of_host(struct cpuid *cpuid)
{
    *cpuid = (struct cpuid){.read = run_cpuid};
    bool osxsave = (run_cpuid(NULL, 1, 0).ecx >> 27 & 1) != 0;
    if (osxsave) { /* without it XGETBV faults */
        uint32_t low, high;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        cpuid->xcr0 = (uint64_t)high << 32 | low;
    }
    return true;
}

#else

bool cpuid_of_host(struct cpuid *cpuid)
{
    *cpuid = (struct cpuid){0};
    return false;
}

#endif

/* Reads a leaf; zeros if the processor lacks it, for which the instruction would return another leaf. */
static struct cpuid_registers leaf_of(const struct cpuid *cpuid, uint32_t leaf, uint32_t subleaf)
{
    uint32_t last = cpuid->read(cpuid->context, leaf & EXTENDED, 0).eax;
    return leaf <= last ? cpuid->read(cpuid->context, leaf, subleaf) : (struct cpuid_registers){0};
}

static uint32_t bits(uint32_t value, unsigned low, unsigned count)
{
    return value >> low & ((UINT32_C(1) << count) - 1);
}

/* ---- identity ---- */

/* Users of hypervisors can set these texts: bytes other than printable ASCII become '?'. */
static void make_printable(char *text)
{
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

struct cpuid_identity cpuid_identity(const struct cpuid *cpuid)
{
    struct cpuid_identity identity = {0};
    struct cpuid_registers leaf = leaf_of(cpuid, 0, 0);
    const uint32_t vendor[] = {leaf.ebx, leaf.edx, leaf.ecx};
    memcpy(identity.vendor, vendor, sizeof vendor);
    make_printable(identity.vendor);
    for (uint32_t i = 0; i < 3; i++) {
        leaf = leaf_of(cpuid, EXTENDED + 2 + i, 0);
        memcpy(identity.brand + i * sizeof leaf, &leaf, sizeof leaf);
    }
    make_printable(identity.brand);
    uint32_t signature = leaf_of(cpuid, 1, 0).eax;
    identity.stepping = bits(signature, 0, 4);
    identity.model = bits(signature, 4, 4);
    identity.family = bits(signature, 8, 4);
    if (identity.family == 6 || identity.family == 15)
        identity.model += bits(signature, 16, 4) << 4;
    if (identity.family == 15)
        identity.family += bits(signature, 20, 8);
    return identity;
}

bool cpuid_is_virtual(const struct cpuid *cpuid)
{
    enum { HYPERVISOR = 31 };
    return bits(leaf_of(cpuid, 1, 0).ecx, HYPERVISOR, 1) != 0;
}

/* ---- features ---- */

#define REGISTER(name) offsetof(struct cpuid_registers, name)

struct feature {
    const char *name; /* as Linux writes it in /proc/cpuinfo */
    uint32_t leaf, subleaf;
    size_t in; /* the register */
    unsigned bit;
    uint64_t state; /* XCR0 bits: state that the operating system must save */
};

static const struct feature features[] = {
    {"sse2", 1, 0, REGISTER(edx), 26, 0},
    {"sse3", 1, 0, REGISTER(ecx), 0, 0},
    {"ssse3", 1, 0, REGISTER(ecx), 9, 0},
    {"sse4_1", 1, 0, REGISTER(ecx), 19, 0},
    {"sse4_2", 1, 0, REGISTER(ecx), 20, 0},
    {"popcnt", 1, 0, REGISTER(ecx), 23, 0},
    {"aes", 1, 0, REGISTER(ecx), 25, 0},
    {"avx", 1, 0, REGISTER(ecx), 28, YMM_STATE},
    {"f16c", 1, 0, REGISTER(ecx), 29, YMM_STATE},
    {"fma", 1, 0, REGISTER(ecx), 12, YMM_STATE},
    {"fma4", EXTENDED + 1, 0, REGISTER(ecx), 16, YMM_STATE},
    {"xop", EXTENDED + 1, 0, REGISTER(ecx), 11, YMM_STATE},
    {"bmi1", 7, 0, REGISTER(ebx), 3, 0},
    {"bmi2", 7, 0, REGISTER(ebx), 8, 0},
    {"avx2", 7, 0, REGISTER(ebx), 5, YMM_STATE},
    {"avx512f", 7, 0, REGISTER(ebx), 16, ZMM_STATE},
    {"avx512dq", 7, 0, REGISTER(ebx), 17, ZMM_STATE},
    {"avx512cd", 7, 0, REGISTER(ebx), 28, ZMM_STATE},
    {"avx512bw", 7, 0, REGISTER(ebx), 30, ZMM_STATE},
    {"avx512vl", 7, 0, REGISTER(ebx), 31, ZMM_STATE},
    {"avx512_vnni", 7, 0, REGISTER(ecx), 11, ZMM_STATE},
    {"clflushopt", 7, 0, REGISTER(ebx), 23, 0},
    {"pclmulqdq", 1, 0, REGISTER(ecx), 1, 0},
    {"movbe", 1, 0, REGISTER(ecx), 22, 0},
    {"rdrand", 1, 0, REGISTER(ecx), 30, 0},
    {"abm", EXTENDED + 1, 0, REGISTER(ecx), 5, 0},
    {"rdseed", 7, 0, REGISTER(ebx), 18, 0},
    {"adx", 7, 0, REGISTER(ebx), 19, 0},
    {"clwb", 7, 0, REGISTER(ebx), 24, 0},
    {"sha_ni", 7, 0, REGISTER(ebx), 29, 0},
    {"gfni", 7, 0, REGISTER(ecx), 8, 0},
    {"vaes", 7, 0, REGISTER(ecx), 9, YMM_STATE},
    {"vpclmulqdq", 7, 0, REGISTER(ecx), 10, YMM_STATE},
    {"avx_vnni", 7, 1, REGISTER(eax), 4, YMM_STATE},
    {"avx_ifma", 7, 1, REGISTER(eax), 23, YMM_STATE},
    {"avx512ifma", 7, 0, REGISTER(ebx), 21, ZMM_STATE},
    {"avx512vbmi", 7, 0, REGISTER(ecx), 1, ZMM_STATE},
    {"avx512_vbmi2", 7, 0, REGISTER(ecx), 6, ZMM_STATE},
    {"avx512_bitalg", 7, 0, REGISTER(ecx), 12, ZMM_STATE},
    {"avx512_vpopcntdq", 7, 0, REGISTER(ecx), 14, ZMM_STATE},
    {"avx512_bf16", 7, 1, REGISTER(eax), 5, ZMM_STATE},
    {"avx512_fp16", 7, 0, REGISTER(edx), 23, ZMM_STATE},
    {"amx_tile", 7, 0, REGISTER(edx), 24, TILE_STATE},
    {"amx_int8", 7, 0, REGISTER(edx), 25, TILE_STATE},
    {"amx_bf16", 7, 0, REGISTER(edx), 22, TILE_STATE},
    {"amx_fp16", 7, 1, REGISTER(eax), 21, TILE_STATE},
};

void cpuid_features(const struct cpuid *cpuid, struct text_set *found)
{
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        const struct feature *feature = &features[i];
        struct cpuid_registers leaf = leaf_of(cpuid, feature->leaf, feature->subleaf);
        uint32_t word;
        memcpy(&word, (const char *)&leaf + feature->in, sizeof word);
        bool saved = (cpuid->xcr0 & feature->state) == feature->state;
        if (bits(word, feature->bit, 1) != 0 && saved)
            text_set_add(found, feature->name);
    }
}

/* ---- caches ---- */

/* AMD provides Intel's leaf 4 under another number if its topology extensions are enabled. */
static uint32_t cache_leaf(const struct cpuid *cpuid)
{
    bool extensions = bits(leaf_of(cpuid, EXTENDED + 1, 0).ecx, 22, 1) != 0;
    return extensions ? EXTENDED + 0x1d : 4;
}

bool cpuid_cache(const struct cpuid *cpuid, unsigned level, enum cpuid_cache_type type, struct cache *cache)
{
    uint32_t number = cache_leaf(cpuid);
    for (uint32_t i = 0; i < SUBLEAVES_MOST; i++) {
        struct cpuid_registers leaf = leaf_of(cpuid, number, i);
        if (bits(leaf.eax, 0, 5) == 0)
            return false; /* the list's end */
        if (bits(leaf.eax, 0, 5) != (uint32_t)type || bits(leaf.eax, 5, 3) != level)
            continue;
        uint64_t line = bits(leaf.ebx, 0, 12) + 1;
        uint64_t partitions = bits(leaf.ebx, 12, 10) + 1;
        uint64_t ways = bits(leaf.ebx, 22, 10) + 1;
        *cache = (struct cache){.size = line * partitions * ways * ((uint64_t)leaf.ecx + 1),
                                .ways = (unsigned)ways,
                                .line = (unsigned)line};
        return true;
    }
    return false;
}

/* ---- data TLB ---- */

/* Descriptors of leaf 2 for data TLBs with 4 KiB pages, and for those of pages of 2 MiB alone. */
struct descriptor {
    unsigned char code;
    unsigned short entries, ways;
};

static const struct descriptor descriptors[] = {
    {0x03, 64, 4}, {0x64, 512, 4}, {0xa0, 32, 32}, {0xb3, 128, 4}, {0xb4, 256, 4}, {0xba, 64, 4},
};

static const struct descriptor huge_descriptors[] = {{0x5a, 32, 4}, {0x63, 32, 4}};

/* Leaf 18h's bits for the pages that a TLB translates: of 4 KiB, or of 2 MiB alone. */
enum { SMALL_PAGES = 1, HUGE_PAGES = 2 };

static bool tlb_by_leaf_18(const struct cpuid *cpuid, uint32_t pages, struct tlb *tlb)
{
    enum { DATA = 1, LOAD_ONLY = 4 };
    uint32_t last = leaf_of(cpuid, 0x18, 0).eax;
    for (uint32_t i = 0; i <= last && i < SUBLEAVES_MOST; i++) {
        struct cpuid_registers leaf = leaf_of(cpuid, 0x18, i);
        uint32_t type = bits(leaf.edx, 0, 5);
        bool first_level = bits(leaf.edx, 5, 3) == 1;
        bool right_pages = (leaf.ebx & (SMALL_PAGES | HUGE_PAGES) & (pages | SMALL_PAGES)) == pages;
        if ((type != DATA && type != LOAD_ONLY) || !first_level || !right_pages)
            continue;
        unsigned ways = bits(leaf.ebx, 16, 16);
        *tlb = (struct tlb){.entries = ways * leaf.ecx, .ways = ways, .page = 4096};
        return tlb->entries != 0;
    }
    return false;
}

static bool tlb_by_leaf_2(const struct cpuid *cpuid, const struct descriptor *known, size_t count,
                          struct tlb *tlb)
{
    struct cpuid_registers leaf = leaf_of(cpuid, 2, 0);
    const uint32_t words[] = {leaf.eax & ~UINT32_C(0xff) /* a count, always 1 */, leaf.ebx, leaf.ecx,
                              leaf.edx};
    for (size_t i = 0; i < 16; i++) {
        uint32_t word = words[i / 4];
        bool valid = bits(word, 31, 1) == 0;
        uint32_t code = bits(word, 8 * (unsigned)(i % 4), 8);
        for (size_t d = 0; valid && d < count; d++) {
            if (known[d].code != code)
                continue;
            *tlb = (struct tlb){.entries = known[d].entries, .ways = known[d].ways, .page = 4096};
            return true;
        }
    }
    return false;
}

static bool tlb_by_amd_leaf(const struct cpuid *cpuid, struct tlb *tlb)
{
    enum { FULLY_ASSOCIATIVE = 0xff };
    uint32_t word = leaf_of(cpuid, EXTENDED + 5, 0).ebx;
    unsigned entries = bits(word, 16, 8);
    unsigned ways = bits(word, 24, 8);
    *tlb = (struct tlb){.entries = entries, .ways = ways == FULLY_ASSOCIATIVE ? entries : ways, .page = 4096};
    return entries != 0 && ways != 0;
}

bool cpuid_data_tlb(const struct cpuid *cpuid, struct tlb *tlb)
{
    return tlb_by_leaf_18(cpuid, SMALL_PAGES, tlb) ||
           tlb_by_leaf_2(cpuid, descriptors, sizeof descriptors / sizeof descriptors[0], tlb) ||
           tlb_by_amd_leaf(cpuid, tlb);
}

bool cpuid_huge_tlb(const struct cpuid *cpuid, struct tlb *tlb)
{
    return tlb_by_leaf_18(cpuid, HUGE_PAGES, tlb) ||
           tlb_by_leaf_2(cpuid, huge_descriptors, sizeof huge_descriptors / sizeof huge_descriptors[0], tlb);
}

/* ---- clock ---- */

double cpuid_clock_ghz(const struct cpuid *cpuid)
{
    uint32_t base_mhz = bits(leaf_of(cpuid, 0x16, 0).eax, 0, 16);
    if (base_mhz != 0)
        return base_mhz / 1000.0;
    struct cpuid_registers leaf = leaf_of(cpuid, 0x15, 0); /* crystal frequency in ecx, ratio ebx / eax */
    if (leaf.eax == 0 || leaf.ebx == 0 || leaf.ecx == 0)
        return 0;
    return round((double)leaf.ecx * leaf.ebx / leaf.eax / 1e6) / 1000.0;
}

/* ---- by CPUID on the present machine; of files, what Linux writes to /proc/cpuinfo ---- */

static const struct {
    const char *cpuid, *name;
} vendors[] = {
    {"GenuineIntel", "Intel"},   {"AuthenticAMD", "AMD"},     {"HygonGenuine", "Hygon"},
    {"CentaurHauls", "Centaur"}, {"  Shanghai  ", "Zhaoxin"},
};

static const struct {
    enum processor_cache cache;
    unsigned level;
    enum cpuid_cache_type type;
} caches[] = {{PROCESSOR_L1I, 1, CPUID_CACHE_INSTRUCTION},
              {PROCESSOR_L1D, 1, CPUID_CACHE_DATA},
              {PROCESSOR_L2, 2, CPUID_CACHE_UNIFIED},
              {PROCESSOR_L3, 3, CPUID_CACHE_UNIFIED}};

static void identify(const struct cpuid_identity *identity, struct processor *processor)
{
    const char *vendor = identity->vendor;
    for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++)
        if (strcmp(vendor, vendors[i].cpuid) == 0)
            vendor = vendors[i].name;
    snprintf(processor->vendor, sizeof processor->vendor, "%s", vendor);
    snprintf(processor->product, sizeof processor->product, "%s", identity->brand);
    snprintf(processor->cpu, sizeof processor->cpu, "%s-%u-%u-%u", identity->vendor, identity->family,
             identity->model, identity->stepping);
}

static bool read_host(const struct processor_files *files, struct processor *processor)
{
    (void)files;
    struct cpuid cpuid;
    if (!cpuid_of_host(&cpuid))
        return false;
    struct cpuid_identity identity = cpuid_identity(&cpuid);
    identify(&identity, processor);
    processor->is_virtual = cpuid_is_virtual(&cpuid);
    cpuid_features(&cpuid, &processor->features);
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
        struct cache cache;
        if (cpuid_cache(&cpuid, caches[i].level, caches[i].type, &cache))
            processor->caches[caches[i].cache] = cache;
    }
    if (!cpuid_data_tlb(&cpuid, &processor->data_tlb))
        processor->data_tlb = (struct tlb){0};
    if (!cpuid_huge_tlb(&cpuid, &processor->huge_tlb))
        processor->huge_tlb = (struct tlb){0};
    processor->clock_ghz = cpuid_clock_ghz(&cpuid);
    processor->tick_ghz = processor->clock_ghz;
    return true;
}

static unsigned number_of(const struct processor_files *files, const char *key)
{
    uint64_t number = 0;
    return cpuinfo_number(files->cpuinfo, files->cpu, key, &number) ? (unsigned)number : 0;
}

/* Long mode is missing from a whole list; a shortened one may not name it. */
static bool is_32_bits(const char *flags, size_t length)
{
    return cpuinfo_has_word(flags, length, "fpu") && !cpuinfo_has_word(flags, length, "lm");
}

static bool read_files(const struct processor_files *files, struct processor *processor)
{
    struct cpuid_identity identity = {.family = number_of(files, "cpu family"),
                                      .model = number_of(files, "model"),
                                      .stepping = number_of(files, "stepping")};
    size_t length = 0;
    const char *text = cpuinfo_value(files->cpuinfo, files->cpu, "vendor_id", &length);
    if (text == NULL)
        return false;
    snprintf(identity.vendor, sizeof identity.vendor, "%.*s", (int)length, text);
    text = cpuinfo_value(files->cpuinfo, files->cpu, "model name", &length);
    if (text != NULL)
        snprintf(identity.brand, sizeof identity.brand, "%.*s", (int)length, text);
    identify(&identity, processor);
    text = cpuinfo_value(files->cpuinfo, files->cpu, "flags", &length);
    if (text == NULL || is_32_bits(text, length)) /* others have vendors as well, but no flags */
        return false;
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        const char *name = features[i].name;
        const char *written = strcmp(name, "sse3") == 0 ? "pni" : name;
        if (cpuinfo_has_word(text, length, written))
            text_set_add(&processor->features, name);
    }
    processor->is_virtual = cpuinfo_has_word(text, length, "hypervisor");
    return true;
}

const struct processor_kind processor_x86 = {
    .isa = "x86_64",
    .source = "CPUID",
    .read_files = read_files,
    .read_host = read_host,
};
