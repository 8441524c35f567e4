#include "runner/power/sensor_request.h"

#include "base/text/suggest.h"
#include "base/units.h"

#include <stdio.h>
#include <string.h>

/* Copies a part of the word; false if it does not fit. */
static bool take(const char *text, size_t length, char *copy, size_t capacity)
{
    if (length >= capacity)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return true;
}

static enum status malformed(const char *text, size_t length, const char *what, struct error *error)
{
    error_set(error, STATUS_USAGE, "--power: '%.*s': %s", (int)(length < 200 ? length : 200), text, what);
    error_hint(error,
               "expected NAME, NAME=ADDRESS or NAME=ADDRESS@KEY=VALUE, as in line=/dev/ttyACM0@volts=12");
    return STATUS_USAGE;
}

static const char *find_within(const char *text, const char *end, char wanted)
{
    const char *found = memchr(text, wanted, (size_t)(end - text));
    return found == NULL ? end : found;
}

/* "KEY=VALUE" from text to end. */
static bool take_setting(const char *text, const char *end, struct sensor_setting *setting)
{
    const char *equals = find_within(text, end, '=');
    return equals != end && equals != text && equals + 1 != end &&
           take(text, (size_t)(equals - text), setting->key, sizeof setting->key) &&
           take(equals + 1, (size_t)(end - equals - 1), setting->value, sizeof setting->value);
}

enum status request_parse(const char *text, size_t length, const char *root, struct sensor_request *request,
                          struct error *error)
{
    const char *end = text + length;
    const char *head = find_within(text, end, '@');
    const char *equals = find_within(text, head, '=');
    *request = (struct sensor_request){.root = root};
    if (equals == text || !take(text, (size_t)(equals - text), request->name, sizeof request->name))
        return malformed(text, length, "expected a sensor's name first", error);
    if (equals != head &&
        !take(equals + 1, (size_t)(head - equals - 1), request->address, sizeof request->address))
        return malformed(text, length, "the address is too long", error);
    while (head != end) {
        const char *next = find_within(head + 1, end, '@');
        if (request->setting_count == REQUEST_SETTINGS)
            return malformed(text, length, "too many settings", error);
        if (!take_setting(head + 1, next, &request->settings[request->setting_count]))
            return malformed(text, length, "expected KEY=VALUE after '@'", error);
        request->setting_count++;
        head = next;
    }
    return STATUS_OK;
}

const char *request_text(const struct sensor_request *request, const char *key)
{
    for (size_t i = 0; i < request->setting_count; i++)
        if (strcmp(request->settings[i].key, key) == 0)
            return request->settings[i].value;
    return NULL;
}

enum status request_number(const struct sensor_request *request, const char *key, double fallback,
                           double least, double below, double *value, struct error *error)
{
    const char *text = request_text(request, key);
    *value = fallback;
    if (text == NULL)
        return STATUS_OK;
    if (units_parse_number(text, value) && *value >= least && *value < below)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "--power: %s: %s=%s is not a number from %g to below %g", request->name,
              key, text, least, below);
    error_hint(error, "omit it for %g", fallback);
    return STATUS_USAGE;
}

enum status request_check(const struct sensor_request *request, const char *const *known, struct error *error)
{
    const char *names[REQUEST_SETTINGS + 1] = {"period"};
    size_t count = 1;
    for (size_t i = 0; known != NULL && known[i] != NULL && count < REQUEST_SETTINGS + 1; i++)
        names[count++] = known[i];
    for (size_t i = 0; i < request->setting_count; i++) {
        const char *key = request->settings[i].key;
        bool found = false;
        for (size_t j = 0; j < count; j++)
            found = found || strcmp(names[j], key) == 0;
        if (found)
            continue;
        char all[REQUEST_TEXT_BYTES] = "settings are period";
        for (size_t j = 1; j < count; j++)
            snprintf(all + strlen(all), sizeof all - strlen(all), ", %s", names[j]);
        error_set(error, STATUS_USAGE, "--power: %s has no setting '%s'", request->name, key);
        suggest_hint(error, key, names, count, all);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}
