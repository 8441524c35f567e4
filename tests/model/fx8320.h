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

/* How the machine differs from the form that the models assume; all zeros: it does not. */
struct fx_wrong {
    double awake_w;        /* drawn whenever any program runs */
    double awake_scaled_w; /* the same, at the reference voltage: it scales as the cores' events do */
    double square_w;       /* of the square of L2 requests, where they are 1e8 per second */
    double product_w;      /* of micro-operations times accesses to L1D, where both are 2e9 per second */
    double saturates_w;    /* dynamic power approaches that */
    double heats;          /* dynamic power rises by that share per kelvin above 45 C */
    double drift_w;        /* from the first point to the last */
    double state_w;        /* more in the second state of voltage and frequency alone */
    double deep_w;         /* coolings are that much below the idle level of the points: deeper idle states */
    double fan_w, fan_c;   /* a fan stops at that temperature while the chip cools */
    double leaks_square;   /* W/K^2 of idle power about 50 C */
    double lag_s;          /* the thermometer follows late */
    double busy_w;         /* background work that ends after a minute of cooling */
};

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
    bool levels;           /* points have the idle level before them */
    double
        counts_off; /* standard deviation of a point's count, a share; its stated interval is twice as far */
    int cores;      /* copies that run together */
    struct fx_wrong wrong;
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

static double fx_leaks(const struct fx *fx, double volts, double celsius)
{
    return fx_idle(volts, celsius) + fx->wrong.leaks_square * pow(celsius - 50, 2);
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

/* What the machine draws besides, of what no model has. */
static double fx_besides(const struct fx *fx, const struct ppep_rates *rates, const struct vf_state *vf)
{
    const struct fx_wrong *wrong = &fx->wrong;
    double scale = pow(vf->volts / 1.32, fx_alpha);
    double order = (double)json_array_size(fx->points) / 80;
    double sum = wrong->awake_w + scale * wrong->awake_scaled_w + wrong->drift_w * order;
    sum += scale * wrong->square_w * pow(rates->event[4] / 1e8, 2);
    sum += scale * wrong->product_w * rates->event[0] / 2e9 * rates->event[3] / 2e9;
    return sum + (vf->ghz == fx_states[1].ghz ? wrong->state_w : 0);
}

static double fx_draws(const struct fx *fx, const struct ppep_rates *rates, const struct vf_state *vf)
{
    double joules = fx->mispredicted_j == 0 ? 0 : fx->mispredicted_j - fx_weights[6];
    double sum = fx_dynamic(rates, vf->volts) + joules * rates->event[6] * pow(vf->volts / 1.32, fx_alpha) +
                 fx_besides(fx, rates, vf);
    return fx->wrong.saturates_w > 0 ? sum / (1 + sum / fx->wrong.saturates_w) : sum;
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
        json_t *rep = fx_reading(fx,
                                 10 * fx_read(fx,
                                              shift * (dynamic * (1 + fx->wrong.heats * (mean - 45)) +
                                                       idle_share * fx_leaks(fx, volts, mean)),
                                              10),
                                 end);
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

/* The idle level before the point's run. */
static void fx_level(struct fx *fx, const struct vf_state *vf)
{
    json_t *point = json_array_get(fx->points, json_array_size(fx->points) - 1);
    double watts = fx_read(fx, fx_leaks(fx, vf->volts, 40 + fx->room_c), 2);
    json_object_set_new(
        json_object_get(point, "power"), "power.static_w",
        json_pack("{s:f, s:f, s:f, s:i}", "value", watts, "low", watts - 0.1, "high", watts + 0.1, "n", 10));
}

static json_t *fx_counted(struct fx *fx, double count)
{
    if (!(fx->counts_off > 0))
        return json_pack("{s:f}", "value", count);
    count *= 1 + fx->counts_off * fx_normal(&fx->random);
    return json_pack("{s:f, s:f, s:f, s:i}", "value", count, "low", count * (1 - 2 * fx->counts_off), "high",
                     count * (1 + 2 * fx->counts_off), "n", 5);
}

static void fx_count(struct fx *fx, const struct ppep_rates *rates)
{
    json_t *counters =
        json_pack("{s:{s:f}, s:{s:f}, s:{s:f}}", "cycles", "value", rates->cycles / 1e5, "instructions",
                  "value", rates->instructions / 1e5, fx->leading, "value", rates->leading / 1e5);
    for (size_t i = 0; i < PPEP_EVENTS; i++)
        json_object_set_new(counters, ppep_events[i].names[0], fx_counted(fx, rates->event[i] / 1e5));
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
    fx_add(fx, recipe, parameters, fx_reps(fx, vf->volts, fx_draws(fx, &rates, vf), 1));
    if (fx->levels)
        fx_level(fx, vf);
    fx_count(fx, &rates);
}

/* Idle power of the cooling chip at that temperature, t_s after the load. */
static double fx_cooling_w(const struct fx *fx, double volts, double celsius, double t_s)
{
    const struct fx_wrong *wrong = &fx->wrong;
    double watts = fx_leaks(fx, volts, celsius) - wrong->deep_w;
    watts += celsius - fx->room_c > wrong->fan_c ? wrong->fan_w : 0;
    return watts + (t_s < 60 ? wrong->busy_w : 0);
}

/* 300 s of cooling, a sample each 0.2 s. */
static void fx_cool(struct fx *fx, size_t state)
{
    const struct vf_state *vf = &fx_states[state];
    json_t *samples = json_array();
    double joules = 0;
    double shift = fx_shift(fx);
    double late_c = fx->room_c + 68;
    for (int i = 0; i < 1500; i++) {
        double celsius = fx->room_c + 38 + 30 * exp(-i / 300.0);
        late_c = fx->wrong.lag_s > 0 ? late_c + 0.2 / fx->wrong.lag_s * (celsius - late_c) : celsius;
        json_t *sample = fx_reading(fx, joules, late_c);
        json_object_set_new(sample, "t_s", json_real(0.2 * i));
        json_array_append_new(samples, sample);
        double between_c = fx->room_c + 38 + 30 * exp(-(i + 0.5) / 300.0);
        joules += 0.2 * fx_read(fx, shift * fx_cooling_w(fx, vf->volts, between_c, 0.2 * i), 0.2);
    }
    fx_add(fx, "ppep-2014/heat-and-cool", json_pack("{s:f}", "ghz", vf->ghz), fx_reps(fx, vf->volts, 60, 1));
    json_object_set_new(json_array_get(fx->points, json_array_size(fx->points) - 1), "idle_after",
                        json_pack("{s:f, s:o}", "seconds", 300.0, "samples", samples));
}

static void fx_gate(struct fx *fx, int busy, bool gated)
{
    double on = gated ? fx_cu_share * busy + (busy > 0 ? fx_nb_share : 0) + fx_base_share : 1;
    json_t *reps = fx_reps(fx, 1.32, 6.0 * busy + (busy > 0 ? fx->wrong.awake_w : 0), on);
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
