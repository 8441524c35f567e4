#include "base/json.h"

#include "base/file.h"

#include <math.h>
#include <stdlib.h>

json_t *json_parse(const char *text, size_t size, const char *what, struct error *error)
{
    json_error_t problem;
    json_t *document = json_loadb(text == NULL ? "" : text, size, JSON_REJECT_DUPLICATES, &problem);
    if (document == NULL) {
        error_set(error, STATUS_USAGE, "%s is not JSON: %s", what, problem.text);
        error_at(error, what, problem.line > 0 ? problem.line : 0);
    }
    return document;
}

json_t *json_read(const char *path, struct error *error)
{
    struct buffer contents = {0};
    json_t *document = NULL;
    if (file_read_most(path, FILE_MOST_DOCUMENT, &contents, error) == STATUS_OK)
        document = json_parse(contents.data, contents.size, path, error);
    buffer_free(&contents);
    return document;
}

void json_write(struct buffer *buffer, const json_t *document, int indent)
{
    size_t flags = indent > 0 ? JSON_INDENT(indent) : JSON_COMPACT;
    char *text = json_dumps(document, flags | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
    if (text == NULL)
        abort();
    buffer_text(buffer, text);
    buffer_text(buffer, "\n");
    free(text);
}

double json_number_or(const json_t *object, const char *key, double fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : fallback;
}

const char *json_string_or(const json_t *object, const char *key, const char *fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? json_string_value(value) : fallback;
}

bool json_is_text(const char *text)
{
    json_t *string = json_string(text);
    json_decref(string);
    return string != NULL;
}

char *json_plain(const char *text)
{
    struct buffer plain = {0};
    bool valid = json_is_text(text);
    for (; *text != '\0'; text++)
        buffer_append(&plain, !valid && (unsigned char)*text > 127 ? "?" : text, 1);
    buffer_append(&plain, "", 1);
    return plain.data;
}

json_t *json_from_text(const char *text)
{
    json_t *string = json_string(text);
    if (string != NULL)
        return string;
    char *plain = json_plain(text);
    string = json_string(plain);
    free(plain);
    return string;
}

json_t *json_from_number(double value)
{
    if (value == floor(value) && fabs(value) < 9e15)
        return json_integer((json_int_t)value);
    return json_real(value);
}
