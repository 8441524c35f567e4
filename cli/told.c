#include "cli/told.h"

#include "base/json.h"

#include <math.h>
#include <string.h>

static const double SAME = 1e-12;

static json_t *scope_of(json_t *told, const char *scope)
{
    json_t *names = json_object_get(told, scope);
    if (names == NULL) {
        names = json_object();
        json_object_set_new(told, scope, names);
    }
    return names;
}

static enum status refuse(const json_t *before, const char *scope, const char *name, double value,
                          const char *file, struct error *error)
{
    const char *other = json_string_or(before, "file", "");
    if (strcmp(other, file) == 0)
        error_set(error, STATUS_USAGE, "%s%s%.60s is both %.10g and %.10g in %.300s", scope,
                  scope[0] == '\0' ? "" : ": ", name, json_number_or(before, "value", NAN), value, file);
    else
        error_set(error, STATUS_USAGE, "%s%s%.60s is %.10g in %.300s and %.10g in %.300s", scope,
                  scope[0] == '\0' ? "" : ": ", name, json_number_or(before, "value", NAN), other, value,
                  file);
    error_hint(error,
               "leave out the one that does not hold; of a setting, --set %.60s=NUMBER goes before all "
               "files",
               name);
    return STATUS_USAGE;
}

enum status told_add(json_t *told, const char *scope, const char *name, double value, const char *file,
                     struct error *error)
{
    json_t *names = scope_of(told, scope);
    const json_t *before = json_object_get(names, name);
    double known = json_number_or(before, "value", value);
    if (fabs(known - value) > SAME * fmax(fabs(known), fabs(value)))
        return refuse(before, scope, name, value, file, error);
    if (before == NULL)
        json_object_set_new(names, name, json_pack("{s:f, s:s}", "value", value, "file", file));
    return STATUS_OK;
}
