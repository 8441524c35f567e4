/* One instruction as a user writes it, in the processor's syntax (on x86-64 AT&T's or Intel's) or with {r0}
 * in place of registers, read into its operands: text in LLVM's syntax (AT&T's) in which each register can be
 * replaced. */
#ifndef RUNNER_INSTRUCTION_INSTRUCTION_TEXT_H
#define RUNNER_INSTRUCTION_INSTRUCTION_TEXT_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/template.h"
#include "isa/text_rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INSN_TEXT_BYTES = 256, INSN_TOKENS = 12, INSN_SLOTS = 10, INSN_NAME_BYTES = 24 };

/* A register that the instruction uses, by name or implicitly. */
struct insn_slot {
    struct register_use use;    /* as written; bits of its widest name */
    bool fixed;                 /* no other register can take its place */
    bool implicit;              /* not in the text */
    bool base;                  /* of the memory operand: holds its address */
    bool index;                 /* of the memory operand: 0 */
    char name[INSN_NAME_BYTES]; /* as the user wrote it: "rax", "{r0}" */
};

/* Where the text names one. */
struct insn_token {
    size_t start, length; /* with its prefix */
    unsigned slot, bits;
    struct register_use written; /* the register that the text has there */
};

struct insn {
    const struct isa *isa;
    const struct template *texts; /* must outlive it */
    char text[INSN_TEXT_BYTES];   /* without "lock" */
    char mnemonic[INSN_NAME_BYTES];
    bool lock;
    struct insn_slot slots[INSN_SLOTS];
    unsigned slot_count;
    struct insn_token tokens[INSN_TOKENS]; /* in order */
    unsigned token_count;
    bool memory;                /* it reads or writes memory */
    unsigned memory_bytes;      /* so many */
    size_t displacement_at;     /* where the memory operand's displacement is in the text, */
    size_t displacement_length; /* which may be 0 bytes long */
    int64_t displacement;
    bool rigid;                          /* its address takes no other displacement */
    unsigned size;                       /* bytes of its encoding */
    const char *features[TEXT_FEATURES]; /* of the processor that it needs */
    unsigned feature_count;
};

/* STATUS_USAGE with the reason if the text is not an instruction, or one that cannot be measured. texts: of
 * insn_texts_open. */
enum status insn_read(const char *given, const struct template *texts, struct insn *insn,
                      struct error *error);

/* The pool of the registers that can take the slot's place. */
const char *insn_pool_of(const struct insn *insn, unsigned slot);

/* A register for each slot: its own where the loop does not need it, otherwise another. STATUS_USAGE if there
 * are not enough. */
enum status insn_assign(const struct insn *insn, const struct template *texts,
                        struct register_use uses[INSN_SLOTS], struct error *error);

/* Appends the instruction with a register for each slot, and its memory operand so many bytes further. */
void insn_write(const struct insn *insn, const struct register_use *uses, int64_t further,
                struct buffer *output);

/* The register that the n-th word of a section names; false: the section has fewer words. */
bool insn_pool(const struct template *texts, const char *section, unsigned n, struct register_use *use);

#endif
