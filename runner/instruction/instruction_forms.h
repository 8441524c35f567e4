/* The instruction forms that ship with the program for each processor: templates/<isa>/forms.txt, expanded
 * into texts as `measure instruction` reads them.
 *
 * A line that begins in the first column has operands, or - for none, and may name letters with their values:
 * "{S0}, {S1} ; S=x,y,z". Indented lines below it have the mnemonics that take these operands. Each capital
 * letter that a line names is replaced in both: letters of one line change together, so that
 * "; T=8h,4s U=8b,4h" gives two forms. "# " begins a comment. */
#ifndef RUNNER_INSTRUCTION_INSTRUCTION_FORMS_H
#define RUNNER_INSTRUCTION_INSTRUCTION_FORMS_H

#include "base/error.h"
#include "base/text/text_set.h"
#include "isa/isa.h"

/* Adds all forms of the processor, in the file's order. isa: NULL for the present one. STATUS_UNAVAILABLE if
 * there is no such file, STATUS_FAILED with the line of an error in it. */
enum status insn_forms_read(const struct isa *isa, struct text_set *forms, struct error *error);

#endif
