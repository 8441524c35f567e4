#include "isa/gcn/link/metadata.h"

#include "isa/gcn/binary/elf.h"

#include <string.h>

enum { NOTE_HEADER = 12, NOTE_METADATA = 32 };

/* The reader's position in the metadata. */
struct pack_reader {
    const unsigned char *at, *end;
};

enum pack_kind { KIND_SCALAR, KIND_TEXT, KIND_ARRAY, KIND_MAP };

/* The bytes after a value's first byte: the value, or its length. */
static const struct head {
    unsigned char first, last;
    enum pack_kind kind;
    unsigned length_bytes; /* 0: the length is the first byte minus `first` */
    unsigned bytes;        /* further bytes of a scalar */
} heads[] = {
    {0x80, 0x8f, KIND_MAP, 0, 0},    {0x90, 0x9f, KIND_ARRAY, 0, 0},  {0xa0, 0xbf, KIND_TEXT, 0, 0},
    {0xd9, 0xd9, KIND_TEXT, 1, 0},   {0xda, 0xda, KIND_TEXT, 2, 0},   {0xdb, 0xdb, KIND_TEXT, 4, 0},
    {0xdc, 0xdc, KIND_ARRAY, 2, 0},  {0xdd, 0xdd, KIND_ARRAY, 4, 0},  {0xde, 0xde, KIND_MAP, 2, 0},
    {0xdf, 0xdf, KIND_MAP, 4, 0},    {0xc4, 0xc4, KIND_SCALAR, 1, 0}, {0xc5, 0xc5, KIND_SCALAR, 2, 0},
    {0xc6, 0xc6, KIND_SCALAR, 4, 0}, {0xc7, 0xc7, KIND_SCALAR, 1, 1}, {0xc8, 0xc8, KIND_SCALAR, 2, 1},
    {0xc9, 0xc9, KIND_SCALAR, 4, 1}, {0xca, 0xca, KIND_SCALAR, 0, 4}, {0xcb, 0xcb, KIND_SCALAR, 0, 8},
    {0xcc, 0xcc, KIND_SCALAR, 0, 1}, {0xcd, 0xcd, KIND_SCALAR, 0, 2}, {0xce, 0xce, KIND_SCALAR, 0, 4},
    {0xcf, 0xcf, KIND_SCALAR, 0, 8}, {0xd0, 0xd0, KIND_SCALAR, 0, 1}, {0xd1, 0xd1, KIND_SCALAR, 0, 2},
    {0xd2, 0xd2, KIND_SCALAR, 0, 4}, {0xd3, 0xd3, KIND_SCALAR, 0, 8}, {0xd4, 0xd4, KIND_SCALAR, 0, 2},
    {0xd5, 0xd5, KIND_SCALAR, 0, 3}, {0xd6, 0xd6, KIND_SCALAR, 0, 5}, {0xd7, 0xd7, KIND_SCALAR, 0, 9},
    {0xd8, 0xd8, KIND_SCALAR, 0, 17}};

/* A value's start: an array's or map's length, or a text's bytes at `bytes`. */
struct packed_value {
    enum pack_kind kind;
    uint64_t length;
    const char *bytes;
};

/* Reads a value up to its members. False at the end. */
static bool read_value(struct pack_reader *reader, struct packed_value *value)
{
    if (reader->at == reader->end)
        return false;
    unsigned first = *reader->at++;
    struct head head = {.kind = KIND_SCALAR, .first = (unsigned char)first};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (first >= heads[i].first && first <= heads[i].last)
            head = heads[i];
    if ((size_t)(reader->end - reader->at) < head.length_bytes)
        return false;
    *value = (struct packed_value){.kind = head.kind, .length = first - head.first};
    for (unsigned i = 0; i < head.length_bytes; i++)
        value->length = (i == 0 ? 0 : value->length << 8) | *reader->at++;
    value->bytes = (const char *)reader->at;
    if (head.kind == KIND_ARRAY || head.kind == KIND_MAP)
        return true;
    uint64_t size = value->length + head.bytes;
    if (size > (size_t)(reader->end - reader->at))
        return false;
    reader->at += size;
    return true;
}

/* Skips that many values with all their members. */
static bool skip(struct pack_reader *reader, uint64_t count)
{
    struct packed_value value;
    while (count > 0) {
        if (!read_value(reader, &value))
            return false;
        count--;
        if (value.kind == KIND_ARRAY)
            count += value.length;
        else if (value.kind == KIND_MAP)
            count += 2 * value.length;
    }
    return true;
}

