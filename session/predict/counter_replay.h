/* Predicts each step of a counter trace, and evaluates two policies under a power cap: the state that the
 * prediction chooses in one step, and one state up or down at a time (Su et al. 2014). With --allow-state it
 * sets the state of the first policy at each step; else it only replays the trace. */
#ifndef SESSION_PREDICT_COUNTER_REPLAY_H
#define SESSION_PREDICT_COUNTER_REPLAY_H

#include "base/error.h"
#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

/* One step. NAN: unknown. */
struct replay_step {
    const struct model_result *result; /* has t_s and measured_w, but no parts */
    double t_s, ghz, measured_w, predicted_w, energy_delay_ghz;
    double cap_ghz, there_w; /* the state that the cap allows, and its power */
};

/* The clock range that all of these processors allow a governor. */
struct replay_clocks {
    double least_ghz, most_ghz;
};

/* A change of the machine's state. */
struct replay_change {
    double t_s; /* time of the step */
    const int *cpus;
    size_t cpu_count; /* 0: all logical processors */
    struct replay_clocks from, to;
    const char *why;
};

struct replay_request {
    const char *path;                  /* the trace; NULL: this machine's counters */
    bool grows;                        /* wait for new lines */
    double wait_s;                     /* longest wait for a new line; 0: unlimited */
    const char *columns;               /* "EVENT=NAME,...", for intervals of perf; NULL: none */
    const struct named_numbers *given; /* the chip's values, for steps that lack them; NULL: none */
    const struct model *model;
    const struct model_result *fitted;
    const struct model_settings *settings;
    void (*step)(void *context, const struct replay_step *step);
    bool allow_state; /* set the clock that keeps the cap, and restore it at the end */
    const char *root; /* root folder of /sys; "": the machine's own */
    void (*change)(void *context, const struct replay_change *change);
    void (*warn)(void *context, const char *sentence);
    void *context;
};

struct replay_policy {
    size_t steps; /* with a cap; 0: the rest is invalid */
    size_t above_cap, cap_changes;
    double mean_w;
    double steps_to_settle; /* mean number after a change of the cap; NAN: not settled at the end */
};

struct replay_summary {
    size_t steps;
    double cost_s, cost_95_s; /* of one prediction: median and 95 % quantile */
    size_t compared;          /* steps with measured power; 0: power_error is invalid */
    double power_error;       /* mean */
    struct replay_policy one_step, simple;
    size_t changes; /* of the machine's state, without the final restoring */
};

/* Reports each step, then the change of the clock for it, and fills the summary. STATUS_UNAVAILABLE, with the
 * reason, without a trace, and if the clock cannot be set with allow_state. */
enum status counter_replay(const struct replay_request *request, struct replay_summary *summary,
                           struct error *error);

#endif
