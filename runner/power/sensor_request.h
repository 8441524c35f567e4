/* The syntax of --power: a list, separated by commas, of NAME[=ADDRESS][@KEY=VALUE]..., as in
 * "powercap@period=0.01,line=/dev/ttyACM0@volts=12". */
#ifndef RUNNER_POWER_SENSOR_REQUEST_H
#define RUNNER_POWER_SENSOR_REQUEST_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { REQUEST_SETTINGS = 12, REQUEST_TEXT_BYTES = 512, REQUEST_WORD_BYTES = 32 };

struct sensor_setting {
    char key[REQUEST_WORD_BYTES];
    char value[REQUEST_WORD_BYTES * 8]; /* may be a path */
};

/* One word of the list. */
struct sensor_request {
    char name[REQUEST_WORD_BYTES];
    char address[REQUEST_TEXT_BYTES]; /* "" when none was given */
    struct sensor_setting settings[REQUEST_SETTINGS];
    size_t setting_count;
    const char *root; /* /sys and /proc are below it; "" for the real ones */
};

/* Parses the word of length bytes at text. STATUS_USAGE when it is malformed or too long. */
enum status request_parse(const char *text, size_t length, const char *root, struct sensor_request *request,
                          struct error *error);

/* The setting's text, or NULL. */
const char *request_text(const struct sensor_request *request, const char *key);

/* The setting as a number, at least `least` and below `below`; fallback when it was not given. STATUS_USAGE
 * for anything else. */
enum status request_number(const struct sensor_request *request, const char *key, double fallback,
                           double least, double below, double *value, struct error *error);

/* STATUS_USAGE, with the most similar key, if the request has a key that is neither known (NULL-terminated;
 * NULL: none) nor "period". */
enum status request_check(const struct sensor_request *request, const char *const *known,
                          struct error *error);

#endif
