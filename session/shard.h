/* --shard I/N, or a Slurm job array's own numbers: which points are this process's. */
#ifndef SESSION_SHARD_H
#define SESSION_SHARD_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct shard {
    unsigned long index; /* 0 and up */
    unsigned long count; /* 1: everything */
};

/* Reads "I/N" with 1 <= I <= N; text NULL: SLURM_ARRAY_TASK_ID, _MIN and _COUNT when the environment is asked
 * and has them, else everything. STATUS_USAGE when it is anything else. */
enum status shard_read(const char *text, bool environment, struct shard *shard, struct error *error);

bool shard_has(const struct shard *shard, size_t item);

#endif
