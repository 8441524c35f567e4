#include "isa/gcn/decode/decode.h"

#include <string.h>

/* ---- one instruction being read ---- */

struct instruction_reader {
    unsigned generation;
    uint32_t word[GCN_DECODE_BYTES / 4]; /* 0 past the end */
    size_t left;                         /* bytes */
    uint64_t offset;
    struct gcn_instruction *to;
    struct error *error;
};

/* Fills reader->to from the words; opcode as in the encoding. STATUS_FAILED by reader_refuse. */
typedef enum status read_format(struct instruction_reader *reader, unsigned opcode);

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
static enum status reader_refuse(const struct instruction_reader *reader, const char *what)
{
    error_set(reader->error, STATUS_FAILED, "the word 0x%08x at offset 0x%llx is %s", reader->word[0],
              (unsigned long long)reader->offset, what);
    error_hint(reader->error, "isa/gcn/decode/rows_*.c list the known instructions; this is GFX%u",
               reader->generation);
    return STATUS_FAILED;
}

/* Sets the instruction's row from the opcode, or refuses it. */
static enum status reader_find(struct instruction_reader *reader, enum gcn_format format, unsigned opcode)
{
    reader->to->row = gcn_row_find(format, reader->generation, opcode);
    return reader->to->row != NULL ? STATUS_OK : reader_refuse(reader, "not a known instruction");
}

/* Converts a scalar register's code to enum gcn_operand: from GFX11 on M0 and NULL are swapped. */
static uint16_t reader_scalar(const struct instruction_reader *reader, unsigned code)
{
    bool swapped = reader->generation >= 11 && (code == GCN_M0 || code == GCN_NULL);
    return (uint16_t)(swapped ? GCN_M0 + GCN_NULL - code : code);
}

/* Codes of source 0 that announce a word for SDWA or DPP. */
enum { DPP8_CODE = 233, DPP8_INACTIVE_CODE = 234, SDWA_CODE = 249, DPP_CODE = 250 };

/* Codes of sources other than registers, and the generations that have them; what: the reason if they are
 * refused. */
static const struct source_code {
    unsigned from, to;
    unsigned first, last;
    const char *what;
} known_sources[] = {
    {GCN_SCALARS, 208, 6, 12, NULL},
    {233, 234, 10, 12, "an instruction with DPP in an encoding that is not supported"},
    {GCN_SHARED_BASE, GCN_PRIVATE_LIMIT, 9, 12, NULL},
    {GCN_FLOATS, GCN_INVERSE_TWO_PI - 1, 6, 12, NULL},
    {GCN_INVERSE_TWO_PI, GCN_INVERSE_TWO_PI, 8, 12, NULL},
    {SDWA_CODE, SDWA_CODE, 8, 10, "an instruction with SDWA in an encoding that has none"},
    {DPP_CODE, DPP_CODE, 8, 12, "an instruction with DPP in an encoding that is not supported"},
    {GCN_VCCZ, GCN_EXECZ, 6, 10, NULL},
    {GCN_SCC, GCN_SCC, 6, 12, NULL},
};

static enum status check_code(const struct instruction_reader *reader, unsigned code)
{
    for (size_t i = 0; i < sizeof known_sources / sizeof known_sources[0]; i++)
        if (code >= known_sources[i].from && code <= known_sources[i].to &&
            reader->generation >= known_sources[i].first && reader->generation <= known_sources[i].last)
            return known_sources[i].what == NULL ? STATUS_OK : reader_refuse(reader, known_sources[i].what);
    return reader_refuse(reader, "an instruction with an operand that does not exist");
}

/* Sets source `number` to the encoded operand; a literal is the word after the encoding. */
static enum status reader_source(struct instruction_reader *reader, unsigned number, unsigned code)
{
    struct gcn_instruction *to = reader->to;
    to->src[number] = reader_scalar(reader, code);
    if (code < GCN_SCALARS || code >= GCN_VECTOR)
        return STATUS_OK;
    if (code != GCN_LITERAL)
        return check_code(reader, code);
    unsigned length = to->two_words ? 8 : 4;
    if (reader->left < length + 4)
        return reader_refuse(reader, "cut short: its literal is missing");
    to->length = length + 4;
    to->literal = reader->word[length / 4];
    return STATUS_OK;
}

/* Requires a second encoding word. */
static enum status reader_need_two(struct instruction_reader *reader)
{
    reader->to->length = 8;
    reader->to->two_words = true;
    return reader->left >= 8 ? STATUS_OK : reader_refuse(reader, "cut short: its second word is missing");
}

static enum status reader_find_two(struct instruction_reader *reader, enum gcn_format format, unsigned opcode)
{
    enum status status = reader_need_two(reader);
    return status == STATUS_OK ? reader_find(reader, format, opcode) : status;
}

/* ---- scalar operations ---- */

static enum status read_two_sources(struct instruction_reader *reader, enum gcn_format format,
                                    unsigned opcode)
{
    enum status status = reader_find(reader, format, opcode);
    if (status == STATUS_OK)
        status = reader_source(reader, 0, bits(reader->word[0], 7, 0));
    return status == STATUS_OK ? reader_source(reader, 1, bits(reader->word[0], 15, 8)) : status;
}

static enum status read_sop2(struct instruction_reader *reader, unsigned opcode)
{
    reader->to->dst = reader_scalar(reader, bits(reader->word[0], 22, 16));
    return read_two_sources(reader, GCN_SOP2, opcode);
}

static enum status read_sop1(struct instruction_reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    enum status status = reader_find(reader, GCN_SOP1, opcode);
    if (status != STATUS_OK)
        return status;
    to->dst = reader_scalar(reader, bits(word, 22, 16));
    to->number = (int32_t)bits(word, 7, 0); /* a message's number, in the place of a source */
    char in = gcn_letter_in(to->row, 0);
    return in == '\0' || in == 'k' ? STATUS_OK : reader_source(reader, 0, bits(word, 7, 0));
}

static enum status read_sopc(struct instruction_reader *reader, unsigned opcode)
{
    return read_two_sources(reader, GCN_SOPC, opcode);
}

