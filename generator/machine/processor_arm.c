#include "generator/machine/processor_arm.h"

#include "generator/machine/cpuinfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__)
#include <linux/prctl.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

/* ---- identity ---- */

struct implementer {
    unsigned code;
    const char *name;
};

static const struct implementer implementers[] = {
    {0x41, "Arm"},       {0x42, "Broadcom"}, {0x43, "Cavium"},    {0x46, "Fujitsu"},
    {0x48, "HiSilicon"}, {0x4e, "NVIDIA"},   {0x50, "APM"},       {0x51, "Qualcomm"},
    {0x53, "Samsung"},   {0x61, "Apple"},    {0x6d, "Microsoft"}, {0xc0, "Ampere"},
};

/* An implementer's part number, and the core's name. */
struct arm_part {
    unsigned implementer, number;
    const char *name;
};

static const struct arm_part parts[] = {
    {0x41, 0xd03, "Cortex-A53"},      {0x41, 0xd04, "Cortex-A35"},
    {0x41, 0xd05, "Cortex-A55"},      {0x41, 0xd07, "Cortex-A57"},
    {0x41, 0xd08, "Cortex-A72"},      {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},      {0x41, 0xd0b, "Cortex-A76"},
    {0x41, 0xd0c, "Neoverse-N1"},     {0x41, 0xd0d, "Cortex-A77"},
    {0x41, 0xd0e, "Cortex-A76AE"},    {0x41, 0xd40, "Neoverse-V1"},
    {0x41, 0xd41, "Cortex-A78"},      {0x41, 0xd42, "Cortex-A78AE"},
    {0x41, 0xd44, "Cortex-X1"},       {0x41, 0xd46, "Cortex-A510"},
    {0x41, 0xd47, "Cortex-A710"},     {0x41, 0xd48, "Cortex-X2"},
    {0x41, 0xd49, "Neoverse-N2"},     {0x41, 0xd4b, "Cortex-A78C"},
    {0x41, 0xd4d, "Cortex-A715"},     {0x41, 0xd4e, "Cortex-X3"},
    {0x41, 0xd4f, "Neoverse-V2"},     {0x41, 0xd80, "Cortex-A520"},
    {0x41, 0xd81, "Cortex-A720"},     {0x41, 0xd82, "Cortex-X4"},
    {0x41, 0xd83, "Neoverse-V3AE"},   {0x41, 0xd84, "Neoverse-V3"},
    {0x41, 0xd85, "Cortex-X925"},     {0x41, 0xd87, "Cortex-A725"},
    {0x41, 0xd88, "Cortex-A520AE"},   {0x41, 0xd89, "Cortex-A720AE"},
    {0x41, 0xd8e, "Neoverse-N3"},     {0x42, 0x516, "Vulcan"},
    {0x43, 0x0af, "ThunderX2"},       {0x46, 0x001, "A64FX"},
    {0x48, 0xd01, "TaiShan-v110"},    {0x4e, 0x004, "Carmel"},
    {0x61, 0x022, "M1-Icestorm"},     {0x61, 0x023, "M1"},
    {0x61, 0x024, "M1-Pro-Icestorm"}, {0x61, 0x025, "M1-Pro"},
    {0x61, 0x028, "M1-Max-Icestorm"}, {0x61, 0x029, "M1-Max"},
    {0x61, 0x032, "M2-Blizzard"},     {0x61, 0x033, "M2"},
    {0xc0, 0xac3, "Ampere-1"},        {0xc0, 0xac4, "Ampere-1A"},
};

static unsigned bits(uint64_t value, unsigned low, unsigned count)
{
    return (unsigned)(value >> low & ((UINT64_C(1) << count) - 1));
}

