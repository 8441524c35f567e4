/* The calibration loop (DESIGN.md section 6): adjusts a plan's tuning until a machine shows the requested
 * rates, or reports which of them it cannot show. The loop depends on no machine: a callback makes and
 * observes each program. */
#ifndef RUNNER_EVIDENCE_CALIBRATION_LOOP_H
#define RUNNER_EVIDENCE_CALIBRATION_LOOP_H

#include "base/error.h"
#include "generator/plan/tuning.h"
#include "runner/results/verdict.h"

#include <stdbool.h>
#include <stddef.h>

enum { CALIBRATE_ROUNDS = 12 };

/* One rate as a source observed it. */
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

/* Makes the program with this tuning and observes it. Observing none of the rates is not an error.
 * STATUS_RECIPE: no plan is possible with this tuning, so that the loop tries another one. */
typedef enum status calibrate_look(void *context, const struct plan_tuning *tuning,
                                   struct calibrate_seen *seen, struct error *error);

struct calibrate_round {
    struct plan_tuning tuning;
    struct calibrate_seen seen;
    bool refused; /* no plan was possible with it */
};

enum calibrate_end {
    CALIBRATE_REACHED,
    CALIBRATE_WITHIN_NOISE, /* the value is right within the source's resolution */
    CALIBRATE_UNREACHABLE,
    CALIBRATE_UNSEEN, /* no source observes any of the rates */
};

struct calibrate_result {
    enum calibrate_end end;
    struct calibrate_round rounds[CALIBRATE_ROUNDS];
    size_t count;
    size_t best;                 /* the round closest to all rates */
    struct calibrate_rate worst; /* of that round: the rate farthest from its target */
};

/* The start of a calibration. */
struct calibrate_start {
    struct plan_tuning tuning;
    double known_depth; /* a depth that worked for another plan on this machine, tried first; 0: unknown */
};

/* Tries tunings until a round passes: the start, then other depths of conflicts while the observed rates
 * differ from the plan's aims, then other aims. If no plan is possible with the start's tuning, it begins
 * without tuning. Returns STATUS_OK with the result, or the status of look. */
enum status calibrate(const struct calibrate_start *start, calibrate_look *look, void *context,
                      struct calibrate_result *result, struct error *error);

/* Selects the judged rates (verdict_judge) that tuning can affect and that the source observed. Their verdict
 * is that of the source's side alone: calibration ignores the other side. */
void calibrate_rates(const struct result_rates *judged, const char *source, struct calibrate_seen *seen);

#endif
