/* The model of moving data across a chip, on results of a synthetic GPU with known constant, floor, patterns
 * and leakage: they are found, lie in their intervals as often as stated, and data that cannot determine them
 * is refused with the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "tests/model/document.h"
#include "tests/model/points.h"
#include "tests/trials.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REPS = 5, COEFFICIENTS = 7 };

static const double CONSTANT = 2.0; /* W/mm at full bandwidth, all bits toggling */
static const double FLOOR = 0.12;   /* about a tenth of random data's 1.12 W/mm, as in figure 7 */
static const double PATH_MM = 10.5;
static const double PEAK = 16 * 64 * 0.93e9;

static const struct {
    const char *name;
    double value;
} truth[COEFFICIENTS] = {{"constant", 2.0},
                         {"floor", 0.12},
                         {"pattern.ones", -0.03},
                         {"pattern.As", 0.02},
                         {"product", 2.24},
                         {"energy_per_bit_mm", 1.12 / (8 * 16 * 64 * 0.93e9)},
                         {"energy_per_toggle_mm", 2.0 / (8 * 16 * 64 * 0.93e9)}};

static const struct {
    const char *name;
    double toggle, more;
} patterns[] = {
    {"zeros", 0, 0}, {"ones", 0, -0.03}, {"As", 0, 0.02}, {"half_random", 0.25, 0}, {"random", 0.5, 0}};

static const struct {
    double ghz, volts;
} states[] = {{0.93, 1.1687}, {0.8, 1.05}, {0.6, 0.95}, {0.4, 0.9}};

/* A machine, its meter and its room. */
struct synthetic {
    double meter_w;  /* noise of a repetition */
    double idle_w;   /* noise of a point's idle power */
    double shift;    /* of all that a point's runs draw, a share; no repetition shows it */
    double step_w;   /* of the meter; 0: continuous */
    double most_w;   /* that the meter reads; INFINITY: all */
    double drift_c;  /* that the room warms over the run, in no order with the points */
    double fan_c;    /* that the fan cools halfway */
    double jitter_c; /* of a repetition's temperature */
    double slower;   /* of the long path, a share */
    bool named;      /* points tell their pattern by name, not only how often it toggles */
    bool thermometer, metric_bandwidth, only_random, no_toggle, near_far;
    bool both;        /* points state their share, and tell their bandwidth */
    bool unthrottled; /* what states half the share moves as much as the rest */
    bool channels;    /* points tell which channels of L2 served */
    double dealt;     /* how often the words of random data toggle as they are dealt; NAN: not told */
    double part;      /* of the chip's channels are in use */
    double range;     /* gain above the idle level and a quarter, as a share */
    bool no_units;    /* no loops on some of the units ran */
    double path_mm;
    struct random random;
    json_t *points;
};

static double uniform(struct random *random)
{
    return (random_next(random) + 0.5) / 4294967296.0;
}

static double normal(struct random *random)
{
    return sqrt(-2 * log(uniform(random))) * cos(6.283185307179586 * uniform(random));
}

/* Idle power: cubic in temperature (figure 4). */
static double leakage(double celsius)
{
    double t = celsius - 60;
    return 40 + 0.5 * t + 5e-3 * t * t + 2e-5 * t * t * t;
}

static double read_meter(struct synthetic *machine, double watts)
{
    watts *= watts > 55 ? 1 + machine->range : 1;
    watts += machine->meter_w * normal(&machine->random);
    watts = fmin(watts, machine->most_w);
    return machine->step_w > 0 ? machine->step_w * round(watts / machine->step_w) : watts;
}

/* One point's conditions. */
struct place {
    const char *recipe;
    size_t pattern, state;
    double share, mm, base;
    bool numeric; /* distance = mm, in place of a path */
    int units;    /* of 44, whose L1 serves the loop; 0: a loop that reads L2 */
};

