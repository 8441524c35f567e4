/* What --power asks for: a list, separated by commas, of NAME[=ADDRESS][@KEY=VALUE]..., as in
 * "powercap@period=0.01,line=/dev/ttyACM0@volts=12". */
#ifndef RUNNER_POWER_REQUEST_H
#define RUNNER_POWER_REQUEST_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { REQUEST_SETTINGS = 12, REQUEST_TEXT_BYTES = 512, REQUEST_WORD_BYTES = 32 };

struct sensor_setting {
    char key[REQUEST_WORD_BYTES];
    char value[REQUEST_WORD_BYTES * 8]; /* a path may be one */
};

/* One word of the list. */
struct sensor_request {
    char name[REQUEST_WORD_BYTES];
    char address[REQUEST_TEXT_BYTES]; /* "" when none was given */
    struct sensor_setting settings[REQUEST_SETTINGS];
    size_t setting_count;
    const char *root; /* /sys and /proc are looked for under it; "" for the real ones */
};

/* Reads the word of length bytes at text. STATUS_USAGE when it is malformed or too long. */
enum status request_parse(const char *text, size_t length, const char *root, struct sensor_request *request,
                          struct error *error);

/* The setting's text, or NULL. */
const char *request_text(const struct sensor_request *request, const char *key);

/* The setting as a number, at least `least` and below `below`; fallback when it was not given. STATUS_USAGE
 * when it is something else. */
enum status request_number(const struct sensor_request *request, const char *key, double fallback,
                           double least, double below, double *value, struct error *error);

/* STATUS_USAGE, with the nearest, for a key that is not among the known ones (NULL-terminated; NULL: none)
 * and not "period". */
enum status request_check(const struct sensor_request *request, const char *const *known,
                          struct error *error);

#endif
