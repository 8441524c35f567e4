#include "isa/gcn/patch/find.h"

#include "base/memory.h"
#include "isa/gcn/binary/elf.h"
#include "isa/gcn/walk/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARKER_WORD UINT32_C(0xb0007a5a)
#define MARKER_MASK UINT32_C(0xff80ffff)
#define BLANKS " \t"

enum { MATCHES_MOST = 1 << 16 };

static void put_word(unsigned char *at, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (unsigned char)(word >> 8 * i);
}

/* Reads words such as "0xbe8103ff 81000210"; returns 0 if the text is anything else, or has too many. */
static size_t parse_words(const char *text, uint32_t words[GCN_INSTRUCTION_BYTES / 4])
{
    static const char DIGITS[] = "0123456789abcdefABCDEF";
    size_t count = 0;
    for (text += strspn(text, BLANKS); *text != '\0'; text += strspn(text, BLANKS)) {
        text += strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0 ? 2 : 0;
        if (strspn(text, DIGITS) != 8 || count == GCN_INSTRUCTION_BYTES / 4)
            return 0;
        words[count++] = (uint32_t)strtoul(
            (char[9]){text[0], text[1], text[2], text[3], text[4], text[5], text[6], text[7], '\0'}, NULL,
            16);
        text += 8;
    }
    return count;
}

enum status gcn_pattern_parse(const struct gcn_target *target, const char *text, struct gcn_pattern *pattern,
                              struct error *error)
{
    uint32_t words[GCN_INSTRUCTION_BYTES / 4] = {MARKER_WORD};
    size_t count = text == NULL ? 1 : parse_words(text, words);
    *pattern = (struct gcn_pattern){.length = 4 * count, .mask = text == NULL ? MARKER_MASK : UINT32_MAX};
    if (text == NULL)
        snprintf(pattern->text, sizeof pattern->text, "s_movk_i32 sN, 0x7a5a");
    else if (count == 0)
        snprintf(pattern->text, sizeof pattern->text, "%s", text + strspn(text, BLANKS));
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(pattern->text);
        put_word(pattern->bytes + 4 * i, words[i]);
        if (text != NULL)
            snprintf(pattern->text + used, sizeof pattern->text - used, "%s%08x", i == 0 ? "" : " ",
                     words[i]);
    }
    return count > 0 ? STATUS_OK : gcn_assemble(target, text, pattern->bytes, &pattern->length, error);
}

bool gcn_pattern_matches(const struct gcn_pattern *pattern, const unsigned char *at, size_t left)
{
    return left >= pattern->length && ((gcn_read32(at) ^ gcn_read32(pattern->bytes)) & pattern->mask) == 0 &&
           memcmp(at + 4, pattern->bytes + 4, pattern->length - 4) == 0;
}

/* True if the piece contains the pattern's bytes anywhere; only such pieces need a walk. */
static bool may_have(const struct gcn_pattern *pattern, const unsigned char *bytes, size_t size)
{
    for (size_t at = 0; at + 4 <= size; at += 4)
        if (gcn_pattern_matches(pattern, bytes + at, size - at))
            return true;
    return false;
}

static enum status add(struct gcn_found *found, const struct gcn_piece *piece, size_t offset,
                       struct error *error)
{
    if (found->count == MATCHES_MOST)
        return error_set(error, STATUS_FAILED, "the placeholder occurs more than %d times", MATCHES_MOST);
    found->list = memory_next(found->list, found->count, sizeof *found->list);
    found->list[found->count++] = (struct gcn_match){piece, offset};
    return STATUS_OK;
}

static enum status not_clear(const struct gcn_piece *piece, size_t offset, const struct gcn_map *map,
                             struct error *error)
{
    const char *target = piece->target->name;
    size_t unknown = piece->offset + map->lost_at;
    if (map->places[(offset - piece->offset) / 4] == GCN_PLACE_SHARED)
        error_set(error, STATUS_FAILED,
                  "the placeholder's bytes at 0x%zx are both an instruction and a part of another: control "
                  "flow reaches both",
                  offset);
    else if (!map->lost)
        error_set(error, STATUS_FAILED,
                  "the placeholder's bytes at 0x%zx follow words that are not instructions of %s and that "
                  "control flow does not reach: instruction boundaries are unclear there",
                  offset, target);
    else if (offset == unknown)
        error_set(error, STATUS_FAILED,
                  "the placeholder's bytes are at 0x%zx, where they are not an instruction of %s", offset,
                  target);
    else
        error_set(error, STATUS_FAILED,
                  "the placeholder's bytes at 0x%zx follow those at 0x%zx, which are not an instruction of "
                  "%s: instruction boundaries are unclear there",
                  offset, unknown, target);
    error_hint(error, "--kernel searches one function only, if that is another one");
    return STATUS_FAILED;
}

