/* The decoder's operations as rows of data: name, encoding, opcode on GFX6 to GFX12, operands. A new
 * operation is a row in one of rows_*.c. Sources: AMD's ISA manuals (Southern Islands, Sea Islands, GCN3,
 * Vega, MI100, MI200, RDNA to RDNA4), checked against LLVM MC. */
#ifndef ISA_GCN_DECODE_ROWS_H
#define ISA_GCN_DECODE_ROWS_H

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
    GCN_VOP3,   /* operations without a shorter encoding */
    GCN_VOP3P,  /* packed ones of 16 bits, and dot products */
    GCN_MATRIX, /* VOP3P-MAI: matrix operations and moves of AccVGPRs */
    GCN_DS,
    GCN_FLAT,
    GCN_GLOBAL, /* FLAT with segment 2 */
    GCN_MUBUF,
    GCN_FORMATS
};

enum { GCN_ROW_GENERATIONS = 7, GCN_ROW_FIRST_GENERATION = 6, GCN_NAME_BYTES = 48 };

/* The operands' text lists those written, "=", and those read, with a letter each: i and f 32 bits, I and F
 * 64 bits (f and F: floating point; P two of 32, q two of 16), j and e 16 bits (e: floating point), x
 * floating point of 32 or 16 bits, selected by OP_SEL_HI, m a mask of lanes (VCC in short encodings; one
 * register for waves of 32 lanes, else two), s a scalar register, k a 16-bit number, h bits of a hardware
 * register, L a literal, b a branch's target, w a wait count, n a barrier's number. Memory accesses have a
 * digit for dwords of data (so have matrix operations, with W for 32), G for 16 dwords, p for two offsets, A
 * for an address, B for a buffer descriptor. */
struct gcn_row {
    const char *name; /* "v_add_u32", as in its first generation; NULL ends a table */
    enum gcn_format format;
    short opcode[GCN_ROW_GENERATIONS]; /* -1: the generation has none */
    const char *operands;              /* "im=ii" */
};

extern const struct gcn_row gcn_rows_scalar[], gcn_rows_vector[], gcn_rows_compare[], gcn_rows_memory[],
    gcn_rows_half[], gcn_rows_matrix[];

/* Writes the generation's name of the operation; returns name. */
char *gcn_row_name(const struct gcn_row *row, unsigned generation, char name[GCN_NAME_BYTES]);

/* All rows by number; NULL after the last. */
const struct gcn_row *gcn_row_at(unsigned number);

/* The row of an encoding's opcode on a generation, or NULL. */
const struct gcn_row *gcn_row_find(enum gcn_format format, unsigned generation, unsigned opcode);

#endif
