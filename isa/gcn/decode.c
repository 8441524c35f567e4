#include "isa/gcn/decode.h"

#include <string.h>

/* One instruction on its way from words. */
struct reader {
    unsigned generation;
    uint32_t word[2]; /* the second 0 where there is none */
    size_t left;      /* bytes */
    uint64_t offset;
    struct gcn_instruction *to;
    struct error *error;
};

typedef enum status read_format(struct reader *reader, unsigned opcode);

static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & (high - low == 31 ? UINT32_MAX : (UINT32_C(1) << (high - low + 1)) - 1);
}

static enum status refuse(const struct reader *reader, const char *what)
{
    error_set(reader->error, STATUS_FAILED, "the word 0x%08x at offset 0x%llx is %s", reader->word[0],
              (unsigned long long)reader->offset, what);
    error_hint(reader->error, "isa/gcn/rows_*.c have the instructions that are known; this is GFX%u",
               reader->generation);
    return STATUS_FAILED;
}

static enum status find(struct reader *reader, enum gcn_format format, unsigned opcode)
{
    reader->to->row = gcn_row_find(format, reader->generation, opcode);
    return reader->to->row != NULL ? STATUS_OK : refuse(reader, "no instruction that is known here");
}

/* A source's number as it stands in the word; a literal is the word behind the first. */
static enum status source(struct reader *reader, unsigned number, unsigned code)
{
    struct gcn_instruction *to = reader->to;
    to->src[number] = (uint16_t)code;
    if (code == GCN_LITERAL) {
        if (reader->left < 8)
            return refuse(reader, "cut short: its literal is missing");
        to->length = 8;
        to->literal = reader->word[1];
        return STATUS_OK;
    }
    if (code < 209 || code >= GCN_VECTOR || (code >= GCN_FLOATS && code < GCN_INVERSE_TWO_PI) ||
        (code >= GCN_VCCZ && code <= GCN_SCC))
        return STATUS_OK;
    if (code >= GCN_SHARED_BASE && code <= GCN_PRIVATE_LIMIT && reader->generation >= 9)
        return STATUS_OK;
    if (code == GCN_INVERSE_TWO_PI && reader->generation >= 8)
        return STATUS_OK;
    if (code == 249 && reader->generation >= 8)
        return refuse(reader, "an instruction with SDWA, which is not known here");
    if (code == 250 && reader->generation >= 8)
        return refuse(reader, "an instruction with DPP, which is not known here");
    return refuse(reader, "an instruction with an operand that there is not");
}

static enum status need_two(struct reader *reader)
{
    reader->to->length = 8;
    return reader->left >= 8 ? STATUS_OK : refuse(reader, "cut short: its second word is missing");
}

static enum status read_sop2(struct reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    enum status status = find(reader, GCN_SOP2, opcode);
    reader->to->dst = (uint16_t)bits(word, 22, 16);
    if (status == STATUS_OK)
        status = source(reader, 0, bits(word, 7, 0));
    return status == STATUS_OK ? source(reader, 1, bits(word, 15, 8)) : status;
}

static enum status read_sop1(struct reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    enum status status = find(reader, GCN_SOP1, opcode);
    if (status != STATUS_OK)
        return status;
    reader->to->dst = (uint16_t)bits(word, 22, 16);
    return gcn_letter_in(reader->to->row, 0) == '\0' ? STATUS_OK : source(reader, 0, bits(word, 7, 0));
}

static enum status read_sopc(struct reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    enum status status = find(reader, GCN_SOPC, opcode);
    if (status == STATUS_OK)
        status = source(reader, 0, bits(word, 7, 0));
    return status == STATUS_OK ? source(reader, 1, bits(word, 15, 8)) : status;
}

static enum status read_sopk(struct reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    enum status status = find(reader, GCN_SOPK, opcode);
    if (status != STATUS_OK)
        return status;
    to->number = (int16_t)bits(reader->word[0], 15, 0);
    uint16_t scalar = (uint16_t)bits(reader->word[0], 22, 16);
    if (to->row->operands[0] == '=')
        to->src[to->row->operands[1] == 'h'] = scalar;
    else
        to->dst = scalar;
    return strchr(to->row->operands, 'L') == NULL ? STATUS_OK : source(reader, 1, GCN_LITERAL);
}

