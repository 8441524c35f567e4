/* A machine that plays Su et al. 2014's: five states of voltage and frequency, idle power cubic in V and
 * linear in T, nine events with weights, compute units that are gated, a chip that warms and cools, and a
 * meter that quantises. Its results are what the recipes of ppep-2014 would leave. */
#ifndef TESTS_MODEL_FX8320_H
#define TESTS_MODEL_FX8320_H

#include "base/random.h"
#include "model/data/dataset.h"
#include "model/ppep/ppep.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct vf_state fx_states[5] = {
    {0.888, 1.4}, {1.008, 1.7}, {1.128, 2.3}, {1.242, 2.9}, {1.320, 3.5}};
enum { FX_STATES = 5, FX_REPS = 5, FX_UNITS = 4 };

static const double fx_w1[4] = {0.02, -0.03, 0.05, 0.12}, fx_w0[4] = {2, 3, -1, 7};
static const double fx_weights[PPEP_EVENTS] = {0.8e-9, 1.2e-9, 1.0e-9, 0.9e-9, 6e-9,
                                               0.7e-9, 15e-9,  25e-9,  0.25e-9};
static const double fx_alpha = 2.2, fx_cu_share = 0.15, fx_nb_share = 0.25, fx_base_share = 0.15;

/* The paper's Hall sensor and converter: 44 mA at 12 V a step, read each 20 ms. */
struct fx_noise {
    double sample_w, step_w; /* of one reading */
    double celsius;          /* step of the thermometer */
    double counters;         /* how true the two observations are: 1 as in the paper */
    double shift;            /* of all that the meter tells of a point, a share */
};
static const struct fx_noise fx_quiet = {0, 0, 0, 0, 0}, fx_meter = {0.5, 0.53, 0.125, 0, 0},
                             fx_paper = {0.5, 0.53, 0.125, 1, 0};

struct fx {
    struct random random;
    struct fx_noise noise;
    json_t *points;
    const char *without;   /* a counter that is not there */
    double most_w;         /* the meter's end */
    double mispredicted_j; /* what a mispredicted branch takes instead; 0: what it does */
    bool tied;             /* fpu goes with uops */
    bool suites;           /* four suites of programs that have some of everything, as the paper's have */
    const char *leading;   /* the name of E3 */
    double room_c;         /* warmer by it: each thermometer step is met elsewhere */
};

static double fx_uniform(struct random *random)
{
    return (random_next(random) + 0.5) / 4294967296.0;
}

static double fx_normal(struct random *random)
{
    return sqrt(-2 * log(fx_uniform(random))) * cos(6.283185307179586 * fx_uniform(random));
}

static double fx_cubic(const double *c, double v)
{
    return c[0] + v * (c[1] + v * (c[2] + v * c[3]));
}

static double fx_idle(double volts, double celsius)
{
    return fx_cubic(fx_w1, volts) * celsius + fx_cubic(fx_w0, volts);
}

static double fx_round(double value, double step)
{
    return step > 0 ? step * floor(value / step + 0.5) : value;
}

/* What the meter makes of all of a point. */
static double fx_shift(struct fx *fx)
{
    return fx->noise.shift > 0 ? 1 + fx->noise.shift * fx_normal(&fx->random) : 1;
}

/* The mean of the readings over those seconds. */
static double fx_read(struct fx *fx, double watts, double seconds)
{
    int count = fx->noise.sample_w > 0 ? (int)(seconds / 0.02 + 0.5) : 1;
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum +=
            fmin(fx_round(watts + fx->noise.sample_w * fx_normal(&fx->random), fx->noise.step_w), fx->most_w);
    return sum / count;
}

/* A program: its events an instruction, cycles of the core alone, and nanoseconds of leading loads. */
struct fx_program {
    double event[PPEP_EVENTS]; /* but for the stalls */
    double core_cpi, busy_cpi, leading_ns;
};

/* The same for the same names on every seed. */
static struct fx_program fx_make(const struct fx *fx, const char *name, size_t raised, double share)
{
    static const double base[PPEP_EVENTS] = {1.05, 0.02, 0.25, 0.05, 0.001, 0.02, 2e-4, 2e-4, 0};
    struct random random = random_start(7, name);
    struct fx_program program = {.core_cpi = 0.45 + 0.2 * fx_uniform(&random), .busy_cpi = 0.4};
    for (size_t i = 0; i < PPEP_EVENTS; i++)
        program.event[i] = base[i] * (0.7 + 0.6 * fx_uniform(&random));
    static const double most[PPEP_EVENTS] = {1, 0.9, 0.6, 0.8, 0.4, 0.5, 0.08, 0.05, 0};
    program.event[raised] += share * most[raised];
    if (raised == 4 || raised == 7)
        program.event[3] += program.event[raised];
    if (raised == 7)
        program.event[4] += program.event[7];
    if (raised == 6)
        program.event[5] += 0.5;
    if (fx->tied)
        program.event[1] = 0.5 * program.event[0];
    program.core_cpi +=
        8 * program.event[4] + 20 * program.event[6] + (raised == PPEP_STALLS ? share * 2 : 0);
    program.leading_ns = 20 * program.event[7];
    return program;
}

