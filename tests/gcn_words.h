/* Words of GCN machine code for the decoder's tests: of any row, with random operands that the hardware
 * allows. */
#ifndef TESTS_GCN_WORDS_H
#define TESTS_GCN_WORDS_H

#include "base/random.h"
#include "isa/gcn/decode/decode.h"

#include <string.h>

/* Where an encoding has its opcode and what its first word begins with, by GFX6 and 7, GFX8 and 9, GFX10,
 * GFX11, GFX12. */
enum { SHAPES = 5 };
static const struct shape {
    enum gcn_format format;
    uint32_t word[SHAPES];
    unsigned low[SHAPES];
} shapes[] = {
    /* clang-format off */
    {GCN_SOP2, {0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000}, {23, 23, 23, 23, 23}},
    {GCN_SOPK, {0xb0000000, 0xb0000000, 0xb0000000, 0xb0000000, 0xb0000000}, {23, 23, 23, 23, 23}},
    {GCN_SOP1, {0xbe800000, 0xbe800000, 0xbe800000, 0xbe800000, 0xbe800000}, {8, 8, 8, 8, 8}},
    {GCN_SOPC, {0xbf000000, 0xbf000000, 0xbf000000, 0xbf000000, 0xbf000000}, {16, 16, 16, 16, 16}},
    {GCN_SOPP, {0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000}, {16, 16, 16, 16, 16}},
    {GCN_SMEM, {0xc0000000, 0xc0000000, 0xf4000000, 0xf4000000, 0xf4000000}, {22, 18, 18, 18, 13}},
    {GCN_VOP2, {0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000}, {25, 25, 25, 25, 25}},
    {GCN_VOP1, {0x7e000000, 0x7e000000, 0x7e000000, 0x7e000000, 0x7e000000}, {9, 9, 9, 9, 9}},
    {GCN_VOPC, {0x7c000000, 0x7c000000, 0x7c000000, 0x7c000000, 0x7c000000}, {17, 17, 17, 17, 17}},
    {GCN_VOP3, {0xd0000000, 0xd0000000, 0xd4000000, 0xd4000000, 0xd4000000}, {17, 16, 16, 16, 16}},
    {GCN_VOP3P, {0, 0xd3800000, 0xcc000000, 0xcc000000, 0xcc000000}, {16, 16, 16, 16, 16}},
    {GCN_MATRIX, {0, 0xd3800000, 0, 0, 0}, {16, 16, 16, 16, 16}},
    {GCN_DS, {0xd8000000, 0xd8000000, 0xd8000000, 0xd8000000, 0xd8000000}, {18, 17, 18, 18, 18}},
    {GCN_FLAT, {0xdc000000, 0xdc000000, 0xdc000000, 0xdc000000, 0xec000000}, {18, 18, 18, 18, 14}},
    {GCN_GLOBAL, {0, 0xdc008000, 0xdc008000, 0xdc020000, 0xee000000}, {18, 18, 18, 18, 14}},
    {GCN_MUBUF, {0xe0000000, 0xe0000000, 0xe0000000, 0xe0000000, 0xc4000000}, {18, 18, 18, 18, 14}},
    /* clang-format on */
};

static inline const struct shape *shape_of(enum gcn_format format)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (shapes[i].format == format)
            return &shapes[i];
    fail();
    return NULL;
}

/* What is being made. */
struct maker {
    unsigned generation;
    struct random random;
    const struct gcn_row *row;
    uint32_t word[GCN_DECODE_BYTES / 4];
};

static inline bool is_rdna(const struct maker *maker)
{
    return maker->generation >= 10;
}

static inline uint32_t below(struct maker *maker, uint32_t bound)
{
    return random_below(&maker->random, bound);
}

/* A scalar register that holds so many dwords, as LLVM aligns them. */
static inline uint32_t scalar(struct maker *maker, unsigned dwords)
{
    unsigned step = dwords >= 4 ? 4 : dwords == 0 ? 1 : dwords;
    uint32_t any = below(maker, 8);
    if (any == 0 && dwords <= 2)
        return GCN_VCC;
    return below(maker, (96 - dwords) / step) * step;
}

/* A vector register; even: what some processors demand of those of more dwords. */
static inline uint32_t vector(struct maker *maker, unsigned dwords)
{
    return below(maker, 240) & (dwords > 1 ? 0xfe : 0xff);
}