static enum status read_sopp(struct reader *reader, unsigned opcode)
{
    reader->to->number = (int16_t)bits(reader->word[0], 15, 0);
    return find(reader, GCN_SOPP, opcode);
}

/* GFX6 and GFX7; the offset counts dwords. */
static enum status read_smrd(struct reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    to->dst = (uint16_t)bits(word, 21, 15);
    to->src[0] = (uint16_t)(bits(word, 14, 9) * 2);
    enum status status = find(reader, GCN_SMEM, opcode);
    unsigned code = bits(word, 7, 0);
    if (bits(word, 8, 8) != 0) {
        to->modifiers |= GCN_IMMEDIATE;
        to->number = (int32_t)code * 4;
    } else if (status == STATUS_OK && code == GCN_LITERAL && reader->generation == 7) {
        status = source(reader, 1, code);
        to->modifiers |= GCN_IMMEDIATE;
        to->number = (int32_t)(to->literal * 4);
    } else {
        to->src[1] = (uint16_t)code;
        if (status == STATUS_OK && code >= GCN_SCALARS)
            return refuse(reader, "an instruction with an operand that there is not");
    }
    return status;
}

static enum status read_smem(struct reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    enum status status = need_two(reader);
    if (status == STATUS_OK)
        status = find(reader, GCN_SMEM, opcode);
    to->dst = (uint16_t)bits(word, 12, 6);
    to->src[0] = (uint16_t)(bits(word, 5, 0) * 2);
    to->modifiers |= bits(word, 16, 16) != 0 ? GCN_GLC : 0;
    if (status == STATUS_OK && reader->generation == 9 && bits(word, 15, 14) != 0)
        return refuse(reader, "a scalar access with NV or two offsets, which is not known here");
    if (bits(word, 17, 17) == 0) {
        to->src[1] = (uint16_t)bits(reader->word[1], 6, 0);
        return status;
    }
    to->modifiers |= GCN_IMMEDIATE;
    int32_t offset = (int32_t)bits(reader->word[1], 20, 0);
    to->number = reader->generation == 9 ? (offset ^ 0x100000) - 0x100000 : offset & 0xfffff;
    return status;
}

/* A literal that an operation always has; the source before it cannot be another. */
static enum status always_literal(struct reader *reader)
{
    struct gcn_instruction *to = reader->to;
    const char *sources = strchr(to->row->operands, '=') + 1;
    if (strchr(sources, 'L') == NULL)
        return STATUS_OK;
    unsigned at = (unsigned)(strchr(sources, 'L') - sources);
    if (at == 1)
        to->src[2] = to->src[1];
    return source(reader, at, GCN_LITERAL);
}

static void implied_mask(struct gcn_instruction *to)
{
    if (gcn_letter_out(to->row, 1) == 'm')
        to->dst2 = GCN_VCC;
    if (gcn_letter_in(to->row, 2) == 'm')
        to->src[2] = GCN_VCC;
}

static enum status read_vop2(struct reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    enum status status = find(reader, GCN_VOP2, opcode);
    if (status != STATUS_OK)
        return status;
    bool scalar = gcn_letter_out(to->row, 0) == 's';
    to->dst = (uint16_t)(bits(word, 24, 17) + (scalar ? 0 : GCN_VECTOR));
    unsigned second = bits(word, 16, 9);
    status = source(reader, 0, bits(word, 8, 0));
    if (gcn_letter_in(to->row, 1) == 's') /* v_readlane_b32: a scalar operand where others have a vector */
        status = status == STATUS_OK ? source(reader, 1, second) : status;
    else
        to->src[1] = (uint16_t)(second + GCN_VECTOR);
    implied_mask(to);
    return status == STATUS_OK ? always_literal(reader) : status;
}

static enum status read_vop1(struct reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    enum status status = find(reader, GCN_VOP1, opcode);
    if (status != STATUS_OK)
        return status;
    bool scalar = gcn_letter_out(to->row, 0) == 's';
    to->dst = (uint16_t)(bits(word, 24, 17) + (scalar ? 0 : GCN_VECTOR));
    return gcn_letter_in(to->row, 0) == '\0' ? STATUS_OK : source(reader, 0, bits(word, 8, 0));
}

