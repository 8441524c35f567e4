/* The first line of results: of what they are (DESIGN.md section 7). results_context.c alone reads its JSON;
 * a model's file begins with some of the same members. Numbers are NAN and texts NULL where they are not
 * stated. */
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

/* Results of a simulated meter, or of a simulated machine, state this. Models that are fitted to them, and
 * predictions of these models, keep it, so that nothing that is made of them passes for a measurement. */
struct simulated {
    bool given;
    const char *what, *how; /* "meter" or "results"; what computed them: a sentence without its full stop */
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
    const char *window;              /* how values weigh the time before them; NULL: not known, nor are: */
    double window_s, lag_s, sampled; /* sampled may be NAN all the same */
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
    struct value members; /* as the file has them, to be shown, compared and passed on */
    json_t *document;     /* the line; owned */
    struct arena arena;
};

/* The list "sensors" of such channels. New reference. */
json_t *context_sensors_to_json(const struct context_sensor *sensors, size_t count);

/* Reads the line, of which it keeps a reference; NULL: nothing is stated. Free with results_context_free. */
void results_context_read(const json_t *document, struct results_context *context);
void results_context_free(struct results_context *context);

/* The context in which a point was measured, by the point's number: 0 is the first line's own; NULL: the line
 * has no such context. */
const struct results_context *results_context_of(const struct results_context *first, size_t number);

/* Reads a machine, and up to VF_MOST states, [{"volts", "ghz"}]; returns how many. NULL states nothing. */
struct recorded_machine recorded_machine_read(const json_t *document);
size_t recorded_states_read(const json_t *list, struct vf_state *states);

#endif
