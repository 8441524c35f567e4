/* Finding an instruction in a binary's code: walked instruction by instruction, so that a literal is never
 * taken for one. */
#ifndef ISA_GCN_FIND_H
#define ISA_GCN_FIND_H

#include "isa/gcn/code.h"
#include "isa/gcn/walk.h"

#include <stdint.h>

/* The instruction that is sought. Bits outside the mask of its first word may be any. */
struct gcn_pattern {
    unsigned char bytes[GCN_INSTRUCTION_BYTES];
    size_t length;
    uint32_t mask;
    char text[GCN_TEXT_BYTES]; /* as it was asked for */
};

struct gcn_match {
    const struct gcn_piece *piece;
    size_t offset; /* in the file */
};

/* All zeros is empty. Free it with gcn_found_free. */
struct gcn_found {
    struct gcn_match *list; /* in the order of the file */
    size_t count;
    size_t pieces;     /* functions that were looked through */
    size_t literals;   /* places with the same bytes that are no instruction */
    size_t literal_at; /* the first of them */
};

/* From text: NULL is the marker, eight hexadecimal digits are a word, all else is assembled. */
enum status gcn_pattern_parse(const struct gcn_target *target, const char *text, struct gcn_pattern *pattern,
                              struct error *error);

/* True when the place, with so many bytes left, has the pattern's bytes, of which there are at least four. */
bool gcn_pattern_matches(const struct gcn_pattern *pattern, const unsigned char *at, size_t left);

/* Looks through the pieces that belong to the kernel (NULL: all). STATUS_FAILED where a match stands behind
 * bytes that are no instruction, as it is not clear then where instructions begin. */
enum status gcn_find(const unsigned char *file, const struct gcn_code *code, const char *kernel,
                     const struct gcn_pattern *pattern, struct gcn_walker *walker, struct gcn_found *found,
                     struct error *error);
void gcn_found_free(struct gcn_found *found);

/* True when the piece is the kernel's; any is for NULL. */
bool gcn_piece_is(const struct gcn_piece *piece, const char *kernel);

#endif
