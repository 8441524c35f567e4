/* Where in a recipe or machine file the field stands that a message is about: Lua tells the line of a call
 * alone, and a description is one call over many lines. */
#ifndef GENERATOR_RECIPE_FIELD_LINE_H
#define GENERATOR_RECIPE_FIELD_LINE_H

#include "base/error.h"

/* Moves the error's line from that of its call to that of the field that its message names
 * ("benchmark.measure has no field 'rep'", "machine.caches.L2.ways is 0"), or of the nearest table around it.
 * Leaves it where no field is found. */
void field_line_find(struct error *error);

/* The same of a text: the line of the field that the message names, from the call on that begins in `line`.
 */
int field_line_in(const char *text, int line, const char *message);

#endif
