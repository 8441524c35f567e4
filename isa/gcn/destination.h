/* Which scalar registers an instruction writes: a placeholder's are where a read goes. */
#ifndef ISA_GCN_DESTINATION_H
#define ISA_GCN_DESTINATION_H

#include "isa/gcn/target.h"
#include "isa/gcn/walk.h"

#include <stdbool.h>
#include <stddef.h>

struct gcn_destination {
    unsigned number; /* of the first, as operands have it */
    unsigned count;  /* how many follow on each other, at least 1 */
};

/* Of the one instruction that the bytes are. False where it writes no scalar register, or a vector register
 * too. walker: of the target. */
bool gcn_destination_of(const struct gcn_target *target, struct gcn_walker *walker,
                        const unsigned char *bytes, size_t length, struct gcn_destination *to);

#endif
