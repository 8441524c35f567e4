/* The operations that the decoder knows, as rows of data: name, encoding and opcode on GFX6 to GFX11,
 * operands. A new operation is a row in one of rows_*.c. Sources: AMD's ISA manuals (Southern Islands, Sea
 * Islands, GCN3, Vega, MI100, MI200, RDNA to RDNA3), checked against LLVM MC. */
#ifndef ISA_GCN_ROWS_H
#define ISA_GCN_ROWS_H

enum gcn_format {
    GCN_SOP2,
    GCN_SOPK,
    GCN_SOP1,
    GCN_SOPC,
    GCN_SOPP,
    GCN_SMEM, /* GFX6 and GFX7: SMRD */
    GCN_VOP2,
    GCN_VOP1,
    GCN_VOPC,
    GCN_VOP3, /* what has no shorter encoding */
    GCN_DS,
    GCN_FLAT,
    GCN_GLOBAL, /* FLAT with segment 2 */
    GCN_MUBUF,
    GCN_FORMATS
};

enum { GCN_ROW_GENERATIONS = 6, GCN_ROW_FIRST_GENERATION = 6, GCN_NAME_BYTES = 48 };

/* Operands are what is written, "=", what is read. Of arithmetic a letter each: i and f 32 bits, I and F 64
 * bits (f and F: floating point; P two of 32), m a mask of lanes (the short encodings' is VCC; one register
 * where waves have 32 lanes, else two), s a scalar register, k a number of 16 bits, h bits of a hardware
 * register, L a literal, b a branch's target, w a wait count. Of memory accesses a digit: dwords of data; G
 * of 16; and p two offsets, A an address, B a buffer's description. */
struct gcn_row {
    const char *name; /* "v_add_u32", by its first generation; NULL ends a table */
    enum gcn_format format;
    short opcode[GCN_ROW_GENERATIONS]; /* -1: the generation has none */
    const char *operands;              /* "im=ii" */
};

extern const struct gcn_row gcn_rows_scalar[], gcn_rows_vector[], gcn_rows_compare[], gcn_rows_memory[];

/* What the generation calls the operation; returns name. */
char *gcn_row_name(const struct gcn_row *row, unsigned generation, char name[GCN_NAME_BYTES]);

/* All rows by number; NULL behind the last. */
const struct gcn_row *gcn_row_at(unsigned number);

/* The row of an encoding's opcode on a generation, or NULL. */
const struct gcn_row *gcn_row_find(enum gcn_format format, unsigned generation, unsigned opcode);

#endif
