#include "sim/gcn/kernel_object.h"

#include "base/memory.h"
#include "isa/gcn/binary/elf.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DESCRIPTOR_BYTES = 64,
    ABI_BYTE = 8,
    EM_AMDGPU_FILE = 224,
    MOST_IMAGE = 64 << 20,
    MOST_SYMBOLS = 1 << 20,
    WAVE32 = 10 /* a bit of the descriptor's properties */
};

static uint64_t read64(const unsigned char *at)
{
    return gcn_read32(at) | (uint64_t)gcn_read32(at + 4) << 32;
}

static unsigned bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & ((1u << (high - low + 1)) - 1);
}

/* Copies the file's loaded sections to their addresses. */
static enum status load_image(const struct gcn_elf *elf, struct wave_kernel *kernel, struct error *error)
{
    struct gcn_section section;
    uint64_t copied = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < elf->section_count; i++) {
            enum status status = gcn_elf_section(elf, i, &section, error);
            if (status != STATUS_OK)
                return status;
            if ((section.flags & SHF_ALLOC) == 0 || section.size == 0 || section.type == SHT_NULL)
                continue;
            if (section.address > MOST_IMAGE || section.size > MOST_IMAGE - section.address)
                return error_set(error, STATUS_FAILED, "the code object's section %s ends beyond %d MiB",
                                 section.name, MOST_IMAGE >> 20);
            uint64_t end = section.address + section.size;
            if (pass == 0) {
                kernel->image_size = end > kernel->image_size ? end : kernel->image_size;
                continue;
            }
            copied += section.size;
            if (copied > MOST_IMAGE)
                return error_set(error, STATUS_FAILED, "the code object's sections overlap");
            if (section.type != SHT_NOBITS)
                memcpy(kernel->image + section.address, elf->bytes + section.offset, section.size);
            if ((section.flags & SHF_EXECINSTR) != 0 && kernel->code_end == 0) {
                kernel->code = section.address;
                kernel->code_end = end;
            }
        }
        if (pass == 0)
            kernel->image = memory_zeroed(kernel->image_size + DESCRIPTOR_BYTES, 1);
    }
    if (kernel->code_end == 0 || kernel->code % 4 != 0)
        return error_set(error, STATUS_FAILED, "the code object has no code");
    return STATUS_OK;
}

/* The address of the kernel's descriptor. */
static enum status find_descriptor(const struct gcn_elf *elf, const char *name, uint64_t *address,
                                   struct error *error)
{
    char wanted[256];
    size_t searched = 0;
    snprintf(wanted, sizeof wanted, "%s.kd", name);
    for (unsigned i = 0; i < elf->section_count; i++) {
        struct gcn_section section;
        enum status status = gcn_elf_section(elf, i, &section, error);
        if (status != STATUS_OK)
            return status;
        if (section.type != SHT_SYMTAB && section.type != SHT_DYNSYM)
            continue;
        size_t count = gcn_elf_symbol_count(elf, &section);
        for (size_t j = 0; j < count && searched < MOST_SYMBOLS; j++, searched++) {
            struct gcn_symbol symbol;
            gcn_elf_symbol(elf, &section, j, &symbol);
            if (symbol.name != NULL && strcmp(symbol.name, wanted) == 0 && symbol.section != SHN_UNDEF) {
                *address = symbol.value;
                return STATUS_OK;
            }
        }
    }
    return error_set(error, STATUS_FAILED, "the code object has no kernel '%s' (no symbol %s)", name, wanted);
}

/* Refuses requests that a launch here does not support. */
static enum status check_needs(const struct wave_kernel *kernel, uint32_t scratch, struct error *error)
{
    if (scratch > 0) {
        error_set(error, STATUS_FAILED,
                  "the kernel uses %u bytes of scratch memory per work-item, which is not modelled", scratch);
        error_hint(error,
                   "compile with -O1 or higher: optimized kernels of this kind need no scratch memory");
        return STATUS_FAILED;
    }
    unsigned most = gcn_target_unified(kernel->target) ? 512 : 256;
    if (kernel->vgprs > most || kernel->lds_bytes > 64 << 10)
        return error_set(error, STATUS_FAILED,
                         "the kernel needs %u VGPRs and %u bytes of LDS; %u and 65536 bytes are available",
                         kernel->vgprs, kernel->lds_bytes, most);
    return STATUS_OK;
}

/* Sets the numbers of VGPRs and AccVGPRs: gfx908 has as many of each, later processors divide the
 * allocation. */
