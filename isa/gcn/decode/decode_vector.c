#include "isa/gcn/decode/decode_reader.h"

#include <string.h>

/* A literal that an operation always has; the source before it cannot be another. */
static enum status always_literal(struct gcn_reader *reader)
{
    struct gcn_instruction *to = reader->to;
    const char *sources = strchr(to->row->operands, '=') + 1;
    if (strchr(sources, 'L') == NULL)
        return STATUS_OK;
    unsigned at = (unsigned)(strchr(sources, 'L') - sources);
    if (at == 1)
        to->src[2] = to->src[1];
    return gcn_reader_source(reader, at, GCN_LITERAL);
}

/* The number of 7 or 8 bits as the row's first result; compares that change EXEC alone have none. */
static void set_destination(struct gcn_reader *reader, unsigned code)
{
    char out = gcn_letter_out(reader->to->row, 0);
    bool scalar = out == 's' || out == 'm';
    if (out != '\0')
        reader->to->dst = scalar ? gcn_reader_scalar(reader, code) : (uint16_t)(code + GCN_VECTOR);
}

static void implied_mask(struct gcn_instruction *to)
{
    if (gcn_letter_out(to->row, 1) == 'm')
        to->dst2 = GCN_VCC;
    if (gcn_letter_in(to->row, 2) == 'm')
        to->src[2] = GCN_VCC;
}

enum status gcn_read_vop2(struct gcn_reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    enum status status = gcn_reader_find(reader, GCN_VOP2, opcode);
    if (status != STATUS_OK)
        return status;
    set_destination(reader, bits(word, 24, 17));
    unsigned second = bits(word, 16, 9);
    status = gcn_reader_source(reader, 0, bits(word, 8, 0));
    if (gcn_letter_in(to->row, 1) == 's') /* v_readlane_b32: a scalar operand where others have a vector */
        status = status == STATUS_OK ? gcn_reader_source(reader, 1, second) : status;
    else
        to->src[1] = (uint16_t)(second + GCN_VECTOR);
    implied_mask(to);
    return status == STATUS_OK ? always_literal(reader) : status;
}

enum status gcn_read_vop1(struct gcn_reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    enum status status = gcn_reader_find(reader, GCN_VOP1, opcode);
    if (status != STATUS_OK)
        return status;
    set_destination(reader, bits(word, 24, 17));
    return gcn_letter_in(to->row, 0) == '\0' ? STATUS_OK : gcn_reader_source(reader, 0, bits(word, 8, 0));
}

enum status gcn_read_vopc(struct gcn_reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    reader->to->src[1] = (uint16_t)(bits(word, 16, 9) + GCN_VECTOR);
    enum status status = gcn_reader_find(reader, GCN_VOPC, opcode);
    if (status != STATUS_OK)
        return status;
    set_destination(reader, GCN_VCC);
    return gcn_reader_source(reader, 0, bits(word, 8, 0));
}

/* VOP3's numbers for the operations that have a shorter encoding: from where on, by generation. */
static const struct share {
    unsigned first, last; /* generations */
    unsigned from, to;
    enum gcn_format format;
} shares[] = {
    {6, 11, 0x000, 0x0ff, GCN_VOPC}, {6, 11, 0x100, 0x13f, GCN_VOP2},  {6, 7, 0x180, 0x1ff, GCN_VOP1},
    {8, 9, 0x140, 0x1bf, GCN_VOP1},  {10, 11, 0x180, 0x1ff, GCN_VOP1},
};

static enum status find_vop3(struct gcn_reader *reader, unsigned opcode)
{
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        if (reader->generation >= shares[i].first && reader->generation <= shares[i].last &&
            opcode >= shares[i].from && opcode <= shares[i].to) {
            reader->to->wide = true;
            enum status status = gcn_reader_find(reader, shares[i].format, opcode - shares[i].from);
            if (status == STATUS_OK && strchr(reader->to->row->operands, 'L') != NULL)
                return gcn_reader_refuse(reader, "no instruction that is known here");
            return status;
        }
    return gcn_reader_find(reader, GCN_VOP3, opcode);
}

