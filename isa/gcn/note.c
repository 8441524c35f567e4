#include "isa/gcn/note.h"

#include "isa/gcn/functions.h"

#include <elf.h>
#include <string.h>

enum { NOTE_HEADER = 12, ISA_VERSION = 3, VERSION_BYTES = 16 };

/* Sizes of names and contents are rounded up to words. */
static uint64_t padded(uint32_t size)
{
    return ((uint64_t)size + 3) & ~UINT64_C(3);
}

static const struct gcn_target *read_notes(const unsigned char *bytes, uint64_t size)
{
    for (uint64_t at = 0; size - at >= NOTE_HEADER;) {
        uint64_t name = padded(gcn_read32(bytes + at));
        uint64_t content = padded(gcn_read32(bytes + at + 4));
        const unsigned char *note = bytes + at;
        at += NOTE_HEADER;
        if (name + content > size - at)
            return NULL;
        if (gcn_read32(note + 8) == ISA_VERSION && name == 4 && memcmp(note + NOTE_HEADER, "AMD", 4) == 0 &&
            content >= VERSION_BYTES) {
            const unsigned char *version = note + NOTE_HEADER + name;
            return gcn_target_version(gcn_read32(version + 4), gcn_read32(version + 8),
                                      gcn_read32(version + 12));
        }
        at += name + content;
    }
    return NULL;
}

enum status gcn_note_target(const struct gcn_elf *elf, size_t *work, const struct gcn_target **target,
                            struct error *error)
{
    enum status status = gcn_work(work, elf->section_count, error);
    *target = NULL;
    for (unsigned i = 0; status == STATUS_OK && *target == NULL && i < elf->section_count; i++) {
        struct gcn_section section;
        status = gcn_elf_section(elf, i, &section, error);
        if (status != STATUS_OK || section.type != SHT_NOTE)
            continue;
        status = gcn_work(work, (size_t)(section.size / NOTE_HEADER), error);
        if (status == STATUS_OK)
            *target = read_notes(elf->bytes + section.offset, section.size);
    }
    return status;
}
