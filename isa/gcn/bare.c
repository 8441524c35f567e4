#include "isa/gcn/bare.h"

#include <ctype.h>
#include <elf.h>
#include <string.h>

enum { KERNELS_MOST = 4096, NAME_MOST = 1024, MESA_3D = 66, PAL = 65 };

/* How s_endpgm is written: up to GFX10, and after. */
static const uint32_t ends[] = {0xbf810000, 0xbfb00000};

/* A number of kernels, and the first one's name. */
static bool is_gallium(const unsigned char *bytes, size_t size)
{
    if (size < 16 || gcn_read32(bytes) == 0 || gcn_read32(bytes) > KERNELS_MOST)
        return false;
    uint32_t length = gcn_read32(bytes + 4);
    if (length == 0 || length > NAME_MOST || length > size - 12)
        return false;
    for (uint32_t i = 0; i < length; i++)
        if (!isalnum(bytes[8 + i]) && bytes[8 + i] != '_' && bytes[8 + i] != '.' && bytes[8 + i] != '$')
            return false;
    return true;
}

static bool is_raw(const unsigned char *bytes, size_t size)
{
    for (size_t at = 0; at + 4 <= size; at += 4)
        for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
            if (gcn_read32(bytes + at) == ends[i])
                return size % 4 == 0;
    return false;
}

enum status gcn_bare(const unsigned char *bytes, size_t size, struct error *error)
{
    if (gcn_elf_is(bytes, size))
        return STATUS_OK;
    if (is_gallium(bytes, size)) {
        error_set(error, STATUS_FAILED,
                  "a Gallium binary of Mesa's OpenCL (clover), which does not tell its processor");
        error_hint(error, "ROCm code objects, bundles of them and Catalyst's OpenCL 1.2 and 2.0 binaries are "
                          "taken; rusticl and clang make code objects");
        return STATUS_FAILED;
    }
    if (is_raw(bytes, size)) {
        error_set(error, STATUS_FAILED,
                  "raw machine code without a container, which does not tell its processor");
        error_hint(error,
                   "a code object has it: .incbin \"FILE\" in a function, llvm-mc -triple=amdgcn-amd-amdhsa "
                   "-mcpu=gfx701 -filetype=obj, ld.lld -shared");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

static bool has_section(const struct gcn_elf *elf, const char *name)
{
    for (unsigned i = 0; i < elf->section_count; i++) {
        struct gcn_section section;
        struct error none;
        if (gcn_elf_section(elf, i, &section, &none) == STATUS_OK && strcmp(section.name, name) == 0)
            return true;
    }
    return false;
}

enum status gcn_bare_elf(const struct gcn_elf *elf, struct error *error)
{
    unsigned system = elf->bytes[EI_OSABI];
    if (system == MESA_3D || has_section(elf, ".AMDGPU.config"))
        error_set(error, STATUS_FAILED,
                  "Mesa's (Gallium's) ELF file, which does not tell its processor: flags 0x%x", elf->flags);
    else if (system == PAL)
        error_set(error, STATUS_FAILED,
                  "a pipeline's ELF file of AMD's PAL, which does not tell its processor: flags 0x%x",
                  elf->flags);
    else
        error_set(error, STATUS_FAILED,
                  "the binary does not tell which processor it is for: ELF machine 0x%x, flags 0x%x",
                  elf->machine, elf->flags);
    error_hint(error, "ROCm code objects and Catalyst's OpenCL 1.2 and 2.0 binaries are known");
    return STATUS_FAILED;
}
