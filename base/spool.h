/* Bytes put aside on disk, to be read again later: what there is too much of to keep in memory. */
#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* All zeros is an empty spool. */
struct spool {
    int file; /* 1 + the descriptor of a file without a name; 0: none yet */
    uint64_t written;
    struct buffer waiting; /* to be written */
};

/* Appends the bytes; *start is where spool_read finds them. STATUS_FAILED when they cannot be written. */
enum status spool_append(struct spool *spool, const void *bytes, size_t size, uint64_t *start,
                         struct error *error);

/* Replaces the buffer's content by bytes put aside. STATUS_FAILED when they cannot be read. */
enum status spool_read(const struct spool *spool, uint64_t start, size_t size, struct buffer *bytes,
                       struct error *error);

void spool_free(struct spool *spool);

/* A descriptor of a new file without a name, which goes with it; -1 with errno when there is none. */
int spool_nameless(void);

#endif