static enum status read_sopk(struct instruction_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    enum status status = reader_find(reader, GCN_SOPK, opcode);
    if (status != STATUS_OK)
        return status;
    to->number = (int16_t)bits(reader->word[0], 15, 0);
    uint16_t scalar = reader_scalar(reader, bits(reader->word[0], 22, 16));
    if (to->row->operands[0] == '=')
        to->src[to->row->operands[1] == 'h'] = scalar;
    else
        to->dst = scalar;
    return strchr(to->row->operands, 'L') == NULL ? STATUS_OK : reader_source(reader, 1, GCN_LITERAL);
}

static enum status read_sopp(struct instruction_reader *reader, unsigned opcode)
{
    reader->to->number = (int16_t)bits(reader->word[0], 15, 0);
    return reader_find(reader, GCN_SOPP, opcode);
}

/* ---- memory ---- */

/* GFX6 and GFX7; the offset counts dwords. */
static enum status read_smrd(struct instruction_reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    to->dst = (uint16_t)bits(word, 21, 15);
    to->src[0] = (uint16_t)(bits(word, 14, 9) * 2);
    enum status status = reader_find(reader, GCN_SMEM, opcode);
    unsigned code = bits(word, 7, 0);
    if (bits(word, 8, 8) != 0) {
        to->modifiers |= GCN_IMMEDIATE;
        to->number = (int32_t)code * 4;
    } else if (status == STATUS_OK && code == GCN_LITERAL && reader->generation == 7) {
        status = reader_source(reader, 1, code);
        to->modifiers |= GCN_IMMEDIATE; /* kept in the literal only: in bytes it may exceed 32 bits */
    } else {
        to->src[1] = (uint16_t)code;
        if (status == STATUS_OK && code >= GCN_SCALARS)
            return reader_refuse(reader, "an instruction with an operand that does not exist");
    }
    return status;
}

