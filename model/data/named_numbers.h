/* Numbers by name, in the order in which they were first given: an application's counters. */
#ifndef MODEL_DATA_NAMED_NUMBERS_H
#define MODEL_DATA_NAMED_NUMBERS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct named_number {
    const char *name; /* of counters: of a chip, or of a core, "core3.cycles" */
    double value;
};

struct named_numbers {
    struct named_number *items; /* in an arena, as the names are */
    size_t count;
};

/* The number of that name, or its value. NULL or NAN: there is none. */
const struct named_number *named_number_find(const struct named_numbers *numbers, const char *name);
double named_number_value(const struct named_numbers *numbers, const char *name);

/* Sets the number; the name is copied. */
void named_number_set(struct named_numbers *numbers, struct arena *arena, const char *name, double value);

/* Sets each of the others in numbers. */
void named_numbers_update(struct named_numbers *numbers, struct arena *arena,
                          const struct named_numbers *others);

#endif
