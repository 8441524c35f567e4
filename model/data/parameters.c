#include "model/data/parameters.h"

#include "base/json.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One direction: compares only the parameters that a has. */
static const char *find_other(const json_t *a, const json_t *b, parameter_skips *skips, const void *context,
                              bool either)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)a, name, value)
    {
        const json_t *other = json_object_get(b, name);
        bool same = json_is_number(value) && json_is_number(other)
                        ? json_number_value(value) == json_number_value(other)
                        : json_equal(value, other);
        if (!same && !skips(name, context) && (either || other != NULL))
            return name;
    }
    return NULL;
}

const char *parameter_other(const struct result_point *a, const struct result_point *b,
                            parameter_skips *skips, const void *context, bool either)
{
    const char *found = find_other(a->parameters, b->parameters, skips, context, either);
    return found != NULL ? found : find_other(b->parameters, a->parameters, skips, context, either);
}

void parameter_print(const struct result_point *point, const char *name, char text[PARAMETER_BYTES])
{
    const json_t *value = json_object_get(point->parameters, name);
    char *made = value == NULL ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(10));
    snprintf(text, PARAMETER_BYTES, "%.60s", made == NULL ? "not stated" : made);
    free(made);
}

void parameter_key(const struct result_point *point, parameter_skips *skips, const void *context,
                   struct buffer *key)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)point->parameters, name, value)
    {
        char *text = skips(name, context) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_SORT_KEYS);
        if (text != NULL)
            buffer_printf(key, "|%s=%s", name, text);
        free(text);
    }
}

const char *parameter_number(const struct result_point *point, size_t *at)
{
    const char *name;
    json_t *value;
    size_t place = 0;
    json_object_foreach((json_t *)(uintptr_t)point->parameters, name, value)
    {
        if (place++ < *at || !json_is_number(value))
            continue;
        *at = place;
        return name;
    }
    return NULL;
}

bool parameter_is_stated(const struct result_point *point, const char *name)
{
    return json_object_get(point->parameters, name) != NULL;
}

bool parameter_is_flag(const struct result_point *point, const char *name, bool *flag)
{
    const json_t *value = json_object_get(point->parameters, name);
    *flag = json_is_true(value);
    return json_is_boolean(value);
}
