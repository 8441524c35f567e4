/* Finding an instruction in a binary's code: walked instruction by instruction as control flow goes, so that
 * neither a literal nor data is taken for one. */
#ifndef ISA_GCN_FIND_H
#define ISA_GCN_FIND_H

#include "isa/gcn/code.h"
#include "isa/gcn/walk.h"

#include <stdbool.h>
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

/* Places with the pattern's bytes that are not taken; first is an offset in the file. */
struct gcn_noted {
    size_t count, first;
};

/* All zeros is empty. Free it with gcn_found_free. */
struct gcn_found {
    struct gcn_match *list; /* in the order of the file */
    size_t count;
    size_t pieces;              /* functions that were looked through */
    struct gcn_noted literals;  /* within another instruction */
    struct gcn_noted longer;    /* they begin a longer instruction */
    struct gcn_noted unreached; /* they would be that instruction, were control flow to come there */
    struct gcn_noted data;      /* nothing comes there, and they would not */
};

/* From text: NULL is the marker, eight hexadecimal digits are a word, several apart the words of a longer
 * instruction; all else is assembled. */
enum status gcn_pattern_parse(const struct gcn_target *target, const char *text, struct gcn_pattern *pattern,
                              struct error *error);

/* True when the place, with so many bytes left, has the pattern's bytes, of which there are at least four. */
bool gcn_pattern_matches(const struct gcn_pattern *pattern, const unsigned char *at, size_t left);

/* Looks through the pieces that belong to the kernel (NULL: all). Only what control flow reaches from a
 * piece's entry is a match, unless unreached says otherwise. STATUS_FAILED where a match stands behind bytes
 * that are no instruction, as it is not clear then where instructions begin. */
enum status gcn_find(const unsigned char *file, const struct gcn_code *code, const char *kernel,
                     const struct gcn_pattern *pattern, struct gcn_walker *walker, bool unreached,
                     struct gcn_found *found, struct error *error);
void gcn_found_free(struct gcn_found *found);

/* True when the piece is the kernel's; any is for NULL. */
bool gcn_piece_is(const struct gcn_piece *piece, const char *kernel);

#endif
