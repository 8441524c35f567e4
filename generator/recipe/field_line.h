/* Finds the line of the field that an error message names in a recipe or machine file. Lua reports only the
 * line of a call, and a description is one call over many lines. */
#ifndef GENERATOR_RECIPE_FIELD_LINE_H
#define GENERATOR_RECIPE_FIELD_LINE_H

#include "base/error.h"

/* Moves the error's line from the call to the field that the message names ("benchmark.measure has no field
 * 'rep'", "machine.caches.L2.ways is 0"), or to the nearest enclosing table. Leaves it unchanged if no field
 * is found. */
void field_line_find(struct error *error);

/* The same for a text: the line of the field that the message names, searched from the call at `line` on. */
int field_line_in(const char *text, int line, const char *message);

#endif