static inline uint32_t constant(struct maker *maker)
{
    uint32_t any = below(maker, 89);
    return any < 81 ? GCN_ZERO + any : GCN_FLOATS + any - 81;
}

/* A source of up to 9 bits: a vector or scalar register or a constant. */
static inline uint32_t any_source(struct maker *maker, char letter, bool vectors)
{
    unsigned dwords = gcn_letter_dwords(letter);
    uint32_t any = below(maker, 4);
    if (any == 0 && letter != 'P')
        return letter == 'j' ? GCN_ZERO + below(maker, 81) : constant(maker);
    if (letter == 'm' || letter == 's' || !vectors || any == 1)
        return scalar(maker, dwords);
    return GCN_VECTOR + vector(maker, dwords);
}

static inline uint32_t only_vector(struct maker *maker, char letter)
{
    return vector(maker, gcn_letter_dwords(letter)) + GCN_VECTOR;
}

static inline uint32_t literal_or(struct maker *maker, uint32_t code, bool allowed)
{
    if (!allowed || below(maker, 4) != 0)
        return code;
    maker->word[1] = random_next(&maker->random) | 0x10102; /* no number that has a code */
    maker->word[1] &= 0x7fff7fff;
    return GCN_LITERAL;
}

static inline void make_scalar(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    char first = gcn_letter_in(row, 0);
    char second = gcn_letter_in(row, 1);
    uint32_t out = scalar(maker, gcn_letter_dwords(gcn_letter_out(row, 0)));
    if (row->format == GCN_SOPP) {
        maker->word[0] |= first == 'w' ? 0x0f71 : first == '\0' ? 0 : below(maker, 8);
        maker->word[0] |= first == 'n' && below(maker, 2) == 0 ? 0xfff8 : 0;
        return;
    }
    if (row->format == GCN_SOPK) {
        bool hardware = strchr(row->operands, 'h') != NULL;
        bool numbered = strchr(row->operands, 'L') != NULL;
        uint32_t id = is_rdna(maker) && below(maker, 2) == 0 ? 23 + below(maker, 2) : below(maker, 3) + 1;
        uint32_t number =
            hardware ? id | below(maker, 16) << 6 | below(maker, 16) << 11 : below(maker, 0x7fff);
        maker->word[0] |= number | (numbered ? 0 : scalar(maker, 1 + (first == 'b')) << 16);
        maker->word[1] = numbered ? 0x12345 : 0;
        return;
    }
    if (strstr(row->name, "pc_b64") != NULL)
        maker->word[0] |= first == '\0' ? 0 : scalar(maker, 2); /* a place to go to is no constant */
    else if (first == 'k')
        maker->word[0] |= 0x80 + below(maker, 4);
    else if (first != '\0')
        maker->word[0] |= literal_or(maker, any_source(maker, first, false), gcn_letter_dwords(first) == 1);
    if (strncmp(row->name, "s_barrier", 9) == 0) /* a barrier's number, or M0 */
        maker->word[0] =
            (maker->word[0] & ~0xffu) | (below(maker, 2) == 0 ? 125 : GCN_ZERO + below(maker, 81));
    if (row->format != GCN_SOP1)
        maker->word[0] |= any_source(maker, second, false) << 8;
    if (row->format != GCN_SOPC && gcn_letter_out(row, 0) != '\0')
        maker->word[0] |= out << 16;
}

static inline uint32_t null_of(const struct maker *maker)
{
    return maker->generation == 10 ? 125 : 124;
}

/* Behind data and base, from GFX10 on. */
static inline void make_smem10(struct maker *maker, bool buffer)
{
    uint32_t offset = buffer ? below(maker, 0x100000) : random_next(&maker->random) & 0x1fffff;
    if (maker->generation == 12) {
        maker->word[0] |= below(maker, 4) << 21 | below(maker, 4) << 23;
        maker->word[1] |= (below(maker, 2) == 0 ? null_of(maker) : scalar(maker, 1)) << 25;
        maker->word[1] |= below(maker, 4) == 0 ? 0 : buffer ? offset : random_next(&maker->random) & 0xffffff;
        return;
    }
    maker->word[0] |= below(maker, 2) << (maker->generation == 10 ? 16 : 14);
    maker->word[1] |= (below(maker, 2) == 0 ? null_of(maker) : scalar(maker, 1)) << 25;
    maker->word[1] |= below(maker, 4) == 0 ? 0 : offset;
}