static json_t *parameters_of(const struct synthetic *machine, const struct place *at)
{
    if (at->units > 0)
        return json_pack("{s:i}", "units", at->units);
    json_t *point = json_pack("{s:s, s:f, s:f, s:f}", "pattern", patterns[at->pattern].name, "ghz",
                              states[at->state].ghz, "volts", states[at->state].volts, "base", at->base);
    if (!machine->metric_bandwidth || machine->both)
        json_object_set_new(point, "bandwidth_share", json_real(at->share));
    else
        json_object_set_new(point, "nops", json_real(100 * (1 - at->share)));
    if (at->numeric)
        json_object_set_new(point, "distance", json_real(at->mm));
    else if (machine->near_far)
        json_object_set_new(point, "side", json_string(at->mm > 0 ? "far" : "near"));
    else
        json_object_set_new(point, "path", json_string(at->mm > 0 ? "long" : "short"));
    return point;
}

static void add_rate(json_t *point, const char *metric, double value)
{
    json_t *rates = json_object_get(point, "rates");
    json_object_set_new(rates, metric,
                        json_pack("{s:[{s:s, s:s, s:f, s:f, s:f, s:i}]}", "observations", "source", "plan",
                                  "kind", "predicted", "value", value, "low", value, "high", value, "n", 1));
}

static double own_share(const struct synthetic *machine, const struct place *at)
{
    double share = machine->unthrottled ? 0.9 : at->share;
    return share * machine->part * (at->mm > 0 ? 1 - machine->slower : 1);
}

static double dynamic_w(const struct synthetic *machine, const struct place *at)
{
    if (at->units > 0)
        return 4.5 * at->units;
    double v = states[at->state].volts / states[0].volts;
    double scale = states[at->state].ghz / states[0].ghz * v * v * own_share(machine, at);
    double per_mm = CONSTANT * patterns[at->pattern].toggle + FLOOR + patterns[at->pattern].more;
    return scale * (at->base * (1 + 0.1 * patterns[at->pattern].toggle) + per_mm * at->mm);
}

static void add_point(struct synthetic *machine, struct place at)
{
    double when = uniform(&machine->random); /* points run in random order */
    double idle_c = 62 + machine->drift_c * when - (when > 0.5 ? machine->fan_c : 0);
    double idle = leakage(idle_c) + machine->idle_w * normal(&machine->random);
    double shift = machine->shift > 0 ? 1 + machine->shift * normal(&machine->random) : 1;
    json_t *reps = json_array();
    for (int i = 0; i < REPS; i++) {
        double celsius = idle_c + 1 + 0.4 * i + machine->jitter_c * normal(&machine->random);
        double watts = read_meter(machine, shift * (leakage(celsius) + dynamic_w(machine, &at)));
        json_t *rep = json_pack("{s:f, s:f, s:{s:f}}", "iterations", 1e6, "seconds", 2.0, "energy_j", "chip",
                                2 * watts);
        if (machine->thermometer)
            json_object_set_new(rep, "temperature_c", json_pack("{s:f}", "chip", celsius));
        json_array_append_new(reps, rep);
    }
    json_t *point = json_pack("{s:s, s:s, s:s, s:o, s:o, s:{}, s:{s:{s:f}, s:s, s:[s]}}", "recipe", at.recipe,
                              "benchmark", "reads", "name", at.mm > 0 ? "the long one" : "the short one",
                              "point", parameters_of(machine, &at), "reps", reps, "rates", "power",
                              "power.static_w", "value", idle, "verdict", "trustworthy", "from", "chip");
    if (!machine->no_toggle && at.units == 0)
        add_rate(point, "data.toggle_rate", patterns[at.pattern].toggle);
    if (machine->metric_bandwidth && at.units == 0)
        add_rate(point, "bandwidth.L2",
                 own_share(machine, &at) * PEAK * states[at.state].ghz / states[0].ghz);
    for (unsigned i = 0; i < 16 && machine->channels; i++) {
        char metric[32];
        snprintf(metric, sizeof metric, "l2.channel%u.share", i);
        add_rate(point, metric, i < 16 * machine->part ? 1 / (16 * machine->part) : 0);
    }
    if (patterns[at.pattern].toggle == 0.5 && !isnan(machine->dealt))
        add_rate(point, "data.toggle_rate.dealt", machine->dealt);
    json_array_append_new(machine->points, point);
}

static void add_pair(struct synthetic *machine, struct place at)
{
    at.mm = 0;
    add_point(machine, at);
    at.mm = machine->path_mm;
    add_point(machine, at);
}

