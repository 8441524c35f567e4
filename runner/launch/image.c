#include "runner/launch/image.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 16 << 20, MOST_WORDS = 1 << 16 };

/* The rule "words" as bytes to be repeated. False when it is none. */
static bool read_words(const json_t *rule, unsigned char **bytes, size_t *size)
{
    const json_t *words = json_object_get(rule, "words");
    size_t width = (size_t)json_number_or(rule, "width", 0);
    size_t count = json_array_size(words);
    if (width < 1 || width > 8 || count < 1 || count > MOST_WORDS)
        return false;
    *size = width * count;
    *bytes = calloc(count, width);
    if (*bytes == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(words, i));
        uint64_t word = text == NULL ? 0 : strtoull(text, NULL, 0);
        memcpy(*bytes + i * width, &word, width);
    }
    return true;
}

static enum status pour_words(const json_t *region, image_sink *sink, void *context, struct error *error)
{
    unsigned char *pattern = NULL;
    size_t size = 0;
    enum status status = STATUS_OK;
    uint64_t offset = (uint64_t)json_number_or(region, "offset", 0);
    uint64_t left = (uint64_t)json_number_or(region, "bytes", 0);
    if (!read_words(json_object_get(region, "fill"), &pattern, &size))
        return error_set(error, STATUS_FAILED, "the manifest's data has words that cannot be read");
    size_t piece = PIECE_BYTES / size * size;
    unsigned char *bytes = malloc(piece);
    if (bytes == NULL)
        abort();
    for (size_t i = 0; i < piece; i += size)
        memcpy(bytes + i, pattern, size);
    while (status == STATUS_OK && left > 0) {
        size_t part = left < piece ? (size_t)left : piece;
        status = sink(context, offset, bytes, part, error);
        offset += part;
        left -= part;
    }
    free(bytes);
    free(pattern);
    return status;
}

enum status image_pour(const json_t *data, uint64_t address, image_sink *sink, void *context,
                       struct error *error)
{
    const json_t *regions = json_object_get(data, "regions");
    double bytes = json_number_or(data, "bytes", 0);
    enum status status = STATUS_OK;
    (void)address;
    for (size_t i = 0; status == STATUS_OK && i < json_array_size(regions); i++) {
        const json_t *region = json_array_get(regions, i);
        const char *kind = json_string_or(json_object_get(region, "fill"), "kind", "");
        if (json_number_or(region, "offset", 0) < 0 ||
            json_number_or(region, "offset", 0) + json_number_or(region, "bytes", 0) > bytes)
            status = error_set(error, STATUS_FAILED, "region %zu of the manifest's data lies outside of it",
                               i + 1);
        else if (strcmp(kind, "words") == 0)
            status = pour_words(region, sink, context, error);
        else if (strcmp(kind, "zeros") != 0)
            status =
                error_set(error, STATUS_FAILED, "the manifest's data has the unknown rule '%.40s'", kind);
    }
    return status;
}
