/* The machine files that TraumaGen ships, for messages: which machines have a feature that another lacks. */
#ifndef GENERATOR_MACHINE_SHIPPED_H
#define GENERATOR_MACHINE_SHIPPED_H

#include "base/error.h"

#include <stddef.h>

enum { SHIPPED_TEXT_BYTES = 160 };

/* Writes which shipped machines of the ISA have one of the features, which blanks separate: "machine zen5 has
 * it"; if none has, how a machine file states it. Returns text. */
char *shipped_with(const char *isa, const char *features, char text[SHIPPED_TEXT_BYTES]);

#endif