static enum status read_vopc(struct reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    reader->to->dst = GCN_VCC;
    reader->to->src[1] = (uint16_t)(bits(word, 16, 9) + GCN_VECTOR);
    enum status status = find(reader, GCN_VOPC, opcode);
    return status == STATUS_OK ? source(reader, 0, bits(word, 8, 0)) : status;
}

/* VOP3's numbers for the operations that have a shorter encoding: from where on, by generation. */
static const struct share {
    unsigned first, last; /* generations */
    unsigned from, to;
    enum gcn_format format;
} shares[] = {
    {6, 9, 0x000, 0x0ff, GCN_VOPC},
    {6, 9, 0x100, 0x13f, GCN_VOP2},
    {6, 7, 0x180, 0x1ff, GCN_VOP1},
    {8, 9, 0x140, 0x1bf, GCN_VOP1},
};

static enum status find_vop3(struct reader *reader, unsigned opcode)
{
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        if (reader->generation >= shares[i].first && reader->generation <= shares[i].last &&
            opcode >= shares[i].from && opcode <= shares[i].to) {
            reader->to->wide = true;
            enum status status = find(reader, shares[i].format, opcode - shares[i].from);
            if (status == STATUS_OK && strchr(reader->to->row->operands, 'L') != NULL)
                return refuse(reader, "no instruction that is known here");
            return status;
        }
    return find(reader, GCN_VOP3, opcode);
}