static inline void make_smem(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    bool old = maker->generation < 8;
    uint32_t data = scalar(maker, gcn_letter_dwords(gcn_letter_out(row, 0)));
    char base = gcn_letter_in(row, 0);
    if (gcn_letter_out(row, 0) == '\0')
        return;
    if (gcn_letter_dwords(gcn_letter_out(row, 0)) > 2)
        data = below(maker, 5) * 16;
    maker->word[0] |= data << (old ? 15 : 6);
    if (base == '\0')
        return;
    maker->word[0] |= (below(maker, 20) * 2) << (old ? 9 + 1 - 1 : 0);
    if (is_rdna(maker))
        make_smem10(maker, base == 'B');
    else if (old)
        maker->word[0] |= below(maker, 2) == 0 ? below(maker, 96) : 0x100 | below(maker, 256);
    else if (below(maker, 2) == 0)
        maker->word[1] |= below(maker, 96);
    else
        maker->word[0] |= 1 << 17, maker->word[1] |= below(maker, 0x100000);
}

static inline void make_short(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    char first = gcn_letter_in(row, 0);
    char second = gcn_letter_in(row, 1);
    char out = gcn_letter_out(row, 0);
    bool lane = out == 's';
    unsigned at = row->format == GCN_VOPC ? 0 : 17;
    bool numbered = strchr(row->operands, 'L') != NULL;
    if (first != '\0') {
        uint32_t code = lane                           ? only_vector(maker, first)
                        : first == 's'                 ? scalar(maker, 1)
                        : gcn_letter_in(row, 2) == 'm' ? only_vector(maker, first)
                                                       : any_source(maker, first, true);
        bool may = !numbered && !lane && gcn_letter_dwords(first) == 1 && gcn_letter_in(row, 2) != 'm';
        maker->word[0] |= literal_or(maker, numbered ? only_vector(maker, first) : code, may);
        maker->word[1] &= gcn_letter_is_half(first) ? 0xffff : UINT32_MAX;
    }
    if (row->format != GCN_VOP1)
        maker->word[0] |= (second == 's' && first == 's' ? GCN_ZERO + below(maker, 65)
                           : second == 's'               ? below(maker, 90)
                                                         : vector(maker, gcn_letter_dwords(second)))
                          << 9;
    if (numbered)
        maker->word[1] = 0x12345678;
    if (at != 0 && out != '\0')
        maker->word[0] |= (lane ? below(maker, 90) : vector(maker, gcn_letter_dwords(out))) << at;
}

static inline void make_long(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    char out = gcn_letter_out(row, 0);
    bool floats = out == 'f' || out == 'F' || out == 'e';
    bool halves = gcn_selects_halves(row, maker->generation);
    maker->word[0] |= out == 's' || out == 'm' ? scalar(maker, gcn_letter_dwords(out))
                      : out == '\0'            ? GCN_EXEC
                                               : vector(maker, gcn_letter_dwords(out));
    if (halves)
        maker->word[0] |= below(maker, gcn_letter_in(row, 2) != '\0' ? 8 : 4) << 11;
    if (halves && gcn_letter_is_half(out))
        maker->word[0] |= below(maker, 2) << 14;
    if (out == 'P') {
        unsigned any = gcn_letter_in(row, 2) != '\0' ? 8 : 4;
        uint32_t high = below(maker, any) | (any == 4 ? 4 : 0);
        maker->word[0] |= below(maker, any) << 11 | high >> 2 << 14 | below(maker, any) << 8;
        maker->word[1] |= (high & 3) << 27 | below(maker, any) << 29;
    } else if (strncmp(row->name, "v_pk_", 5) == 0)
        maker->word[0] |= 0x4000 | below(maker, 4) << 11, maker->word[1] |= 0x18000000;
    else if (gcn_letter_out(row, 1) == 'm')
        maker->word[0] |= scalar(maker, 2) << 8;
    else if (floats && gcn_letter_in(row, 0) == out && gcn_letter_in(row, 1) == out && below(maker, 2) == 0)
        maker->word[0] |= below(maker, 4) << 8, maker->word[1] |= below(maker, 4) << 29;
    for (unsigned i = 0; gcn_letter_in(row, i) != '\0'; i++) {
        char letter = gcn_letter_in(row, i);
        uint32_t code = letter == 'm'   ? scalar(maker, 2)
                        : letter == 's' ? below(maker, 90)
                        : i == 0 && gcn_letter_in(row, 2) != 'm' && out != 's'
                            ? any_source(maker, letter, true)
                            : only_vector(maker, letter);
        if (is_rdna(maker) && i == 0 && code < 2 * GCN_VECTOR && strchr("ifej", letter) != NULL &&
            out != 's' && gcn_letter_in(row, 2) != 'm' && below(maker, 8) == 0) {
            code = GCN_LITERAL;
            maker->word[2] = (random_next(&maker->random) & 0x7fff7fff) | 0x10102;
        }
        maker->word[1] |= code << (9 * i);
    }
    if (row->name[2] == 'w' && strcmp(row->name, "v_writelane_b32") == 0)
        maker->word[1] = scalar(maker, 1) | (GCN_ZERO + 3) << 9;
}