static void set_files(struct wave_kernel *kernel, unsigned accum_offset)
{
    unsigned first = (accum_offset + 1) * 4;
    bool divided = gcn_target_unified(kernel->target);
    bool twice = strcmp(kernel->target->name, "gfx908") == 0;
    kernel->plain = divided && first < kernel->vgprs ? first : kernel->vgprs;
    kernel->registers = twice ? 2 * kernel->vgprs : kernel->vgprs;
}

static enum status read_descriptor(struct wave_kernel *kernel, uint64_t address, struct error *error)
{
    static const unsigned char sizes[USERS] = {4, 2, 2, 2, 2, 2, 1};
    if (address > kernel->image_size || kernel->image_size - address < DESCRIPTOR_BYTES)
        return error_set(error, STATUS_FAILED, "the kernel's descriptor at 0x%llx lies outside the file",
                         (unsigned long long)address);
    const unsigned char *at = kernel->image + address;
    uint32_t first = gcn_read32(at + 48);
    uint32_t second = gcn_read32(at + 52);
    uint32_t properties = gcn_read32(at + 56);
    kernel->lds_bytes = gcn_read32(at);
    kernel->kernarg_bytes = gcn_read32(at + 8);
    kernel->entry = address + read64(at + 16);
    kernel->lanes = kernel->target->generation >= 10 && bits(properties, WAVE32, WAVE32) != 0 ? 32 : 64;
    kernel->room = gcn_target_room(kernel->target, kernel->lanes);
    if (kernel->room == NULL)
        return error_set(error, STATUS_UNAVAILABLE, "%s has no waves of %u lanes", kernel->target->name,
                         kernel->lanes);
    kernel->vgprs = (bits(first, 5, 0) + 1) * kernel->room->granule;
    set_files(kernel, bits(gcn_read32(at + 44), 5, 0));
    unsigned users = 0;
    for (unsigned i = 0; i < USERS; i++) {
        kernel->user[i] = (properties >> i & 1) != 0;
        users += kernel->user[i] ? sizes[i] : 0;
    }
    kernel->user_count = bits(second, 5, 1);
    kernel->user_count = users > kernel->user_count ? users : kernel->user_count;
    for (unsigned i = 0; i < 3; i++)
        kernel->group_id[i] = (second >> (7 + i) & 1) != 0;
    kernel->group_info = bits(second, 10, 10) != 0;
    kernel->scratch_offset = bits(second, 0, 0) != 0 && kernel->target->generation < 11;
    kernel->item_ids = bits(second, 12, 11);
    kernel->packed_items = gcn_target_unified(kernel->target) || kernel->target->generation >= 11;
    if (properties >> 16 != 0)
        return error_set(error, STATUS_FAILED, "the kernel has preloaded arguments, which are not modelled");
    if (kernel->entry % 4 != 0 || kernel->entry < kernel->code || kernel->entry >= kernel->code_end)
        return error_set(error, STATUS_FAILED, "the kernel begins at 0x%llx, outside the code",
                         (unsigned long long)kernel->entry);
    return check_needs(kernel, gcn_read32(at + 4), error);
}

enum status wave_kernel_load(const void *object, size_t size, const char *name, struct wave_kernel *kernel,
                             struct error *error)
{
    struct gcn_elf elf;
    uint64_t descriptor = 0;
    *kernel = (struct wave_kernel){0};
    enum status status = gcn_elf_open(object, size, &elf, error);
    if (status != STATUS_OK)
        return status;
    if (!elf.is_64 || elf.machine != EM_AMDGPU_FILE)
        return error_set(error, STATUS_FAILED,
                         "this is not a ROCm code object: its ELF machine is %u, expected %d", elf.machine,
                         EM_AMDGPU_FILE);
    if (elf.type != ET_DYN)
        return error_set(error, STATUS_FAILED,
                         "the code object is not linked (its ELF type is %u, expected %d): no "
                         "runtime would load it",
                         elf.type, ET_DYN);
    kernel->abi = elf.bytes[ABI_BYTE];
    kernel->target = gcn_target_of(GCN_CODE_MACH, elf.flags);
    if (kernel->target == NULL)
        return error_set(error, STATUS_UNAVAILABLE,
                         "code for an unknown processor cannot be executed here: only GFX6 to GFX12 are "
                         "supported");
    status = load_image(&elf, kernel, error);
    if (status == STATUS_OK)
        status = find_descriptor(&elf, name, &descriptor, error);
    return status == STATUS_OK ? read_descriptor(kernel, descriptor, error) : status;
}

void wave_kernel_free(struct wave_kernel *kernel)
{
    free(kernel->image);
    *kernel = (struct wave_kernel){0};
}