static double fx_off(struct fx *fx, double share)
{
    return 1 + fx->noise.counters * share * fx_normal(&fx->random);
}

/* Counts a second at the clock. The observations hold as well as the paper says (its differences are mean
 * absolute ones between two runs: each run is off by 0.89 of that). */
static struct ppep_rates fx_rates(struct fx *fx, const struct fx_program *program, double ghz)
{
    static const double differs[PPEP_EVENTS] = {0.006, 0.009, 0.007, 0.007, 0.05, 0.007, 0.013, 0.04, 0.017};
    struct ppep_rates rates = {0};
    double leading = program->leading_ns * ghz;
    double cpi = (program->core_cpi + leading) * fx_off(fx, 0.02);
    rates.cycles = ghz * 1e9;
    rates.instructions = rates.cycles / cpi;
    rates.leading = leading * rates.instructions * fx_off(fx, 0.03);
    for (size_t i = 0; i < PPEP_STALLS; i++)
        rates.event[i] = program->event[i] * rates.instructions * fx_off(fx, 0.89 * differs[i]);
    rates.event[PPEP_STALLS] =
        fmax(cpi - program->busy_cpi * fx_off(fx, 0.89 * differs[PPEP_STALLS]), 0) * rates.instructions;
    return rates;
}

static double fx_dynamic(const struct ppep_rates *rates, double volts)
{
    double sum = 0;
    for (size_t i = 0; i < PPEP_EVENTS; i++)
        sum += fx_weights[i] * rates->event[i] * (ppep_events[i].scaled ? pow(volts / 1.32, fx_alpha) : 1);
    return sum;
}

/* The mean temperature over the repetition of that number. */
static double fx_warming(double dynamic, int rep)
{
    return 40 + (6 + 0.4 * dynamic) * (1 - 4 * (exp(-rep / 4.0) - exp(-(rep + 1) / 4.0)));
}

static json_t *fx_reading(struct fx *fx, double joules, double celsius)
{
    return json_pack("{s:{s:f}, s:{s:f}}", "energy_j", "hall", joules, "temperature_c", "k10temp",
                     fx_round(celsius, fx->noise.celsius));
}

/* Five repetitions of ten seconds while the chip warms up to what the power makes of it. */
static json_t *fx_reps(struct fx *fx, double volts, double dynamic, double idle_share)
{
    json_t *reps = json_array();
    double rise = 6 + 0.4 * dynamic;
    double shift = fx_shift(fx);
    for (int i = 0; i < FX_REPS; i++) {
        double mean = fx->room_c + fx_warming(dynamic, i);
        double end = fx->room_c + 40 + rise * (1 - exp(-(i + 1) / 4.0));
        json_t *rep =
            fx_reading(fx, 10 * fx_read(fx, shift * (dynamic + idle_share * fx_idle(volts, mean)), 10), end);
        json_object_set_new(rep, "iterations", json_integer(1000000));
        json_object_set_new(rep, "seconds", json_real(10));
        json_object_set_new(rep, "wall_s", json_real(10));
        json_array_append_new(reps, rep);
    }
    return reps;
}

static void fx_add(struct fx *fx, const char *recipe, json_t *parameters, json_t *reps)
{
    json_t *point = json_pack("{s:s, s:s, s:s, s:o, s:o, s:{s:[s]}}", "recipe", recipe, "benchmark",
                              strchr(recipe, '/') + 1, "name", "point", "point", parameters, "reps", reps,
                              "power", "from", "hall");
    json_array_append_new(fx->points, point);
}

static void fx_count(const struct fx *fx, const struct ppep_rates *rates)
{
    json_t *counters =
        json_pack("{s:{s:f}, s:{s:f}, s:{s:f}}", "cycles", "value", rates->cycles / 1e5, "instructions",
                  "value", rates->instructions / 1e5, fx->leading, "value", rates->leading / 1e5);
    for (size_t i = 0; i < PPEP_EVENTS; i++)
        json_object_set_new(counters, ppep_events[i].names[0],
                            json_pack("{s:f}", "value", rates->event[i] / 1e5));
    if (fx->without != NULL)
        json_object_del(counters, fx->without);
    json_object_set_new(json_array_get(fx->points, json_array_size(fx->points) - 1), "counters", counters);
}

/* state 0: as the machine is, without a parameter for it. */
static void fx_run(struct fx *fx, const char *recipe, const char *name, const struct fx_program *program,
                   size_t state)
{
    const struct vf_state *vf = &fx_states[state > 0 ? state - 1 : FX_STATES - 1];
    struct ppep_rates rates = fx_rates(fx, program, vf->ghz);
    json_t *parameters = json_pack("{s:s}", "mix", name);
    if (state > 0)
        json_object_set_new(parameters, "vf", json_integer((json_int_t)state));
    fx_add(fx, recipe, parameters,
           fx_reps(fx, vf->volts,
                   fx_dynamic(&rates, vf->volts) +
                       (fx->mispredicted_j == 0 ? 0
                                                : (fx->mispredicted_j - fx_weights[6]) * rates.event[6] *
                                                      pow(vf->volts / 1.32, fx_alpha)),
                   1));
    fx_count(fx, &rates);
}

