/* Where control goes from an instruction: what a binary's code can reach is told from data beside it. Opcodes
 * are those of AMD's ISA manuals; the tests compare them with LLVM's. */
#ifndef ISA_GCN_FLOW_H
#define ISA_GCN_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gcn_flow {
    bool goes_on;     /* the next instruction may be next */
    bool jumps;       /* one at a distance may be */
    bool by_register; /* that which `pair` points to may be */
    int64_t distance; /* in bytes, from the end of the instruction */
    unsigned pair;    /* the first of two scalar registers */
};

/* Of the instruction that begins with the word. */
struct gcn_flow gcn_flow_of(unsigned generation, uint32_t word);

/* Follows the register pair through one instruction in the way in which compilers make far addresses from
 * s_getpc_b64: known tells whether its low half is, in bytes from the start of the code, and becomes false
 * where something else is written to it. at: where the instruction begins, in bytes. */
void gcn_flow_follow(unsigned generation, const unsigned char *instruction, size_t length, size_t at,
                     unsigned pair, bool *known, uint32_t *low);

#endif
