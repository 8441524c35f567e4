/* Calibration's loop (DESIGN.md section 6): moves what a plan can be tuned by until a machine shows the rates
 * asked for, or says which of them it cannot show. It knows no machine: somebody looks for it. */
#ifndef RUNNER_SOURCES_CALIBRATE_H
#define RUNNER_SOURCES_CALIBRATE_H

#include "base/error.h"
#include "generator/plan/tuning.h"
#include "runner/results/verdict.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { CALIBRATE_ROUNDS = 12 };

/* One rate as a source saw it. */
struct calibrate_rate {
    enum tuning_rate rate;
    double target;
    double value, low, high;
    enum verdict verdict;
};

struct calibrate_seen {
    struct calibrate_rate rates[TUNING_RATES];
    size_t count;
};

/* Makes the program with the tuning and looks what it does. Seeing none of the rates is no error.
 * STATUS_RECIPE when no plan can be made so: the loop tries something else. */
typedef enum status calibrate_look(void *context, const struct plan_tuning *tuning,
                                   struct calibrate_seen *seen, struct error *error);

struct calibrate_round {
    struct plan_tuning tuning;
    struct calibrate_seen seen;
    bool refused; /* no plan could be made with it */
};

enum calibrate_end {
    CALIBRATE_REACHED,
    CALIBRATE_WITHIN_NOISE, /* the value is right, and the source cannot tell it better */
    CALIBRATE_UNREACHABLE,
    CALIBRATE_UNSEEN, /* no source sees any of the rates */
};

struct calibrate_result {
    enum calibrate_end end;
    struct calibrate_round rounds[CALIBRATE_ROUNDS];
    size_t count;
    size_t best;                 /* the round that came nearest to all rates */
    struct calibrate_rate worst; /* of that round: the rate farthest from its target */
};

/* Where a calibration begins. */
struct calibrate_start {
    struct plan_tuning tuning;
    double known_depth; /* that served another plan on this machine: the first to try; 0: none is known */
};

/* Tries the start, then deeper (or, first, far shallower) conflicts while the machine does not show what the
 * plan aims at, then other aims; the first round that passes ends it. Where no plan can be made with the
 * start's tuning, it begins with none. STATUS_OK with the result, or what look returned. */
enum status calibrate(const struct calibrate_start *start, calibrate_look *look, void *context,
                      struct calibrate_result *result, struct error *error);

/* The rates among the judged ones (verdict_judge) that a tuning can move and that the source saw, with the
 * verdict of the side that it is of: what the other side has to say is no matter of calibration. */
void calibrate_rates(const json_t *judged, const char *source, struct calibrate_seen *seen);

#endif
