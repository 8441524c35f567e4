#include "isa/gcn/find.h"

#include "isa/gcn/lengths.h"

#include "isa/gcn/elf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARKER_WORD UINT32_C(0xb0007a5a)
#define MARKER_MASK UINT32_C(0xff80ffff)

enum { MATCHES_MOST = 1 << 16 };

static void put_word(unsigned char *at, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (unsigned char)(word >> 8 * i);
}

static bool parse_word(const char *text, uint32_t *word)
{
    static const char DIGITS[] = "0123456789abcdefABCDEF";
    text += strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0 ? 2 : 0;
    if (strlen(text) != 8 || strspn(text, DIGITS) != 8)
        return false;
    *word = (uint32_t)strtoul(text, NULL, 16);
    return true;
}

enum status gcn_pattern_parse(const struct gcn_target *target, const char *text, struct gcn_pattern *pattern,
                              struct error *error)
{
    uint32_t word = MARKER_WORD;
    *pattern = (struct gcn_pattern){.length = 4, .mask = UINT32_MAX};
    if (text == NULL) {
        pattern->mask = MARKER_MASK;
        snprintf(pattern->text, sizeof pattern->text, "s_movk_i32 sN, 0x7a5a");
    } else if (parse_word(text, &word)) {
        snprintf(pattern->text, sizeof pattern->text, "%08x", word);
    } else {
        snprintf(pattern->text, sizeof pattern->text, "%s", text + strspn(text, " \t"));
        return gcn_assemble(target, text, pattern->bytes, &pattern->length, error);
    }
    put_word(pattern->bytes, word);
    return STATUS_OK;
}

bool gcn_pattern_matches(const struct gcn_pattern *pattern, const unsigned char *at, size_t left)
{
    return left >= pattern->length && ((gcn_read32(at) ^ gcn_read32(pattern->bytes)) & pattern->mask) == 0 &&
           memcmp(at + 4, pattern->bytes + 4, pattern->length - 4) == 0;
}

/* True when some place in the piece has the pattern's bytes; few have, and only those are worth walking. */
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
        return error_set(error, STATUS_FAILED, "the placeholder is there more than %d times", MATCHES_MOST);
    if ((found->count & (found->count - 1)) == 0) {
        void *grown = realloc(found->list, (found->count == 0 ? 1 : found->count * 2) * sizeof *found->list);
        if (grown == NULL)
            abort();
        found->list = grown;
    }
    found->list[found->count++] = (struct gcn_match){piece, offset};
    return STATUS_OK;
}

static enum status not_clear(const struct gcn_piece *piece, size_t offset, size_t unknown,
                             struct error *error)
{
    const char *target = piece->target->name;
    if (offset == unknown)
        error_set(error, STATUS_FAILED,
                  "the placeholder's bytes are at 0x%zx, where they are no instruction of %s", offset,
                  target);
    else
        error_set(
            error, STATUS_FAILED,
            "the placeholder's bytes at 0x%zx stand behind those at 0x%zx, which are no instruction of %s: "
            "where instructions begin is not clear there",
            offset, unknown, target);
    error_hint(error, "--kernel keeps to one function, if that is another one");
    return STATUS_FAILED;
}

/* What no instruction begins with but fills the room between functions. */
static bool is_filling(const unsigned char *at)
{
    return gcn_read32(at) == 0;
}

static enum status match(const unsigned char *file, const struct gcn_piece *piece,
                         const struct gcn_pattern *pattern, const unsigned char *lengths,
                         struct gcn_found *found, struct error *error)
{
    const unsigned char *bytes = file + piece->offset;
    bool lost = false;
    size_t lost_at = 0;
    for (size_t at = 0; at + 4 <= piece->size;) {
        size_t left = piece->size - at;
        size_t length = lengths[at / 4];
        if (length == 0 && !lost && !is_filling(bytes + at)) {
            lost = true;
            lost_at = piece->offset + at;
        }
        if (gcn_pattern_matches(pattern, bytes + at, left) && (lost || length == 0))
            return not_clear(piece, piece->offset + at, lost_at, error);
        size_t end = at + (length == 0 ? 4 : length);
        bool whole = length == pattern->length && gcn_pattern_matches(pattern, bytes + at, left);
        if (whole && add(found, piece, piece->offset + at, error) != STATUS_OK)
            return STATUS_FAILED;
        for (size_t i = whole ? end : at; i < end; i += 4)
            if (gcn_pattern_matches(pattern, bytes + i, piece->size - i) && found->literals++ == 0)
                found->literal_at = piece->offset + i;
        at = end;
    }
    return STATUS_OK;
}

static enum status walk(const unsigned char *file, const struct gcn_piece *piece,
                        const struct gcn_pattern *pattern, struct gcn_walker *walker, struct gcn_found *found,
                        struct error *error)
{
    unsigned char *lengths = calloc(piece->size / 4 + 1, 1);
    if (lengths == NULL)
        abort();
    enum status status = gcn_lengths(walker, file + piece->offset, piece->size, lengths, error);
    if (status == STATUS_OK)
        status = match(file, piece, pattern, lengths, found, error);
    free(lengths);
    return status;
}

bool gcn_piece_is(const struct gcn_piece *piece, const char *kernel)
{
    return kernel == NULL || (strlen(kernel) == (size_t)piece->kernel_length &&
                              memcmp(kernel, piece->kernel, strlen(kernel)) == 0);
}

enum status gcn_find(const unsigned char *file, const struct gcn_code *code, const char *kernel,
                     const struct gcn_pattern *pattern, struct gcn_walker *walker, struct gcn_found *found,
                     struct error *error)
{
    const struct gcn_piece *last = NULL;
    enum status status = STATUS_OK;
    *found = (struct gcn_found){0};
    for (size_t i = 0; status == STATUS_OK && i < code->count; i++) {
        const struct gcn_piece *piece = &code->pieces[i];
        if (!gcn_piece_is(piece, kernel) ||
            (last != NULL && last->offset == piece->offset && last->size == piece->size))
            continue; /* another kernel, or another name of the last one */
        last = piece;
        found->pieces++;
        if (may_have(pattern, file + piece->offset, piece->size))
            status = walk(file, piece, pattern, walker, found, error);
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
