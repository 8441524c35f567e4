/* Temporary storage on disk for data too large for memory. */
#ifndef BASE_FILES_SPOOL_H
#define BASE_FILES_SPOOL_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* All zeros is an empty spool. */
struct spool {
    int file; /* 1 + descriptor of a file without a name; 0: none yet */
    uint64_t written;
    struct buffer waiting; /* not yet written */
};

/* Appends the bytes; *start is their position for spool_read. STATUS_FAILED if they cannot be written. */
enum status spool_append(struct spool *spool, const void *bytes, size_t size, uint64_t *start,
                         struct error *error);

/* Replaces the buffer's content with stored bytes. STATUS_FAILED if they cannot be read. */
enum status spool_read(const struct spool *spool, uint64_t start, size_t size, struct buffer *bytes,
                       struct error *error);

void spool_free(struct spool *spool);

/* The descriptor of a new file without a name, which vanishes on close; -1 with errno on failure. */
int spool_nameless(void);

#endif
