/* A multimeter with the HP/Agilent 34401A's command set that measures DC volts, one query after another
 * (User's Guide 34401-90004, chapter 4: CONFigure, TRIGger, READ?, SYSTem). */
#ifndef RUNNER_POWER_METERS_DMM_H
#define RUNNER_POWER_METERS_DMM_H

#include "runner/power/meters/scpi.h"

#include <stdbool.h>
#include <stddef.h>

struct dmm_settings {
    double range_v;  /* 0: the meter selects it, which costs time at each change */
    double nplc;     /* integration time in mains periods */
    bool nplc_asked; /* by the user: refuse a meter that cannot */
    double mains_hz;
    double samples;  /* readings per query */
    double period_s; /* minimum time from one reading to the next */
};

struct dmm {
    struct scpi line;
    struct dmm_settings settings;
    bool queueless;              /* it has no error queue */
    bool asked;                  /* an answer is pending */
    bool begun;                  /* its first reading has arrived */
    double asked_s;              /* when the query had been sent */
    double due_s;                /* of the next query */
    double told_s;               /* time of the last reading, or of the first query */
    unsigned unheeded;           /* consecutive queries without an answer */
    size_t overloads, others;    /* answers since then that were not readings */
    char other[SCPI_WORD_BYTES]; /* the last of them */
};

/* Takes remote control of the meter, identifies it and sets it up. STATUS_UNAVAILABLE when it does not
 * answer, is another model, or reports an error. Close with dmm_close in every case. */
enum status dmm_open(const char *path, const struct serial_settings *serial,
                     const struct dmm_settings *settings, struct dmm *meter, struct error *error);

/* Waits for the next reading until the moment until_s, and queries it when due. *volts is NAN when none came,
 * or the input exceeded the range (9.9E37). *t_s: the middle of the integration: half way from the query to
 * the answer's first byte or, in a list, half an integration before the reading started to arrive.
 * STATUS_FAILED when the meter hung up, is silent, or has sent no reading for seconds. */
enum status dmm_read(struct dmm *meter, double until_s, double *t_s, double *volts, struct error *error);

/* The error for a meter whose answers were not readings, or that sent none. */
enum status dmm_no_readings(const struct dmm *meter, struct error *error);

/* Returns the meter to local control. */
void dmm_close(struct dmm *meter);

#endif
