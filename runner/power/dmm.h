/* A multimeter of the HP/Agilent 34401A's language that reads DC volts, one question after the other (User's
 * Guide 34401-90004, chapter 4: CONFigure, TRIGger, READ?, SYSTem). */
#ifndef RUNNER_POWER_DMM_H
#define RUNNER_POWER_DMM_H

#include "runner/power/scpi.h"

#include <stdbool.h>
#include <stddef.h>

struct dmm_settings {
    double range_v;  /* 0: the meter chooses, which takes time whenever it does */
    double nplc;     /* how many periods of the mains it integrates over */
    bool nplc_asked; /* by the user: a meter that cannot is refused */
    double mains_hz;
    double samples;  /* readings for each question */
    double period_s; /* from one reading to the next, at least */
};

struct dmm {
    struct scpi line;
    struct dmm_settings settings;
    bool queueless;              /* it tells nothing of errors */
    bool asked;                  /* an answer is to come */
    bool begun;                  /* its first reading is here */
    double asked_s;              /* when the question had left */
    double due_s;                /* of the next question */
    double told_s;               /* when it last told a reading, or was asked for the first */
    unsigned unheeded;           /* questions in turn that got no answer */
    size_t overloads, others;    /* answers since then that were no reading */
    char other[SCPI_WORD_BYTES]; /* the last of them */
};

/* Takes the meter under remote control, asks what it is and sets it up. STATUS_UNAVAILABLE when it does not
 * answer, is another, or reports an error. Close with dmm_close in every case. */
enum status dmm_open(const char *path, const struct serial_settings *serial,
                     const struct dmm_settings *settings, struct dmm *meter, struct error *error);

/* Hears the next reading until the moment until_s, and asks for it when it is due. *volts is NAN when none
 * came, or the input was beyond the range (9.9E37). *t_s: the middle of the integration; half way from the
 * question to the answer's first byte, and in a list half an integration before the reading began to come.
 * STATUS_FAILED when the meter hung up, is silent, or has told no reading for seconds. */
enum status dmm_read(struct dmm *meter, double until_s, double *t_s, double *volts, struct error *error);

/* The sentence for a meter whose answers were no readings, or that gave none. */
enum status dmm_no_readings(const struct dmm *meter, struct error *error);

/* Gives the meter back to its keys. */
void dmm_close(struct dmm *meter);

#endif
