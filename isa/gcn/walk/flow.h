/* Control flow of an instruction, which separates reachable code from data. Opcodes are from AMD's ISA
 * manuals; the tests compare them with LLVM's. */
#ifndef ISA_GCN_WALK_FLOW_H
#define ISA_GCN_WALK_FLOW_H

#include "base/error.h"
#include "isa/gcn/walk/walk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GCN_NO_INSTRUCTION = 0xff };

/* Finds where the instructions of untrusted machine code begin, from `from` to the end or to a word already
 * walked. lengths[i] becomes the length in bytes of the instruction at bytes + 4 i, or GCN_NO_INSTRUCTION if
 * it is unknown; the walk then continues with the next word. Words not walked stay 0. lengths: [size / 4].
 * From GFX8 on it uses LLVM's disassembler, in a separate process (apart.h); a word that crashes it is
 * unknown. STATUS_FAILED if no process can be created. */
enum status gcn_lengths(struct gcn_walker *walker, const unsigned char *bytes, size_t size, size_t from,
                        unsigned char *lengths, struct error *error);

struct gcn_flow {
    bool goes_on;     /* execution may continue with the next instruction */
    bool jumps;       /* it may jump by `distance` */
    bool by_register; /* it may jump to the address in `pair` */
    int64_t distance; /* in bytes, from the end of the instruction */
    unsigned pair;    /* the first of two scalar registers */
};

/* For the instruction that begins with the word. */
struct gcn_flow gcn_flow_of(unsigned generation, uint32_t word);

/* Tracks a register pair through one instruction of the sequences in which compilers form far addresses from
 * s_getpc_b64. *known: *low holds its low half, in bytes from the start of the code; becomes false if another
 * value is written to it. at: where the instruction begins, in bytes. */
void gcn_flow_follow(unsigned generation, const unsigned char *instruction, size_t length, size_t at,
                     unsigned pair, bool *known, uint32_t *low);

#endif
