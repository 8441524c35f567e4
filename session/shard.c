#include "session/shard.h"

#include <errno.h>
#include <stdlib.h>

static bool read_number(const char **text, unsigned long *number)
{
    char *end;
    errno = 0;
    if (**text < '0' || **text > '9')
        return false;
    *number = strtoul(*text, &end, 10);
    *text = end;
    return errno == 0;
}

static enum status wrong(const char *text, struct error *error)
{
    error_set(error, STATUS_USAGE, "expected a shard I/N with I from 1 to N, found '%.100s'", text);
    error_hint(error, "for example --shard 2/8");
    return STATUS_USAGE;
}

static enum status read_text(const char *text, struct shard *shard, struct error *error)
{
    const char *at = text;
    unsigned long index;
    bool good = read_number(&at, &index) && *at++ == '/' && read_number(&at, &shard->count) && *at == '\0';
    if (!good || index < 1 || index > shard->count)
        return wrong(text, error);
    shard->index = index - 1;
    return STATUS_OK;
}

static bool read_variable(const char *name, unsigned long *number)
{
    const char *text = getenv(name);
    return text != NULL && read_number(&text, number) && *text == '\0';
}

enum status shard_read(const char *text, bool environment, struct shard *shard, struct error *error)
{
    *shard = (struct shard){0, 1};
    if (text != NULL)
        return read_text(text, shard, error);
    unsigned long id;
    unsigned long first;
    unsigned long count;
    if (!environment || !read_variable("SLURM_ARRAY_TASK_ID", &id) ||
        !read_variable("SLURM_ARRAY_TASK_COUNT", &count))
        return STATUS_OK;
    if (!read_variable("SLURM_ARRAY_TASK_MIN", &first))
        first = 0;
    if (count == 0 || id < first || id - first >= count)
        return error_set(error, STATUS_USAGE,
                         "SLURM_ARRAY_TASK_ID is %lu, but the array has %lu tasks from %lu on; its numbers "
                         "must have no gaps",
                         id, count, first);
    *shard = (struct shard){id - first, count};
    return STATUS_OK;
}

bool shard_has(const struct shard *shard, size_t item)
{
    return item % shard->count == shard->index;
}
