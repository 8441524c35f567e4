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

/* Reads one of Slurm's variables of a job array. *there: it is set. */
static enum status read_variable(const char *name, unsigned long *number, bool *there, struct error *error)
{
    const char *text = getenv(name);
    const char *at = text;
    *there = text != NULL;
    if (text == NULL || (read_number(&at, number) && *at == '\0'))
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "%s is '%.60s', which is not a whole number below 2^%zu", name, text,
              8 * sizeof *number);
    error_hint(error, "unset it for all points, or give --shard I/N");
    return STATUS_USAGE;
}

static enum status read_environment(struct shard *shard, struct error *error)
{
    static const char *const names[] = {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT",
                                        "SLURM_ARRAY_TASK_MIN"};
    unsigned long numbers[3] = {0, 0, 0};
    bool there[3];
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < 3; i++)
        status = read_variable(names[i], &numbers[i], &there[i], error);
    if (status != STATUS_OK || (!there[0] && !there[1]))
        return status;
    if (!there[0] || !there[1]) {
        error_set(error, STATUS_USAGE, "%s is set, but not %s: which of how many tasks this is, is unknown",
                  names[there[0] ? 0 : 1], names[there[0] ? 1 : 0]);
        error_hint(error, "unset it for all points, or give --shard I/N");
        return STATUS_USAGE;
    }
    unsigned long id = numbers[0];
    unsigned long count = numbers[1];
    unsigned long first = numbers[2];
    if (count == 0 || id < first || id - first >= count)
        return error_set(error, STATUS_USAGE,
                         "SLURM_ARRAY_TASK_ID is %lu, but the array has %lu tasks from %lu on; its numbers "
                         "must have no gaps",
                         id, count, first);
    *shard = (struct shard){id - first, count};
    return STATUS_OK;
}

enum status shard_read(const char *text, bool environment, struct shard *shard, struct error *error)
{
    *shard = (struct shard){0, 1};
    if (text != NULL)
        return read_text(text, shard, error);
    return environment ? read_environment(shard, error) : STATUS_OK;
}

bool shard_has(const struct shard *shard, size_t item)
{
    return item % shard->count == shard->index;
}