/* Packed halves, and dot products, which have no modifiers here. */
static inline void make_packed(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    bool halves = gcn_letter_out(row, 0) == 'q' || gcn_letter_in(row, 0) == 'x',
         three = gcn_letter_in(row, 2) != '\0';
    unsigned any = three ? 8 : 4;
    maker->word[0] |= vector(maker, 1);
    if (halves && (strstr(row->name, "_f16") != NULL || gcn_letter_in(row, 0) == 'x'))
        maker->word[0] |= below(maker, any) << 8, maker->word[1] |= below(maker, any) << 29;
    uint32_t high = halves && below(maker, 2) == 0 ? below(maker, any) | (three ? 0 : 4) : 7;
    maker->word[0] |= (halves ? below(maker, any) << 11 : 0) | high >> 2 << 14;
    maker->word[1] |= (high & 3) << 27;
    for (unsigned i = 0; gcn_letter_in(row, i) != '\0'; i++)
        maker->word[1] |= (i == 0 && below(maker, 4) == 0 ? scalar(maker, 1) : only_vector(maker, 'i'))
                          << (9 * i);
}

/* Matrix operations with results in VGPRs or AccVGPRs, and moves between these. */
static inline void make_matrix(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    bool moves = gcn_letter_in(row, 1) == '\0';
    uint32_t d = vector(maker, 2) % (256 - gcn_letter_dwords(gcn_letter_out(row, 0)) + 1) & 0xfe;
    maker->word[0] |= d;
    if (moves) {
        bool reads = strstr(row->name, "read") != NULL;
        maker->word[0] |= 0x4000;
        maker->word[1] |=
            0x10000000 | (reads ? 0x08000000 | only_vector(maker, 'i') : any_source(maker, 'f', true));
        if (!reads && (maker->word[1] & 0x1ff) < GCN_SCALARS)
            maker->word[1] = 0x10000000 | GCN_ZERO;
        return;
    }
    /* The third source is the result, or numbers; pairs of registers are even. */
    maker->word[0] |= below(maker, 2) << 15;
    for (unsigned i = 0; i < 2; i++)
        maker->word[1] |= only_vector(maker, gcn_letter_in(row, i) == '1' ? 'i' : 'I') << 9 * i;
    maker->word[1] |= (below(maker, 4) == 0 ? GCN_ZERO + below(maker, 65) : d + GCN_VECTOR) << 18;
    maker->word[1] |= below(maker, 4) << 27;
}

static inline void make_ds(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    unsigned out = gcn_letter_dwords(gcn_letter_out(row, 0));
    unsigned in[] = {gcn_letter_dwords(gcn_letter_in(row, 0)), gcn_letter_dwords(gcn_letter_in(row, 1))};
    if (strcmp(row->name, "ds_read_b32") == 0 && maker->generation < 12)
        maker->word[0] |= below(maker, 2) << (maker->generation / 2 == 4 ? 16 : 17); /* GDS */
    maker->word[0] |= below(maker, 0x10000);
    maker->word[1] |= vector(maker, 1) | (in[0] > 0 ? vector(maker, in[0]) << 8 : 0) |
                      (in[1] > 0 ? vector(maker, in[1]) << 16 : 0) | (out > 0 ? vector(maker, out) << 24 : 0);
}

/* Scope and hint of GFX12; an atomic's say whether it returns, and some combinations have no name. */
static inline void make_policy(struct maker *maker, bool atomic, bool returns)
{
    uint32_t scope = below(maker, 4);
    uint32_t hint = atomic ? (returns ? 1 : 0) | below(maker, 2) << 1 : below(maker, 7);
    maker->word[1] |= scope << 18 | hint << 20;
}

