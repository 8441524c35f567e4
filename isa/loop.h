/* The emitted loop, looked at as bytes: what a disassembler finds between its labels. */
#ifndef ISA_LOOP_H
#define ISA_LOOP_H

#include "base/error.h"
#include "isa/isa.h"
#include "isa/mc.h"

#include <stdbool.h>
#include <stddef.h>

enum { LOOP_MNEMONICS = 64 };

/* Instructions of one pass of the loop. */
struct loop_count {
    unsigned instructions; /* all, the loop's close included, but for what fills gaps */
    unsigned body;         /* those that belong to units */
    unsigned texts;        /* those of them that are a recipe's own text */
    bool has_texts;        /* the object says where such texts stand */
    unsigned bytes;        /* code that a pass runs through */

    /* The body's instructions by what they count by (loop_mnemonic). */
    struct {
        char name[24];
        unsigned count;
    } mnemonics[LOOP_MNEMONICS];
    size_t mnemonic_count;
};

/* What an instruction counts by: its mnemonic, with ">" after it when its last operand is memory, which it
 * writes, with "<" when another is, which it reads (an instruction of one operand in memory reads it). False
 * when it does not fit in size. */
bool loop_mnemonic(const char *text, char *name, size_t size);

/* Disassembles the object's loop and counts. STATUS_FAILED when it is no object with the loop's labels. */
enum status loop_inspect(const struct isa *isa, const void *object, size_t size, struct loop_count *count,
                         struct error *error);

/* Disassembles from the kernel's entry to the end of the loop's units: what stands before the loop goes to
 * `start`, the loop to `body`. STATUS_FAILED as above. */
enum status loop_walk(const struct isa *isa, const void *object, size_t size, mc_visitor *start,
                      mc_visitor *body, void *context, struct error *error);

#endif