static void add_units(struct synthetic *machine)
{
    static const int units[] = {1, 2, 5, 11, 22, 44};
    for (size_t i = 0; i < sizeof units / sizeof units[0] && !machine->no_units; i++)
        add_point(machine, (struct place){.recipe = "units.lua", .units = units[i]});
}

/* The paper's recipes: toggle, DVFS, bandwidth, and 4 CUs at four distances. */
static void play(struct synthetic *machine, uint64_t seed)
{
    static const double distances[] = {2, 5, 8, 12.5};
    machine->random = random_start(seed, "GPU");
    machine->points = json_array();
    for (size_t i = machine->only_random ? 4 : 0; i < 5; i++)
        add_pair(machine, (struct place){"toggle.lua", i, 0, 0.9, 0, 150, false, 0});
    for (size_t i = 0; i < 4; i++)
        add_pair(machine, (struct place){"dvfs.lua", 4, i, 0.9, 0, 150, false, 0});
    add_pair(machine, (struct place){"bandwidth.lua", 4, 0, 0.9, 0, 150, false, 0});
    add_pair(machine, (struct place){"bandwidth.lua", 4, 0, 0.45, 0, 150, false, 0});
    for (size_t i = 0; i < 4 && !machine->near_far; i++)
        add_point(machine, (struct place){"distance.lua", 4, 0, 0.33, distances[i], 60, true, 0});
    add_units(machine);
}

static struct synthetic quiet(void)
{
    return (struct synthetic){.most_w = INFINITY, .path_mm = PATH_MM, .part = 1, .dealt = NAN};
}

static enum status
fit_by(enum status (*of)(struct dataset *, const struct model_settings *, json_t *, struct error *),
       struct synthetic *machine, struct model_settings settings, json_t **document, struct error *error)
{
    struct dataset dataset = {0};
    points_add(&dataset, machine->points);
    *document = json_object();
    enum status status = of(&dataset, &settings, *document, error);
    dataset_free(&dataset);
    json_decref(machine->points);
    machine->points = NULL;
    return status;
}

static enum status alone(struct dataset *dataset, const struct model_settings *settings, json_t *document,
                         struct error *error)
{
    return document_fit_alone(&model_interconnect, dataset, settings, true, document, error);
}

static enum status fit(struct synthetic *machine, struct model_settings settings, json_t **document,
                       struct error *error)
{
    return fit_by(alone, machine, settings, document, error);
}

/* As trauma fit does. */
static enum status with_policy(struct dataset *dataset, const struct model_settings *settings,
                               json_t *document, struct error *error)
{
    return document_fit(&model_interconnect, dataset, settings, document, error);
}

static struct model_settings paper(void)
{
    return (struct model_settings){.items = {{"distance", PATH_MM}, {"banks", 16}, {"bank_bytes", 64}},
                                   .count = 3};
}