/* Counts the location; the first one is reported. */
static void note(struct gcn_noted *noted, size_t offset)
{
    if (noted->count++ == 0)
        noted->first = offset;
}

/* The role of the pattern's bytes at that location. */
static enum status judge(const struct gcn_code *code, const struct gcn_piece *piece,
                         const struct gcn_pattern *pattern, const struct gcn_map *map, size_t at,
                         bool unreached, struct gcn_found *found, struct error *error)
{
    size_t offset = piece->offset + at;
    enum gcn_place place = map->places[at / 4];
    bool whole = map->lengths[at / 4] == pattern->length;
    if (place == GCN_PLACE_SHARED ||
        (map->lost && at >= map->lost_at && place != GCN_PLACE_REACHED && place != GCN_PLACE_WITHIN))
        return not_clear(piece, offset, map, error);
    if (place == GCN_PLACE_REACHED || place == GCN_PLACE_WITHIN) {
        if (place == GCN_PLACE_REACHED && whole)
            return add(found, piece, offset, error);
        note(place == GCN_PLACE_REACHED ? &found->longer : &found->literals, offset);
    } else if (gcn_code_is_data(code, offset)) {
        note(&found->data, offset);
    } else if (place == GCN_PLACE_UNREACHED && whole) {
        if (unreached)
            return add(found, piece, offset, error);
        note(&found->unreached, offset);
    } else if (place == GCN_PLACE_UNCLEAR && whole && unreached) {
        return not_clear(piece, offset, map, error);
    } else {
        note(&found->data, offset);
    }
    return STATUS_OK;
}

static enum status walk(const unsigned char *file, const struct gcn_code *code, const struct gcn_piece *piece,
                        const struct gcn_pattern *pattern, struct gcn_walker *walker, bool unreached,
                        struct gcn_found *found, struct error *error)
{
    struct gcn_map map;
    enum status status = gcn_map_read(walker, file, piece, &map, error);
    if (status != STATUS_OK)
        return status;
    for (size_t at = 0; status == STATUS_OK && at + 4 <= piece->size; at += 4)
        if (gcn_pattern_matches(pattern, file + piece->offset + at, piece->size - at))
            status = judge(code, piece, pattern, &map, at, unreached, found, error);
    gcn_map_free(&map);
    return status;
}

bool gcn_piece_is(const struct gcn_piece *piece, const char *kernel)
{
    return kernel == NULL || (strlen(kernel) == (size_t)piece->kernel_length &&
                              memcmp(kernel, piece->kernel, strlen(kernel)) == 0);
}

enum status gcn_find(const unsigned char *file, const struct gcn_code *code, const char *kernel,
                     const struct gcn_pattern *pattern, struct gcn_walker *walker, bool unreached,
                     struct gcn_found *found, struct error *error)
{
    const struct gcn_piece *last = NULL;
    enum status status = STATUS_OK;
    *found = (struct gcn_found){0};
    for (size_t i = 0; status == STATUS_OK && i < code->count; i++) {
        const struct gcn_piece *piece = &code->pieces[i];
        if (!gcn_piece_is(piece, kernel) ||
            (last != NULL && last->offset == piece->offset && last->size == piece->size))
            continue; /* another kernel, or another name of the previous one */
        last = piece;
        found->pieces++;
        if (may_have(pattern, file + piece->offset, piece->size))
            status = walk(file, code, piece, pattern, walker, unreached, found, error);
    }
    if (status != STATUS_OK)
        gcn_found_free(found);
    return status;
}

void gcn_found_free(struct gcn_found *found)
{
    free(found->list);
    *found = (struct gcn_found){0};
}
