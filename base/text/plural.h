/* The ending of an English noun that a number precedes. */
#ifndef BASE_TEXT_PLURAL_H
#define BASE_TEXT_PLURAL_H

#include <stddef.h>

/* "" for one, "s" for any other count. */
const char *plural_s(size_t count);

#endif