static json_t *fit_well(struct synthetic *machine, uint64_t seed, struct model_settings settings)
{
    json_t *document;
    struct error error;
    play(machine, seed);
    if (fit(machine, settings, &document, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    return document;
}

static struct interval coefficient(const json_t *document, const char *name)
{
    struct interval interval;
    if (!document_coefficient(document, name, &interval))
        fail_msg("there is no %s", name);
    return interval;
}

static void assert_near(double found, double wanted, double share)
{
    if (!(fabs(found - wanted) <= share * fabs(wanted)))
        fail_msg("%.10g instead of %.10g", found, wanted);
}

static void without_noise_the_truth_is_found(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct synthetic machine = quiet();
        machine.metric_bandwidth = kind >= 1;
        /* 0.8 W of it would count as distance. The watt that the chip leaks more than at rest follows no
         * rate. */
        machine.slower = kind == 2 ? 0.005 : 0;
        double within = kind == 2 ? 0.02 : 1e-6;
        json_t *document = fit_well(&machine, 1, paper());
        for (size_t i = 0; i < COEFFICIENTS; i++)
            assert_near(coefficient(document, truth[i].name).value, truth[i].value, within);
        assert_near(json_number_or(json_object_get(document, "reference"), "peak_bytes_per_s", 0), PEAK,
                    1e-9);
        assert_true(json_number_or(json_object_get(document, "validation"), "worst", 1) < within);
        json_decref(document);
    }
}

/* A quarter of the channels moves a quarter of what the chip's banks could: a bit costs what it costs,
 * whether its bandwidth was measured or, where it was not, channels were seen; and the notes tell the second.
 */
static void a_bit_costs_the_same_on_fewer_channels(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct synthetic machine = quiet();
        machine.part = 0.25;
        machine.both = machine.metric_bandwidth = kind < 2;
        machine.channels = kind >= 1;
        json_t *document = fit_well(&machine, 1, paper());
        for (size_t i = 0; i < COEFFICIENTS; i++)
            assert_near(coefficient(document, truth[i].name).value, truth[i].value, 1e-6);
        char *notes = json_dumps(json_object_get(document, "notes"), 0);
        assert_int_equal(strstr(notes, "no bandwidth was measured") != NULL, kind == 2);
        free(notes);
        json_decref(document);
    }
    /* With the recipe's share of what nobody saw, it is a quarter, as all banks are taken to move. */
    struct synthetic machine = quiet();
    machine.part = 0.25;
    json_t *document = fit_well(&machine, 1, paper());
    assert_near(coefficient(document, "energy_per_toggle_mm").value, truth[6].value / 4, 1e-6);
    char *notes = json_dumps(json_object_get(document, "notes"), 0);
    assert_non_null(strstr(notes, "no bandwidth was measured"));
    free(notes);
    json_decref(document);
}

