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

/* Parses "I/N" with 1 <= I <= N. text NULL: SLURM_ARRAY_TASK_ID, _MIN and _COUNT if environment is set and
 * they exist, else everything. STATUS_USAGE for anything else, as a variable that is no number, or one
 * without the other. */
enum status shard_read(const char *text, bool environment, struct shard *shard, struct error *error);

bool shard_has(const struct shard *shard, size_t item);

#endif
