/* Predictions for each step of a counter trace, and what two policies would do under a power cap: the
 * one-step choice from the prediction, and one state up or down at a time (Su et al. 2014). Without leave it
 * sets nothing: it is a replay or a dry run. With it the first choice is set, step by step. */
#ifndef SESSION_PREDICT_COUNTER_REPLAY_H
#define SESSION_PREDICT_COUNTER_REPLAY_H

#include "base/error.h"
#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

/* One step. NAN: unknown. */
struct replay_step {
    const struct model_result *result; /* without parts, with t_s and measured_w */
    double t_s, ghz, measured_w, predicted_w, energy_delay_ghz;
    double cap_ghz, there_w; /* the state that the cap allows, and its power */
};

/* What these processors let a governor choose from, all of them. */
struct replay_clocks {
    double least_ghz, most_ghz;
};

/* A change of the machine's state. */
struct replay_change {
    double t_s; /* of the step */
    const int *cpus;
    size_t cpu_count; /* 0: all logical processors */
    struct replay_clocks from, to;
    const char *why;
};

struct replay_request {
    const char *path;                  /* the trace; NULL: this machine's counters */
    bool grows;                        /* wait for new lines */
    double wait_s;                     /* maximum wait for one; 0: unlimited */
    const char *columns;               /* of perf's intervals; NULL: none */
    const struct named_numbers *given; /* of the chip, for steps that lack them; NULL: none */
    const struct model *model;
    const struct model_result *fitted;
    const struct model_settings *settings;
    void (*step)(void *context, const struct replay_step *step);
    bool allow_state; /* set the clock that keeps the cap, and restore it at the end */
    const char *root; /* "" for the machine itself */
    void (*change)(void *context, const struct replay_change *change);
    void (*warn)(void *context, const char *sentence);
    void *context;
};

struct replay_policy {
    size_t steps; /* with a cap; 0: the rest is invalid */
    size_t above_cap, cap_changes;
    double mean_w;
    double steps_to_settle; /* mean after a change of the cap; NAN: not settled at the end */
};

struct replay_summary {
    size_t steps;
    double cost_s, cost_95_s; /* of one prediction: median and 95 % quantile */
    size_t compared;          /* steps with measured power; 0: power_error is invalid */
    double power_error;       /* mean */
    struct replay_policy one_step, simple;
    size_t changes; /* of the machine's state; the restoring is none */
};

/* Tells each step, then what is set for it, and sums up. STATUS_UNAVAILABLE, with the reason, without a
 * trace, and where the clock is to be set and cannot be. */
enum status counter_replay(const struct replay_request *request, struct replay_summary *summary,
                           struct error *error);

#endif
