#include "session/diff/differences.h"

#include <string.h>

struct diff_row *diff_row(struct diff *diff, const char *point, const char *part, const char *metric,
                          struct value old, struct value new, struct diff_change change, const char *what,
                          bool past, bool shown)
{
    struct arena *arena = &diff->arena;
    diff->past += past;
    if (!past && !shown && !diff->all)
        return NULL;
    diff->rows = arena_next(arena, diff->rows, diff->count, sizeof *diff->rows);
    struct diff_row *row = &diff->rows[diff->count++];
    *row = (struct diff_row){.point = arena_strdup(arena, point),
                             .part = arena_strdup(arena, part),
                             .metric = arena_strdup(arena, metric),
                             .old = value_copy(&old, arena),
                             .new = value_copy(&new, arena),
                             .change = change,
                             .what = arena_strdup(arena, what),
                             .past = past};
    return row;
}

/* A member of the context; of an object, its version or name. */
static struct value named(const struct value *context, const char *key)
{
    const struct value *value = value_get(context, key);
    if (value->kind != VALUE_PARTS)
        return *value;
    const char *version = value_get(value, "version")->word, *name = value_get(value, "name")->word;
    return (struct value){.kind = VALUE_WORD,
                          .number = NAN,
                          .word = version != NULL ? version
                                  : name != NULL  ? name
                                                  : "?"};
}

void diff_contexts(struct diff *diff, const struct value *old, const struct value *new)
{
    static const char *const keys[] = {"tool",   "seed",      "machine",  "host",   "cpu",
                                       "kernel", "microcode", "governor", "markers"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (value_has(old, keys[i]) != value_has(new, keys[i]) ||
            !value_same(value_get(old, keys[i]), value_get(new, keys[i])))
            diff_row(diff, "", "", keys[i], named(old, keys[i]), named(new, keys[i]), DIFF_NO_NUMBER,
                     "another", false, true);
}
