/* Decoder internals: the state of one instruction being decoded, and the readers of the encodings. */
#ifndef ISA_GCN_DECODE_DECODE_READER_H
#define ISA_GCN_DECODE_DECODE_READER_H

#include "isa/gcn/decode/decode.h"

struct gcn_reader {
    unsigned generation;
    uint32_t word[GCN_DECODE_BYTES / 4]; /* 0 past the end */
    size_t left;                         /* bytes */
    uint64_t offset;
    struct gcn_instruction *to;
    struct error *error;
};

/* Fills reader->to from the words; opcode as in the encoding. STATUS_FAILED by gcn_reader_refuse. */
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

/* Sets the error to the word, its offset and `what`; returns STATUS_FAILED. */
enum status gcn_reader_refuse(const struct gcn_reader *reader, const char *what);

/* Sets the instruction's row from the opcode, or refuses it. */
enum status gcn_reader_find(struct gcn_reader *reader, enum gcn_format format, unsigned opcode);

/* Requires a second encoding word. */
enum status gcn_reader_need_two(struct gcn_reader *reader);

/* Sets source `number` to the encoded operand; a literal is the word after the encoding. */
enum status gcn_reader_source(struct gcn_reader *reader, unsigned number, unsigned code);

/* Converts a scalar register's code to enum gcn_operand: GFX11 swaps M0 and NULL. */
uint16_t gcn_reader_scalar(const struct gcn_reader *reader, unsigned code);

#endif
