/* Serial lines: opened raw at a given speed, for one exclusive reader. (POSIX termios, with all terminal
 * processing off.) */
#ifndef RUNNER_POWER_METERS_SERIAL_H
#define RUNNER_POWER_METERS_SERIAL_H

#include "base/error.h"
#include "runner/power/sensor_request.h"

struct serial_settings {
    double baud;   /* bits per second */
    char parity;   /* 'n', 'e' or 'o' */
    int data_bits; /* 7 or 8 */
    int stop_bits; /* 1 or 2 */
};

/* Reads baud= and parity=none|even|odd into *settings, which holds the defaults. */
enum status serial_settings_read(const struct sensor_request *request, struct serial_settings *settings,
                                 struct error *error);

/* STATUS_UNAVAILABLE when the path is not a serial line, or access is denied. */
enum status serial_look(const char *path, struct error *error);

/* Opens path without waiting for a carrier; *fd is non-blocking. STATUS_UNAVAILABLE when it does not exist,
 * is not permitted, not a serial line or in use. */
enum status serial_open(const char *path, const struct serial_settings *settings, int *fd,
                        struct error *error);

/* The error for a path that open() refused with errno `number`, and the remedy. */
enum status serial_refused(const char *path, int number, struct error *error);

/* Claims an open line for this reader: two readers would each get half of the lines. False when it is already
 * claimed. */
bool serial_claim(int fd);

#endif
