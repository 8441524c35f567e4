/* --shard I/N, or a Slurm job array's own numbers: selects the points of this process. */
#ifndef SESSION_SHARD_H
#define SESSION_SHARD_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct shard {
    unsigned long index; /* from 0 */
    unsigned long count; /* 1: everything */
};

/* Parses "I/N" with 1 <= I <= N. With text NULL and environment set, reads SLURM_ARRAY_TASK_ID, _COUNT and
 * _MIN, if they exist; else everything is selected. STATUS_USAGE for another text, and for variables that are
 * not numbers or incomplete. */
enum status shard_read(const char *text, bool environment, struct shard *shard, struct error *error);

bool shard_has(const struct shard *shard, size_t item);

#endif
