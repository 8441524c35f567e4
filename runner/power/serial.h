/* Serial lines: opened raw at a given speed, for one reader alone. (POSIX termios; what a terminal would make
 * of the bytes is switched off.) */
#ifndef RUNNER_POWER_SERIAL_H
#define RUNNER_POWER_SERIAL_H

#include "base/error.h"
#include "runner/power/request.h"

struct serial_settings {
    double baud;   /* bits a second */
    char parity;   /* 'n', 'e' or 'o' */
    int data_bits; /* 7 or 8 */
    int stop_bits; /* 1 or 2 */
};

/* Reads baud= and parity=none|even|odd over what *settings holds. */
enum status serial_settings_read(const struct sensor_request *request, struct serial_settings *settings,
                                 struct error *error);

/* Whether a serial line may be there: STATUS_UNAVAILABLE when the path is none, or not permitted. */
enum status serial_look(const char *path, struct error *error);

/* Opens path without waiting for a carrier; *fd reads and writes without blocking. STATUS_UNAVAILABLE when it
 * is not there, not permitted, no serial line or in use. */
enum status serial_open(const char *path, const struct serial_settings *settings, int *fd,
                        struct error *error);

/* The sentence for a path that open() refused with `number`, and what mends it. */
enum status serial_refused(const char *path, int number, struct error *error);

/* Claims what was opened for this reader: two would each get half of the lines. False when it is claimed. */
bool serial_claim(int fd);

#endif