static enum status vop3_sources(struct gcn_reader *reader)
{
    struct gcn_instruction *to = reader->to;
    uint32_t word = reader->word[1];
    unsigned codes[] = {bits(word, 8, 0), bits(word, 17, 9), bits(word, 26, 18)};
    for (unsigned i = 0; i < 3 && gcn_letter_in(to->row, i) != '\0'; i++) {
        if (codes[i] == GCN_LITERAL && reader->generation < 10)
            return gcn_reader_refuse(reader, "an instruction with an operand that there is not");
        enum status status = gcn_reader_source(reader, i, codes[i]);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* Signs are of floating-point numbers alone, and so is what becomes of the result. */
static enum status check_signs(const struct gcn_reader *reader)
{
    const struct gcn_instruction *to = reader->to;
    char out = gcn_letter_out(to->row, 0);
    bool floats = out == 'f' || out == 'F';
    if ((to->omod != 0 || to->clamp) && !floats)
        return gcn_reader_refuse(reader,
                                 "an operation on integers with OMOD or CLAMP, which is not known here");
    for (unsigned i = 0; i < 3; i++) {
        char in = gcn_letter_in(to->row, i);
        if (((to->neg | to->abs) >> i & 1) != 0 && in != 'f' && in != 'F')
            return gcn_reader_refuse(reader,
                                     "an operation with the sign of an integer, which is not known here");
        if (in == '\0')
            break;
    }
    return STATUS_OK;
}

/* From this opcode on GFX9 has operations on pairs (VOP3P), whose bits mean other things. */
enum { PACKED = 0x380 };

static enum status read_packed(struct gcn_reader *reader)
{
    struct gcn_instruction *to = reader->to;
    to->select = (uint8_t)bits(reader->word[0], 12, 11);
    if (bits(reader->word[0], 15, 13) != 2 || bits(reader->word[0], 10, 8) != 0 ||
        bits(reader->word[1], 31, 27) != 3)
        return gcn_reader_refuse(reader, "a packed operation with modifiers that are not known here");
    enum status status = vop3_sources(reader);
    for (unsigned i = 0; i < 3 && status == STATUS_OK && gcn_letter_in(to->row, i) == 'P'; i++)
        if (to->src[i] >= GCN_SCALARS && to->src[i] < GCN_VECTOR)
            return gcn_reader_refuse(reader, "a packed operation with a constant, which is not known here");
    return status;
}

enum status gcn_read_vop3(struct gcn_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    uint32_t first = reader->word[0];
    bool new = reader->generation >= 8;
    enum status status = gcn_reader_need_two(reader);
    if (status == STATUS_OK)
        status = find_vop3(reader, opcode);
    if (status != STATUS_OK)
        return status;
    set_destination(reader, bits(first, 7, 0));
    if (reader->generation == 9 && opcode >= PACKED && bits(first, 25, 23) == 7)
        return read_packed(reader);
    to->omod = (uint8_t)bits(reader->word[1], 28, 27);
    to->neg = (uint8_t)bits(reader->word[1], 31, 29);
    if (gcn_letter_out(to->row, 1) == 'm') {
        to->dst2 = gcn_reader_scalar(reader, bits(first, 14, 8));
        to->clamp = new &&bits(first, 15, 15) != 0;
    } else {
        to->abs = (uint8_t)bits(first, 10, 8);
        to->clamp = bits(first, new ? 15 : 11, new ? 15 : 11) != 0;
        if (new &&bits(first, 14, 11) != 0)
            return gcn_reader_refuse(reader, "an instruction with op_sel, which is not known here");
    }
    status = check_signs(reader);
    return status == STATUS_OK ? vop3_sources(reader) : status;
}

/* The operations that VOPD has two of, by their numbers there and in their own encoding on GFX11. */
static const struct dual {
    unsigned number;
    enum gcn_format format;
    unsigned opcode;
} duals[] = {
    {0, GCN_VOP2, 0x2b},  /* v_fmac_f32 */
    {1, GCN_VOP2, 0x2d},  /* v_fmaak_f32 */
    {2, GCN_VOP2, 0x2c},  /* v_fmamk_f32 */
    {3, GCN_VOP2, 0x08},  /* v_mul_f32 */
    {4, GCN_VOP2, 0x03},  /* v_add_f32 */
    {5, GCN_VOP2, 0x04},  /* v_sub_f32 */
    {6, GCN_VOP2, 0x05},  /* v_subrev_f32 */
    {8, GCN_VOP1, 0x01},  /* v_mov_b32 */
    {9, GCN_VOP2, 0x01},  /* v_cndmask_b32 */
    {10, GCN_VOP2, 0x10}, /* v_max_f32 */
    {11, GCN_VOP2, 0x0f}, /* v_min_f32 */
    {16, GCN_VOP2, 0x25}, /* v_add_nc_u32 */
    {17, GCN_VOP2, 0x18}, /* v_lshlrev_b32 */
    {18, GCN_VOP2, 0x1b}, /* v_and_b32 */
};

/* One of two operations, whose sources are in the word and which writes the vector register. */
static enum status read_half(const struct gcn_reader *reader, unsigned number, uint32_t word,
                             unsigned destination, struct gcn_instruction *half)
{
    struct gcn_reader part = *reader;
    *half = *reader->to;
    part.to = half;
    for (size_t i = 0; i < sizeof duals / sizeof duals[0]; i++)
        if (duals[i].number == number)
            half->row = gcn_row_find(duals[i].format, reader->generation, duals[i].opcode);
    if (half->row == NULL)
        return gcn_reader_refuse(reader, "two operations of which one is not known here");
    set_destination(&part, destination);
    enum status status = gcn_reader_source(&part, 0, bits(word, 8, 0));
    if (gcn_letter_in(half->row, 1) != '\0')
        half->src[1] = (uint16_t)(bits(word, 16, 9) + GCN_VECTOR);
    implied_mask(half);
    return status == STATUS_OK ? always_literal(&part) : status;
}

enum status gcn_read_vopd(struct gcn_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    struct gcn_instruction second = {0};
    unsigned to_first = bits(reader->word[1], 31, 24);
    unsigned to_second = bits(reader->word[1], 23, 17) << 1 | (~to_first & 1);
    enum status status = gcn_reader_need_two(reader);
    if (status == STATUS_OK)
        status = read_half(reader, bits(reader->word[0], 21, 17), reader->word[1], to_second, &second);
    if (status == STATUS_OK)
        status = read_half(reader, opcode, reader->word[0], to_first, to);
    if (status != STATUS_OK)
        return status;
    to->beside = second.row;
    to->beside_dst = second.dst;
    memcpy(to->beside_src, second.src, sizeof second.src);
    if (second.length > to->length) {
        to->length = second.length;
        to->literal = second.literal;
    }
    return STATUS_OK;
}
