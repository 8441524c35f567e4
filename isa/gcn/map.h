/* A map of a piece of machine code: where its instructions begin, and which of them control flow reaches from
 * the entry. What it does not reach is data, padding or dead. */
#ifndef ISA_GCN_MAP_H
#define ISA_GCN_MAP_H

#include "isa/gcn/code.h"
#include "isa/gcn/walk.h"

#include <stdbool.h>
#include <stddef.h>

/* What a word of the code is. */
enum gcn_place {
    GCN_PLACE_NONE,      /* no instruction begins here */
    GCN_PLACE_REACHED,   /* one does, and control flow comes to it */
    GCN_PLACE_WITHIN,    /* a later word of a reached one */
    GCN_PLACE_SHARED,    /* a reached one begins within another */
    GCN_PLACE_UNREACHED, /* one does where the code before it is read on, but control flow does not come here
                          */
    GCN_PLACE_UNCLEAR,   /* likewise, behind a word that is no instruction */
};

/* Free it with gcn_map_free. */
struct gcn_map {
    size_t words;
    unsigned char *lengths; /* [words], of gcn_lengths */
    unsigned char *places;  /* [words], of enum gcn_place */
    bool lost;              /* control flow comes to a word that is no instruction */
    size_t lost_at;         /* the first, in bytes */
};

/* The piece's entry is its first byte. STATUS_FAILED where no process can be had to read in. */
enum status gcn_map_read(struct gcn_walker *walker, const unsigned char *file, const struct gcn_piece *piece,
                         struct gcn_map *map, struct error *error);
void gcn_map_free(struct gcn_map *map);

#endif
