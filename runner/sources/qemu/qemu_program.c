#include "runner/sources/qemu/qemu_program.h"

#include "base/file.h"
#include "runner/sources/source.h"

#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

const char *qemu_program_target(const struct test_program *test_program)
{
    return manifest_text_or(test_program->manifest->target, test_program->machine->isa);
}

/* An ELF file's machine; 0: it is none, for instance a script that starts the program. */
static unsigned machine_of(const unsigned char *bytes, size_t size)
{
    enum { AT = 18 };
    bool is_elf = size > AT + 1 && memcmp(bytes, "\177ELF", 4) == 0;
    return is_elf ? (unsigned)bytes[AT] | (unsigned)bytes[AT + 1] << 8 : 0;
}

/* True if the file is whole in itself and loads no libraries, and so no plugins either. */
static bool is_static(FILE *file, const unsigned char *bytes, size_t size)
{
    enum { HEADERS_MOST = 64 };
    Elf64_Ehdr header;
    if (size < sizeof header || bytes[EI_CLASS] != ELFCLASS64)
        return false;
    memcpy(&header, bytes, sizeof header);
    for (unsigned i = 0; i < header.e_phnum && i < HEADERS_MOST; i++) {
        Elf64_Phdr part;
        if (fseek(file, (long)(header.e_phoff + i * sizeof part), SEEK_SET) != 0 ||
            fread(&part, sizeof part, 1, file) != 1)
            return false;
        if (part.p_type == PT_INTERP)
            return false;
    }
    return header.e_phnum > 0;
}

enum status qemu_program_find(const char *name, struct error *error)
{
    char path[FILE_PATH_BYTES];
    unsigned char start[64];
    if (!child_program_find(name, path)) {
        error_set(error, STATUS_UNAVAILABLE, "%s is not installed", name);
        error_hint(
            error,
            "apt-get install qemu-user; static builds of it (qemu-user-static, Debian 13) load no plugins");
        return STATUS_UNAVAILABLE;
    }
    FILE *file = fopen(path, "rb");
    size_t size = file == NULL ? 0 : fread(start, 1, sizeof start, file);
    unsigned machine = machine_of(start, size);
    bool own = machine == machine_of(qemu_plugin, qemu_plugin_size);
    bool closed = own && is_static(file, start, size);
    if (file != NULL)
        fclose(file);
    if (closed) {
        error_set(error, STATUS_UNAVAILABLE, "%s is a static program, which can load no plugin", path);
        error_hint(error, "Debian 13 packages it so; Debian 12's qemu-user, or one built from source with "
                          "--enable-plugins and without --static, loads plugins");
        return STATUS_UNAVAILABLE;
    }
    if (machine == 0 || own)
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE,
              "%s is a program for another processor than trauma, whose plugin it cannot load", path);
    error_hint(
        error,
        "install qemu-user for the processor that trauma is built for, or run the trauma that is built "
        "for qemu's");
    return STATUS_UNAVAILABLE;
}

enum status qemu_program_blame(const struct child_result *result, struct error *error)
{
    if (result->signal != 0 && result->signal != SIGKILL)
        return error_set(error, STATUS_FAILED, "the program ended by signal %d (%s) under qemu",
                         result->signal, strsignal(result->signal));
    return source_cannot_see(STATUS_FAILED, error);
}

/* Older versions have no "max" for RISC-V. */
const char *qemu_program_cpu(const struct test_program *test_program)
{
    static const struct {
        const char *target, *feature, *cpu;
    } processors[] = {{"aarch64", "sve256", "max,sve256=on"},
                      {"aarch64", "sve512", "max,sve512=on"},
                      {"riscv64", "zvl512b", "rv64,v=true,vext_spec=v1.0,vlen=512"},
                      {"riscv64", "zvl256b", "rv64,v=true,vext_spec=v1.0,vlen=256"},
                      {"riscv64", NULL, "rv64,v=true,vext_spec=v1.0"}};
    const struct manifest_words *needed = &test_program->manifest->features;
    for (size_t i = 0; i < sizeof processors / sizeof processors[0]; i++) {
        bool needs = processors[i].feature == NULL;
        if (strcmp(processors[i].target, qemu_program_target(test_program)) != 0)
            continue;
        for (size_t j = 0; !needs && j < needed->count; j++)
            needs = needed->items[j] != NULL && strcmp(needed->items[j], processors[i].feature) == 0;
        if (needs)
            return processors[i].cpu;
    }
    return "max";
}

void qemu_program_name(char name[QEMU_NAME_BYTES], const struct test_program *test_program)
{
    snprintf(name, QEMU_NAME_BYTES, "qemu-%.60s", qemu_program_target(test_program));
}