/* Words of which wires see another share of flips than the program's order has say nothing of a flip. */
static void what_wires_see_otherwise_is_left_out(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct synthetic machine = quiet();
        struct error error;
        json_t *document;
        machine.dealt = kind == 0 ? 0.49 : 0;
        play(&machine, 1);
        if (fit(&machine, paper(), &document, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        assert_near(coefficient(document, "constant").value, CONSTANT, 1e-6); /* by half-random data alone */
        char *notes = json_dumps(json_object_get(document, "notes"), 0);
        assert_int_equal(strstr(notes, "as it is dealt to wires") != NULL, kind == 1);
        free(notes);
        json_decref(document);
    }
}

/* The fit takes leakage for a line in the temperature, and it is a curve: that costs less than 2 %. */
static void drift_falls_away_with_a_thermometer(void **state)
{
    (void)state;
    struct synthetic machine = quiet();
    machine.drift_c = 6;
    machine.fan_c = 5;
    machine.jitter_c = 0.3;
    machine.thermometer = true;
    json_t *document = fit_well(&machine, 3, paper());
    assert_near(coefficient(document, "constant").value, CONSTANT, 0.02);
    assert_near(coefficient(document, "drift").value, 0.5, 0.2);
    json_decref(document);
}

/* What the mean interval is wide, over what the estimates scatter. */
struct coverage {
    int inside, believed;
    double sum, squares, width; /* width: of the machines that are believed */
};

/* A precise meter with its last digit, in a room that warms under a chip with a thermometer, or in one that
 * does not under a chip without. */
static struct synthetic measured(bool thermometer)
{
    struct synthetic machine = quiet();
    machine.meter_w = 0.2;
    machine.idle_w = 0.15;
    machine.step_w = 0.1;
    machine.jitter_c = 0.3;
    machine.thermometer = thermometer;
    machine.drift_c = thermometer ? 3 : 0;
    machine.fan_c = thermometer ? 4 : 0;
    return machine;
}

/* amd-paths' first benchmark alone: three toggle rates, at one bandwidth or at two. */
static void play_paths(struct synthetic *machine, uint64_t seed, bool both)
{
    static const size_t toggles[] = {0, 3, 4};
    machine->random = random_start(seed, "paths");
    machine->points = json_array();
    for (size_t i = 0; i < 3; i++)
        for (int half = 0; half < (both ? 2 : 1); half++)
            add_pair(machine,
                     (struct place){"paths.lua", toggles[i], 0, half ? 0.45 : 0.9, 0, 150, false, 0});
    size_t i, loops = json_array_size(machine->points);
    json_t *point;
    add_units(machine);
    json_array_foreach(machine->points, i, point)
    {
        json_t *idle = json_object_get(json_object_get(point, "power"), "power.static_w");
        double watts = json_number_or(idle, "value", 0);
        json_object_set_new(idle, "low", json_real(watts - 1.96 * machine->idle_w));
        json_object_set_new(idle, "high", json_real(watts + 1.96 * machine->idle_w));
        if (machine->named || i >= loops)
            continue;
        json_object_del(json_object_get(point, "point"), "pattern");
        json_object_set_new(json_object_get(point, "point"), "toggle",
                            json_real(patterns[toggles[i / 2 / (both ? 2 : 1)]].toggle));
    }
}

/* Few points: their idle levels' errors are of whole points, and no repetition shows them. */
static void intervals_of_few_points_hold_the_truth(void **state)
{
    (void)state;
    enum { SEEDS = TRIALS_MACHINES(1000), FEW = 3 };
    static const size_t which[FEW] = {0, 1, 4};
    for (int mode = 0; mode < 12; mode++) {
        bool both = mode % 2 == 1;
        struct coverage seen[FEW] = {{0}};
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct synthetic machine = measured(false);
            json_t *document;
            struct error error;
            machine.idle_w = mode < 8 ? 0.3 : 0.6;
            machine.meter_w = mode < 8 ? 0.2 : 0.8;
            machine.named = mode / 2 % 2 == 1;
            machine.shift = mode / 4 == 1 ? 5e-4 : 0;
            play_paths(&machine, seed, both);
            if (fit(&machine, paper(), &document, &error) != STATUS_OK)
                fail_msg("%s", error.message);
            bool doubted = json_object_get(document, "disbelief") != NULL;
            for (size_t i = 0; i < FEW; i++) {
                /* Without a pattern's name zeros have a term of their own, and the floor is the line's. */
                double true_value = truth[which[i]].value;
                struct interval found = coefficient(document, truth[which[i]].name);
                double off = found.value / true_value - 1;
                seen[i].inside += found.low <= true_value && true_value <= found.high;
                seen[i].sum += off / SEEDS;
                seen[i].squares += off * off / SEEDS;
                seen[i].width += doubted ? 0 : (found.high - found.low) / fabs(true_value);
                seen[i].believed += !doubted;
            }
            json_decref(document);
        }
        for (size_t i = 0; i < FEW; i++) {
            double scatter = sqrt(seen[i].squares - seen[i].sum * seen[i].sum);
            double wide = seen[i].width / seen[i].believed / (2 * 1.96 * scatter);
            print_message("%d points%s%s, %s: %d of %d, %.2f times as wide as forced, %d believed\n",
                          both ? 12 : 6, mode / 2 % 2 == 1 ? " by name" : "",
                          mode < 4   ? ""
                          : mode < 8 ? ", shifted"
                                     : ", noisy",
                          truth[which[i]].name, seen[i].inside, SEEDS, wide, seen[i].believed);
            assert_true(!TRIALS_JUDGED || seen[i].inside >= 0.9 * SEEDS);
            assert_true(!TRIALS_JUDGED || (wide < 1.3 && seen[i].believed >= 0.97 * SEEDS));
        }
    }
}

static void judge_intervals(bool thermometer, double noisier, double shift)
{
    enum { SEEDS = TRIALS_MACHINES(400) };
    struct coverage seen[COEFFICIENTS] = {{0}};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct synthetic machine = measured(thermometer);
        machine.meter_w *= noisier;
        machine.idle_w *= noisier;
        machine.shift = shift;
        json_t *document = fit_well(&machine, seed, paper());
        bool doubted = json_object_get(document, "disbelief") != NULL;
        for (size_t i = 0; i < COEFFICIENTS; i++) {
            struct interval found = coefficient(document, truth[i].name);
            double off = found.value / truth[i].value - 1;
            seen[i].inside += found.low <= truth[i].value && truth[i].value <= found.high;
            seen[i].sum += off / SEEDS;
            seen[i].squares += off * off / SEEDS;
            seen[i].width += doubted ? 0 : (found.high - found.low) / fabs(truth[i].value);
            seen[i].believed += !doubted;
        }
        json_decref(document);
    }
    for (size_t i = 0; i < COEFFICIENTS; i++) {
        double scatter = sqrt(seen[i].squares - seen[i].sum * seen[i].sum);
        double wide = seen[i].width / seen[i].believed / (2 * 1.96 * scatter);
        print_message("%s: %d of %d, off by %.2g, scatter %.2g, %.2f times as wide as forced, %d believed\n",
                      truth[i].name, seen[i].inside, SEEDS, seen[i].sum, scatter, wide, seen[i].believed);
        assert_true(!TRIALS_JUDGED || seen[i].inside >= 0.9 * SEEDS);
        assert_true(!TRIALS_JUDGED || (wide < 1.3 && seen[i].believed >= 0.97 * SEEDS));
    }
}