static bool is_text(const struct packed_value *value, const char *text)
{
    return value->kind == KIND_TEXT && value->length == strlen(text) &&
           memcmp(value->bytes, text, value->length) == 0;
}

/* Reads a map and leaves `inside` at the key's value, or at NULL if the map lacks it. False if damaged. */
static bool find_key(struct pack_reader *reader, const char *key, struct pack_reader *inside)
{
    struct packed_value map;
    *inside = (struct pack_reader){0};
    if (!read_value(reader, &map) || map.kind != KIND_MAP)
        return false;
    for (uint64_t i = 0; i < map.length; i++) {
        struct packed_value name;
        struct pack_reader start = *reader;
        if (!read_value(reader, &name))
            return false;
        if (is_text(&name, key))
            *inside = *reader;
        *reader = start;
        if (!skip(reader, 2))
            return false;
    }
    return true;
}

static enum status damaged(struct error *error)
{
    return error_set(error, STATUS_FAILED,
                     "damaged code object metadata: it is not a list of kernels in MessagePack");
}

enum status gcn_metadata_kernels(const void *content, size_t size, gcn_metadata_visitor *visit, void *context,
                                 size_t *count, struct error *error)
{
    struct pack_reader reader = {content, (const unsigned char *)content + size};
    struct pack_reader kernels;
    struct packed_value list;
    *count = 0;
    if (!find_key(&reader, "amdhsa.kernels", &kernels))
        return damaged(error);
    if (kernels.at == NULL)
        return STATUS_OK;
    if (!read_value(&kernels, &list) || list.kind != KIND_ARRAY)
        return damaged(error);
    for (uint64_t i = 0; i < list.length; i++) {
        struct pack_reader symbol;
        struct packed_value name = {0};
        if (!find_key(&kernels, ".symbol", &symbol))
            return damaged(error);
        if (symbol.at != NULL && (!read_value(&symbol, &name) || name.kind != KIND_TEXT))
            return damaged(error);
        enum status status = visit == NULL ? STATUS_OK : visit(name.bytes, (int)name.length, context, error);
        if (status != STATUS_OK)
            return status;
        ++*count;
    }
    return STATUS_OK;
}

static uint64_t padded(uint32_t size)
{
    return ((uint64_t)size + 3) & ~UINT64_C(3);
}

static bool is_metadata(const unsigned char *note)
{
    return gcn_read32(note + 8) == NOTE_METADATA && gcn_read32(note) == sizeof "AMDGPU" &&
           memcmp(note + NOTE_HEADER, "AMDGPU", sizeof "AMDGPU") == 0;
}

enum status gcn_metadata_keep(void *notes, size_t *size, gcn_metadata_visitor *visit, void *context,
                              size_t *count, struct error *error)
{
    unsigned char *bytes = notes;
    size_t kept = 0;
    *count = 0;
    for (size_t at = 0; at < *size;) {
        const unsigned char *note = bytes + at;
        if (*size - at < NOTE_HEADER ||
            padded(gcn_read32(note)) + gcn_read32(note + 4) > *size - at - NOTE_HEADER)
            return error_set(error, STATUS_FAILED, "damaged note at offset %zu of %zu bytes of notes", at,
                             *size);
        uint64_t name = padded(gcn_read32(note));
        uint32_t content = gcn_read32(note + 4);
        uint64_t whole = NOTE_HEADER + name + padded(content);
        whole = whole > *size - at ? *size - at : whole;
        size_t kernels = 1;
        bool metadata = is_metadata(note);
        enum status status = STATUS_OK;
        if (metadata)
            status =
                gcn_metadata_kernels(note + NOTE_HEADER + name, content, visit, context, &kernels, error);
        if (status != STATUS_OK)
            return status;
        if (metadata && kernels > 0 && *count > 0)
            return error_set(error, STATUS_FAILED,
                             "two notes list kernels (%zu and %zu), but a code object has one", *count,
                             kernels);
        *count += metadata ? kernels : 0;
        if (kernels > 0) {
            memmove(bytes + kept, note, whole);
            kept += whole;
        }
        at += whole;
    }
    *size = kept;
    return STATUS_OK;
}
