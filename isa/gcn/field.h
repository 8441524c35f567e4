/* The hardware registers that hold a wave's location, and s_getreg_b32, which reads bits of them. Sources:
 * AMD's ISA manuals, LLVM's SIDefines.h. */
#ifndef ISA_GCN_FIELD_H
#define ISA_GCN_FIELD_H

#include "base/error.h"
#include "isa/gcn/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GCN_FIELDS_MOST = 16 };

/* A named part of a register. */
struct gcn_field {
    const char *name;
    unsigned low, size; /* bits of the hardware register */
};

/* A bit range of a hardware register, and its fields from low to high. */
struct gcn_bits {
    unsigned id;        /* 4: HW_ID, 20: XCC_ID, 23: HW_ID1, 24: HW_ID2 */
    const char *name;   /* "HW_ID" */
    unsigned low, size; /* 1 to 32 bits */
    struct gcn_field fields[GCN_FIELDS_MOST];
    size_t count;
};

/* The bits of comma-separated fields ("cu,sh,se"), in any order. STATUS_USAGE, with the reason, if the
 * processor lacks one or they are not adjacent. */
enum status gcn_field_parse(const struct gcn_target *target, const char *names, struct gcn_bits *bits,
                            struct error *error);

/* Encodes s_getreg_b32 of the bits into scalar register `destination` (its operand number), for the target's
 * generation. */
uint32_t gcn_field_word(const struct gcn_target *target, const struct gcn_bits *bits, unsigned destination);

/* The assembler's name of a scalar register from its operand number: "s5", "vcc_lo". Returns text. */
char *gcn_field_register(const struct gcn_target *target, unsigned number, char text[16]);

#endif