/* 300 s of cooling, a sample each 0.2 s. */
static void fx_cool(struct fx *fx, size_t state)
{
    const struct vf_state *vf = &fx_states[state];
    json_t *samples = json_array();
    double joules = 0;
    double shift = fx_shift(fx);
    for (int i = 0; i < 1500; i++) {
        double celsius = fx->room_c + 38 + 30 * exp(-i / 300.0);
        json_t *sample = fx_reading(fx, joules, celsius);
        json_object_set_new(sample, "t_s", json_real(0.2 * i));
        json_array_append_new(samples, sample);
        joules +=
            0.2 *
            fx_read(fx, shift * fx_idle(vf->volts, fx->room_c + 38 + 30 * exp(-(i + 0.5) / 300.0)), 0.2);
    }
    fx_add(fx, "ppep-2014/heat-and-cool", json_pack("{s:f}", "ghz", vf->ghz), fx_reps(fx, vf->volts, 60, 1));
    json_object_set_new(json_array_get(fx->points, json_array_size(fx->points) - 1), "idle_after",
                        json_pack("{s:f, s:o}", "seconds", 300.0, "samples", samples));
}

static void fx_gate(struct fx *fx, int busy, bool gated)
{
    double on = gated ? fx_cu_share * busy + (busy > 0 ? fx_nb_share : 0) + fx_base_share : 1;
    json_t *reps = fx_reps(fx, 1.32, 6.0 * busy, on);
    fx_add(fx, "ppep-2014/power-gating", json_pack("{s:i, s:b}", "busy", busy, "gating", gated), reps);
}

static void fx_suite(struct fx *fx, const char *recipe, size_t number)
{
    char name[32];
    for (size_t i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "suite%zu%zu", number, i);
        struct random random = random_start(11, name);
        struct fx_program program = fx_make(fx, name, i % PPEP_EVENTS, 0.5 * fx_uniform(&random));
        const struct fx_program other =
            fx_make(fx, name, (i * 5 + number) % PPEP_STALLS, fx_uniform(&random));
        for (size_t k = 0; k < PPEP_EVENTS; k++)
            program.event[k] = (program.event[k] + other.event[k]) / 2;
        program.core_cpi = (program.core_cpi + other.core_cpi) / 2;
        program.leading_ns = (program.leading_ns + other.leading_ns) / 2;
        fx_run(fx, recipe, name, &program, 0);
    }
}

/* Everything of the recipes; fx->points is the caller's. */
static void fx_results(struct fx *fx)
{
    static const double shares[] = {0.25, 0.5, 0.75, 1};
    char name[32];
    fx->points = json_array();
    for (size_t event = 0; event < PPEP_EVENTS; event++)
        for (size_t i = 0; i < 4; i++) {
            snprintf(name, sizeof name, "training%zu%zu", event, i);
            const struct fx_program program = fx_make(fx, name, event, shares[i]);
            fx_run(fx, "ppep-2014/training", name, &program, 0);
        }
    for (size_t i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "across%zu", i);
        struct fx_program program = fx_make(fx, name, i < 5 ? i : 7, 0.3 + 0.1 * (double)i);
        for (size_t state = 1; state <= FX_STATES; state++)
            fx_run(fx, "ppep-2014/across-vf", name, &program, state);
    }
    for (size_t i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "program%zu", i);
        const struct fx_program program = fx_make(fx, name, (i * 3 + 1) % PPEP_EVENTS, 0.5);
        fx_run(fx, "ppep-2014/program-a", name, &program, 0);
    }
    static const char *const suites[] = {"mine/first", "mine/second", "mine/third", "mine/fourth"};
    for (size_t i = 0; fx->suites && i < 4; i++)
        fx_suite(fx, suites[i], i);
    for (size_t i = 0; i < FX_STATES; i++)
        fx_cool(fx, i);
    for (int busy = 0; busy <= FX_UNITS; busy++)
        for (int gated = 0; gated < 2; gated++)
            fx_gate(fx, busy, gated);
}

static json_t *fx_machine(void)
{
    json_t *vf = json_array();
    for (size_t i = 0; i < FX_STATES; i++)
        json_array_append_new(vf,
                              json_pack("{s:f, s:f}", "volts", fx_states[i].volts, "ghz", fx_states[i].ghz));
    return json_pack("{s:s, s:f, s:i, s:i, s:o}", "name", "fx-8320", "clock_ghz", 3.5, "cu", 4, "cores", 8,
                     "vf", vf);
}

static struct fx fx_start(struct fx_noise noise, uint64_t seed)
{
    struct random room = random_start(seed, "room");
    return (struct fx){.random = random_start(seed, "fx-8320"),
                       .room_c = noise.celsius > 0 ? fx_uniform(&room) : 0,
                       .noise = noise,
                       .most_w = 1e6,
                       .leading = "mab0_wait_cycles"};
}

#endif
