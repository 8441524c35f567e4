#include "generator/machine/processor_riscv.h"

#include "generator/machine/cpuinfo.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#if defined(__riscv)
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* ---- identity ---- */

/* mvendorid, the prefix of a core's name in device trees, and the maker's name. */
struct maker {
    uint64_t number;
    const char *prefix, *name;
};

static const struct maker makers[] = {
    {0x489, "sifive", "SiFive"},   {0x5b7, "thead", "T-Head"},      {0x710, "spacemit", "SpacemiT"},
    {0x31e, "andestech", "Andes"}, {0x67e, "starfive", "StarFive"}, {0x61f, "ventana", "Ventana"},
};

static void name_maker(uint64_t vendor, struct processor *processor)
{
    snprintf(processor->vendor, sizeof processor->vendor, "mvendorid 0x%" PRIx64, vendor);
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
        if (makers[i].number == vendor)
            snprintf(processor->vendor, sizeof processor->vendor, "%s", makers[i].name);
}

/* The core's name in the device tree, "sifive,u74-mc": "sifive u74-mc". */
static void name_core(const char *text, size_t length, struct processor *processor)
{
    size_t prefix = strcspn(text, ",\n");
    for (size_t i = 0; prefix < length && i < sizeof makers / sizeof makers[0]; i++)
        if (strlen(makers[i].prefix) == prefix && strncmp(text, makers[i].prefix, prefix) == 0)
            snprintf(processor->vendor, sizeof processor->vendor, "%s", makers[i].name);
    snprintf(processor->product, sizeof processor->product, "%.*s", (int)length, text);
}

/* ---- features ---- */

void riscv_add_extensions(const char *text, size_t length, struct text_set *features)
{
    static const char lead[] = "rv64";
    static const char general[] = "imafd"; /* G, which also has Zicsr and Zifencei */
    size_t at = length >= strlen(lead) && strncmp(text, lead, strlen(lead)) == 0 ? strlen(lead) : 0;
    for (; at < length && text[at] != '_'; at++) {
        bool group = text[at] == 'g';
        for (size_t i = 0; group && i < strlen(general); i++)
            processor_add_feature(features, &general[i], 1);
        if (!group && islower((unsigned char)text[at]))
            processor_add_feature(features, &text[at], 1);
    }
    while (at < length) {
        at++; /* '_' */
        size_t size = strcspn(text + at, "_ \n");
        size = size < length - at ? size : length - at;
        bool plain = size > 0;
        for (size_t i = 0; i < size; i++)
            plain = plain && isalnum((unsigned char)text[at + i]);
        if (plain)
            processor_add_feature(features, text + at, size);
        at += size;
    }
}

void riscv_add_vectors(unsigned bytes, struct text_set *features)
{
    enum { LEAST_BITS = 128, MOST_BITS = 65536 };
    for (unsigned bits = LEAST_BITS; bits <= 8 * bytes && bits <= MOST_BITS; bits *= 2) {
        char name[16];
        snprintf(name, sizeof name, "zvl%ub", bits);
        processor_add_feature(features, name, strlen(name));
    }
}

/* Bits of the key for extensions, by number. */
static const struct {
    unsigned bit;
    const char *names[2];
} extensions[] = {
    {0, {"f", "d"}},  {1, {"c"}},     {2, {"v"}},        {3, {"zba"}},  {4, {"zbb"}},    {5, {"zbs"}},
    {6, {"zicboz"}},  {7, {"zbc"}},   {8, {"zbkb"}},     {9, {"zbkc"}}, {10, {"zbkx"}},  {27, {"zfh"}},
    {28, {"zfhmin"}}, {30, {"zvfh"}}, {31, {"zvfhmin"}}, {32, {"zfa"}}, {34, {"zacas"}}, {35, {"zicond"}},
};

/* ---- all together ---- */

void riscv_probe_keys(struct riscv_probe probes[RISCV_PROBES])
{
    static const int64_t keys[RISCV_PROBES] = {[RISCV_VENDOR] = 0,
                                               [RISCV_ARCH] = 1,
                                               [RISCV_IMPLEMENTATION] = 2,
                                               [RISCV_EXTENSIONS] = 4,
                                               [RISCV_TICKS] = 8};
    for (size_t i = 0; i < RISCV_PROBES; i++)
        probes[i] = (struct riscv_probe){.key = keys[i]};
}

