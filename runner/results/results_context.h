/* The first line of results: the machine, the sensors and the benchmarks (DESIGN.md section 7). Only
 * results_context.c reads its JSON; a model's file begins with some of the same members. Numbers that are not
 * stated are NAN, and texts NULL. */
#ifndef RUNNER_RESULTS_RESULTS_CONTEXT_H
#define RUNNER_RESULTS_RESULTS_CONTEXT_H

#include "base/arena.h"
#include "base/json/json_text.h"
#include "generator/recipe/benchmark.h"
#include "runner/results/recorded_machine.h"
#include "runner/results/warning.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether results are of a simulated meter, or of a simulated machine. Models that are fitted to them, and
 * predictions of these models, inherit this, so that nothing derived from them passes for a measurement. */
struct simulated {
    bool given;
    const char *what; /* "meter" or "results" */
    const char *how;  /* what computed them: a sentence without its full stop */
};

/* "simulated meter" or "simulated results"; NULL when nothing is simulated. */
const char *simulated_label(const struct simulated *simulated);

/* Reads the statement; its texts point into the document. Writes it as a member, if it is given. */
void simulated_read(const json_t *document, struct simulated *simulated);
void simulated_write(struct json_text *text, const char *name, const struct simulated *simulated);

/* A channel of a sensor that was read. */
struct context_sensor {
    const char *name, *label, *quantity, *unit;
    double period_s, update_s, resolution;
    const char *window; /* how values weigh the time before them; NULL: unknown, as are the following */
    double window_s, lag_s, sampled; /* sampled: NAN: unknown */
};

struct results_context {
    const char *host, *cpu, *version;
    bool present;                    /* the machine is the host */
    double shard_index, shard_count; /* of one of several; 0: of a whole run */
    struct recorded_machine machine;
    struct simulated simulated;     /* files that trauma merge joined are simulated if one of them is */
    double latency_l1d, latency_l2; /* measured, in cycles */
    struct context_sensor *sensors;
    size_t sensor_count;
    struct benchmark_list benchmarks;
    struct result_warning *warnings;
    size_t warning_count;
    struct {
        bool given;
        double *cpus, *socket, *cluster, *core; /* of each logical processor */
        size_t count, sockets, clusters, cores;
    } processors;
    struct results_context *others; /* of the further files that trauma merge joined */
    size_t other_count;
    struct value members; /* all members of the line, to be shown, compared and copied */
    json_t *document;     /* the line; owned */
    struct arena arena;
};

/* The list "sensors" of such channels. New reference. */
json_t *context_sensors_to_json(const struct context_sensor *sensors, size_t count);

/* Reads the line and keeps a reference to it; NULL: nothing is stated. Free with results_context_free. */
void results_context_read(const json_t *document, struct results_context *context);
void results_context_free(struct results_context *context);

/* The context in which a point was measured, by the number in the point: 0 is the first line itself. NULL:
 * the line has no such context. */
const struct results_context *results_context_of(const struct results_context *first, size_t number);

/* Reads a machine; reads up to VF_MOST states, [{"volts", "ghz"}], and returns how many. NULL: nothing is
 * stated. */
struct recorded_machine recorded_machine_read(const json_t *document);
size_t recorded_states_read(const json_t *list, struct vf_state *states);

#endif
