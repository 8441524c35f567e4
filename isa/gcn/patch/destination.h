/* Which scalar registers an instruction writes: a read replaces a placeholder and writes the placeholder's
 * registers. */
#ifndef ISA_GCN_PATCH_DESTINATION_H
#define ISA_GCN_PATCH_DESTINATION_H

#include "isa/gcn/target.h"
#include "isa/gcn/walk/walk.h"

#include <stdbool.h>
#include <stddef.h>

struct gcn_destination {
    unsigned number; /* of the first, as in operands */
    unsigned count;  /* consecutive registers, at least 1 */
};

/* For the single instruction in bytes. False if it writes no scalar register, or also a vector register.
 * walker: of the target. */
bool gcn_destination_of(const struct gcn_target *target, struct gcn_walker *walker,
                        const unsigned char *bytes, size_t length, struct gcn_destination *to);

#endif
