/* Inside the decoder: one instruction on its way from words to operands, and who reads the encodings. */
#ifndef ISA_GCN_DECODE_READER_H
#define ISA_GCN_DECODE_READER_H

#include "isa/gcn/decode.h"

struct gcn_reader {
    unsigned generation;
    uint32_t word[GCN_DECODE_BYTES / 4]; /* 0 where there is none */
    size_t left;                         /* bytes */
    uint64_t offset;
    struct gcn_instruction *to;
    struct error *error;
};

/* Fills reader->to from the words; opcode as it stands in the encoding. STATUS_FAILED by gcn_reader_refuse.
 */
typedef enum status gcn_read_format(struct gcn_reader *reader, unsigned opcode);
gcn_read_format gcn_read_smrd, gcn_read_smem, gcn_read_smem10;
gcn_read_format gcn_read_ds, gcn_read_flat, gcn_read_flat10, gcn_read_mubuf, gcn_read_mubuf11;
gcn_read_format gcn_read_vop2, gcn_read_vop1, gcn_read_vopc, gcn_read_vop3, gcn_read_vopd;

static inline uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & (high - low == 31 ? UINT32_MAX : (UINT32_C(1) << (high - low + 1)) - 1);
}

static inline int32_t signed_bits(uint32_t word, unsigned high, unsigned low)
{
    uint32_t sign = UINT32_C(1) << (high - low);
    return (int32_t)((bits(word, high, low) ^ sign) - sign);
}

/* Sets the error to the word, its offset and what it is; returns STATUS_FAILED. */
enum status gcn_reader_refuse(const struct gcn_reader *reader, const char *what);

/* The row of the opcode becomes the instruction's, or it is refused. */
enum status gcn_reader_find(struct gcn_reader *reader, enum gcn_format format, unsigned opcode);

/* The encoding has two words. */
enum status gcn_reader_need_two(struct gcn_reader *reader);

/* Makes the code, as it stands in the words, the source of that number; a literal is the word behind the
 * encoding's own. */
enum status gcn_reader_source(struct gcn_reader *reader, unsigned number, unsigned code);

/* A scalar register's code as enum gcn_operand has it: GFX11 numbers M0 and NULL the other way round. */
uint16_t gcn_reader_scalar(const struct gcn_reader *reader, unsigned code);

#endif
