#include "runner/sources/wave/wave_parts.h"

#include "isa/gcn/binary/binary_code.h"
#include "isa/gcn/binary/elf.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

/* The beginnings of binaries that are not machine code of AMD's GPUs. */
static const struct beginning {
    const char *bytes;
    size_t size;
    const char *what;
} beginnings[] = {
    {"poclbin", 7, "PoCL's own form, without machine code of AMD's GPUs"},
    {"//", 2, "PTX, as NVIDIA's runtime makes it"},
    {".version", 8, "PTX, as NVIDIA's runtime makes it"},
    {"\x03\x02\x23\x07", 4, "SPIR-V, which a driver compiles further"},
    {"BC\xc0\xde", 4, "LLVM's IR, which a driver compiles further"},
};

static void describe(const unsigned char *bytes, size_t size, char what[120])
{
    struct gcn_elf elf;
    struct error damage;
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (size >= beginnings[i].size && memcmp(bytes, beginnings[i].bytes, beginnings[i].size) == 0) {
            snprintf(what, 120, "%s", beginnings[i].what);
            return;
        }
    if (gcn_elf_is(bytes, size) && gcn_elf_open(bytes, size, &elf, &damage) == STATUS_OK)
        snprintf(what, 120, "an ELF file for the machine %u, which is not an AMD GPU", elf.machine);
    else
        snprintf(what, 120, "of no known form: %zu bytes that begin with %02x %02x", size,
                 size > 0 ? bytes[0] : 0, size > 1 ? bytes[1] : 0);
}

/* Finds the file that contains the piece of code: of nested files the innermost, whose header is the nearest
 * before it. */
static bool take_file(const struct gcn_piece *piece, const void **bytes, size_t *size)
{
    const unsigned char *file = *bytes;
    struct gcn_elf elf;
    struct error unread;
    size_t at = piece->offset;
    while (at > 0 && !gcn_elf_is(file + at, *size - at))
        at--;
    if (gcn_elf_open(file + at, *size - at, &elf, &unread) != STATUS_OK || elf.machine != EM_AMDGPU ||
        elf.type != ET_DYN)
        return false;
    *bytes = file + at;
    *size -= at;
    return true;
}

enum status runtime_binary_find(const char *which, const char *arch, const void **bytes, size_t *size,
                                struct error *error)
{
    struct gcn_code code = {0};
    struct error unread;
    char what[120] = "";
    size_t own = 0;
    bool found = gcn_code_find(*bytes, *size, &code, &unread) == STATUS_OK;
    while (own < code.count && strcmp(code.pieces[own].target->name, arch) != 0)
        own++;
    if (!found)
        describe(*bytes, *size, what);
    else if (own == code.count)
        snprintf(what, sizeof what, "code for %s", code.pieces[0].target->name);
    else if (!take_file(&code.pieces[own], bytes, size))
        snprintf(what, sizeof what,
                 "Catalyst's or not linked, and its kernels' calling convention is not modelled");
    gcn_code_free(&code);
    if (what[0] == '\0')
        return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE, "%s is %s; only a code object for %s can be executed here",
                     which, what, arch);
}

/* Metadata is MessagePack: the first byte of a short text contains its length. */
bool runtime_binary_has_arguments(const void *bytes, size_t size)
{
    static const char kind[] = ".value_kind", kernel[] = ".kernarg_segment_size", hidden[] = "hidden_";
    static const char *const wanted[] = {"by_value", "by_value", "global_buffer", "global_buffer"};
    enum { WANTED = sizeof wanted / sizeof wanted[0], TEXT = 0xa0, TEXT_MOST = 31 };
    const char *at = bytes, *end = at + size, *other = memmem(bytes, size, kernel, strlen(kernel));
    size_t count = 0;
    bool same = true;
    if (other == NULL || memmem(other + 1, (size_t)(end - other) - 1, kernel, strlen(kernel)) != NULL)
        return true; /* none is stated, or several are */
    while ((at = memmem(at, (size_t)(end - at), kind, strlen(kind))) != NULL) {
        at += strlen(kind);
        size_t length = at == end ? 0 : ((unsigned char)*at ^ TEXT);
        if (length > TEXT_MOST || length >= (size_t)(end - at))
            break;
        if (length > strlen(hidden) && memcmp(at + 1, hidden, strlen(hidden)) == 0)
            continue;
        same = same && count < WANTED && length == strlen(wanted[count]) &&
               memcmp(at + 1, wanted[count], length) == 0;
        count++;
    }
    return same && count == WANTED;
}
