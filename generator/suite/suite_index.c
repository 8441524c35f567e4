#include "generator/suite/suite_index.h"

#include "base/file.h"
#include "base/json.h"
#include "base/json/json_scan.h"

#include <string.h>

/* True for a path below the suite's folder: relative, without going up. */
static bool stays_inside(const char *path)
{
    if (path[0] == '\0' || path[0] == '/')
        return false;
    for (const char *part = path; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return false;
    }
    return true;
}

bool suite_counts_events(const json_t *benchmarks)
{
    for (size_t i = 0; i < json_array_size(benchmarks); i++) {
        const json_t *tags = json_object_get(json_array_get(benchmarks, i), "tags");
        for (size_t j = 0; j < json_array_size(tags); j++) {
            const char *tag = json_string_value(json_array_get(tags, j));
            if (tag != NULL && strcmp(tag, "events") == 0)
                return true;
        }
    }
    return false;
}

static enum status check_entries(const json_t *index, const char *path, struct error *error)
{
    static const char *const keys[] = {"benchmark", "point", "path"};
    const json_t *programs = json_object_get(index, "programs");
    for (size_t i = 0; i < json_array_size(programs); i++) {
        const json_t *entry = json_array_get(programs, i);
        for (size_t j = 0; j < sizeof keys / sizeof keys[0]; j++)
            if (!json_is_string(json_object_get(entry, keys[j])) &&
                (strcmp(keys[j], "path") != 0 || json_object_get(entry, "refused") == NULL))
                return error_set(error, STATUS_USAGE, "%s: program %zu has no %s", path, i + 1, keys[j]);
        const char *place = json_string_or(entry, "path", NULL);
        if (place != NULL && !stays_inside(place))
            return error_set(error, STATUS_USAGE, "%s: the path '%.200s' of program %zu is not in the suite",
                             path, place, i + 1);
    }
    return STATUS_OK;
}

json_t *suite_index_parse(const struct buffer *text, const char *path, struct error *error)
{
    json_t *index = json_quick(text->data, text->size);
    if (index == NULL)
        index = json_parse(text->data, text->size, path, error);
    if (index == NULL)
        return NULL;
    bool known = json_number_or(index, "schema", 0) == SUITE_SCHEMA &&
                 strcmp(json_string_or(index, "kind", ""), "suite") == 0 &&
                 json_is_array(json_object_get(index, "programs")) &&
                 json_is_array(json_object_get(index, "benchmarks"));
    enum status status = STATUS_OK;
    if (!known)
        status = error_set(error, STATUS_USAGE, "%s is not a suite index of schema %d", path, SUITE_SCHEMA);
    else
        status = check_entries(index, path, error);
    if (status == STATUS_OK)
        return index;
    json_decref(index);
    return NULL;
}

json_t *suite_index_read(int folder, const char *shown, struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    file_join(path, shown, SUITE_INDEX);
    enum status status = file_read_in(folder, SUITE_INDEX, path, FILE_MOST_DOCUMENT, &text, error);
    json_t *index = status == STATUS_OK ? suite_index_parse(&text, path, error) : NULL;
    buffer_free(&text);
    return index;
}