void riscv_decode(const struct riscv_probe probes[RISCV_PROBES], struct processor *processor)
{
    const struct riscv_probe *vendor = &probes[RISCV_VENDOR];
    const struct riscv_probe *arch = &probes[RISCV_ARCH];
    const struct riscv_probe *implementation = &probes[RISCV_IMPLEMENTATION];
    if (vendor->key >= 0 && arch->key >= 0) {
        if (processor->vendor[0] == '\0')
            name_maker(vendor->value, processor);
        if (processor->product[0] == '\0')
            snprintf(processor->product, sizeof processor->product, "%.30s 0x%" PRIx64, processor->vendor,
                     arch->value);
        snprintf(processor->cpu, sizeof processor->cpu, "0x%" PRIx64 "-0x%" PRIx64 "-0x%" PRIx64,
                 vendor->value, arch->value, implementation->key >= 0 ? implementation->value : 0);
    }
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++)
        for (size_t j = 0; j < 2 && extensions[i].names[j] != NULL; j++)
            if (probes[RISCV_EXTENSIONS].key >= 0 &&
                (probes[RISCV_EXTENSIONS].value >> extensions[i].bit & 1) != 0)
                processor_add_feature(&processor->features, extensions[i].names[j],
                                      strlen(extensions[i].names[j]));
    if (probes[RISCV_TICKS].key >= 0)
        processor->tick_ghz = (double)probes[RISCV_TICKS].value / 1e9;
}

/* Reads the files into the form of hwprobe's values. */
static void read_numbers(const struct processor_files *files, struct riscv_probe probes[RISCV_PROBES])
{
    static const char *const keys[] = {"mvendorid", "marchid", "mimpid"};
    for (size_t i = 0; i < RISCV_PROBES; i++)
        probes[i].key = -1;
    for (size_t i = RISCV_VENDOR; i <= RISCV_IMPLEMENTATION; i++)
        if (cpuinfo_number(files->cpuinfo, files->cpu, keys[i], &probes[i].value))
            probes[i].key = (int64_t)i;
}

static bool read_files(const struct processor_files *files, struct processor *processor)
{
    size_t length = 0;
    const char *text = cpuinfo_value(files->cpuinfo, files->cpu, "isa", &length);
    if (text == NULL || length < 4 || strncmp(text, "rv64", 4) != 0)
        return false;
    riscv_add_extensions(text, length, &processor->features);
    text = cpuinfo_value(files->cpuinfo, files->cpu, "uarch", &length);
    if (text != NULL)
        name_core(text, length, processor);
    struct riscv_probe probes[RISCV_PROBES] = {{0}};
    read_numbers(files, probes);
    riscv_decode(probes, processor);
    processor->is_virtual = processor_files_are_virtual(files);
    return true;
}

#if defined(__riscv)

enum { RISCV_HWPROBE = 258, V_BIT = 2 };

/* Kernels before Linux 6.4 lack the system call; the files and AT_HWCAP, with a bit per letter, supply the
 * rest. */
static bool read_host(const struct processor_files *files, struct processor *processor)
{
    read_files(files, processor);
    unsigned long letters = getauxval(AT_HWCAP);
    for (char letter = 'a'; letter <= 'z'; letter++)
        if ((letters >> (letter - 'a') & 1) != 0)
            processor_add_feature(&processor->features, &letter, 1);
    struct riscv_probe probes[RISCV_PROBES];
    riscv_probe_keys(probes);
    bool supported = syscall(RISCV_HWPROBE, probes, (size_t)RISCV_PROBES, (size_t)0, NULL, 0U) == 0;
    if (supported)
        riscv_decode(probes, processor);
    /* Only hwprobe distinguishes V from its drafts, for which older kernels set the same bit. */
    if (supported && probes[RISCV_EXTENSIONS].key >= 0 &&
        (probes[RISCV_EXTENSIONS].value >> V_BIT & 1) != 0) {
        uintptr_t bytes;
        __asm__ volatile("csrr %0, 0xc22" : "=r"(bytes)); /* vlenb, of V 1.0 */
        riscv_add_vectors((unsigned)bytes, &processor->features);
    }
    return true;
}

#endif

const struct processor_kind processor_riscv = {
    .isa = "riscv64",
    .source = "hwprobe",
    .read_files = read_files,
#if defined(__riscv)
    .read_host = read_host,
#endif
};