static inline void make_flat(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    unsigned out = gcn_letter_dwords(gcn_letter_out(row, 0));
    unsigned in = gcn_letter_dwords(gcn_letter_in(row, 0));
    if (maker->generation == 12) {
        bool back = out > 0 && (in == 0 || below(maker, 2) == 0);
        maker->word[0] |=
            row->format == GCN_GLOBAL && out + in > 0 && below(maker, 2) == 0 ? scalar(maker, 2) : 124;
        if (out + in == 0) {
            maker->word[1] |= below(maker, 4) << 18;
            return;
        }
        make_policy(maker, out > 0 && in > 0, back);
        maker->word[1] |= (in > 0 ? vector(maker, in) << 23 : 0) | (back ? vector(maker, out) : 0);
        maker->word[2] = vector(maker, 2) | (random_next(&maker->random) & 0xffffff) << 8;
        return;
    }
    bool returns = in == 0 || (out > 0 && below(maker, 2) == 0);
    bool based = row->format == GCN_GLOBAL && below(maker, 2) == 0;
    bool latest = maker->generation == 11;
    maker->word[0] |=
        (out > 0 && in > 0 && returns ? 1u << (latest ? 14 : 16) : 0) | below(maker, 2) << (latest ? 15 : 17);
    if (is_rdna(maker))
        maker->word[0] |= below(maker, 2) << (latest ? 13 : 12);
    if (maker->generation >= 9)
        maker->word[0] |= below(maker, (row->format == GCN_GLOBAL ? 0x2000u : 0x1000u) >>
                                           (maker->generation == 10 ? 1 : 0));
    maker->word[1] |= vector(maker, 2) | (in > 0 ? vector(maker, in) << 8 : 0) |
                      (out > 0 && returns ? vector(maker, out) << 24 : 0);
    if (row->format == GCN_GLOBAL)
        maker->word[1] |= (based ? scalar(maker, 2) : is_rdna(maker) ? null_of(maker) : 0x7f) << 16;
    else if (is_rdna(maker))
        maker->word[1] |= null_of(maker) << 16;
}

static inline void make_mubuf(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    unsigned out = gcn_letter_dwords(gcn_letter_out(row, 0));
    unsigned in = gcn_letter_dwords(gcn_letter_in(row, 0));
    bool old = maker->generation < 8;
    if (out + in == 0)
        return;
    if (maker->generation == 12) {
        uint32_t taken = below(maker, 4);
        maker->word[0] |= scalar(maker, 1);
        maker->word[1] |= vector(maker, 4) | below(maker, 20) << 11 | 1u << 23 | taken << 30;
        make_policy(maker, out > 0 && in > 0, below(maker, 2) == 0);
        maker->word[2] = (taken == 0 ? 0 : vector(maker, 2)) | below(maker, 0x800000) << 8;
        return;
    }
    unsigned kind = below(maker, old ? 5 : 4);
    uint32_t address = kind == 0 ? 0 : vector(maker, 2);
    bool latest = maker->generation == 11;
    maker->word[0] |= below(maker, 0x1000) | below(maker, 2) << 14;
    if (latest)
        maker->word[0] |= below(maker, 4) << 12, maker->word[1] |= kind << 22;
    else
        maker->word[0] |= kind == 4 ? 1u << 15 : kind << 12;
    maker->word[1] |= address | vector(maker, 4) << 8 | below(maker, 20) << 16 | scalar(maker, 1) << 24;
    if (old || maker->generation == 10)
        maker->word[1] |= below(maker, 2) << 22;
    else if (!latest)
        maker->word[0] |= below(maker, 2) << 17;
    if (maker->generation == 10 && (out == 0 || in == 0)) /* atomics have no DLC */
        maker->word[0] |= below(maker, 2) << 15;
}

/* True if the short encoding may have SDWA or DPP: it then needs no more than 32 bits of each operand. */
static inline bool can_extend(const struct gcn_row *row)
{
    return row->format >= GCN_VOP2 && row->format <= GCN_VOPC && strpbrk(row->operands, "FIPLs1") == NULL &&
           gcn_letter_in(row, 0) != '\0';
}

