/* A map of a piece of machine code: where its instructions begin, and which of them control flow reaches from
 * the entry. The rest is data, padding or dead code. */
#ifndef ISA_GCN_WALK_MAP_H
#define ISA_GCN_WALK_MAP_H

#include "isa/gcn/binary/binary_code.h"
#include "isa/gcn/walk/walk.h"

#include <stdbool.h>
#include <stddef.h>

/* The role of a code word. */
enum gcn_place {
    GCN_PLACE_NONE,      /* no instruction begins here */
    GCN_PLACE_REACHED,   /* one begins here and control flow reaches it */
    GCN_PLACE_WITHIN,    /* a later word of a reached instruction */
    GCN_PLACE_SHARED,    /* a reached instruction begins within another */
    GCN_PLACE_UNREACHED, /* one begins here in a linear walk, but control flow does not reach it */
    GCN_PLACE_UNCLEAR,   /* the same, but after a word that is not an instruction */
};

/* Free it with gcn_map_free. */
struct gcn_map {
    size_t words;
    unsigned char *lengths; /* [words], of gcn_lengths */
    unsigned char *places;  /* [words], of enum gcn_place */
    bool lost;              /* control flow reaches a word that is not an instruction */
    size_t lost_at;         /* the first such word, in bytes */
};

/* The piece's entry is its first byte. STATUS_FAILED if no process can be created. */
enum status gcn_map_read(struct gcn_walker *walker, const unsigned char *file, const struct gcn_piece *piece,
                         struct gcn_map *map, struct error *error);
void gcn_map_free(struct gcn_map *map);

#endif
