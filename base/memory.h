/* Memory that is never NULL: when none is left the process aborts, and cli/ reports the limit that was
 * reached. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

/* count zeroed items of size bytes; also for a count of 0. Free it with free(). */
void *memory_zeroed(size_t count, size_t size);

/* Resizes the items to hold count of them and keeps the existing ones; NULL is an empty list. */
void *memory_resized(void *items, size_t count, size_t size);

/* Makes room for one item after the existing count. Room doubles whenever count is a power of two, so every
 * item must be added through this function. */
void *memory_next(void *items, size_t count, size_t size);

/* A copy of the text. */
char *memory_text(const char *text);

/* The text that printf would print. */
__attribute__((format(printf, 1, 0))) char *memory_printed(const char *format, va_list arguments);

/* Keeps freed memory for later use, so that the system need not clear pages again. */
void memory_keep(void);

#endif