/* The word that follows, of SDWA (from GFX8 to GFX10); signs where the operation takes them. */
static inline void make_sdwa(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    bool two = gcn_letter_in(row, 1) != '\0', later = maker->generation >= 9;
    uint32_t word = vector(maker, 1);
    for (unsigned i = 0; i < 1u + two; i++) {
        bool floats = strchr("fe", gcn_letter_in(row, i)) != NULL;
        uint32_t signs = floats ? below(maker, 4) << 4 : below(maker, 2) << 3;
        word |= (below(maker, 7) | signs) << (16 + 8 * i);
    }
    word |= two ? 0 : 6u << 24;
    if (row->format != GCN_VOPC)
        word |= below(maker, 7) << 8 | below(maker, 3) << 11;
    else if (!later)
        word |= 6 << 8;
    if (row->format != GCN_VOPC && strchr("fe", gcn_letter_out(row, 0)) != NULL)
        word |= below(maker, 2) << 13 | (later ? below(maker, 4) << 14 : 0);
    if (row->format == GCN_VOPC && later && gcn_letter_out(row, 0) == 'm')
        word |= 0x8000 | scalar(maker, 2) << 8;
    if (later && below(maker, 3) == 0)
        word = (word & ~0xffu) | 1u << 23 | below(maker, 90);
    maker->word[0] = (maker->word[0] & ~0x1ffu) | 249;
    maker->word[1] = word;
}

static inline uint32_t any_control(struct maker *maker)
{
    static const unsigned short plain[] = {0x101, 0x10f, 0x111, 0x11f, 0x121, 0x12c, 0x140, 0x141};
    static const unsigned short early[] = {0x130, 0x134, 0x138, 0x13c, 0x142, 0x143};
    static const unsigned short late[] = {0x150, 0x15f, 0x160, 0x16b};
    switch (below(maker, 3)) {
    case 0:
        return below(maker, 256);
    case 1:
        return plain[below(maker, 8)];
    default:
        return is_rdna(maker) ? late[below(maker, 4)] : early[below(maker, 6)];
    }
}

/* The word that follows, of DPP; eight: of DPP8. */
static inline void make_dpp(struct maker *maker, bool eight)
{
    const struct gcn_row *row = maker->row;
    uint32_t word = vector(maker, 1);
    bool two = gcn_letter_in(row, 1) != '\0';
    if (eight) {
        word |= below(maker, 1 << 24) << 8;
    } else {
        word |= any_control(maker) << 8 | below(maker, 2) << 19 | below(maker, 256) << 24;
        word |= is_rdna(maker) ? below(maker, 2) << 18 : 0;
        for (unsigned i = 0; i < 1u + two; i++)
            if (strchr("fe", gcn_letter_in(row, i)) != NULL)
                word |= below(maker, 4) << (20 + 2 * i);
    }
    maker->word[0] = (maker->word[0] & ~0x1ffu) | (eight ? 233 + below(maker, 2) : 250);
    maker->word[1] = word;
}

static inline void make(struct maker *maker, bool wide)
{
    static void (*const makers[GCN_FORMATS])(struct maker *) = {
        make_scalar, make_scalar, make_scalar, make_scalar, make_scalar, make_smem, make_short, make_short,
        make_short,  make_long,   make_packed, make_matrix, make_ds,     make_flat, make_flat,  make_mubuf,
    };
    static const unsigned char kinds[GCN_ROW_GENERATIONS] = {0, 0, 1, 1, 2, 3, 4};
    unsigned kind = kinds[maker->generation - GCN_ROW_FIRST_GENERATION];
    const struct gcn_row *row = maker->row;
    unsigned opcode = (unsigned)row->opcode[maker->generation - GCN_ROW_FIRST_GENERATION];
    bool accumulates = strncmp(row->name, "v_accvgpr_mov", 13) == 0;
    const struct shape *shape = shape_of(wide ? GCN_VOP3 : row->format);
    if (wide)
        opcode += row->format == GCN_VOPC ? 0 : row->format == GCN_VOP2 ? 0x100 : kind == 1 ? 0x140 : 0x180;
    maker->word[0] = shape->word[kind] | opcode << shape->low[kind];
    maker->word[1] = maker->word[2] = 0;
    if (accumulates)
        maker->word[0] |= vector(maker, 1) << 17 | only_vector(maker, 'i');
    else if (wide)
        make_long(maker);
    else
        makers[row->format](maker);
}

#endif
