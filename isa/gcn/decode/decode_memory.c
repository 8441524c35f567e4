#include "isa/gcn/decode/decode_reader.h"

#include <stddef.h>

/* GFX6 and GFX7; the offset counts dwords. */
enum status gcn_read_smrd(struct gcn_reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    to->dst = (uint16_t)bits(word, 21, 15);
    to->src[0] = (uint16_t)(bits(word, 14, 9) * 2);
    enum status status = gcn_reader_find(reader, GCN_SMEM, opcode);
    unsigned code = bits(word, 7, 0);
    if (bits(word, 8, 8) != 0) {
        to->modifiers |= GCN_IMMEDIATE;
        to->number = (int32_t)code * 4;
    } else if (status == STATUS_OK && code == GCN_LITERAL && reader->generation == 7) {
        status = gcn_reader_source(reader, 1, code);
        to->modifiers |= GCN_IMMEDIATE;
        to->number = (int32_t)(to->literal * 4);
    } else {
        to->src[1] = (uint16_t)code;
        if (status == STATUS_OK && code >= GCN_SCALARS)
            return gcn_reader_refuse(reader, "an instruction with an operand that there is not");
    }
    return status;
}

enum status gcn_read_smem(struct gcn_reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    enum status status = gcn_reader_need_two(reader);
    if (status == STATUS_OK)
        status = gcn_reader_find(reader, GCN_SMEM, opcode);
    to->dst = (uint16_t)bits(word, 12, 6);
    to->src[0] = (uint16_t)(bits(word, 5, 0) * 2);
    to->modifiers |= bits(word, 16, 16) != 0 ? GCN_GLC : 0;
    if (status == STATUS_OK && reader->generation == 9 && bits(word, 15, 14) != 0)
        return gcn_reader_refuse(reader, "a scalar access with NV or two offsets, which is not known here");
    if (bits(word, 17, 17) == 0) {
        to->src[1] = (uint16_t)bits(reader->word[1], 6, 0);
        return status;
    }
    to->modifiers |= GCN_IMMEDIATE;
    int32_t offset = (int32_t)bits(reader->word[1], 20, 0);
    to->number = reader->generation == 9 ? (offset ^ 0x100000) - 0x100000 : offset & 0xfffff;
    return status;
}

static unsigned flags(uint32_t word, const unsigned char places[4])
{
    static const unsigned modifiers[] = {GCN_GLC, GCN_SLC, GCN_DLC, GCN_SCC1};
    unsigned found = 0;
    for (size_t i = 0; i < 4; i++)
        found |= places[i] != 0 && bits(word, places[i], places[i]) != 0 ? modifiers[i] : 0;
    return found;
}

/* From GFX10 on: a number and a register, which may be NULL. */
enum status gcn_read_smem10(struct gcn_reader *reader, unsigned opcode)
{
    static const unsigned char places10[] = {16, 0, 14, 0};
    static const unsigned char places11[] = {14, 0, 13, 0};
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    enum status status = gcn_reader_need_two(reader);
    if (status == STATUS_OK)
        status = gcn_reader_find(reader, GCN_SMEM, opcode);
    to->dst = gcn_reader_scalar(reader, bits(word, 12, 6));
    to->src[0] = (uint16_t)(bits(word, 5, 0) * 2);
    to->modifiers |= GCN_IMMEDIATE | flags(word, reader->generation == 10 ? places10 : places11);
    to->number = signed_bits(reader->word[1], 20, 0);
    to->src[1] = gcn_reader_scalar(reader, bits(reader->word[1], 31, 25));
    return status;
}

static uint16_t vector(uint32_t word, unsigned low)
{
    return (uint16_t)(bits(word, low + 7, low) + GCN_VECTOR);
}

enum status gcn_read_ds(struct gcn_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    enum status status = gcn_reader_need_two(reader);
    if (status == STATUS_OK)
        status = gcn_reader_find(reader, GCN_DS, opcode);
    unsigned gds = reader->generation == 8 || reader->generation == 9 ? 16 : 17;
    to->modifiers |= bits(reader->word[0], gds, gds) != 0 ? GCN_GDS : 0;
    to->offsets[0] = (uint8_t)bits(reader->word[0], 7, 0);
    to->offsets[1] = (uint8_t)bits(reader->word[0], 15, 8);
    to->number = (int32_t)bits(reader->word[0], 15, 0);
    to->src[0] = vector(reader->word[1], 0);
    to->src[1] = vector(reader->word[1], 8);
    to->src[2] = vector(reader->word[1], 16);
    to->dst = vector(reader->word[1], 24);
    return status;
}