void arm_identify(uint64_t midr, struct processor *processor)
{
    unsigned implementer = bits(midr, 24, 8);
    unsigned number = bits(midr, 4, 12);
    const char *name = NULL;
    snprintf(processor->vendor, sizeof processor->vendor, "implementer 0x%02x", implementer);
    for (size_t i = 0; i < sizeof implementers / sizeof implementers[0]; i++)
        if (implementers[i].code == implementer)
            snprintf(processor->vendor, sizeof processor->vendor, "%s", implementers[i].name);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].implementer == implementer && parts[i].number == number)
            name = parts[i].name;
    /* Arm's own names suffice; others get their maker's name. */
    if (name == NULL)
        snprintf(processor->product, sizeof processor->product, "%.40s 0x%03x", processor->vendor, number);
    else if (implementer == 0x41)
        snprintf(processor->product, sizeof processor->product, "%s", name);
    else
        snprintf(processor->product, sizeof processor->product, "%.30s %.30s", processor->vendor, name);
    snprintf(processor->cpu, sizeof processor->cpu, "0x%02x-0x%03x-r%up%u", implementer, number,
             bits(midr, 20, 4), bits(midr, 0, 4));
}

/* ---- features ---- */

/* By bit, as Linux writes them in /proc/cpuinfo. */
static const char *const first_word[] = {
    "fp",      "asimd", "evtstrm", "aes",   "pmull",    "sha1",   "sha2", "crc32",
    "atomics", "fphp",  "asimdhp", "cpuid", "asimdrdm", "jscvt",  "fcma", "lrcpc",
    "dcpop",   "sha3",  "sm3",     "sm4",   "asimddp",  "sha512", "sve",  "asimdfhm",
    "dit",     "uscat", "ilrcpc",  "flagm", "ssbs",     "sb",     "paca", "pacg",
};
static const char *const second_word[] = {
    "dcpodp",    "sve2",      "sveaes",   "svepmull",  "svebitperm", "svesha3",   "svesm4",  "flagm2",
    "frint",     "svei8mm",   "svef32mm", "svef64mm",  "svebf16",    "i8mm",      "bf16",    "dgh",
    "rng",       "bti",       "mte",      "ecv",       "afp",        "rpres",     "mte3",    "sme",
    "smei16i64", "smef64f64", "smei8i32", "smef16f32", "smeb16f32",  "smef32f32", "smefa64", "wfxt",
    "ebf16",     "sveebf16",  "cssc",     "rprfm",     "sve2p1",
};

enum { CPUID_BIT = 11, SVE_BIT = 22 };

static void add_features(const char *const *names, size_t count, uint64_t word, struct text_set *features)
{
    for (size_t i = 0; i < count; i++)
        if (bits(word, (unsigned)i, 1) != 0)
            processor_add_feature(features, names[i], strlen(names[i]));
}

/* ---- all together ---- */

void arm_decode(const struct arm_numbers *numbers, struct processor *processor)
{
    enum { WORD_BYTES = 4 };
    if (numbers->midr != 0)
        arm_identify(numbers->midr, processor);
    add_features(first_word, sizeof first_word / sizeof first_word[0], numbers->hwcap, &processor->features);
    add_features(second_word, sizeof second_word / sizeof second_word[0], numbers->hwcap2,
                 &processor->features);
    if (numbers->vector_bytes > 0) {
        char length[16];
        snprintf(length, sizeof length, "sve%u", 8 * numbers->vector_bytes);
        processor_add_feature(&processor->features, length, strlen(length));
    }
    if (numbers->ctr != 0) { /* the smallest lines of all caches: logarithms of their words */
        unsigned instructions = (unsigned)WORD_BYTES << bits(numbers->ctr, 0, 4);
        unsigned data = (unsigned)WORD_BYTES << bits(numbers->ctr, 16, 4);
        processor->caches[PROCESSOR_L1I].line = instructions;
        processor->caches[PROCESSOR_L1D].line = data;
        processor->caches[PROCESSOR_L2].line = data;
        processor->caches[PROCESSOR_L3].line = data;
    }
    processor->tick_ghz = (double)numbers->ticks_per_second / 1e9;
}

