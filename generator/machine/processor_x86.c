/* x86-64: CPUID on the present machine (detect_cpuid.h); of files, what Linux writes to /proc/cpuinfo. */
#include "generator/machine/cpuinfo.h"
#include "generator/machine/detect_cpuid.h"
#include "generator/machine/processor.h"

#include <stdio.h>
#include <string.h>

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

static bool ask(const struct processor_files *files, struct processor *processor)
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
    for (size_t i = 0; cpuid_feature_name(i) != NULL; i++) {
        const char *name = cpuid_feature_name(i);
        const char *written = strcmp(name, "sse3") == 0 ? "pni" : name;
        if (cpuinfo_has_word(text, length, written))
            text_set_add(&processor->features, name);
    }
    processor->is_virtual = cpuinfo_has_word(text, length, "hypervisor");
    return true;
}

const struct processor_kind processor_x86 = {
    .isa = "x86_64",
    .teller = "CPUID",
    .read_files = read_files,
    .ask = ask,
};
