/* Counts and visits the instructions of a program's loop, by disassembling the emitted bytes. */
#ifndef ISA_LOOP_H
#define ISA_LOOP_H

#include "base/error.h"
#include "isa/isa.h"
#include "isa/mc.h"

#include <stdbool.h>
#include <stddef.h>

enum { LOOP_MNEMONICS = 64 };

/* The last character of a counting name whose instruction uses memory. */
enum { LOOP_READS = '<', LOOP_WRITES = '>' };

/* Instructions of one pass of the loop. */
struct loop_count {
    unsigned instructions; /* all, including the loop's close but not gap padding */
    unsigned body;         /* those in units, without helpers */
    unsigned texts;        /* those in units that come from a recipe's own text */
    bool has_texts;        /* the object records the places of such texts */
    unsigned bytes;        /* code executed per pass */

    /* The body's instructions by counting name (loop_mnemonic). */
    struct {
        char name[24];
        unsigned count;
    } mnemonics[LOOP_MNEMONICS];
    size_t mnemonic_count;
};

/* An instruction's counting name: its mnemonic, followed by ">" if it writes memory, or "<" if it only reads
 * it (isa->memory_use). False if it does not fit in size. */
bool loop_mnemonic(const struct isa *isa, const char *text, char *name, size_t size);

/* Disassembles the object's loop and counts its instructions. helped: texts of rows, then NULL; wherever the
 * loop has such a row's instructions, all but the last are helpers. helped NULL: there are no helpers.
 * STATUS_FAILED if it is not an object with the loop's labels. */
enum status loop_inspect(const struct isa *isa, const void *object, size_t size, const char *const *helped,
                         struct loop_count *count, struct error *error);

/* Disassembles from the kernel's entry to the end of the loop's units, in the order of execution: calls
 * `start` for instructions before the loop and `body` for those in it; offsets are in .text. STATUS_FAILED as
 * above. */
enum status loop_walk(const struct isa *isa, const void *object, size_t size, mc_visitor *start,
                      mc_visitor *body, void *context, struct error *error);

#endif