static enum status vop3_sources(struct reader *reader)
{
    struct gcn_instruction *to = reader->to;
    uint32_t word = reader->word[1];
    unsigned codes[] = {bits(word, 8, 0), bits(word, 17, 9), bits(word, 26, 18)};
    for (unsigned i = 0; i < 3 && gcn_letter_in(to->row, i) != '\0'; i++) {
        if (codes[i] == GCN_LITERAL)
            return refuse(reader, "an instruction with an operand that there is not");
        enum status status = source(reader, i, codes[i]);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* Signs are of floating-point numbers alone, and so is what becomes of the result. */
static enum status check_signs(const struct reader *reader)
{
    const struct gcn_instruction *to = reader->to;
    char out = gcn_letter_out(to->row, 0);
    bool floats = out == 'f' || out == 'F';
    if ((to->omod != 0 || to->clamp) && !floats)
        return refuse(reader, "an operation on integers with OMOD or CLAMP, which is not known here");
    for (unsigned i = 0; i < 3; i++) {
        char in = gcn_letter_in(to->row, i);
        if (((to->neg | to->abs) >> i & 1) != 0 && in != 'f' && in != 'F')
            return refuse(reader, "an operation with the sign of an integer, which is not known here");
        if (in == '\0')
            break;
    }
    return STATUS_OK;
}

/* From this opcode on GFX9 has operations on pairs (VOP3P), whose bits mean other things. */
enum { PACKED = 0x380 };

static enum status read_packed(struct reader *reader)
{
    struct gcn_instruction *to = reader->to;
    to->select = (uint8_t)bits(reader->word[0], 12, 11);
    if (bits(reader->word[0], 15, 13) != 2 || bits(reader->word[0], 10, 8) != 0 ||
        bits(reader->word[1], 31, 27) != 3)
        return refuse(reader, "a packed operation with modifiers that are not known here");
    enum status status = vop3_sources(reader);
    for (unsigned i = 0; i < 3 && status == STATUS_OK && gcn_letter_in(to->row, i) == 'P'; i++)
        if (to->src[i] >= GCN_SCALARS && to->src[i] < GCN_VECTOR)
            return refuse(reader, "a packed operation with a constant, which is not known here");
    return status;
}

static enum status read_vop3(struct reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    uint32_t first = reader->word[0];
    bool new = reader->generation >= 8;
    enum status status = need_two(reader);
    if (status == STATUS_OK)
        status = find_vop3(reader, opcode);
    if (status != STATUS_OK)
        return status;
    char out = gcn_letter_out(to->row, 0);
    bool scalar = out == 's' || out == 'm';
    to->dst = (uint16_t)(bits(first, 7, 0) + (scalar ? 0 : GCN_VECTOR));
    if (reader->generation == 9 && opcode >= PACKED && bits(first, 25, 23) == 7)
        return read_packed(reader);
    to->omod = (uint8_t)bits(reader->word[1], 28, 27);
    to->neg = (uint8_t)bits(reader->word[1], 31, 29);
    if (gcn_letter_out(to->row, 1) == 'm') {
        to->dst2 = (uint16_t)bits(first, 14, 8);
        to->clamp = new &&bits(first, 15, 15) != 0;
    } else {
        to->abs = (uint8_t)bits(first, 10, 8);
        to->clamp = bits(first, new ? 15 : 11, new ? 15 : 11) != 0;
        if (new &&bits(first, 14, 11) != 0)
            return refuse(reader, "an instruction with op_sel, which is not known here");
    }
    status = check_signs(reader);
    return status == STATUS_OK ? vop3_sources(reader) : status;
}

static uint16_t vector(uint32_t word, unsigned low)
{
    return (uint16_t)(bits(word, low + 7, low) + GCN_VECTOR);
}

static enum status read_ds(struct reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    enum status status = need_two(reader);
    if (status == STATUS_OK)
        status = find(reader, GCN_DS, opcode);
    unsigned gds = reader->generation >= 8 ? 16 : 17;
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

static enum status read_flat(struct reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    uint32_t word = reader->word[0];
    unsigned segment = reader->generation == 9 ? bits(word, 15, 14) : 0;
    enum status status = need_two(reader);
    if (status != STATUS_OK)
        return status;
    if (segment == 1 || segment == 3)
        return refuse(reader, "an access to scratch memory, which is not known here");
    status = find(reader, segment == 2 ? GCN_GLOBAL : GCN_FLAT, opcode);
    if (status == STATUS_OK && reader->generation == 9 && bits(word, 13, 13) != 0)
        return refuse(reader, "a load to LDS, which is not known here");
    if (status == STATUS_OK && bits(reader->word[1], 23, 23) != 0)
        return refuse(reader, "an access with TFE, NV or ACC, which is not known here");
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

static enum status read_mubuf(struct reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    uint32_t word = reader->word[0];
    uint32_t second = reader->word[1];
    bool new = reader->generation >= 8;
    enum status status = need_two(reader);
    if (status == STATUS_OK)
        status = find(reader, GCN_MUBUF, opcode);
    if (status == STATUS_OK && (bits(word, 16, 16) != 0 || bits(second, 23, 23) != 0))
        return refuse(reader, "a buffer access with LDS or TFE, which is not known here");
    to->modifiers |= (bits(word, 14, 14) != 0 ? GCN_GLC : 0) | (bits(word, 13, 13) != 0 ? GCN_IDXEN : 0) |
                     (bits(word, 12, 12) != 0 ? GCN_OFFEN : 0) |
                     (bits(word, 15, 15) == 0 ? 0
                      : new                   ? GCN_SCC1
                                              : GCN_ADDR64) |
                     (bits(new ? word : second, new ? 17 : 22, new ? 17 : 22) != 0 ? GCN_SLC : 0);
    to->number = (int32_t)bits(word, 11, 0);
    to->src[0] = vector(second, 0);
    to->dst = vector(second, 8);
    to->src[1] = (uint16_t)(bits(second, 20, 16) * 4);
    return status == STATUS_OK ? source(reader, 2, bits(second, 31, 24)) : status;
}

/* The encodings by their first word, the first that matches; where the opcode stands. */
static const struct encoding {
    uint32_t mask, match;
    unsigned first, last; /* generations */
    unsigned high, low;   /* the opcode's bits */
    read_format *read;
} encodings[] = {
    {0xff800000, 0xbe800000, 6, 9, 15, 8, read_sop1},  {0xff800000, 0xbf000000, 6, 9, 22, 16, read_sopc},
    {0xff800000, 0xbf800000, 6, 9, 22, 16, read_sopp}, {0xf0000000, 0xb0000000, 6, 9, 27, 23, read_sopk},
    {0xc0000000, 0x80000000, 6, 9, 29, 23, read_sop2}, {0xf8000000, 0xc0000000, 6, 7, 26, 22, read_smrd},
    {0xfc000000, 0xc0000000, 8, 9, 25, 18, read_smem}, {0xfe000000, 0x7e000000, 6, 9, 16, 9, read_vop1},
    {0xfe000000, 0x7c000000, 6, 9, 24, 17, read_vopc}, {0x80000000, 0x00000000, 6, 9, 30, 25, read_vop2},
    {0xfc000000, 0xd0000000, 6, 7, 25, 17, read_vop3}, {0xfc000000, 0xd0000000, 8, 9, 25, 16, read_vop3},
    {0xfc000000, 0xd8000000, 6, 7, 25, 18, read_ds},   {0xfe000000, 0xd8000000, 8, 9, 24, 17, read_ds},
    {0xfc000000, 0xdc000000, 7, 9, 24, 18, read_flat}, {0xfe000000, 0xe0000000, 6, 9, 24, 18, read_mubuf},
};

/* Register operands must not reach beyond their file. */
static enum status check_registers(const struct reader *reader)
{
    const struct gcn_instruction *to = reader->to;
    unsigned operands[][2] = {
        {to->dst, gcn_letter_dwords(gcn_letter_out(to->row, 0))},
        {to->dst2, gcn_letter_dwords(gcn_letter_out(to->row, 1))},
        {to->src[0], gcn_letter_dwords(gcn_letter_in(to->row, 0))},
        {to->src[1], gcn_letter_dwords(gcn_letter_in(to->row, 1))},
        {to->src[2], gcn_letter_dwords(gcn_letter_in(to->row, 2))},
    };
    if (operands[0][1] > 0 && to->dst >= GCN_SCALARS && to->dst < GCN_VECTOR)
        return refuse(reader, "an instruction with an operand that there is not");
    for (size_t i = 0; i < sizeof operands / sizeof operands[0] && to->row->format < GCN_DS; i++) {
        unsigned code = operands[i][0];
        unsigned end = code + operands[i][1];
        if (code != GCN_NO_OPERAND && ((code < GCN_SCALARS && end > GCN_SCALARS) || end > 2 * GCN_VECTOR))
            return refuse(reader, "an instruction whose registers reach beyond the last");
    }
    return STATUS_OK;
}

enum status gcn_decode(unsigned generation, const unsigned char *code, size_t left, uint64_t offset,
                       struct gcn_instruction *instruction, struct error *error)
{
    struct reader reader = {generation, {0, 0}, left, offset, instruction, error};
    *instruction = (struct gcn_instruction){.length = 4,
                                            .dst = GCN_NO_OPERAND,
                                            .dst2 = GCN_NO_OPERAND,
                                            .src = {GCN_NO_OPERAND, GCN_NO_OPERAND, GCN_NO_OPERAND}};
    if (left < 4)
        return error_set(error, STATUS_FAILED, "the code ends at offset 0x%llx within an instruction",
                         (unsigned long long)offset);
    memcpy(reader.word, code, left < sizeof reader.word ? 4 : sizeof reader.word);
    for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; i++) {
        const struct encoding *row = &encodings[i];
        if ((reader.word[0] & row->mask) != row->match || generation < row->first || generation > row->last)
            continue;
        enum status status = row->read(&reader, bits(reader.word[0], row->high, row->low));
        return status == STATUS_OK ? check_registers(&reader) : status;
    }
    return refuse(&reader, "no instruction that is known here");
}

char gcn_letter_out(const struct gcn_row *row, unsigned number)
{
    for (unsigned i = 0; i <= number; i++)
        if (row->operands[i] == '=')
            return '\0';
    return row->operands[number];
}

char gcn_letter_in(const struct gcn_row *row, unsigned number)
{
    const char *letters = strchr(row->operands, '=') + 1;
    for (unsigned i = 0; i < number; i++)
        if (letters[i] == '\0')
            return '\0';
    return letters[number];
}

unsigned gcn_letter_dwords(char letter)
{
    if (letter >= '1' && letter <= '9')
        return (unsigned)(letter - '0');
    if (letter == 'I' || letter == 'F' || letter == 'm' || letter == 'A' || letter == 'P')
        return 2;
    if (letter == 'G')
        return 16;
    if (letter == 'B')
        return 4;
    return letter == 'i' || letter == 'f' || letter == 's' ? 1 : 0;
}
