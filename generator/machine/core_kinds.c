#include "generator/machine/core_kinds.h"

#include "base/file.h"
#include "generator/machine/cpuinfo.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_BYTES = 4096, KEY_BYTES = 512, PROCESSORS_MOST = 8192 };

/* The next range of a list such as "0-3,8"; NULL after the last. */
static const char *next_range(const char *list, unsigned *first, unsigned *last)
{
    char *end;
    if (!isdigit((unsigned char)*list))
        return NULL;
    *first = (unsigned)strtoul(list, &end, 10);
    *last = *end == '-' ? (unsigned)strtoul(end + 1, &end, 10) : *first;
    return *last < *first || *last >= PROCESSORS_MOST ? NULL : *end == ',' ? end + 1 : end;
}

static bool list_has(const char *list, unsigned cpu)
{
    unsigned first, last;
    while ((list = next_range(list, &first, &last)) != NULL)
        if (cpu >= first && cpu <= last)
            return true;
    return false;
}

/* A text that is equal for processors of one kind. */
static void describe(const struct processor_files *files, unsigned cpu, const char *atoms,
                     char key[KEY_BYTES])
{
    static const char *const paths[] = {"regs/identification/midr_el1", "cache/index0/size",
                                        "cache/index1/size", "cache/index2/size"};
    static const char *const words[] = {"CPU part", "CPU implementer", "uarch", "marchid", "model"};
    size_t used = (size_t)snprintf(key, KEY_BYTES, "%d", list_has(atoms, cpu));
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char path[128], text[PROCESSOR_TEXT_BYTES];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/%s", cpu, paths[i]);
        processor_file(files, path, text, sizeof text);
        used += (size_t)snprintf(key + used, KEY_BYTES - used, ",%s", text);
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = 0;
        const char *value = cpuinfo_value(files->cpuinfo, cpu, words[i], &length);
        length = value == NULL ? 0 : length < PROCESSOR_TEXT_BYTES ? length : PROCESSOR_TEXT_BYTES;
        used +=
            (size_t)snprintf(key + used, KEY_BYTES - used, ",%.*s", (int)length, value == NULL ? "" : value);
    }
}

/* Extends the list's last range, or begins another. */
static void add_cpu(struct core_kind *kind, unsigned cpu)
{
    char last[16];
    snprintf(last, sizeof last, "%u", cpu - 1);
    const char *list = kind->cpus.data;
    const char *comma = list == NULL ? NULL : strrchr(list, ',');
    const char *range = comma == NULL ? list : comma + 1;
    const char *dash = range == NULL ? NULL : strchr(range, '-');
    const char *end = dash == NULL ? range : dash + 1;
    bool follows = end != NULL && strcmp(end, last) == 0;
    if (follows && dash != NULL)
        kind->cpus.size = (size_t)(dash - list);
    buffer_printf(&kind->cpus, "%s%u", follows ? "-" : list == NULL ? "" : ",", cpu);
}

/* Names the kind. Kinds that would have one name, such as two cache sizes, get a number. */
static void name_kind(const struct processor_files *files, bool atom, bool atoms, size_t number,
                      struct core_kind *kind)
{
    size_t length = 0;
    char path[128], midr[PROCESSOR_TEXT_BYTES];
    const char *part = cpuinfo_value(files->cpuinfo, kind->first, "CPU part", &length);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/regs/identification/midr_el1", kind->first);
    processor_file(files, path, midr, sizeof midr);
    if (atoms)
        snprintf(kind->name, sizeof kind->name, "%s", atom ? "atom" : "core");
    else if (midr[0] != '\0') /* bits 4 to 15 (Arm ARM, MIDR_EL1) */
        snprintf(kind->name, sizeof kind->name, "part-0x%03llx", strtoull(midr, NULL, 16) >> 4 & 0xfff);
    else if (part != NULL && length < 16)
        snprintf(kind->name, sizeof kind->name, "part-%.*s", (int)length, part);
    else
        snprintf(kind->name, sizeof kind->name, "kind-%zu", number);
}

static void number_alike(struct core_kinds *kinds)
{
    for (size_t i = 0; i < kinds->count; i++)
        for (size_t j = i + 1, twin = 2; j < kinds->count; j++)
            if (strcmp(kinds->items[i].name, kinds->items[j].name) == 0) {
                size_t used = strlen(kinds->items[j].name);
                snprintf(kinds->items[j].name + used, sizeof kinds->items[j].name - used, "-%zu", twin++);
            }
}

struct core_kinds core_kinds_read(const struct processor_files *files)
{
    struct core_kinds kinds = {.count = 0};
    char keys[CORE_KINDS_MOST][KEY_BYTES], online[LIST_BYTES], atoms[LIST_BYTES];
    unsigned first, last;
    processor_file(files, "/sys/devices/cpu_atom/cpus", atoms, sizeof atoms);
    const char *list = processor_file(files, "/sys/devices/system/cpu/online", online, sizeof online);
    if (list[0] == '\0')
        list = processor_file(files, "/sys/devices/system/cpu/present", online, sizeof online);
    while ((list = next_range(list, &first, &last)) != NULL)
        for (unsigned cpu = first; cpu <= last; cpu++) {
            char key[KEY_BYTES];
            size_t at = 0;
            describe(files, cpu, atoms, key);
            while (at < kinds.count && strcmp(keys[at], key) != 0)
                at++;
            if (at == CORE_KINDS_MOST)
                continue;
            if (at == kinds.count) {
                memcpy(keys[at], key, sizeof key);
                kinds.items[kinds.count++] = (struct core_kind){.first = cpu};
                name_kind(files, list_has(atoms, cpu), atoms[0] != '\0', kinds.count, &kinds.items[at]);
            }
            add_cpu(&kinds.items[at], cpu);
        }
    number_alike(&kinds);
    return kinds;
}

struct core_kinds core_kinds_at(const char *root)
{
    char path[FILE_PATH_BYTES];
    struct buffer cpuinfo = {0};
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    bool read = file_read(path, &cpuinfo, NULL) == STATUS_OK && cpuinfo.data != NULL;
    const struct processor_files files = {.root = root, .cpuinfo = read ? cpuinfo.data : ""};
    struct core_kinds kinds = core_kinds_read(&files);
    buffer_free(&cpuinfo);
    return kinds;
}

const struct core_kind *core_kinds_of(const struct core_kinds *kinds, unsigned cpu)
{
    for (size_t i = 0; i < kinds->count; i++)
        if (list_has(kinds->items[i].cpus.data, cpu))
            return &kinds->items[i];
    return NULL;
}

void core_kinds_free(struct core_kinds *kinds)
{
    for (size_t i = 0; i < kinds->count; i++)
        buffer_free(&kinds->items[i].cpus);
    kinds->count = 0;
}
