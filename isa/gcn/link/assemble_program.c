#include "isa/gcn/link/link.h"

#include "isa/gcn/binary/elf.h"
#include "isa/gcn/link/metadata.h"
#include "isa/gcn/target.h"
#include "isa/gcn/walk/walk.h"
#include "isa/mc.h"

#include <elf.h>
#include <string.h>

#define TRIPLE "amdgcn-amd-amdhsa"

/* LLVM's message for an unknown processor names another one; opening a walker gives a correct message. */
static enum status explain(const struct gcn_target *target, struct error *error)
{
    struct error lacking;
    struct gcn_walker *walker = gcn_walker_open(target, &lacking);
    if (walker == NULL)
        *error = lacking;
    gcn_walker_close(walker);
    return error->code;
}

/* Removes LLVM's empty metadata from the object that begins at byte `start` of the buffer. */
static enum status trim_notes(struct buffer *object, size_t start, struct error *error)
{
    unsigned char *bytes = (unsigned char *)object->data + start;
    struct gcn_elf elf;
    enum status status = gcn_elf_open(bytes, object->size - start, &elf, error);
    for (unsigned i = 0; status == STATUS_OK && i < elf.section_count; i++) {
        struct gcn_section section;
        size_t kernels;
        status = gcn_elf_section(&elf, i, &section, error);
        if (status != STATUS_OK || section.type != SHT_NOTE)
            continue;
        size_t size = (size_t)section.size;
        status = gcn_metadata_keep(bytes + section.offset, &size, NULL, NULL, &kernels, error);
        if (status != STATUS_OK)
            break;
        Elf64_Xword shorter = size;
        memcpy(bytes + elf.sections + (size_t)i * elf.section_size + offsetof(Elf64_Shdr, sh_size), &shorter,
               sizeof shorter);
        memset(bytes + section.offset + size, 0, (size_t)section.size - size);
    }
    return status;
}

enum status gcn_assemble_object(const char *gfx, const char *text, const char *name, struct buffer *object,
                                struct error *error)
{
    const struct gcn_target *target = gcn_target_named(gfx);
    size_t start = object->size;
    if (target == NULL) {
        error_set(error, STATUS_USAGE, "there is no processor '%s'", gfx);
        error_hint(error, "use LLVM's names: gfx701, gfx906, gfx90a, gfx1030, ...");
        return STATUS_USAGE;
    }
    const struct isa isa = {
        .name = "gcn", .triple = TRIPLE, .cpu = target->name, .prepare = gcn_llvm_prepare};
    struct error local = {0};
    error = error == NULL ? &local : error;
    enum status status = mc_assemble(&isa, text, name, object, error);
    if (status == STATUS_FAILED)
        return explain(target, error);
    if (status == STATUS_OK)
        status = trim_notes(object, start, error);
    return status;
}
