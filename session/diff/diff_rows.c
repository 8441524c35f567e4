#include "session/diff/differences.h"

#include "base/json.h"

json_t *diff_row(struct diff *diff, const char *point, const char *part, const char *metric, json_t *old,
                 json_t *new, struct diff_change change, const char *what, bool past, bool shown)
{
    diff->past += past;
    json_t *row = NULL;
    if (past || shown || diff->all) {
        row = json_pack("{s:s, s:s, s:s, s:O?, s:O?}", "point", point, "part", part, "metric", metric, "old",
                        old, "new", new);
        json_object_set_new(row, "change", isfinite(change.by) ? json_from_number(change.by) : json_null());
        json_object_set_new(row, "relative", json_boolean(change.relative));
        json_object_set_new(row, "what", json_string(what));
        json_object_set_new(row, "past", json_boolean(past));
        json_array_append_new(diff->rows, row);
    }
    json_decref(old);
    json_decref(new);
    return row;
}

/* A context's value, or the name of what it describes. */
static json_t *named(const json_t *context, const char *key)
{
    json_t *value = json_object_get(context, key);
    if (!json_is_object(value))
        return json_incref(value);
    const char *version = json_string_or(value, "version", NULL);
    return json_string(version != NULL ? version : json_string_or(value, "name", "?"));
}

void diff_contexts(struct diff *diff, const json_t *old, const json_t *new)
{
    static const char *const keys[] = {"tool",   "seed",      "machine",  "host",   "cpu",
                                       "kernel", "microcode", "governor", "markers"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *here = json_object_get(old, keys[i]);
        const json_t *there = json_object_get(new, keys[i]);
        bool same = here == there || (here != NULL && there != NULL && json_equal(here, there));
        if (!same)
            diff_row(diff, "", "", keys[i], named(old, keys[i]), named(new, keys[i]), DIFF_NO_NUMBER,
                     "another", false, true);
    }
}
