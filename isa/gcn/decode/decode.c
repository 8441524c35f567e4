#include "isa/gcn/decode/decode_reader.h"

#include <string.h>

enum status gcn_reader_refuse(const struct gcn_reader *reader, const char *what)
{
    error_set(reader->error, STATUS_FAILED, "the word 0x%08x at offset 0x%llx is %s", reader->word[0],
              (unsigned long long)reader->offset, what);
    error_hint(reader->error, "isa/gcn/decode/rows_*.c have the instructions that are known; this is GFX%u",
               reader->generation);
    return STATUS_FAILED;
}

enum status gcn_reader_find(struct gcn_reader *reader, enum gcn_format format, unsigned opcode)
{
    reader->to->row = gcn_row_find(format, reader->generation, opcode);
    return reader->to->row != NULL ? STATUS_OK
                                   : gcn_reader_refuse(reader, "no instruction that is known here");
}

uint16_t gcn_reader_scalar(const struct gcn_reader *reader, unsigned code)
{
    bool swapped = reader->generation >= 11 && (code == GCN_M0 || code == GCN_NULL);
    return (uint16_t)(swapped ? GCN_M0 + GCN_NULL - code : code);
}

/* Codes of sources that are no register, and the generations that have them; what: why they are refused. */
static const struct code {
    unsigned from, to;
    unsigned first, last;
    const char *what;
} codes[] = {
    {GCN_SCALARS, 208, 6, 11, NULL},
    {233, 234, 10, 11, "an instruction with DPP, which is not known here"},
    {GCN_SHARED_BASE, GCN_PRIVATE_LIMIT, 9, 11, NULL},
    {GCN_FLOATS, GCN_INVERSE_TWO_PI - 1, 6, 11, NULL},
    {GCN_INVERSE_TWO_PI, GCN_INVERSE_TWO_PI, 8, 11, NULL},
    {249, 249, 8, 10, "an instruction with SDWA, which is not known here"},
    {250, 250, 8, 11, "an instruction with DPP, which is not known here"},
    {GCN_VCCZ, GCN_EXECZ, 6, 10, NULL},
    {GCN_SCC, GCN_SCC, 6, 11, NULL},
};

static enum status check_code(const struct gcn_reader *reader, unsigned code)
{
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (code >= codes[i].from && code <= codes[i].to && reader->generation >= codes[i].first &&
            reader->generation <= codes[i].last)
            return codes[i].what == NULL ? STATUS_OK : gcn_reader_refuse(reader, codes[i].what);
    return gcn_reader_refuse(reader, "an instruction with an operand that there is not");
}

enum status gcn_reader_source(struct gcn_reader *reader, unsigned number, unsigned code)
{
    struct gcn_instruction *to = reader->to;
    to->src[number] = gcn_reader_scalar(reader, code);
    if (code < GCN_SCALARS || code >= GCN_VECTOR)
        return STATUS_OK;
    if (code != GCN_LITERAL)
        return check_code(reader, code);
    unsigned length = to->two_words ? 8 : 4;
    if (reader->left < length + 4)
        return gcn_reader_refuse(reader, "cut short: its literal is missing");
    to->length = length + 4;
    to->literal = reader->word[length / 4];
    return STATUS_OK;
}

enum status gcn_reader_need_two(struct gcn_reader *reader)
{
    reader->to->length = 8;
    reader->to->two_words = true;
    return reader->left >= 8 ? STATUS_OK : gcn_reader_refuse(reader, "cut short: its second word is missing");
}

static enum status read_sop2(struct gcn_reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    enum status status = gcn_reader_find(reader, GCN_SOP2, opcode);
    reader->to->dst = gcn_reader_scalar(reader, bits(word, 22, 16));
    if (status == STATUS_OK)
        status = gcn_reader_source(reader, 0, bits(word, 7, 0));
    return status == STATUS_OK ? gcn_reader_source(reader, 1, bits(word, 15, 8)) : status;
}

static enum status read_sop1(struct gcn_reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    enum status status = gcn_reader_find(reader, GCN_SOP1, opcode);
    if (status != STATUS_OK)
        return status;
    to->dst = gcn_reader_scalar(reader, bits(word, 22, 16));
    to->number = (int32_t)bits(word, 7, 0); /* a message's, where others have a source */
    char in = gcn_letter_in(to->row, 0);
    return in == '\0' || in == 'k' ? STATUS_OK : gcn_reader_source(reader, 0, bits(word, 7, 0));
}

static enum status read_sopc(struct gcn_reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    enum status status = gcn_reader_find(reader, GCN_SOPC, opcode);
    if (status == STATUS_OK)
        status = gcn_reader_source(reader, 0, bits(word, 7, 0));
    return status == STATUS_OK ? gcn_reader_source(reader, 1, bits(word, 15, 8)) : status;
}

static enum status read_sopk(struct gcn_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    enum status status = gcn_reader_find(reader, GCN_SOPK, opcode);
    if (status != STATUS_OK)
        return status;
    to->number = (int16_t)bits(reader->word[0], 15, 0);
    uint16_t scalar = gcn_reader_scalar(reader, bits(reader->word[0], 22, 16));
    if (to->row->operands[0] == '=')
        to->src[to->row->operands[1] == 'h'] = scalar;
    else
        to->dst = scalar;
    return strchr(to->row->operands, 'L') == NULL ? STATUS_OK : gcn_reader_source(reader, 1, GCN_LITERAL);
}

static enum status read_sopp(struct gcn_reader *reader, unsigned opcode)
{
    reader->to->number = (int16_t)bits(reader->word[0], 15, 0);
    return gcn_reader_find(reader, GCN_SOPP, opcode);
}

