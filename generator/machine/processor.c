#include "generator/machine/processor.h"

#include "base/file.h"
#include "generator/machine/cpuinfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct processor_kind *const kinds[] = {&processor_x86, &processor_arm, &processor_riscv};

const char *processor_file(const struct processor_files *files, const char *path, char *text, size_t size)
{
    char whole[FILE_PATH_BYTES];
    struct buffer contents = {0};
    snprintf(whole, sizeof whole, "%s%s", files->root, path);
    text[0] = '\0';
    if (file_read(whole, &contents, NULL) == STATUS_OK && contents.data != NULL)
        snprintf(text, size, "%.*s", (int)strcspn(contents.data, "\n"), contents.data);
    buffer_free(&contents);
    return text;
}

void processor_add_feature(struct text_set *features, const char *text, size_t length)
{
    char name[PROCESSOR_TEXT_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    text_set_add(features, name);
}

bool processor_files_are_virtual(const struct processor_files *files)
{
    static const char *const makers[] = {"QEMU", "VMware", "innotek", "Xen", "Parallels"};
    char text[PROCESSOR_TEXT_BYTES];
    if (processor_file(files, "/sys/hypervisor/type", text, sizeof text)[0] != '\0' ||
        processor_file(files, "/proc/device-tree/hypervisor/compatible", text, sizeof text)[0] != '\0')
        return true;
    processor_file(files, "/sys/class/dmi/id/sys_vendor", text, sizeof text);
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
        if (strncmp(text, makers[i], strlen(makers[i])) == 0)
            return true;
    return false;
}

/* False if the kernel's name of its architecture (Linux 6.1) is another ISA's. */
static bool may_be(const struct processor_files *files, const char *isa)
{
    char arch[PROCESSOR_TEXT_BYTES];
    processor_file(files, "/proc/sys/kernel/arch", arch, sizeof arch);
    return arch[0] == '\0' || strcmp(arch, isa) == 0;
}

/* Keys of /proc/cpuinfo that identify an architecture; value: how the value begins; NULL: any value. */
static const struct {
    const char *key, *value, *name;
} others[] = {
    {"vendor_id", "IBM/S390", "an s390x processor"},
    {"CPU Family", "Loongson", "a LoongArch processor"},
    {"arch", "IA-64", "an Itanium"},
    {"timebase", NULL, "a POWER processor"},
    {"cpu model", NULL, "a MIPS processor"},
    {"isa", "rv32", "a RISC-V processor of 32 bits"},
    {"CPU implementer", NULL, "an Arm processor of 32 bits, or with a 32-bit kernel"},
    {"flags", NULL, "an x86 processor of 32 bits"},
};

void processor_name_other(const char *root, char name[PROCESSOR_NAME_BYTES])
{
    struct buffer cpuinfo = {0};
    char path[FILE_PATH_BYTES], arch[PROCESSOR_TEXT_BYTES];
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    const struct processor_files files = {root, 0, ""};
    processor_file(&files, "/proc/sys/kernel/arch", arch, sizeof arch);
    name[0] = '\0';
    if (file_read(path, &cpuinfo, NULL) != STATUS_OK || cpuinfo.data == NULL)
        buffer_text(&cpuinfo, "");
    for (size_t i = 0; name[0] == '\0' && i < sizeof others / sizeof others[0]; i++) {
        size_t length = 0;
        const char *value = cpuinfo_value(cpuinfo.data, 0, others[i].key, &length);
        if (value != NULL &&
            (others[i].value == NULL || strncmp(value, others[i].value, strlen(others[i].value)) == 0))
            snprintf(name, PROCESSOR_NAME_BYTES, "%s (%s %.*s)", others[i].name, others[i].key,
                     (int)(length < 32 ? length : 32), value);
    }
    if (arch[0] != '\0')
        snprintf(name, PROCESSOR_NAME_BYTES, "a processor whose kernel is for %.60s", arch);
    buffer_free(&cpuinfo);
}

bool processor_read(const char *root, unsigned cpu, struct processor *processor,
                    const struct processor_kind **kind)
{
    char path[FILE_PATH_BYTES];
    struct buffer cpuinfo = {0};
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    bool has_text = file_read(path, &cpuinfo, NULL) == STATUS_OK && cpuinfo.data != NULL;
    const struct processor_files files = {root, cpu, has_text ? cpuinfo.data : ""};
    bool known = false;
    for (size_t i = 0; !known && i < sizeof kinds / sizeof kinds[0]; i++) {
        *processor = (struct processor){.is_virtual = false};
        *kind = kinds[i];
        bool (*tell)(const struct processor_files *files, struct processor *processor) =
            root[0] != '\0' ? kinds[i]->read_files : kinds[i]->read_host;
        known = tell != NULL && may_be(&files, kinds[i]->isa) && tell(&files, processor);
        if (!known)
            processor_free(processor);
    }
    buffer_free(&cpuinfo);
    return known;
}

void processor_free(struct processor *processor)
{
    text_set_free(&processor->features);
    *processor = (struct processor){.is_virtual = false};
}
