/* The names that a program's object exports: benchmark and point as a C identifier, so that the objects of a
 * suite can be linked into one program. */
#ifndef GENERATOR_EMIT_SYMBOL_NAMES_H
#define GENERATOR_EMIT_SYMBOL_NAMES_H

#include "base/error.h"

enum { SYMBOL_NAME_BYTES = 256, SYMBOL_PREFIX_MOST = 64 };

/* The prefix without --prefix. */
extern const char symbol_prefix[];

/* STATUS_USAGE unless the prefix is a C identifier of at most SYMBOL_PREFIX_MOST characters that C does not
 * reserve. */
enum status symbol_check_prefix(const char *prefix, struct error *error);

/* Writes the beginning of the program's names: the prefix and the label ("benchmark/point"), in which '/' and
 * ',' become "__" and other characters that identifiers cannot have become '_'. If another label of the suite
 * could become the same, a hash of the label follows, so that names are unique. prefix NULL: symbol_prefix.
 */
void symbol_name(const char *prefix, const char *label, char name[SYMBOL_NAME_BYTES]);

#endif
