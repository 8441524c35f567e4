#include "isa/gcn/link/link.h"

#include "isa/gcn/link/link_parts.h"
#include "isa/gcn/link/metadata.h"
#include "isa/gcn/target.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
    OSABI_HSA = 64,        /* ELFOSABI_AMDGPU_HSA */
    DESCRIPTOR_BYTES = 64, /* of a kernel; the offset of its code from it is at byte 16 */
    DESCRIPTOR_ENTRY = 16,
    CODE_ALIGNMENT = 256, /* the processor is given the address without its last eight bits */
};

void link_free(struct linker *link)
{
    for (unsigned i = 0; i < PART_COUNT; i++)
        buffer_free(&link->parts[i].bytes);
    free(link->places);
    free(link->symbols);
    free(link->exports);
    *link = (struct linker){0};
}

static enum status open_object(struct linker *link, const struct buffer *object,
                               const struct gcn_target *target, struct error *error)
{
    enum status status = gcn_elf_open((const unsigned char *)object->data, object->size, &link->elf, error);
    const struct gcn_elf *elf = &link->elf;
    if (status != STATUS_OK)
        return status;
    if (!elf->is_64 || elf->machine != EM_AMDGPU || elf->type != ET_REL)
        return error_set(error, STATUS_FAILED,
                         "not an object to link: ELF of %d bits, machine 0x%x, type %u, where 64 bits, 0xe0 "
                         "(AMD's GPUs) and 1 (relocatable) are wanted",
                         elf->is_64 ? 64 : 32, elf->machine, elf->type);
    if (elf->bytes[EI_OSABI] != OSABI_HSA) {
        error_set(error, STATUS_FAILED, "the object is for another system (OS/ABI %u) than amdhsa (%d)",
                  elf->bytes[EI_OSABI], OSABI_HSA);
        error_hint(error, "it is to be assembled for amdgcn-amd-amdhsa");
        return STATUS_FAILED;
    }
    const struct gcn_target *found = gcn_target_of(GCN_CODE_MACH, elf->flags);
    if (found != target)
        return error_set(error, STATUS_FAILED, "the object is for %s, not for %s",
                         found == NULL ? "a processor that is not known" : found->name, target->name);
    return STATUS_OK;
}

/* The symbol of .symtab with that name, or NULL. */
static const struct link_symbol *find(const struct linker *link, const char *name, size_t length)
{
    for (size_t i = 0; i < link->export_count; i++)
        if (strlen(link->exports[i].name) == length && memcmp(link->exports[i].name, name, length) == 0)
            return &link->exports[i];
    return NULL;
}

/* The metadata's kernel must have a descriptor, under the name it tells, that leads to code. */
static enum status check_kernel(const char *name, int length, void *context, struct error *error)
{
    struct linker *link = context;
    const struct link_part *rodata = &link->parts[PART_RODATA];
    const struct link_part *text = &link->parts[PART_TEXT];
    const struct link_symbol *symbol = find(link, name, (size_t)length);
    if (symbol == NULL || symbol->part != PART_RODATA || symbol->value > rodata->size ||
        rodata->size - symbol->value < DESCRIPTOR_BYTES) {
        error_set(error, STATUS_FAILED, "the metadata tells a kernel descriptor '%.*s' that is not there",
                  length > 100 ? 100 : length, length == 0 ? "" : name);
        error_hint(error, "a kernel's .symbol is the name after .amdhsa_kernel, and .kd");
        return STATUS_FAILED;
    }
    const unsigned char *descriptor = (const unsigned char *)rodata->bytes.data + symbol->value;
    uint64_t entry = gcn_read32(descriptor + DESCRIPTOR_ENTRY + 4);
    entry = (entry << 32 | gcn_read32(descriptor + DESCRIPTOR_ENTRY)) + rodata->address + symbol->value;
    if (entry < text->address || entry - text->address >= text->size || entry % CODE_ALIGNMENT != 0) {
        error_set(error, STATUS_FAILED,
                  "the descriptor '%.100s' leads to 0x%llx, which is no multiple of %d within the code at "
                  "0x%llx to 0x%llx",
                  symbol->name, (unsigned long long)entry, CODE_ALIGNMENT, (unsigned long long)text->address,
                  (unsigned long long)(text->address + text->size));
        error_hint(error, "a kernel begins behind .p2align 8");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

/* Leaves one note with kernels. */
static enum status keep_notes(struct linker *link, struct error *error)
{
    struct buffer *notes = &link->parts[PART_NOTE].bytes;
    size_t kernels;
    size_t size = notes->size;
    enum status status = gcn_metadata_keep(notes->data, &size, NULL, NULL, &kernels, error);
    if (status != STATUS_OK)
        return status;
    notes->size = size;
    if (kernels == 0) {
        error_set(error, STATUS_FAILED, "the object tells no kernel in %zu bytes of notes", notes->size);
        error_hint(error, "a program has .amdhsa_kernel and .amdgpu_metadata with amdhsa.kernels");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

static enum status link_object(struct linker *link, struct error *error)
{
    size_t kernels;
    enum status status = link_take_sections(link, error);
    if (status == STATUS_OK)
        status = keep_notes(link, error);
    if (status == STATUS_OK)
        status = link_take_symbols(link, error);
    if (status != STATUS_OK)
        return status;
    link_write_tables(link); /* for their sizes */
    link_place(link);
    link_write_tables(link);
    status = link_relocate(link, error);
    if (status == STATUS_OK) {
        struct buffer *notes = &link->parts[PART_NOTE].bytes;
        status = gcn_metadata_keep(notes->data, &notes->size, check_kernel, link, &kernels, error);
    }
    return status;
}

enum status gcn_link(const struct buffer *object, const char *gfx, struct buffer *code_object,
                     struct error *error)
{
    const struct gcn_target *target = gcn_target_named(gfx);
    if (target == NULL) {
        error_set(error, STATUS_USAGE, "there is no processor '%s'", gfx);
        error_hint(error, "LLVM's names serve: gfx701, gfx906, gfx90a, gfx1030, ...");
        return STATUS_USAGE;
    }
    struct linker link = {0};
    enum status status = open_object(&link, object, target, error);
    if (status == STATUS_OK)
        status = link_object(&link, error);
    if (status == STATUS_OK)
        link_write(&link, code_object);
    link_free(&link);
    return status;
}
