/* Inspects the emitted loop's bytes: what a disassembler finds between its labels. */
#ifndef ISA_LOOP_H
#define ISA_LOOP_H

#include "base/error.h"
#include "isa/isa.h"
#include "isa/mc.h"

#include <stdbool.h>
#include <stddef.h>

enum { LOOP_MNEMONICS = 64 };

/* What ends the counting name of an instruction that uses memory. */
enum { LOOP_READS = '<', LOOP_WRITES = '>' };

/* Instructions of one pass of the loop. */
struct loop_count {
    unsigned instructions; /* all, including the loop's close but not gap padding */
    unsigned body;         /* those in units, but for helpers */
    unsigned texts;        /* those in units that are a recipe's own text */
    bool has_texts;        /* the object records where such texts are */
    unsigned bytes;        /* code executed per pass */

    /* The body's instructions by counting name (loop_mnemonic). */
    struct {
        char name[24];
        unsigned count;
    } mnemonics[LOOP_MNEMONICS];
    size_t mnemonic_count;
};

/* An instruction's counting name: its mnemonic, followed by ">" if it writes memory, or "<" if it reads some
 * (isa->memory_use). False if it does not fit in size. */
bool loop_mnemonic(const struct isa *isa, const char *text, char *name, size_t size);

/* Disassembles the object's loop and counts its instructions. helped: texts of rows, then NULL; where their
 * instructions stand in the body or the close, all before the last are helpers. Without it all belong to
 * units. STATUS_FAILED if it is not an object with the loop's labels. */
enum status loop_inspect(const struct isa *isa, const void *object, size_t size, const char *const *helped,
                         struct loop_count *count, struct error *error);

/* Disassembles from the kernel's entry to the end of the loop's units, in the order of execution: calls
 * `start` for instructions before the loop and `body` for those in it; offsets are in .text. STATUS_FAILED as
 * above. */
enum status loop_walk(const struct isa *isa, const void *object, size_t size, mc_visitor *start,
                      mc_visitor *body, void *context, struct error *error);

#endif
