#include "model/data/parameters.h"

#include <stdio.h>
#include <string.h>

/* One direction: compares only the parameters that a has. */
static const char *find_other(const struct value *a, const struct value *b, parameter_skips *skips,
                              const void *context, bool either)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct value_part *part = &a->parts[i];
        const struct value *other = value_get(b, part->name);
        if (!value_same(&part->value, other) && !skips(part->name, context) &&
            (either || value_has(b, part->name)))
            return part->name;
    }
    return NULL;
}

const char *parameter_other(const struct result_point *a, const struct result_point *b,
                            parameter_skips *skips, const void *context, bool either)
{
    const char *found = find_other(&a->parameters, &b->parameters, skips, context, either);
    return found != NULL ? found : find_other(&b->parameters, &a->parameters, skips, context, either);
}

void parameter_print(const struct result_point *point, const char *name, char text[PARAMETER_BYTES])
{
    struct arena arena = {0};
    const struct value *value = value_get(&point->parameters, name);
    snprintf(text, PARAMETER_BYTES, "%.60s",
             value->kind == VALUE_NONE ? "not stated" : value_text(value, 10, &arena));
    arena_free(&arena);
}

void parameter_key(const struct result_point *point, parameter_skips *skips, const void *context,
                   struct buffer *key)
{
    for (size_t i = 0; i < point->parameters.count; i++) {
        const struct value_part *part = &point->parameters.parts[i];
        if (skips(part->name, context))
            continue;
        buffer_printf(key, "|%s=", part->name);
        value_key(&part->value, key);
    }
}
