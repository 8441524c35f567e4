/* Decodes AMD GPU machine code into operations with operands: GFX6 to GFX12, everything that gcn_row_at
 * lists. Other words are refused with the word and its offset; nothing is guessed. It does not use LLVM's
 * disassembler, which lacks GFX6 and GFX7; the tests compare the two. */
#ifndef ISA_GCN_DECODE_DECODE_H
#define ISA_GCN_DECODE_DECODE_H

#include "base/error.h"
#include "isa/gcn/decode/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Operands as numbered in the encodings (from GFX11 on M0 and NULL are swapped): scalar registers and
 * constants below 256, vector registers above. */
enum gcn_operand {
    GCN_VCC = 106,
    GCN_M0 = 124,
    GCN_NULL = 125, /* from GFX10 on: reads as 0, discards writes */
    GCN_EXEC = 126,
    GCN_SCALARS = 128,
    GCN_ZERO = 128,     /* to 192: the numbers 0 to 64 */
    GCN_NEGATIVE = 193, /* to 208: -1 to -16 */
    GCN_SHARED_BASE = 235,
    GCN_SHARED_LIMIT = 236,
    GCN_PRIVATE_BASE = 237,
    GCN_PRIVATE_LIMIT = 238,
    GCN_FLOATS = 240,         /* to 247: 0.5 -0.5 1 -1 2 -2 4 -4 */
    GCN_INVERSE_TWO_PI = 248, /* from GFX8 on */
    GCN_VCCZ = 251,
    GCN_EXECZ = 252,
    GCN_SCC = 253,
    GCN_LITERAL = 255,
    GCN_VECTOR = 256,
    GCN_ACCUMULATION = 512, /* AccVGPRs, which matrix operations have from gfx908 on */
    GCN_NO_OPERAND = 0xffff,
};

enum { GCN_DECODE_BYTES = 12, GCN_PRINT_BYTES = 200 };

/* How far GFX12's accesses reach: a compute unit's cache, those of a shader engine, the device, all of it. */
enum gcn_scope { GCN_SCOPE_CU, GCN_SCOPE_SE, GCN_SCOPE_DEV, GCN_SCOPE_SYS };

/* GFX12's temporal hints. For atomics they are bits: GCN_TH_RETURN, GCN_TH_ATOMIC_NT, GCN_TH_CASCADE. */
enum gcn_hint {
    GCN_TH_NT = 1,
    GCN_TH_BYPASS = 3,
    GCN_TH_RT_NT = 5,
    GCN_TH_RETURN = 1,
    GCN_TH_ATOMIC_NT = 2,
    GCN_TH_CASCADE = 4
};

/* Modifiers of memory accesses. */
enum gcn_modifier {
    GCN_GLC = 1,   /* gfx940: sc0; GFX12: the atomic returns the old value */
    GCN_SLC = 2,   /* gfx940: nt */
    GCN_SCC1 = 4,  /* gfx90a: scc; gfx940: sc1 */
    GCN_OFFEN = 8, /* MUBUF: an offset in a register */
    GCN_IDXEN = 16,
    GCN_ADDR64 = 32,
    GCN_GDS = 64,        /* DS */
    GCN_IMMEDIATE = 128, /* SMEM: the offset is a number, from GFX10 on plus a register, or NULL */
    GCN_DLC = 256,       /* from GFX10 on */
};

/* Parts of a register that SDWA reads or writes. */
enum gcn_part { GCN_BYTE_0, GCN_BYTE_3 = 3, GCN_WORD_0, GCN_WORD_1, GCN_DWORD };

/* What SDWA writes to the rest of a register when it writes a part. */
enum gcn_rest { GCN_REST_ZERO, GCN_REST_SIGN, GCN_REST_KEPT };

/* The meaning of the word after a short encoding. */
enum gcn_extension { GCN_PLAIN, GCN_SDWA, GCN_DPP, GCN_DPP8 };

struct gcn_sdwa {
    uint8_t src[2], dst; /* of enum gcn_part */
    uint8_t rest;        /* of enum gcn_rest */
    uint8_t sign;        /* one bit per source: its part is sign-extended */
};

/* Data-parallel primitives: source 0 comes from other lanes. */
struct gcn_dpp {
    uint16_t control;    /* DPP_CTRL */
    uint32_t lanes;      /* DPP8: three bits per lane */
    uint8_t rows, banks; /* lanes that may be written: a bit per 16 lanes, and per four of each 16 */
    bool zero;           /* BOUND_CTRL: a lane without a source reads 0; else it is not written */
    bool inactive;       /* FI: inactive lanes are sources, too */
};

/* dst and src by encoding: FLAT and GLOBAL: src address, data, scalar base; MUBUF: address, buffer, offset,
 * and data in dst; DS: address and two data; SMEM: base and offset, data in dst, also of stores. */
struct gcn_instruction {
    const struct gcn_row *row;
    unsigned length; /* bytes */
    bool wide;       /* a short operation in VOP3 encoding */
    bool two_words;  /* two encoding words, not counting a literal */
    uint16_t dst, dst2;
    uint16_t src[3];
    uint32_t literal;
    int32_t number; /* offset in bytes, simm16 or a branch's distance in words */
    uint8_t offsets[2];
    uint8_t neg, abs; /* one bit per operand */
    uint8_t omod;
    uint8_t select; /* OP_SEL: one bit per source; of operations on 16 bits, bit 3 is the result's */
    uint8_t select_high, neg_high; /* packed: OP_SEL_HI and NEG_HI; select and neg are for the lower half */
    bool clamp;
    enum gcn_extension extension;
    struct gcn_sdwa sdwa;
    struct gcn_dpp dpp;
    unsigned modifiers;
    uint8_t scope, hint;          /* of enum gcn_scope and gcn_hint, from GFX12 on */
    const struct gcn_row *beside; /* VOPD: the second operation of the pair; else NULL */
    uint16_t beside_dst, beside_src[3];
};

/* Decodes the generation's instruction at code, with `left` bytes available; offset is for messages.
 * STATUS_FAILED with word and offset if it is unknown. */
enum status gcn_decode(unsigned generation, const unsigned char *code, size_t left, uint64_t offset,
                       struct gcn_instruction *instruction, struct error *error);

/* Completes the decoding for a processor, as the generation alone does not determine it: on gfx908, results
 * and third sources of matrix operations are always AccVGPRs. */
void gcn_settle(const char *name, struct gcn_instruction *instruction);

/* True if the operand has 16 bits. */
bool gcn_letter_is_half(char letter);

/* True if OP_SEL in the operation's VOP3 encoding selects halves of its 16-bit operands and of its result. */
bool gcn_selects_halves(const struct gcn_row *row, unsigned generation);

/* The second operation of a pair, as a separate instruction. */
struct gcn_instruction gcn_beside(const struct gcn_instruction *instruction);

/* Writes the text in LLVM's syntax, from GFX10 on for waves of 32 lanes; returns text. */
char *gcn_print(unsigned generation, const struct gcn_instruction *instruction, char text[GCN_PRINT_BYTES]);

/* The letters of the row's operands before and after "=", by number; '\0' if there is none. */
char gcn_letter_out(const struct gcn_row *row, unsigned number);
char gcn_letter_in(const struct gcn_row *row, unsigned number);

/* Dwords in a register operand of that letter or digit; 0 if it is not a register. */
unsigned gcn_letter_dwords(char letter);

#endif
