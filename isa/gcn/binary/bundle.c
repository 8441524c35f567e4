#include "isa/gcn/binary/bundle.h"

#include <elf.h>
#include <string.h>

static const char MAGIC[] = "__CLANG_OFFLOAD_BUNDLE__";

enum { MAGIC_BYTES = sizeof MAGIC - 1, HEADER_BYTES = MAGIC_BYTES + 8, ENTRY_BYTES = 24 };

static uint64_t read64(const unsigned char *at)
{
    return gcn_read32(at) | (uint64_t)gcn_read32(at + 4) << 32;
}

bool gcn_bundle_is(const unsigned char *bytes, size_t size)
{
    return size >= MAGIC_BYTES && memcmp(bytes, MAGIC, MAGIC_BYTES) == 0;
}

enum status gcn_bundle_open(const unsigned char *bytes, size_t size, struct gcn_bundle *bundle,
                            struct error *error)
{
    if (size < HEADER_BYTES)
        return error_set(error, STATUS_FAILED, "damaged offload bundle: it ends within its header");
    *bundle = (struct gcn_bundle){.bytes = bytes,
                                  .size = size,
                                  .count = read64(bytes + MAGIC_BYTES),
                                  .next = HEADER_BYTES,
                                  .end = HEADER_BYTES};
    return STATUS_OK;
}

enum status gcn_bundle_next(struct gcn_bundle *bundle, struct gcn_bundled *entry, struct error *error)
{
    const unsigned char *header = bundle->bytes + bundle->next;
    size_t left = bundle->size - bundle->next;
    if (left < ENTRY_BYTES || read64(header + 16) > left - ENTRY_BYTES)
        return error_set(error, STATUS_FAILED, "damaged offload bundle: it ends within its list of %llu",
                         (unsigned long long)bundle->count);
    uint64_t offset = read64(header);
    uint64_t size = read64(header + 8);
    *entry = (struct gcn_bundled){.name = (const char *)header + ENTRY_BYTES,
                                  .name_length = (size_t)read64(header + 16)};
    if (offset > bundle->size || size > bundle->size - offset)
        return error_set(
            error, STATUS_FAILED,
            "damaged offload bundle: '%.*s' (0x%llx bytes at offset 0x%llx) does not lie within its "
            "%zu bytes",
            entry->name_length < 100 ? (int)entry->name_length : 100, entry->name, (unsigned long long)size,
            (unsigned long long)offset, bundle->size);
    entry->offset = (size_t)offset;
    entry->size = (size_t)size;
    bundle->next += ENTRY_BYTES + entry->name_length;
    size_t end = entry->offset + entry->size > bundle->next ? entry->offset + entry->size : bundle->next;
    bundle->end = end > bundle->end ? end : bundle->end;
    return STATUS_OK;
}

bool gcn_bundled_is_code(const struct gcn_bundled *entry)
{
    return entry->size > 0 && memmem(entry->name, entry->name_length, "amdgcn", 6) != NULL;
}

static bool find_section(const struct gcn_elf *host, const char *name, struct gcn_section *section)
{
    for (unsigned i = 0; i < host->section_count; i++) {
        struct error none;
        if (gcn_elf_section(host, i, section, &none) == STATUS_OK && section->type != SHT_NOBITS &&
            section->size > 0 && strcmp(section->name, name) == 0)
            return true;
    }
    return false;
}

bool gcn_bundle_section(const struct gcn_elf *host, struct gcn_section *section)
{
    return find_section(host, ".hip_fatbin", section);
}

const char *gcn_host_hint(const struct gcn_elf *host)
{
    static const char *const hints[][2] = {
        {".gnu.offload_funcs", "GCC does not mark GPU code in a program; compile with -save-temps, which "
                               "leaves it in a file *.mkoffload.hsaco"},
        {".llvm.offloading", "clang-offload-packager extracts the GPU code"},
    };
    struct gcn_section section;
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (find_section(host, hints[i][0], &section))
            return hints[i][1];
    return "supported are ROCm code objects, bundles of them, host programs with a section .hip_fatbin, and "
           "Catalyst's OpenCL 1.2 and 2.0 binaries";
}

size_t gcn_bundle_find(const unsigned char *bytes, size_t size, size_t from)
{
    const unsigned char *found = memmem(bytes + from, size - from, MAGIC, MAGIC_BYTES);
    return found == NULL ? size : (size_t)(found - bytes);
}

/* Output of the HIP compiler and OpenCL runtimes that is packed, or is not machine code yet. */
static const struct packed {
    const char *magic;
    size_t length;
    const char *what, *hint;
} packed[] = {
    {"CCOB", 4, "a compressed offload bundle",
     "clang-offload-bundler -unbundle -type=o -input=IN -targets=hipv4-amdgcn-amd-amdhsa--gfx90a "
     "-output=OUT, "
     "or compile with -no-offload-compress"},
    {"\x10\xff\x10\xad", 4, "an offload binary of clang's linker wrapper",
     "clang-offload-packager IN --image=file=OUT,triple=amdgcn-amd-amdhsa,arch=gfx90a"},
    {"BC\xc0\xde", 4, "LLVM bitcode, which is not machine code yet", "clang compiles and links it"},
    {"!<arch>\n", 8, "an archive of files", "ar x IN unpacks it"},
};

/* Both forms of bundles continue with a small version number. */
size_t gcn_packed_find(const unsigned char *bytes, size_t size, size_t from, const char **what)
{
    enum { FORMS = 2, VERSION_AT = 4, VERSION_MOST = 16 };
    size_t first = size;
    for (size_t i = 0; i < FORMS; i++)
        for (size_t at = from; at < first;) {
            const unsigned char *found = memmem(bytes + at, first - at, packed[i].magic, packed[i].length);
            if (found == NULL)
                break;
            at = (size_t)(found - bytes);
            if (size - at > VERSION_AT + 1 && found[VERSION_AT] > 0 && found[VERSION_AT] < VERSION_MOST &&
                found[VERSION_AT + 1] == 0) {
                first = at;
                *what = packed[i].what;
            }
            at += packed[i].length;
        }
    return first;
}

enum status gcn_packed(const unsigned char *bytes, size_t size, struct error *error)
{
    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) {
        if (size < packed[i].length || memcmp(bytes, packed[i].magic, packed[i].length) != 0)
            continue;
        error_set(error, STATUS_FAILED, "%s, which must be unpacked first", packed[i].what);
        error_hint(error, "%s", packed[i].hint);
        return STATUS_FAILED;
    }
    return STATUS_OK;
}