static enum status read_smem(struct instruction_reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    enum status status = reader_find_two(reader, GCN_SMEM, opcode);
    to->dst = (uint16_t)bits(word, 12, 6);
    to->src[0] = (uint16_t)(bits(word, 5, 0) * 2);
    to->modifiers |= bits(word, 16, 16) != 0 ? GCN_GLC : 0;
    if (status == STATUS_OK && reader->generation == 9 && bits(word, 15, 14) != 0)
        return reader_refuse(reader, "a scalar access with NV or two offsets, which is not supported");
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
static enum status read_smem10(struct instruction_reader *reader, unsigned opcode)
{
    static const unsigned char places10[] = {16, 0, 14, 0};
    static const unsigned char places11[] = {14, 0, 13, 0};
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    enum status status = reader_find_two(reader, GCN_SMEM, opcode);
    to->dst = reader_scalar(reader, bits(word, 12, 6));
    to->src[0] = (uint16_t)(bits(word, 5, 0) * 2);
    to->modifiers |= GCN_IMMEDIATE | flags(word, reader->generation == 10 ? places10 : places11);
    to->number = signed_bits(reader->word[1], 20, 0);
    to->src[1] = reader_scalar(reader, bits(reader->word[1], 31, 25));
    return status;
}

/* GFX12: the scope and the temporal hint, which for an atomic includes whether it returns the old value. */
static void read_policy(struct gcn_instruction *to, uint32_t word, unsigned scope, unsigned hint)
{
    to->scope = (uint8_t)bits(word, scope + 1, scope);
    to->hint = (uint8_t)bits(word, hint + 2, hint);
    if (to->row != NULL && strstr(to->row->name, "_atomic_") != NULL && (to->hint & GCN_TH_RETURN) != 0)
        to->modifiers |= GCN_GLC;
}

static enum status read_smem12(struct instruction_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    enum status status = reader_find_two(reader, GCN_SMEM, opcode);
    to->dst = reader_scalar(reader, bits(reader->word[0], 12, 6));
    to->src[0] = (uint16_t)(bits(reader->word[0], 5, 0) * 2);
    to->modifiers |= GCN_IMMEDIATE;
    to->number = signed_bits(reader->word[1], 23, 0);
    to->src[1] = reader_scalar(reader, bits(reader->word[1], 31, 25));
    read_policy(to, reader->word[0], 21, 23);
    to->hint &= GCN_TH_BYPASS; /* only two bits are used */
    return status;
}

static uint16_t vector(uint32_t word, unsigned low)
{
    return (uint16_t)(bits(word, low + 7, low) + GCN_VECTOR);
}

/* Address, data and result of a vector memory access; accumulates: data and result are AccVGPRs. */
static void read_vectors(struct instruction_reader *reader, bool accumulates)
{
    unsigned file = accumulates ? GCN_ACCUMULATION - GCN_VECTOR : 0;
    reader->to->src[0] = vector(reader->word[1], 0);
    reader->to->src[1] = (uint16_t)(vector(reader->word[1], 8) + file);
    reader->to->dst = (uint16_t)(vector(reader->word[1], 24) + file);
}

static enum status read_ds(struct instruction_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    enum status status = reader_find_two(reader, GCN_DS, opcode);
    unsigned gds = reader->generation == 8 || reader->generation == 9 ? 16 : 17;
    if (status == STATUS_OK && reader->generation >= 12 && bits(reader->word[0], gds, gds) != 0)
        return reader_refuse(reader, "an access to global data share, which GFX12 lacks");
    to->modifiers |= bits(reader->word[0], gds, gds) != 0 ? GCN_GDS : 0;
    to->offsets[0] = (uint8_t)bits(reader->word[0], 7, 0);
    to->offsets[1] = (uint8_t)bits(reader->word[0], 15, 8);
    to->number = (int32_t)bits(reader->word[0], 15, 0);
    to->src[2] = vector(reader->word[1], 16);
    bool accumulates = reader->generation == 9 && bits(reader->word[0], 25, 25) != 0;
    read_vectors(reader, accumulates);
    to->src[2] += accumulates ? GCN_ACCUMULATION - GCN_VECTOR : 0;
    return status;
}

/* Finds the row of an access in the segment. lds: the bit that marks a load to LDS; 0: none. */
static enum status read_flat_row(struct instruction_reader *reader, unsigned segment, unsigned lds,
                                 unsigned opcode)
{
    enum status status = reader_need_two(reader);
    if (status != STATUS_OK)
        return status;
    if (segment == 1 || segment == 3)
        return reader_refuse(reader, "an access to scratch memory, which is not supported");
    status = reader_find(reader, segment == 2 ? GCN_GLOBAL : GCN_FLAT, opcode);
    if (status == STATUS_OK && lds != 0 && bits(reader->word[0], lds, lds) != 0)
        return reader_refuse(reader, "a load to LDS, which is not supported");
    return status;
}

static enum status read_flat(struct instruction_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    uint32_t word = reader->word[0];
    unsigned segment = reader->generation == 9 ? bits(word, 15, 14) : 0;
    enum status status = read_flat_row(reader, segment, reader->generation == 9 ? 13 : 0, opcode);
    bool fifth = bits(reader->word[1], 23, 23) != 0;
    if (status == STATUS_OK && fifth && reader->generation != 9)
        return reader_refuse(reader, "an access with TFE, which is not supported");
    to->modifiers |= (bits(word, 16, 16) != 0 ? GCN_GLC : 0) | (bits(word, 17, 17) != 0 ? GCN_SLC : 0) |
                     (bits(word, 25, 25) != 0 ? GCN_SCC1 : 0);
    if (reader->generation == 9) {
        int32_t offset = (int32_t)bits(word, 12, 0);
        to->number = segment == 2 ? (offset ^ 0x1000) - 0x1000 : offset & 0xfff;
        if (segment == 2 && bits(reader->word[1], 22, 16) != 0x7f)
            to->src[2] = (uint16_t)bits(reader->word[1], 22, 16);
    }
    read_vectors(reader, fifth); /* earlier than gfx90a: NV, which no compiler sets */
    return status;
}

static enum status read_buffer_operands(struct instruction_reader *reader)
{
    uint32_t second = reader->word[1];
    reader->to->number = (int32_t)bits(reader->word[0], 11, 0);
    reader->to->src[0] = vector(second, 0);
    reader->to->dst = vector(second, 8);
    reader->to->src[1] = (uint16_t)(bits(second, 20, 16) * 4);
    return reader_source(reader, 2, bits(second, 31, 24));
}

static enum status read_mubuf(struct instruction_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    uint32_t word = reader->word[0];
    uint32_t second = reader->word[1];
    bool new = reader->generation == 8 || reader->generation == 9;
    static const unsigned fifteen[] = {GCN_ADDR64, GCN_ADDR64, GCN_SCC1, GCN_SCC1, GCN_DLC};
    enum status status = reader_find_two(reader, GCN_MUBUF, opcode);
    bool fifth = bits(second, 23, 23) != 0; /* gfx90a and later: ACC */
    if (status == STATUS_OK && (bits(word, 16, 16) != 0 || (fifth && reader->generation != 9)))
        return reader_refuse(reader, "a buffer access with LDS or TFE, which is not supported");
    to->modifiers |= (bits(word, 14, 14) != 0 ? GCN_GLC : 0) | (bits(word, 13, 13) != 0 ? GCN_IDXEN : 0) |
                     (bits(word, 12, 12) != 0 ? GCN_OFFEN : 0) |
                     (bits(word, 15, 15) != 0 ? fifteen[reader->generation - GCN_ROW_FIRST_GENERATION] : 0) |
                     (bits(new ? word : second, new ? 17 : 22, new ? 17 : 22) != 0 ? GCN_SLC : 0);
    if (status == STATUS_OK)
        status = read_buffer_operands(reader);
    to->dst += fifth ? GCN_ACCUMULATION - GCN_VECTOR : 0;
    return status;
}

/* GFX10 and GFX11: offsets are signed in segments other than FLAT. */
static enum status read_flat10(struct instruction_reader *reader, unsigned opcode)
{
    static const unsigned char places10[] = {16, 17, 12, 0};
    static const unsigned char places11[] = {14, 15, 13, 0};
    struct gcn_instruction *to = reader->to;
    uint32_t word = reader->word[0];
    bool old = reader->generation == 10;
    unsigned segment = bits(word, old ? 15 : 17, old ? 14 : 16);
    unsigned base = reader_scalar(reader, bits(reader->word[1], 22, 16));
    unsigned sign = old ? 11 : 12;
    enum status status = read_flat_row(reader, segment, old ? 13 : 0, opcode);
    if (status == STATUS_OK && segment == 0 && bits(word, sign, sign) != 0)
        return reader_refuse(reader, "a FLAT access with a negative offset, which is invalid");
    to->modifiers |= flags(word, old ? places10 : places11);
    to->number = signed_bits(word, sign, 0);
    if (segment == 2 && base != GCN_NULL && base != 0x7f)
        to->src[2] = (uint16_t)base;
    read_vectors(reader, false);
    return status;
}

/* GFX11. */
static enum status read_mubuf11(struct instruction_reader *reader, unsigned opcode)
{
    static const unsigned char places[] = {14, 12, 13, 0};
    struct gcn_instruction *to = reader->to;
    uint32_t second = reader->word[1];
    enum status status = reader_find_two(reader, GCN_MUBUF, opcode);
    if (status == STATUS_OK && bits(second, 21, 21) != 0)
        return reader_refuse(reader, "a buffer access with TFE, which is not supported");
    to->modifiers |= flags(reader->word[0], places) | (bits(second, 22, 22) != 0 ? GCN_OFFEN : 0) |
                     (bits(second, 23, 23) != 0 ? GCN_IDXEN : 0);
    return status == STATUS_OK ? read_buffer_operands(reader) : status;
}

/* GFX12's three words: the opcode and a scalar register; data and policy; address and offset. */
static enum status read_three(struct instruction_reader *reader, enum gcn_format format, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    to->length = 12;
    to->two_words = true;
    if (reader->left < 12)
        return reader_refuse(reader, "cut short: its third word is missing");
    enum status status = reader_find(reader, format, opcode);
    read_policy(to, reader->word[1], 18, 20);
    to->src[0] = vector(reader->word[2], 0);
    to->dst = vector(reader->word[1], 0);
    to->number = signed_bits(reader->word[2], 31, 8);
    return status;
}

static enum status read_flat12(struct instruction_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    unsigned segment = bits(reader->word[0], 25, 24);
    unsigned base = reader_scalar(reader, bits(reader->word[0], 6, 0));
    if (segment == 1 || segment == 3)
        return reader_refuse(reader, "an access to scratch memory, which is not supported");
    enum status status = read_three(reader, segment == 2 ? GCN_GLOBAL : GCN_FLAT, opcode);
    to->src[1] = vector(reader->word[1], 23);
    if (segment == 2 && base != GCN_NULL)
        to->src[2] = (uint16_t)base;
    return status;
}

static enum status read_mubuf12(struct instruction_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    uint32_t second = reader->word[1];
    enum status status = read_three(reader, GCN_MUBUF, opcode);
    to->src[1] = (uint16_t)bits(second, 17, 9);
    to->src[2] = reader_scalar(reader, bits(reader->word[0], 6, 0));
    to->modifiers |=
        (bits(second, 30, 30) != 0 ? GCN_OFFEN : 0) | (bits(second, 31, 31) != 0 ? GCN_IDXEN : 0);
    if (status == STATUS_OK && bits(reader->word[0], 22, 22) != 0)
        return reader_refuse(reader, "a buffer access with TFE, which is not supported");
    if (status == STATUS_OK && (to->src[1] >= GCN_SCALARS || to->number < 0))
        return reader_refuse(reader, "an instruction with an operand that does not exist");
    return status;
}

/* ---- vector operations ---- */

/* An operation's mandatory literal; no other source may be a literal. */
static enum status always_literal(struct instruction_reader *reader)
{
    struct gcn_instruction *to = reader->to;
    const char *sources = strchr(to->row->operands, '=') + 1;
    if (strchr(sources, 'L') == NULL)
        return STATUS_OK;
    unsigned at = (unsigned)(strchr(sources, 'L') - sources);
    if (at == 1)
        to->src[2] = to->src[1];
    return reader_source(reader, at, GCN_LITERAL);
}

/* Sets the first result from 7 or 8 bits; comparisons that change only EXEC have none. */
static void set_destination(struct instruction_reader *reader, unsigned code)
{
    char out = gcn_letter_out(reader->to->row, 0);
    bool scalar = out == 's' || out == 'm';
    if (out != '\0')
        reader->to->dst = scalar ? reader_scalar(reader, code) : (uint16_t)(code + GCN_VECTOR);
}

static void implied_mask(struct gcn_instruction *to)
{
    if (gcn_letter_out(to->row, 1) == 'm')
        to->dst2 = GCN_VCC;
    if (gcn_letter_in(to->row, 2) == 'm')
        to->src[2] = GCN_VCC;
}

/* ---- the word for SDWA or DPP ---- */

/* Sign, OMOD and CLAMP modifiers apply to floating-point operations only. */
static enum status check_signs(const struct instruction_reader *reader)
{
    static const char floats[] = "fFe";
    const struct gcn_instruction *to = reader->to;
    char out = gcn_letter_out(to->row, 0);
    if ((to->omod != 0 || to->clamp) && (out == '\0' || strchr(floats, out) == NULL))
        return reader_refuse(reader, "an integer operation with OMOD or CLAMP, which is not supported");
    for (unsigned i = 0; i < 3; i++) {
        char in = gcn_letter_in(to->row, i);
        if (((to->neg | to->abs) >> i & 1) != 0 && (in == '\0' || strchr(floats, in) == NULL))
            return reader_refuse(reader,
                                 "an operation with a sign modifier on an integer, which is not supported");
        if (in == '\0')
            break;
    }
    return STATUS_OK;
}

/* SDWA and DPP require operands of at most 32 bits. */
static enum status check_extended(const struct instruction_reader *reader)
{
    const struct gcn_row *row = reader->to->row;
    bool sized = strpbrk(row->operands, "FIPLs") == NULL && gcn_letter_in(row, 0) != '\0';
    return sized ? STATUS_OK : reader_refuse(reader, "an operation that cannot have SDWA or DPP");
}

/* A source of SDWA: a vector register, or with the bit from GFX9 on a scalar register or a constant. */
static enum status sdwa_source(struct instruction_reader *reader, unsigned number, unsigned code, bool scalar)
{
    if (scalar && reader->generation < 9)
        return reader_refuse(reader, "an instruction with SDWA and a scalar source, which GFX8 lacks");
    if (scalar && code >= GCN_SCALARS && (code == GCN_LITERAL || code == SDWA_CODE || code == DPP_CODE))
        return reader_refuse(reader, "an instruction with an operand that does not exist");
    return reader_source(reader, number, scalar ? code : code + GCN_VECTOR);
}

static enum status read_sdwa(struct instruction_reader *reader)
{
    struct gcn_instruction *to = reader->to;
    uint32_t word = reader->word[1];
    bool compares = to->row->format == GCN_VOPC;
    bool own = compares && reader->generation >= 9; /* the encoding for comparisons with a register */
    bool two = gcn_letter_in(to->row, 1) != '\0';
    to->extension = GCN_SDWA;
    to->sdwa = (struct gcn_sdwa){.src = {(uint8_t)bits(word, 18, 16), (uint8_t)bits(word, 26, 24)},
                                 .dst = GCN_DWORD,
                                 .sign = (uint8_t)(bits(word, 19, 19) | bits(word, 27, 27) << 1)};
    to->neg = (uint8_t)(bits(word, 20, 20) | bits(word, 28, 28) << 1);
    to->abs = (uint8_t)(bits(word, 21, 21) | bits(word, 29, 29) << 1);
    if (!compares) {
        to->sdwa.dst = (uint8_t)bits(word, 10, 8);
        to->sdwa.rest = (uint8_t)bits(word, 12, 11);
        to->omod = (uint8_t)(reader->generation >= 9 ? bits(word, 15, 14) : 0);
    }
    to->clamp = !own && bits(word, 13, 13) != 0;
    if (own && bits(word, 15, 15) != 0)
        to->dst = reader_scalar(reader, bits(word, 14, 8));
    if (!two)
        to->sdwa.src[1] = GCN_DWORD, to->sdwa.sign &= 1, to->neg &= 1, to->abs &= 1;
    if (to->sdwa.src[0] > GCN_DWORD || to->sdwa.src[1] > GCN_DWORD || to->sdwa.dst > GCN_DWORD ||
        to->sdwa.rest > GCN_REST_KEPT)
        return reader_refuse(reader, "an instruction with SDWA of a part that does not exist");
    for (unsigned i = 0; i < 2; i++)
        if ((to->sdwa.sign >> i & 1) != 0 && strchr("fe", gcn_letter_in(to->row, i)) != NULL)
            return reader_refuse(reader,
                                 "an instruction with SDWA that sign-extends a floating-point number");
    enum status status = sdwa_source(reader, 0, bits(word, 7, 0), bits(word, 23, 23) != 0);
    if (status == STATUS_OK && two)
        status = sdwa_source(reader, 1, bits(reader->word[0], 16, 9), bits(word, 31, 31) != 0);
    return status;
}

/* DPP_CTRL's values, and the generations that have them. */
static const struct dpp_control {
    unsigned from, to, first, last; /* generations */
} dpp_controls[] = {
    {0x000, 0x0ff, 8, 12}, {0x101, 0x10f, 8, 12}, {0x111, 0x11f, 8, 12}, {0x121, 0x12f, 8, 12},
    {0x130, 0x130, 8, 9},  {0x134, 0x134, 8, 9},  {0x138, 0x138, 8, 9},  {0x13c, 0x13c, 8, 9},
    {0x140, 0x141, 8, 12}, {0x142, 0x143, 8, 9},  {0x150, 0x15f, 9, 12}, {0x160, 0x16f, 10, 12},
};

static bool dpp_exists(const struct instruction_reader *reader, unsigned control)
{
    for (size_t i = 0; i < sizeof dpp_controls / sizeof dpp_controls[0]; i++)
        if (control >= dpp_controls[i].from && control <= dpp_controls[i].to &&
            reader->generation >= dpp_controls[i].first && reader->generation <= dpp_controls[i].last)
            return true;
    return false;
}

static enum status read_dpp(struct instruction_reader *reader, bool eight, bool inactive)
{
    struct gcn_instruction *to = reader->to;
    uint32_t word = reader->word[1];
    to->src[0] = vector(word, 0);
    to->extension = eight ? GCN_DPP8 : GCN_DPP;
    if (eight) {
        to->dpp = (struct gcn_dpp){
            .lanes = bits(word, 31, 8), .rows = 15, .banks = 15, .zero = true, .inactive = inactive};
        return STATUS_OK;
    }
    to->dpp = (struct gcn_dpp){.control = (uint16_t)bits(word, 16, 8),
                               .rows = (uint8_t)bits(word, 31, 28),
                               .banks = (uint8_t)bits(word, 27, 24),
                               .zero = bits(word, 19, 19) != 0,
                               .inactive = reader->generation >= 10 && bits(word, 18, 18) != 0};
    to->neg = (uint8_t)(bits(word, 20, 20) | bits(word, 22, 22) << 1);
    to->abs = (uint8_t)(bits(word, 21, 21) | bits(word, 23, 23) << 1);
    if (gcn_letter_in(to->row, 1) == '\0')
        to->neg &= 1, to->abs &= 1;
    if (!dpp_exists(reader, to->dpp.control) || bits(word, 17, 17) != 0 ||
        (reader->generation < 10 && bits(word, 18, 18) != 0))
        return reader_refuse(reader, "an instruction with DPP_CTRL or bits that do not exist");
    return STATUS_OK;
}

/* Source 0 of a short encoding: an operand, or a word for SDWA or DPP. */
static enum status first_source(struct instruction_reader *reader)
{
    unsigned code = bits(reader->word[0], 8, 0);
    unsigned generation = reader->generation;
    bool sdwa = code == SDWA_CODE && generation >= 8 && generation <= 10;
    bool eight = (code == DPP8_CODE || code == DPP8_INACTIVE_CODE) && generation >= 10;
    if (!sdwa && !eight && !(code == DPP_CODE && generation >= 8))
        return reader_source(reader, 0, code);
    reader->to->length = 8;
    if (reader->left < 8)
        return reader_refuse(reader, "cut short: its second word is missing");
    enum status status = check_extended(reader);
    if (status == STATUS_OK)
        status = sdwa ? read_sdwa(reader) : read_dpp(reader, eight, code == DPP8_INACTIVE_CODE);
    return status == STATUS_OK ? check_signs(reader) : status;
}

/* ---- vector operations in their short encodings ---- */

static enum status read_vop2(struct instruction_reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    enum status status = reader_find(reader, GCN_VOP2, opcode);
    if (status != STATUS_OK)
        return status;
    set_destination(reader, bits(word, 24, 17));
    unsigned second = bits(word, 16, 9);
    to->src[1] = (uint16_t)(second + GCN_VECTOR);
    status = first_source(reader);
    if (gcn_letter_in(to->row, 1) == 's') /* v_readlane_b32 has a scalar operand in the place of a vector */
        status = status == STATUS_OK ? reader_source(reader, 1, second) : status;
    implied_mask(to);
    return status == STATUS_OK ? always_literal(reader) : status;
}

static enum status read_vop1(struct instruction_reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    struct gcn_instruction *to = reader->to;
    enum status status = reader_find(reader, GCN_VOP1, opcode);
    if (status != STATUS_OK)
        return status;
    set_destination(reader, bits(word, 24, 17));
    if (strncmp(to->row->name, "v_accvgpr_", strlen("v_accvgpr_")) == 0) {
        if (bits(word, 8, 8) == 0)
            return reader_refuse(reader, "an instruction with an operand that does not exist");
        to->dst += GCN_ACCUMULATION - GCN_VECTOR;
        to->src[0] = (uint16_t)(vector(word, 0) + GCN_ACCUMULATION - GCN_VECTOR);
        return STATUS_OK;
    }
    return gcn_letter_in(to->row, 0) == '\0' ? STATUS_OK : first_source(reader);
}

static enum status read_vopc(struct instruction_reader *reader, unsigned opcode)
{
    uint32_t word = reader->word[0];
    reader->to->src[1] = (uint16_t)(bits(word, 16, 9) + GCN_VECTOR);
    enum status status = reader_find(reader, GCN_VOPC, opcode);
    if (status != STATUS_OK)
        return status;
    set_destination(reader, GCN_VCC);
    return first_source(reader);
}

/* The first VOP3 opcode of the operations with a shorter encoding, by generation. */
static const struct vop3_share {
    unsigned first, last; /* generations */
    unsigned from, to;
    enum gcn_format format;
} shares[] = {
    {6, 12, 0x000, 0x0ff, GCN_VOPC}, {6, 12, 0x100, 0x13f, GCN_VOP2},  {6, 7, 0x180, 0x1ff, GCN_VOP1},
    {8, 9, 0x140, 0x1bf, GCN_VOP1},  {10, 12, 0x180, 0x1ff, GCN_VOP1},
};

static enum status find_vop3(struct instruction_reader *reader, unsigned opcode)
{
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        if (reader->generation >= shares[i].first && reader->generation <= shares[i].last &&
            opcode >= shares[i].from && opcode <= shares[i].to) {
            reader->to->wide = true;
            enum status status = reader_find(reader, shares[i].format, opcode - shares[i].from);
            if (status == STATUS_OK && strchr(reader->to->row->operands, 'L') != NULL)
                return reader_refuse(reader, "not a known instruction");
            return status;
        }
    return reader_find(reader, GCN_VOP3, opcode);
}

static enum status vop3_sources(struct instruction_reader *reader)
{
    struct gcn_instruction *to = reader->to;
    uint32_t word = reader->word[1];
    unsigned codes[] = {bits(word, 8, 0), bits(word, 17, 9), bits(word, 26, 18)};
    for (unsigned i = 0; i < 3 && gcn_letter_in(to->row, i) != '\0'; i++) {
        if (codes[i] == GCN_LITERAL && reader->generation < 10)
            return reader_refuse(reader, "an instruction with an operand that does not exist");
        enum status status = reader_source(reader, i, codes[i]);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum { ALL_HALVES = 7 };

/* From this opcode on, GFX9 has packed operations (VOP3P), which use the bits differently. */
enum { PACKED = 0x380 };

static enum status read_packed(struct instruction_reader *reader)
{
    struct gcn_instruction *to = reader->to;
    uint32_t first = reader->word[0], second = reader->word[1];
    unsigned absent = gcn_letter_in(to->row, 2) == '\0' ? 4 : 0; /* the third source's bits mean nothing */
    to->select = (uint8_t)(bits(first, 13, 11) & ~absent);
    to->select_high = (uint8_t)(bits(second, 28, 27) | bits(first, 14, 14) << 2 | absent);
    to->neg = (uint8_t)(bits(second, 31, 29) & ~absent);
    to->neg_high = (uint8_t)(bits(first, 10, 8) & ~absent);
    bool floats = gcn_letter_out(to->row, 0) == 'P';
    if (bits(first, 15, 15) != 0 ||
        (!floats && (to->select_high != ALL_HALVES || (to->neg | to->neg_high) != 0)))
        return reader_refuse(reader, "a packed operation with modifiers that are not supported");
    enum status status = vop3_sources(reader);
    for (unsigned i = 0; i < 3 && status == STATUS_OK && gcn_letter_in(to->row, i) == 'P'; i++)
        if (to->src[i] >= GCN_SCALARS && to->src[i] < GCN_VECTOR &&
            ((to->select | to->select_high) >> i & 1) != 0)
            return reader_refuse(reader, "a packed operation with the upper half of a constant, which is not "
                                         "supported");
    return status;
}

static enum status read_vop3(struct instruction_reader *reader, unsigned opcode);

/* Matrix operations: D = A * B + C, where C and D are in AccVGPRs or, from gfx90a on, in VGPRs. */
static enum status read_matrix(struct instruction_reader *reader, unsigned opcode)
{
    enum { FILES = GCN_ACCUMULATION - GCN_VECTOR };
    struct gcn_instruction *to = reader->to;
    uint32_t first = reader->word[0], second = reader->word[1];
    enum status status = reader_find(reader, GCN_MATRIX, opcode);
    if (status != STATUS_OK)
        return status;
    bool moves = gcn_letter_in(to->row, 1) == '\0';
    bool reads = strcmp(to->row->name, "v_accvgpr_read_b32") == 0;
    unsigned files = bits(second, 28, 27); /* of the first two sources */
    if (moves ? bits(second, 31, 29) != 0 || bits(first, 13, 8) != 0 || bits(first, 15, 15) != 0
              : bits(first, 14, 8) != 0 || bits(second, 31, 29) != 0)
        return reader_refuse(reader, "a matrix operation with CBSZ, ABID or BLGP, which is not supported");
    bool accumulates = moves ? !reads : bits(first, 15, 15) != 0;
    set_destination(reader, bits(first, 7, 0));
    to->dst += accumulates ? FILES : 0;
    status = vop3_sources(reader);
    for (unsigned i = 0; i < 2 && status == STATUS_OK && gcn_letter_in(to->row, i) != '\0'; i++) {
        bool vectors = to->src[i] >= GCN_VECTOR;
        if (!vectors && !(moves && !reads))
            return reader_refuse(reader, "a matrix operation with a source that is not a vector register");
        bool from = moves ? reads : (files >> i & 1) != 0;
        to->src[i] += vectors && from ? FILES : 0;
    }
    if (status == STATUS_OK && !moves && to->src[2] >= GCN_VECTOR && accumulates)
        to->src[2] += FILES;
    if (status == STATUS_OK && !moves && to->src[2] < GCN_SCALARS)
        return reader_refuse(reader, "a matrix operation with a source that is not a vector register");
    return status;
}

void gcn_settle(const char *name, struct gcn_instruction *instruction)
{
    enum { FILES = GCN_ACCUMULATION - GCN_VECTOR };
    if (instruction->row->format != GCN_MATRIX || strcmp(name, "gfx908") != 0 ||
        gcn_letter_in(instruction->row, 1) == '\0')
        return;
    instruction->dst += instruction->dst < GCN_ACCUMULATION ? FILES : 0;
    bool vectors = instruction->src[2] >= GCN_VECTOR && instruction->src[2] < GCN_ACCUMULATION;
    instruction->src[2] += vectors ? FILES : 0;
}

/* A product of 16-bit or 32-bit numbers, which OP_SEL and OP_SEL_HI select; NEG_HI takes the absolute
 * value. */
static enum status read_mixed(struct instruction_reader *reader)
{
    struct gcn_instruction *to = reader->to;
    to->abs = to->neg_high;
    to->neg_high = 0;
    to->clamp = bits(reader->word[0], 15, 15) != 0;
    return vop3_sources(reader);
}

/* Two halves of 16 bits, or dot products. */
static enum status read_vop3p(struct instruction_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    uint32_t first = reader->word[0], second = reader->word[1];
    enum status status = reader_need_two(reader);
    if (status == STATUS_OK && gcn_row_find(GCN_MATRIX, reader->generation, opcode) != NULL)
        return read_matrix(reader, opcode);
    if (status == STATUS_OK && gcn_row_find(GCN_VOP3P, reader->generation, opcode) == NULL &&
        reader->generation == 9)
        return read_vop3(reader, PACKED | opcode);
    if (status == STATUS_OK)
        status = reader_find(reader, GCN_VOP3P, opcode);
    if (status != STATUS_OK)
        return status;
    set_destination(reader, bits(first, 7, 0));
    to->select = (uint8_t)bits(first, 13, 11);
    to->select_high = (uint8_t)(bits(second, 28, 27) | bits(first, 14, 14) << 2);
    to->neg = (uint8_t)bits(second, 31, 29);
    to->neg_high = (uint8_t)bits(first, 10, 8);
    if (gcn_letter_in(to->row, 0) == 'x')
        return read_mixed(reader);
    bool floats = strstr(to->row->name, "_f16") != NULL;
    bool halves = gcn_letter_out(to->row, 0) == 'q';
    unsigned absent = gcn_letter_in(to->row, 2) == '\0' ? 4 : 0; /* the third source's bits mean nothing */
    if (bits(first, 15, 15) != 0 || ((!floats || !halves) && (to->neg | to->neg_high) != 0) ||
        (!halves && (to->select != 0 || to->select_high != ALL_HALVES)) || (to->select & absent) != 0 ||
        ((to->neg | to->neg_high) & absent) != 0)
        return reader_refuse(reader, "a packed operation with modifiers that are not supported");
    to->select_high |= (uint8_t)absent;
    return vop3_sources(reader);
}

static enum status read_vop3(struct instruction_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    uint32_t first = reader->word[0];
    bool new = reader->generation >= 8;
    enum status status = reader_need_two(reader);
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
        to->dst2 = reader_scalar(reader, bits(first, 14, 8));
        to->clamp = new &&bits(first, 15, 15) != 0;
    } else {
        to->abs = (uint8_t)bits(first, 10, 8);
        to->clamp = bits(first, new ? 15 : 11, new ? 15 : 11) != 0;
        if (gcn_selects_halves(to->row, reader->generation))
            to->select = (uint8_t)bits(first, 14, 11);
        else if (new &&bits(first, 14, 11) != 0)
            return reader_refuse(reader, "an instruction with op_sel, which is not supported");
    }
    status = check_signs(reader);
    return status == STATUS_OK ? vop3_sources(reader) : status;
}

/* Operations that VOPD pairs, by opcode there and in their own encoding on GFX11. */
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

/* Reads one operation of a pair: sources from the word, result in the vector register. */
static enum status read_half(const struct instruction_reader *reader, unsigned number, uint32_t word,
                             unsigned destination, struct gcn_instruction *half)
{
    struct instruction_reader part = *reader;
    *half = *reader->to;
    part.to = half;
    for (size_t i = 0; i < sizeof duals / sizeof duals[0]; i++)
        if (duals[i].number == number)
            half->row = gcn_row_find(duals[i].format, 11, duals[i].opcode);
    if (half->row == NULL)
        return reader_refuse(reader, "a pair with an unknown operation");
    set_destination(&part, destination);
    enum status status = reader_source(&part, 0, bits(word, 8, 0));
    if (gcn_letter_in(half->row, 1) != '\0')
        half->src[1] = (uint16_t)(bits(word, 16, 9) + GCN_VECTOR);
    implied_mask(half);
    return status == STATUS_OK ? always_literal(&part) : status;
}

static enum status read_vopd(struct instruction_reader *reader, unsigned opcode)
{
    struct gcn_instruction *to = reader->to;
    struct gcn_instruction second = {0};
    unsigned to_first = bits(reader->word[1], 31, 24);
    unsigned to_second = bits(reader->word[1], 23, 17) << 1 | (~to_first & 1);
    enum status status = reader_need_two(reader);
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

/* ---- any instruction ---- */

/* The encodings by their first word (the first match applies), and the position of the opcode. */
static const struct encoding_row {
    uint32_t mask, match;
    unsigned first, last; /* generations */
    unsigned high, low;   /* the opcode's bits */
    read_format *read;
} encodings[] = {
    {0xff800000, 0xbe800000, 6, 12, 15, 8, read_sop1},
    {0xff800000, 0xbf000000, 6, 12, 22, 16, read_sopc},
    {0xff800000, 0xbf800000, 6, 12, 22, 16, read_sopp},
    {0xf0000000, 0xb0000000, 6, 12, 27, 23, read_sopk},
    {0xc0000000, 0x80000000, 6, 12, 29, 23, read_sop2},
    {0xf8000000, 0xc0000000, 6, 7, 26, 22, read_smrd},
    {0xfc000000, 0xc0000000, 8, 9, 25, 18, read_smem},
    {0xfc000000, 0xf4000000, 10, 11, 25, 18, read_smem10},
    {0xfc000000, 0xf4000000, 12, 12, 18, 13, read_smem12},
    {0xfe000000, 0x7e000000, 6, 12, 16, 9, read_vop1},
    {0xfe000000, 0x7c000000, 6, 12, 24, 17, read_vopc},
    {0x80000000, 0x00000000, 6, 12, 30, 25, read_vop2},
    {0xfc000000, 0xd0000000, 6, 7, 25, 17, read_vop3},
    {0xff800000, 0xd3800000, 9, 9, 22, 16, read_vop3p},
    {0xff800000, 0xcc000000, 10, 12, 22, 16, read_vop3p},
    {0xfc000000, 0xd0000000, 8, 9, 25, 16, read_vop3},
    {0xfc000000, 0xd4000000, 10, 12, 25, 16, read_vop3},
    {0xfc000000, 0xc8000000, 11, 12, 25, 22, read_vopd},
    {0xfc000000, 0xd8000000, 6, 7, 25, 18, read_ds},
    {0xfe000000, 0xd8000000, 8, 8, 24, 17, read_ds},
    {0xfc000000, 0xd8000000, 9, 9, 24, 17, read_ds}, /* bit 25 is ACC */
    {0xfc000000, 0xd8000000, 10, 12, 25, 18, read_ds},
    {0xfc000000, 0xdc000000, 7, 9, 24, 18, read_flat},
    {0xfc000000, 0xdc000000, 10, 11, 24, 18, read_flat10},
    {0xfe000000, 0xe0000000, 6, 9, 24, 18, read_mubuf},
    {0xfc000000, 0xe0000000, 10, 10, 25, 18, read_mubuf},
    {0xfc000000, 0xe0000000, 11, 11, 25, 18, read_mubuf11},
    {0xfc000000, 0xec000000, 12, 12, 21, 14, read_flat12},
    {0xfc000000, 0xc4000000, 12, 12, 21, 14, read_mubuf12},
};

/* Register operands must lie within their register file. */
static enum status check_registers(const struct instruction_reader *reader)
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
        return reader_refuse(reader, "an instruction with an operand that does not exist");
    for (size_t i = 0; i < sizeof operands / sizeof operands[0] && to->row->format < GCN_DS; i++) {
        unsigned code = operands[i].code;
        bool narrow = operands[i].letter == 'm' && reader->generation >= 10; /* the wave may have 32 lanes */
        unsigned end = code + (narrow ? 1 : gcn_letter_dwords(operands[i].letter));
        if (code != GCN_NO_OPERAND && code != GCN_NULL &&
            ((code < GCN_SCALARS && end > GCN_SCALARS) ||
             end > (code < GCN_ACCUMULATION ? GCN_ACCUMULATION : GCN_ACCUMULATION + GCN_VECTOR)))
            return reader_refuse(reader, "an instruction whose registers extend beyond the last");
    }
    return STATUS_OK;
}

/* No manual defines a floating-point constant as the operand of an operation on 16-bit integers. */
static enum status check_constants(const struct instruction_reader *reader)
{
    const struct gcn_instruction *to = reader->to;
    for (unsigned i = 0; to->row->format < GCN_DS && i < 3 && gcn_letter_in(to->row, i) != '\0'; i++)
        if (gcn_letter_in(to->row, i) == 'j' && to->src[i] >= GCN_FLOATS && to->src[i] <= GCN_INVERSE_TWO_PI)
            return reader_refuse(reader,
                                 "an operation on integers of 16 bits with a floating-point constant, "
                                 "which is not supported");
    return STATUS_OK;
}

enum status gcn_decode(unsigned generation, const unsigned char *code, size_t left, uint64_t offset,
                       struct gcn_instruction *instruction, struct error *error)
{
    struct instruction_reader reader = {generation, {0}, left, offset, instruction, error};
    *instruction = (struct gcn_instruction){.length = 4,
                                            .dst = GCN_NO_OPERAND,
                                            .dst2 = GCN_NO_OPERAND,
                                            .src = {GCN_NO_OPERAND, GCN_NO_OPERAND, GCN_NO_OPERAND}};
    if (left < 4)
        return error_set(error, STATUS_FAILED, "the code ends at offset 0x%llx within an instruction",
                         (unsigned long long)offset);
    memcpy(reader.word, code, left < sizeof reader.word ? left / 4 * 4 : sizeof reader.word);
    for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; i++) {
        const struct encoding_row *row = &encodings[i];
        if ((reader.word[0] & row->mask) != row->match || generation < row->first || generation > row->last)
            continue;
        enum status status = row->read(&reader, bits(reader.word[0], row->high, row->low));
        if (status == STATUS_OK)
            status = check_registers(&reader);
        return status == STATUS_OK ? check_constants(&reader) : status;
    }
    return reader_refuse(&reader, "not a known instruction");
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
    if (letter == 'W')
        return 32;
    if (letter == 'G')
        return 16;
    if (letter == 'B')
        return 4;
    return letter != '\0' && strchr("ifsqejx", letter) != NULL ? 1 : 0;
}

bool gcn_letter_is_half(char letter)
{
    return letter == 'e' || letter == 'j';
}

/* Operations that keep their form of GFX8 in later generations. */
static bool is_whole(const char *name)
{
    static const char *const names[] = {"v_mul_lo_u16", "v_lshlrev_b16", "v_lshrrev_b16", "v_ashrrev_i16",
                                        "v_max_u16",    "v_max_i16",     "v_min_u16",     "v_min_i16"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return strstr(name, "legacy") != NULL;
}

bool gcn_selects_halves(const struct gcn_row *row, unsigned generation)
{
    return generation >= 9 && row->format == GCN_VOP3 && strpbrk(row->operands, "ej") != NULL &&
           !is_whole(row->name);
}
