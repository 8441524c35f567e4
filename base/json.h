/* Typed reading of JSON documents (jansson), with errors that name the key. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buffer.h"
#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>

/* Parses one document. `what` names it in errors ("manifest.json"). The caller owns the result; NULL with
 * *error filled (STATUS_USAGE) if the text is not JSON. */
json_t *json_parse(const char *text, size_t size, const char *what, struct error *error);

/* The same for a file of at most FILE_MOST_DOCUMENT bytes. */
json_t *json_read(const char *path, struct error *error);

/* Appends the document as text: keys in insertion order, reals with up to 15 digits, on one line if indent is
 * 0; ends with a newline. */
void json_write(struct buffer *buffer, const json_t *document, int indent);

/* A number from the object, or fallback if the key is missing or not a number. */
double json_number_or(const json_t *object, const char *key, double fallback);

/* A string from the object, or fallback; points into the object. */
const char *json_string_or(const json_t *object, const char *key, const char *fallback);

/* True when the text is UTF-8, as JSON strings must be. */
bool json_is_text(const char *text);

/* The text as a JSON string; if it is not UTF-8, each byte above 127 becomes '?'. New reference. */
json_t *json_from_text(const char *text);

/* The text with the same change. Owned by the caller. */
char *json_plain(const char *text);

/* A real, or an integer when the value is whole, so that 0.5 is 0.5 and 3 is 3. New reference. */
json_t *json_from_number(double value);

#endif