/* The register from sysfs, or assembled from its parts in /proc/cpuinfo; 0 if neither has it. */
static uint64_t midr_of(const struct processor_files *files)
{
    char path[128], text[PROCESSOR_TEXT_BYTES];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/regs/identification/midr_el1", files->cpu);
    if (processor_file(files, path, text, sizeof text)[0] != '\0')
        return strtoull(text, NULL, 0);
    enum { ARCHITECTURE = 0xf };
    uint64_t implementer, variant = 0, part, revision = 0;
    if (!cpuinfo_number(files->cpuinfo, files->cpu, "CPU implementer", &implementer) ||
        !cpuinfo_number(files->cpuinfo, files->cpu, "CPU part", &part))
        return 0;
    cpuinfo_number(files->cpuinfo, files->cpu, "CPU variant", &variant);
    cpuinfo_number(files->cpuinfo, files->cpu, "CPU revision", &revision);
    return (implementer & 0xff) << 24 | (variant & 0xf) << 20 | (uint64_t)ARCHITECTURE << 16 |
           (part & 0xfff) << 4 | (revision & 0xf);
}

/* True for the text of 32-bit kernels, even on 64-bit cores; only AArch64 kernels provide the register. */
static bool is_32_bits(const struct processor_files *files)
{
    enum { FIRST_OF_64_BITS = 8 };
    char path[128], text[PROCESSOR_TEXT_BYTES];
    size_t length = 0;
    uint64_t version = FIRST_OF_64_BITS;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/regs/identification/midr_el1", files->cpu);
    if (processor_file(files, path, text, sizeof text)[0] != '\0')
        return false;
    const char *words = cpuinfo_value(files->cpuinfo, files->cpu, "Features", &length);
    cpuinfo_number(files->cpuinfo, files->cpu, "CPU architecture", &version);
    return version < FIRST_OF_64_BITS || (words != NULL && cpuinfo_has_word(words, length, "thumb"));
}

static bool read_files(const struct processor_files *files, struct processor *processor)
{
    const struct arm_numbers numbers = {.midr = midr_of(files)};
    if (numbers.midr == 0 || is_32_bits(files))
        return false;
    arm_decode(&numbers, processor);
    size_t length = 0;
    const char *words = cpuinfo_value(files->cpuinfo, files->cpu, "Features", &length);
    for (size_t at = 0, size; words != NULL && at < length; at += size + 1) {
        size = strcspn(words + at, " \t\n");
        if (size > 0)
            processor_add_feature(&processor->features, words + at, size);
    }
    processor->is_virtual = processor_files_are_virtual(files);
    return true;
}

#if defined(__aarch64__)

#define READ_REGISTER(name, value) __asm__ volatile("mrs %0, " name : "=r"(value))

/* Linux emulates reads of MIDR_EL1 if it reports HWCAP_CPUID; user mode can read the other registers. */
static bool read_host(const struct processor_files *files, struct processor *processor)
{
    struct arm_numbers numbers = {
        .midr = midr_of(files), .hwcap = getauxval(AT_HWCAP), .hwcap2 = getauxval(AT_HWCAP2)};
    if (bits(numbers.hwcap, CPUID_BIT, 1) != 0)
        READ_REGISTER("midr_el1", numbers.midr);
    if (bits(numbers.hwcap, SVE_BIT, 1) != 0) {
        int length = prctl(PR_SVE_GET_VL);
        numbers.vector_bytes = length > 0 ? (unsigned)length & PR_SVE_VL_LEN_MASK : 0;
    }
    READ_REGISTER("ctr_el0", numbers.ctr);
    READ_REGISTER("cntfrq_el0", numbers.ticks_per_second);
    arm_decode(&numbers, processor);
    processor->is_virtual = processor_files_are_virtual(files);
    return true;
}

#endif

const struct processor_kind processor_arm = {
    .isa = "aarch64",
    .source = "CTR_EL0",
    .read_files = read_files,
#if defined(__aarch64__)
    .read_host = read_host,
#endif
};
