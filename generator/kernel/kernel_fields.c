#include "generator/kernel/kernel_fields.h"

#include <string.h>

enum status field_wrong(struct error *error, const char *field, const char *expected)
{
    return error_set(error, STATUS_RECIPE, "the kernel's %s is wrong: expected %s", field, expected);
}

enum status field_count(const json_t *object, const char *key, unsigned low, unsigned high, unsigned fallback,
                        unsigned *result, struct error *error)
{
    const json_t *value = json_object_get(object, key);
    *result = fallback;
    if (value == NULL)
        return STATUS_OK;
    if (!json_is_integer(value) || json_integer_value(value) < low || json_integer_value(value) > high)
        return error_set(error, STATUS_RECIPE,
                         "the kernel's %s is wrong: expected a whole number from %u to %u", key, low, high);
    *result = (unsigned)json_integer_value(value);
    return STATUS_OK;
}

enum status field_name(const json_t *object, const char *key, const char *const *names, int count,
                       int *result, struct error *error)
{
    const json_t *value = json_object_get(object, key);
    *result = 0;
    if (value == NULL)
        return STATUS_OK;
    for (int i = 0; json_is_string(value) && i < count; i++) {
        if (strcmp(json_string_value(value), names[i]) == 0) {
            *result = i;
            return STATUS_OK;
        }
    }
    return field_wrong(error, key, "one of its names in the recipe language");
}

enum status field_share(const json_t *object, const char *key, double low, double fallback, double *result,
                        struct error *error)
{
    const json_t *value = json_object_get(object, key);
    *result = value == NULL ? fallback : json_number_value(value);
    if (value != NULL && !(json_is_number(value) && *result >= low && *result <= 1))
        return error_set(error, STATUS_RECIPE, "the kernel's %s is wrong: expected a number from %g to 1",
                         key, low);
    return STATUS_OK;
}
