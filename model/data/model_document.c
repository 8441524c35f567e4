#include "model/data/model_document.h"

#include "base/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void model_set_coefficient(json_t *document, const char *name, struct interval interval, const char *unit)
{
    json_t *coefficients = json_object_get(document, "coefficients");
    if (coefficients == NULL) {
        coefficients = json_object();
        json_object_set_new(document, "coefficients", coefficients);
    }
    json_object_set_new(coefficients, name,
                        json_pack("{s:f, s:f, s:f, s:I, s:s}", "value", interval.value, "low", interval.low,
                                  "high", interval.high, "n", (json_int_t)interval.n, "unit", unit));
}

bool model_coefficient(const json_t *document, const char *name, struct interval *interval)
{
    const json_t *kept = json_object_get(json_object_get(document, "coefficients"), name);
    interval->value = json_number_or(kept, "value", NAN);
    interval->low = json_number_or(kept, "low", interval->value);
    interval->high = json_number_or(kept, "high", interval->value);
    interval->n = (size_t)json_number_or(kept, "n", 0);
    return isfinite(interval->value);
}

static void add_sentence(json_t *document, const char *key, const char *format, va_list arguments)
{
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    json_t *sentences = json_object_get(document, key);
    if (sentences == NULL) {
        sentences = json_array();
        json_object_set_new(document, key, sentences);
    }
    json_array_append_new(sentences, json_string(text));
}

void model_disbelieve(json_t *document, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_sentence(document, "disbelief", format, arguments);
    va_end(arguments);
}

void model_note(json_t *document, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_sentence(document, "notes", format, arguments);
    va_end(arguments);
}

void model_take_notes(json_t *document, const json_t *told)
{
    const json_t *note;
    size_t i;
    json_array_foreach(json_object_get(told, "notes"), i, note)
        model_note(document, "%s", json_string_value(note));
}