static void intervals_hold_the_truth_and_are_no_wider_than_noise_forces(void **state)
{
    (void)state;
    for (int thermometer = 0; thermometer < 2; thermometer++) {
        judge_intervals(thermometer, 1, 0);
        judge_intervals(thermometer, 3, 0);
        judge_intervals(thermometer, 1, 5e-4);
    }
}

/* A whole recipe's results are taken as they are: what does not state how far is left out with a word, and
 * the paper's figures are drawn of the rest. */
static void what_tells_no_distance_is_left_out(void **state)
{
    (void)state;
    static const char *const titles[] = {"Power over toggle rate", "Power over distance",
                                         "Power by data pattern", "Power over bandwidth",
                                         "Power over states of voltage and frequency"};
    struct synthetic machine = quiet();
    struct error error;
    json_t *document;
    machine.no_units = true;
    play(&machine, 1);
    json_t *other = json_deep_copy(json_array_get(machine.points, json_array_size(machine.points) - 1));
    json_object_del(json_object_get(other, "point"), "distance");
    json_object_set_new(other, "recipe", json_string("elsewhere.lua"));
    json_array_append_new(machine.points, other);
    if (fit(&machine, paper(), &document, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_near(coefficient(document, "constant").value, CONSTANT, 1e-6);
    size_t drawn = 0;
    size_t i;
    json_t *chart;
    json_array_foreach(json_object_get(document, "charts"), i, chart) for (size_t k = 0; k < 5; k++) drawn +=
        strcmp(json_string_or(chart, "title", ""), titles[k]) == 0 &&
        json_array_size(json_object_get(chart, "lines")) > 0;
    assert_int_equal(drawn, 5);
    char *notes = json_dumps(json_object_get(document, "notes"), 0);
    assert_non_null(strstr(notes, "repetitions without a distance"));
    free(notes);
    json_decref(document);
}

/* Today's GPUs: two halves of L2, no distance stated, no share told. */
static void near_and_far_are_a_path(void **state)
{
    (void)state;
    struct synthetic machine = quiet();
    machine.near_far = machine.metric_bandwidth = true;
    json_t *document = fit_well(&machine, 1, (struct model_settings){.count = 0});
    assert_string_equal(json_string_or(document, "distance_unit", ""), "path");
    /* The peak is the most that was seen, 0.9 of the true one. */
    assert_near(coefficient(document, "constant").value, CONSTANT * PATH_MM * 0.9, 1e-6);
    assert_near(coefficient(document, "energy_per_bit").value, 1.12 * PATH_MM / (8 * PEAK), 1e-6);
    json_decref(document);
}

static void without_other_toggle_rates_the_product_is_the_papers(void **state)
{
    (void)state;
    struct synthetic machine = quiet();
    machine.only_random = true;
    json_t *document = fit_well(&machine, 1, paper());
    struct interval floor;
    assert_false(document_coefficient(document, "floor", &floor));
    assert_near(coefficient(document, "constant").value, CONSTANT + FLOOR / 0.5, 1e-6);
    assert_near(coefficient(document, "energy_per_bit_mm").value, truth[5].value, 1e-6);
    json_decref(document);
}

static void assert_refused_with(struct synthetic machine, struct model_settings settings, const char *reason)
{
    json_t *document;
    struct error error = {0};
    if (machine.points == NULL)
        play(&machine, 5);
    assert_int_equal(fit_by(with_policy, &machine, settings, &document, &error), STATUS_USAGE);
    json_decref(document);
    if (strstr(error.message, reason) == NULL)
        fail_msg("'%s' is not in: %s", reason, error.message);
    assert_true(error.hint[0] != '\0');
}

static void assert_refused(struct synthetic machine, const char *reason)
{
    assert_refused_with(machine, paper(), reason);
}

static void wrong_data_is_refused_with_the_reason(void **state)
{
    (void)state;
    struct synthetic machine = quiet();
    machine.no_toggle = true;
    assert_refused(machine, "does not state its toggle rate");

    machine = quiet();
    machine.most_w = 60;
    assert_refused(machine, "the meter is saturated");

    machine = quiet();
    machine.metric_bandwidth = true;
    machine.slower = 0.03;
    assert_refused(machine, "rates 3");

    /* What states half the bandwidth moves all of it. */
    machine = quiet();
    machine.both = machine.metric_bandwidth = machine.unthrottled = true;
    assert_refused(machine,
                   "states a share of 0.45 of the bandwidth, and its measured 8.571e+11 B/s are 0.9 of");
    machine = quiet();
    machine.both = machine.metric_bandwidth = machine.unthrottled = true;
    play_paths(&machine, 5, true);
    assert_refused_with(machine, (struct model_settings){.count = 0},
                        "of the unthrottled loop, computed from the long one");

    /* All state 0.9 of a peak of which they move a quarter of that; a peak is set, and not a chip's banks. */
    machine = quiet();
    machine.both = machine.metric_bandwidth = true;
    machine.part = 0.25;
    play(&machine, 5);
    struct model_settings settings = paper();
    settings.items[settings.count++] = (struct model_setting){"peak", PEAK};
    assert_refused_with(machine, settings, "of the stated peak");

    /* None of what toggles is known as wires see it. */
    machine = quiet();
    machine.only_random = true;
    machine.dealt = 0.25;
    assert_refused(machine, "no two points differ in distance only");

    machine = quiet();
    play(&machine, 5);
    json_t *point;
    size_t i;
    json_array_foreach(machine.points, i, point) json_object_del(json_object_get(point, "point"), "pattern");
    assert_refused(machine, "no parameter distinguishes them");

    machine = quiet();
    machine.path_mm = 0; /* all are short */
    machine.near_far = true;
    assert_refused(machine, "no two points differ in distance only");
}

/* Random data alone reaches the meter's end: the constant is that of what toggles half as often. */
static void kinds_of_points_at_a_meters_end_are_left_out(void **state)
{
    (void)state;
    struct synthetic machine = quiet();
    struct error error = {0};
    json_t *document;
    machine.meter_w = 0.05;
    machine.no_units = true; /* they draw more */
    play(&machine, 5);
    json_t *point;
    size_t i;
    double most = 0;
    json_array_foreach(machine.points, i, point)
    {
        bool random = strcmp(json_string_or(json_object_get(point, "point"), "pattern", ""), "random") == 0;
        const json_t *rep = json_array_get(json_object_get(point, "reps"), 0);
        double joules = json_number_or(json_object_get(rep, "energy_j"), "chip", 0);
        most = random ? most : fmax(most, joules / 2);
    }
    machine.most_w = 1.02 * most;
    json_decref(machine.points);
    play(&machine, 5);
    if (fit_by(with_policy, &machine, paper(), &document, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_true(json_number_or(json_object_get(document, "left_out"), "saturated", 0) >= 4);
    struct interval found = coefficient(document, "constant");
    assert_true(found.low <= CONSTANT && CONSTANT <= found.high);
    json_decref(document);
}

/* It scales all that paths differ by: loops on some of the units show it, and where there are none, or they
 * do not reach the paths' power, the first line says that nothing does. */
static void a_gain_that_changes_with_the_power_is_seen(void **state)
{
    (void)state;
    static const char *const said[] = {"which is not tested", NULL, "a gain of the meter that changes",
                                       "which is not tested"};
    for (int kind = 0; kind < 4; kind++) {
        struct synthetic machine = measured(false);
        json_t *document;
        struct error error;
        machine.no_units = kind == 0;
        machine.range = kind == 2 ? 0.03 : 0;
        play(&machine, 7);
        if (kind == 3) /* all 44 */
            json_array_remove(machine.points, json_array_size(machine.points) - 1);
        if (fit(&machine, paper(), &document, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        const char *first = json_string_value(json_array_get(json_object_get(document, "disbelief"), 0));
        if ((first == NULL) != (said[kind] == NULL) || (first != NULL && strstr(first, said[kind]) == NULL))
            fail_msg("kind %d: '%s'", kind, first == NULL ? "nothing" : first);
        json_decref(document);
    }
}

/* As in amd-paths, where one benchmark names the pattern, another its toggle rate, a third a clock: a quiet
 * meter says the same of all. */
static void one_condition_under_three_names_is_no_saturation(void **state)
{
    (void)state;
    struct synthetic machine = quiet();
    json_t *document;
    json_t *point;
    size_t i;
    struct error error = {0};
    play(&machine, 5);
    json_array_foreach(machine.points, i,
                       point) if (strcmp(json_string_or(point, "recipe", ""), "dvfs.lua") == 0)
        json_object_del(json_object_get(point, "point"), "pattern");
    if (fit(&machine, paper(), &document, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    json_decref(document);
}

/* Results whose points lack something. */
static struct synthetic stripped(const char *parameter, const char *member)
{
    struct synthetic machine = quiet();
    json_t *point;
    size_t i;
    play(&machine, 5);
    json_array_foreach(machine.points, i, point)
    {
        if (parameter != NULL)
            json_object_del(json_object_get(point, "point"), parameter);
        if (member != NULL)
            json_object_del(json_object_get(point, "power"), member);
    }
    return machine;
}

static void missing_columns_are_refused_by_name(void **state)
{
    (void)state;
    assert_refused(stripped("bandwidth_share", NULL), "does not state how much data it moves");
    assert_refused(stripped("volts", NULL), "does not state its voltage");
    struct synthetic nowhere = stripped("path", NULL);
    size_t i;
    json_t *point;
    json_array_foreach(nowhere.points, i, point) json_object_del(json_object_get(point, "point"), "distance");
    assert_refused(nowhere, "does not state how far");
    assert_refused(stripped(NULL, "from"), "have no dynamic energy");
}

static void columns_that_move_together_are_refused(void **state)
{
    (void)state;
    struct synthetic machine = quiet();
    machine.drift_c = 6;
    machine.thermometer = true;
    play(&machine, 5);
    json_t *point;
    size_t i;
    size_t j;
    json_array_foreach(machine.points, i, point)
    {
        json_t *rep;
        json_array_foreach(json_object_get(point, "reps"), j, rep)
        {
            /* A thermometer that follows the moved distance and nothing else. */
            double mm = strcmp(json_string_or(point, "name", ""), "the long one") == 0;
            const json_t *at = json_object_get(point, "point");
            double v = json_number_or(at, "volts", 0) / states[0].volts;
            double scale = json_number_or(at, "ghz", 0) / states[0].ghz * v * v;
            if (json_object_get(at, "distance") != NULL)
                mm = json_number_or(at, "distance", 0) / PATH_MM;
            json_object_set_new(
                rep, "temperature_c",
                json_pack("{s:f}", "chip", 50 + 10 * mm * scale * json_number_or(at, "bandwidth_share", 0)));
        }
    }
    assert_refused(machine, "floor and drift move together");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_noise_the_truth_is_found),
        cmocka_unit_test(a_bit_costs_the_same_on_fewer_channels),
        cmocka_unit_test(what_wires_see_otherwise_is_left_out),
        cmocka_unit_test(drift_falls_away_with_a_thermometer),
        cmocka_unit_test(intervals_hold_the_truth_and_are_no_wider_than_noise_forces),
        cmocka_unit_test(intervals_of_few_points_hold_the_truth),
        cmocka_unit_test(what_tells_no_distance_is_left_out),
        cmocka_unit_test(near_and_far_are_a_path),
        cmocka_unit_test(without_other_toggle_rates_the_product_is_the_papers),
        cmocka_unit_test(wrong_data_is_refused_with_the_reason),
        cmocka_unit_test(kinds_of_points_at_a_meters_end_are_left_out),
        cmocka_unit_test(a_gain_that_changes_with_the_power_is_seen),
        cmocka_unit_test(one_condition_under_three_names_is_no_saturation),
        cmocka_unit_test(missing_columns_are_refused_by_name),
        cmocka_unit_test(columns_that_move_together_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