/* The encodings by their first word, the first that matches; where the opcode stands. */
static const struct encoding {
    uint32_t mask, match;
    unsigned first, last; /* generations */
    unsigned high, low;   /* the opcode's bits */
    gcn_read_format *read;
} encodings[] = {
    {0xff800000, 0xbe800000, 6, 11, 15, 8, read_sop1},
    {0xff800000, 0xbf000000, 6, 11, 22, 16, read_sopc},
    {0xff800000, 0xbf800000, 6, 11, 22, 16, read_sopp},
    {0xf0000000, 0xb0000000, 6, 11, 27, 23, read_sopk},
    {0xc0000000, 0x80000000, 6, 11, 29, 23, read_sop2},
    {0xf8000000, 0xc0000000, 6, 7, 26, 22, gcn_read_smrd},
    {0xfc000000, 0xc0000000, 8, 9, 25, 18, gcn_read_smem},
    {0xfc000000, 0xf4000000, 10, 11, 25, 18, gcn_read_smem10},
    {0xfe000000, 0x7e000000, 6, 11, 16, 9, gcn_read_vop1},
    {0xfe000000, 0x7c000000, 6, 11, 24, 17, gcn_read_vopc},
    {0x80000000, 0x00000000, 6, 11, 30, 25, gcn_read_vop2},
    {0xfc000000, 0xd0000000, 6, 7, 25, 17, gcn_read_vop3},
    {0xfc000000, 0xd0000000, 8, 9, 25, 16, gcn_read_vop3},
    {0xfc000000, 0xd4000000, 10, 11, 25, 16, gcn_read_vop3},
    {0xfc000000, 0xc8000000, 11, 11, 25, 22, gcn_read_vopd},
    {0xfc000000, 0xd8000000, 6, 7, 25, 18, gcn_read_ds},
    {0xfe000000, 0xd8000000, 8, 9, 24, 17, gcn_read_ds},
    {0xfc000000, 0xd8000000, 10, 11, 25, 18, gcn_read_ds},
    {0xfc000000, 0xdc000000, 7, 9, 24, 18, gcn_read_flat},
    {0xfc000000, 0xdc000000, 10, 11, 24, 18, gcn_read_flat10},
    {0xfe000000, 0xe0000000, 6, 9, 24, 18, gcn_read_mubuf},
    {0xfc000000, 0xe0000000, 10, 10, 25, 18, gcn_read_mubuf},
    {0xfc000000, 0xe0000000, 11, 11, 25, 18, gcn_read_mubuf11},
};

/* Register operands must not reach beyond their file. */
static enum status check_registers(const struct gcn_reader *reader)
{
    const struct gcn_instruction *to = reader->to;
    const struct {
        unsigned code;
        char letter;
    } operands[] = {
        {to->dst, gcn_letter_out(to->row, 0)},   {to->dst2, gcn_letter_out(to->row, 1)},
        {to->src[0], gcn_letter_in(to->row, 0)}, {to->src[1], gcn_letter_in(to->row, 1)},
        {to->src[2], gcn_letter_in(to->row, 2)},
    };
    if (gcn_letter_dwords(operands[0].letter) > 0 && to->dst >= GCN_SCALARS && to->dst < GCN_VECTOR)
        return gcn_reader_refuse(reader, "an instruction with an operand that there is not");
    for (size_t i = 0; i < sizeof operands / sizeof operands[0] && to->row->format < GCN_DS; i++) {
        unsigned code = operands[i].code;
        bool narrow = operands[i].letter == 'm' && reader->generation >= 10; /* perhaps: of waves of 32 */
        unsigned end = code + (narrow ? 1 : gcn_letter_dwords(operands[i].letter));
        if (code != GCN_NO_OPERAND && code != GCN_NULL &&
            ((code < GCN_SCALARS && end > GCN_SCALARS) || end > 2 * GCN_VECTOR))
            return gcn_reader_refuse(reader, "an instruction whose registers reach beyond the last");
    }
    return STATUS_OK;
}

enum status gcn_decode(unsigned generation, const unsigned char *code, size_t left, uint64_t offset,
                       struct gcn_instruction *instruction, struct error *error)
{
    struct gcn_reader reader = {generation, {0}, left, offset, instruction, error};
    *instruction = (struct gcn_instruction){.length = 4,
                                            .dst = GCN_NO_OPERAND,
                                            .dst2 = GCN_NO_OPERAND,
                                            .src = {GCN_NO_OPERAND, GCN_NO_OPERAND, GCN_NO_OPERAND}};
    if (left < 4)
        return error_set(error, STATUS_FAILED, "the code ends at offset 0x%llx within an instruction",
                         (unsigned long long)offset);
    memcpy(reader.word, code, left < sizeof reader.word ? left / 4 * 4 : sizeof reader.word);
    for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; i++) {
        const struct encoding *row = &encodings[i];
        if ((reader.word[0] & row->mask) != row->match || generation < row->first || generation > row->last)
            continue;
        enum status status = row->read(&reader, bits(reader.word[0], row->high, row->low));
        return status == STATUS_OK ? check_registers(&reader) : status;
    }
    return gcn_reader_refuse(&reader, "no instruction that is known here");
}

struct gcn_instruction gcn_beside(const struct gcn_instruction *instruction)
{
    struct gcn_instruction second = *instruction;
    second.row = instruction->beside;
    second.dst = instruction->beside_dst;
    memcpy(second.src, instruction->beside_src, sizeof second.src);
    second.beside = NULL;
    return second;
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