enum status gcn_read_flat(struct gcn_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    uint32_t word = reader->word[0];
    unsigned segment = reader->generation == 9 ? bits(word, 15, 14) : 0;
    enum status status = gcn_reader_need_two(reader);
    if (status != STATUS_OK)
        return status;
    if (segment == 1 || segment == 3)
        return gcn_reader_refuse(reader, "an access to scratch memory, which is not known here");
    status = gcn_reader_find(reader, segment == 2 ? GCN_GLOBAL : GCN_FLAT, opcode);
    if (status == STATUS_OK && reader->generation == 9 && bits(word, 13, 13) != 0)
        return gcn_reader_refuse(reader, "a load to LDS, which is not known here");
    if (status == STATUS_OK && bits(reader->word[1], 23, 23) != 0)
        return gcn_reader_refuse(reader, "an access with TFE, NV or ACC, which is not known here");
    to->modifiers |= (bits(word, 16, 16) != 0 ? GCN_GLC : 0) | (bits(word, 17, 17) != 0 ? GCN_SLC : 0) |
                     (bits(word, 25, 25) != 0 ? GCN_SCC1 : 0);
    if (reader->generation == 9) {
        int32_t offset = (int32_t)bits(word, 12, 0);
        to->number = segment == 2 ? (offset ^ 0x1000) - 0x1000 : offset & 0xfff;
        if (segment == 2 && bits(reader->word[1], 22, 16) != 0x7f)
            to->src[2] = (uint16_t)bits(reader->word[1], 22, 16);
    }
    to->src[0] = vector(reader->word[1], 0);
    to->src[1] = vector(reader->word[1], 8);
    to->dst = vector(reader->word[1], 24);
    return status;
}

enum status gcn_read_mubuf(struct gcn_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    uint32_t word = reader->word[0];
    uint32_t second = reader->word[1];
    bool new = reader->generation == 8 || reader->generation == 9;
    static const unsigned fifteen[] = {GCN_ADDR64, GCN_ADDR64, GCN_SCC1, GCN_SCC1, GCN_DLC};
    enum status status = gcn_reader_need_two(reader);
    if (status == STATUS_OK)
        status = gcn_reader_find(reader, GCN_MUBUF, opcode);
    if (status == STATUS_OK && (bits(word, 16, 16) != 0 || bits(second, 23, 23) != 0))
        return gcn_reader_refuse(reader, "a buffer access with LDS or TFE, which is not known here");
    to->modifiers |= (bits(word, 14, 14) != 0 ? GCN_GLC : 0) | (bits(word, 13, 13) != 0 ? GCN_IDXEN : 0) |
                     (bits(word, 12, 12) != 0 ? GCN_OFFEN : 0) |
                     (bits(word, 15, 15) != 0 ? fifteen[reader->generation - GCN_ROW_FIRST_GENERATION] : 0) |
                     (bits(new ? word : second, new ? 17 : 22, new ? 17 : 22) != 0 ? GCN_SLC : 0);
    to->number = (int32_t)bits(word, 11, 0);
    to->src[0] = vector(second, 0);
    to->dst = vector(second, 8);
    to->src[1] = (uint16_t)(bits(second, 20, 16) * 4);
    return status == STATUS_OK ? gcn_reader_source(reader, 2, bits(second, 31, 24)) : status;
}

/* GFX10 and GFX11, whose offsets have a sign where the segment is not FLAT's. */
enum status gcn_read_flat10(struct gcn_reader *reader, unsigned opcode)
{
    static const unsigned char places10[] = {16, 17, 12, 0};
    static const unsigned char places11[] = {14, 15, 13, 0};
    struct gcn_instruction *to = reader->to;
    uint32_t word = reader->word[0];
    bool old = reader->generation == 10;
    unsigned segment = bits(word, old ? 15 : 17, old ? 14 : 16);
    unsigned base = gcn_reader_scalar(reader, bits(reader->word[1], 22, 16));
    unsigned sign = old ? 11 : 12;
    enum status status = gcn_reader_need_two(reader);
    if (status != STATUS_OK)
        return status;
    if (segment == 1 || segment == 3)
        return gcn_reader_refuse(reader, "an access to scratch memory, which is not known here");
    status = gcn_reader_find(reader, segment == 2 ? GCN_GLOBAL : GCN_FLAT, opcode);
    if (status == STATUS_OK && old && bits(word, 13, 13) != 0)
        return gcn_reader_refuse(reader, "a load to LDS, which is not known here");
    if (status == STATUS_OK && segment == 0 && bits(word, sign, sign) != 0)
        return gcn_reader_refuse(reader, "a FLAT access with an offset below 0, which it cannot have");
    to->modifiers |= flags(word, old ? places10 : places11);
    to->number = signed_bits(word, sign, 0);
    if (segment == 2 && base != GCN_NULL && base != 0x7f)
        to->src[2] = (uint16_t)base;
    to->src[0] = vector(reader->word[1], 0);
    to->src[1] = vector(reader->word[1], 8);
    to->dst = vector(reader->word[1], 24);
    return status;
}

/* GFX11. */
enum status gcn_read_mubuf11(struct gcn_reader *reader, unsigned opcode)
{
    static const unsigned char places[] = {14, 12, 13, 0};
    struct gcn_instruction *to = reader->to;
    uint32_t second = reader->word[1];
    enum status status = gcn_reader_need_two(reader);
    if (status == STATUS_OK)
        status = gcn_reader_find(reader, GCN_MUBUF, opcode);
    if (status == STATUS_OK && bits(second, 21, 21) != 0)
        return gcn_reader_refuse(reader, "a buffer access with TFE, which is not known here");
    to->modifiers |= flags(reader->word[0], places) | (bits(second, 22, 22) != 0 ? GCN_OFFEN : 0) |
                     (bits(second, 23, 23) != 0 ? GCN_IDXEN : 0);
    to->number = (int32_t)bits(reader->word[0], 11, 0);
    to->src[0] = vector(second, 0);
    to->dst = vector(second, 8);
    to->src[1] = (uint16_t)(bits(second, 20, 16) * 4);
    return status == STATUS_OK ? gcn_reader_source(reader, 2, bits(second, 31, 24)) : status;
}
