/* Finds an instruction in a binary's code by following control flow, so that neither literals nor data match.
 */
#ifndef ISA_GCN_PATCH_FIND_H
#define ISA_GCN_PATCH_FIND_H

#include "isa/gcn/binary/binary_code.h"
#include "isa/gcn/walk/walk.h"

#include <stdbool.h>
#include <stdint.h>

/* The instruction to find. Bits outside the mask of its first word are ignored. */
struct gcn_pattern {
    unsigned char bytes[GCN_INSTRUCTION_BYTES];
    size_t length;
    uint32_t mask;
    char text[GCN_TEXT_BYTES]; /* as requested */
};

struct gcn_match {
    const struct gcn_piece *piece;
    size_t offset; /* in the file */
};

/* Occurrences of the pattern's bytes that do not count as matches; first is a file offset. */
struct gcn_noted {
    size_t count, first;
};

/* All zeros is empty. Free it with gcn_found_free. */
struct gcn_found {
    struct gcn_match *list; /* in file order */
    size_t count;
    size_t pieces;              /* functions searched */
    struct gcn_noted literals;  /* within another instruction */
    struct gcn_noted longer;    /* the start of a longer instruction */
    struct gcn_noted unreached; /* that instruction, but not reached by control flow */
    struct gcn_noted data;      /* not reached, and not that instruction */
};

/* Parses text: NULL is the marker; eight hexadecimal digits are a word, several of them a longer instruction;
 * anything else is assembled. */
enum status gcn_pattern_parse(const struct gcn_target *target, const char *text, struct gcn_pattern *pattern,
                              struct error *error);

/* True if the bytes at `at`, of which `left` remain, match the pattern, which has at least four. */
bool gcn_pattern_matches(const struct gcn_pattern *pattern, const unsigned char *at, size_t left);

/* Searches the kernel's pieces (NULL: all). Only instructions that control flow reaches from a piece's entry
 * match, unless unreached is set. STATUS_FAILED if a match follows bytes that are not an instruction, because
 * instruction boundaries are then unclear. */
enum status gcn_find(const unsigned char *file, const struct gcn_code *code, const char *kernel,
                     const struct gcn_pattern *pattern, struct gcn_walker *walker, bool unreached,
                     struct gcn_found *found, struct error *error);
void gcn_found_free(struct gcn_found *found);

/* True if the piece belongs to the kernel, or kernel is NULL. */
bool gcn_piece_is(const struct gcn_piece *piece, const char *kernel);

#endif
