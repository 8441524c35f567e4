#include "session/design/design_measurement.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/random.h"
#include "generator/suite/program_parts.h"
#include "model/data/parameters.h"
#include "model/design/design_form.h"
#include "model/design/exchange.h"
#include "model/fitting/algebra.h"
#include "model/model.h"
#include "runner/measure/protocol.h"
#include "runner/results/results_context.h"
#include "session/design/planned_point.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits of a point's repetitions, and the shortest length of one in seconds. */
static const double LEAST_REPS = 3, MOST_REPS = 20, MOST_REPS_OF_LENGTHS = 100;
static const double SHORTEST_S = 1, USUAL_S = 2, SHORTEST_COOLING_S = 60, SHORTEST_LENGTH_S = 2,
                    LEAST_IDLE_S = 2;

/* Weights of the error of whole points, each of which gives a choice. A fit with spare points finds this
 * error to be small, one without them assumes it; the expected fits decide between the choices. */
static const double WEIGHTS[] = {0, 0.25, 1};

/* The number of points that only validate the fit; they determine the error of whole points in a short time.
 */
enum { VALIDATING = 6, COMPARING_DRAWS = 9 };
static const double VALIDATING_SHARE = 0.02, SHORTEST_VALIDATING_S = 9;

/* Share of the total time for all points that test the model's form. */
static const double TESTING_SHARE = 0.1;

static const double CONTRAST_W = 20;     /* assumed power beside that of the coefficients */
static const double COOLING_SHARE = 0.5; /* assumed share of cooling in a cooling point's time */

/* ---- the expected fit ---- */

/* The model's own fit of simulated readings, so that its intervals include all effects that widen them: few
 * repetitions, idle levels, and the error of whole points. */

/* A point to simulate. */
struct expected_point {
    const struct result_point *point; /* its repetitions and power are not read */
    double pass_s;
    double dynamic_w;
    const double
        *idle_w; /* power while cooling: at design_celsius(0), and slope in W per K; NULL: no cooling */
    double reps, time_s; /* time_s: of one repetition */
    double idle_s;       /* total idle time */
    double idle_after_s;
};

static const char METER[] = "meter";
static const double WIDTH_IN_ERRORS = 3.92, PI = 3.14159265358979;
static const double SAMPLE_S = 1; /* between readings of an idle interval */

static double uniform(struct random *random)
{
    return (random_next(random) + 0.5) / 4294967296.0;
}

static double normal(struct random *random)
{
    double size = sqrt(-2 * log(uniform(random)));
    return size * cos(2 * PI * uniform(random));
}

static struct result_values values_of(struct arena *arena, const char *name, double value)
{
    struct result_values values = {0};
    result_value_add(&values, name, (struct interval){value, value, value, 0}, arena);
    return values;
}

static void set_reps(const struct expected_point *point, const struct expected_meter *meter,
                     struct random *random, struct result_point *to, struct arena *arena)
{
    double passes = fmax(1, floor(point->time_s / point->pass_s));
    double seconds = passes * point->pass_s;
    to->reps = arena_alloc(arena, (size_t)ceil(fmax(point->reps, 0)), sizeof *to->reps);
    to->rep_count = 0;
    for (double i = 0; i < point->reps; i++) {
        double joules =
            (meter->static_w + point->dynamic_w) * seconds + meter->noise_w * sqrt(seconds) * normal(random);
        to->reps[to->rep_count++] = (struct result_rep){.iterations = passes,
                                                        .ticks = 1e9 * seconds,
                                                        .seconds = seconds,
                                                        .wall_s = seconds,
                                                        .waited = NAN,
                                                        .copies = 1,
                                                        .metered = true,
                                                        .energy_j = values_of(arena, METER, joules)};
    }
}

static void set_cooling(const struct expected_point *point, const struct expected_meter *meter,
                        struct random *random, struct result_idle *idle, struct arena *arena)
{
    double joules = 0;
    *idle = (struct result_idle){.given = true, .seconds = point->idle_after_s};
    for (double t = 0; t <= point->idle_after_s; t += SAMPLE_S) {
        idle->samples = arena_next(arena, idle->samples, idle->count, sizeof *idle->samples);
        idle->samples[idle->count++] = (struct result_sample){t, values_of(arena, METER, joules),
                                                              values_of(arena, "chip", design_celsius(t))};
        joules += SAMPLE_S * (point->idle_w[0] +
                              point->idle_w[1] * (design_celsius(t + SAMPLE_S / 2) - design_celsius(0))) +
                  meter->noise_w * sqrt(SAMPLE_S) * normal(random);
    }
}

/* Simulates the results of measuring the point; its lists are in the arena. */
static struct result_point simulate_point(const struct expected_point *point,
                                          const struct expected_meter *meter, struct random *random,
                                          struct arena *arena)
{
    static const char *from[] = {METER};
    struct result_point made = *point->point;
    double error = meter->noise_w / sqrt(point->idle_s);
    set_reps(point, meter, random, &made, arena);
    double value = meter->static_w + error * normal(random), half = WIDTH_IN_ERRORS / 2 * error;
    made.power =
        (struct result_power){.given = true, .from = {from, 1}, .verdict = "trustworthy", .reason = ""};
    result_value_add(&made.power.values, "power.static_w",
                     (struct interval){value, value - half, value + half, 20}, arena);
    if (point->idle_w != NULL)
        set_cooling(point, meter, random, &made.idle_after, arena);
    return made;
}

/* Sets the coefficients to the medians over the draws. */
static void set_medians(const struct model_result *fits, size_t draws,
                        struct expected_coefficients *coefficients)
{
    struct arena *arena = &coefficients->arena;
    coefficients->items = arena_alloc(arena, fits[0].coefficient_count, sizeof *coefficients->items);
    for (size_t j = 0; j < fits[0].coefficient_count; j++) {
        const struct model_coefficient *of = &fits[0].coefficients[j];
        double half[EXPECTED_DRAWS], value[EXPECTED_DRAWS];
        size_t count = 0;
        struct interval interval;
        for (size_t i = 0; i < draws; i++)
            if (model_coefficient(&fits[i], of->name, &interval)) {
                value[count] = interval.value;
                half[count++] = (interval.high - interval.low) / 2;
            }
        coefficients->items[coefficients->count++] =
            (struct expected_coefficient){arena_strdup(arena, of->name), arena_strdup(arena, of->unit),
                                          stats_median(value, count), stats_median(half, count)};
    }
}

const struct expected_coefficient *expected_find(const struct expected_coefficients *coefficients,
                                                 const char *name)
{
    for (size_t i = 0; i < coefficients->count; i++)
        if (strcmp(coefficients->items[i].name, name) == 0)
            return &coefficients->items[i];
    return NULL;
}

/* Sets the empty coefficients to the medians of the fits of `draws` simulated measurements (at most
 * EXPECTED_DRAWS) of the machine. Errors as model_fit. */
static enum status expected_fit(const struct model *model, const struct model_settings *settings,
                                const struct recorded_machine *machine, const struct expected_point *points,
                                size_t count, const struct expected_meter *meter, size_t draws,
                                struct expected_coefficients *coefficients, struct error *error)
{
    struct random random = random_start(1, "design");
    struct model_result fits[EXPECTED_DRAWS];
    enum status status = STATUS_OK;
    for (size_t draw = 0; draw < draws; draw++) {
        struct dataset dataset = {.borrows = true};
        struct arena arena = {0};
        fits[draw] = (struct model_result){.machine = *machine};
        for (size_t i = 0; status == STATUS_OK && i < count; i++) {
            const struct result_point point = simulate_point(&points[i], meter, &random, &arena);
            dataset_add_point(&dataset, &point);
        }
        if (status == STATUS_OK)
            status = model_fit(model, &dataset, settings, &fits[draw], error);
        dataset_free(&dataset);
        arena_free(&arena);
    }
    if (status == STATUS_OK)
        set_medians(fits, draws, coefficients);
    for (size_t draw = 0; draw < draws; draw++)
        model_result_free(&fits[draw]);
    return status;
}

/* A point of the recipes. */
struct planned {
    const struct work_item *item;
    struct planned_point point;
    struct protocol protocol; /* its recipe's */
    bool fits, tests;
    size_t candidate; /* index of its candidate; SIZE_MAX: none */
    double *rows;     /* owned */
    size_t row_count;
    double dynamic_w, idle_w[2];
};

struct design {
    const struct design_request *request;
    const struct design_form *form;
    struct planned *points;
    size_t count;
    struct dataset dataset; /* a row for each point */
    struct design_chip chip;
    struct design_columns columns;
    struct exchange exchange;
    double *rows, *error, *seconds;
    size_t *first, *sizes; /* points of each candidate */
    bool *out;
};

/* ---- points ---- */

static double clock_of(const struct manifest *manifest, const struct machine *machine)
{
    static const char *const clocks[] = {"frequency", "gpu_clock"};
    double ghz = machine->clock_ghz;
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++)
        ghz = json_number_or(manifest->state, clocks[i], ghz);
    return json_number_or(manifest->parameters, "ghz", ghz);
}

static enum status plan_item(struct design *design, const struct work_item *item,
                             struct design_outcome *outcome, struct error *error)
{
    static const struct protocol_request as_given = {0, 0};
    const struct machine *machine = work_machine(item->source);
    struct program program = {0};
    bool changed;
    struct error own;
    enum status status = work_program(item, &program, &changed, &own);
    if (status == STATUS_OK) {
        struct planned *planned = &design->points[design->count++];
        *planned = (struct planned){
            .item = item,
            .point = planned_point_make(item->recipe, program.manifest, machine,
                                        clock_of(program.manifest, machine)),
            .protocol = protocol_choose(program.manifest->measure, &as_given, false, PROTOCOL_POWER),
            .candidate = SIZE_MAX};
        design->chip.machine = recorded_machine_read(machine->document);
        outcome->recipes_s += protocol_seconds(&planned->protocol);
    } else if (work_can_go_on(item, status)) {
        work_reduce(item, &own);
        if (outcome->refused++ == 0)
            outcome->first_refusal = own;
        status = STATUS_OK;
    } else {
        *error = own;
    }
    program_free(&program);
    return status;
}

static enum status plan_points(struct design *design, struct design_outcome *outcome, struct error *error)
{
    const struct work *work = design->request->work;
    bool *named = memory_zeroed(work->item_count + 1, sizeof *named);
    enum status status = STATUS_OK;
    planned_choose(work, design->request->model->name, named);
    design->points = memory_zeroed(work->item_count + 1, sizeof *design->points);
    for (size_t i = 0; status == STATUS_OK && i < work->item_count; i++)
        if (named[i])
            status = plan_item(design, &work->items[i], outcome, error);
    free(named);
    outcome->points = design->count;
    for (size_t i = 0; i < design->count; i++)
        planned_point_add(&design->points[i].point, design->points[i].protocol.time_s, &design->dataset);
    return status;
}

/* ---- rows ---- */

static void read_chip(struct design *design)
{
    struct design_chip *chip = &design->chip;
    struct vf_state state;
    chip->settings = design->request->settings;
    chip->volts = NAN;
    vf_read(&chip->machine, design->request->model->settings, chip->settings, &chip->vf);
    for (size_t i = 0; i < design->count; i++)
        if (vf_of_row(&chip->vf, &design->dataset.rows[i], &state))
            chip->volts = fmax(chip->volts, state.volts);
    for (size_t i = 0; i < design->count; i++)
        design->form->add_columns(chip, &design->dataset.rows[i], &design->columns);
}

static double power_of(const struct design_columns *columns, const double *row)
{
    double watts = 0;
    for (size_t j = 0; j < columns->count; j++)
        watts += row[j] * columns->nominal[j];
    return watts;
}

/* Fills the point's rows and its power. */
static void fill_rows(struct design *design, size_t which)
{
    struct planned *planned = &design->points[which];
    const struct design_columns *columns = &design->columns;
    const struct dataset_row *row = &design->dataset.rows[which];
    planned->rows = algebra_numbers(DESIGN_ROWS * columns->count + 1);
    planned->row_count = design->form->fill(&design->chip, row, columns, planned->rows);
    planned->fits = planned->row_count > 0 && (design->form->fits == NULL || design->form->fits(row));
    double share = 1;
    planned->tests = design->form->tests != NULL && design->form->tests(row, &share);
    planned->dynamic_w = CONTRAST_W;
    if (planned->row_count == 0)
        return;
    double first = power_of(columns, planned->rows);
    if (!design->form->cools) {
        planned->dynamic_w =
            first + (design->form->contrasts || design->form->of_lengths ? share * CONTRAST_W : 0);
        return;
    }
    double last = power_of(columns, planned->rows + (DESIGN_ROWS - 1) * columns->count);
    planned->idle_w[1] = (first - last) / (DESIGN_HOT_C - DESIGN_COLD_C);
    planned->idle_w[0] = first;
}

/* ---- candidates ---- */

static bool is_together(const char *parameter, const void *form)
{
    const char *const *name = ((const struct design_form *)form)->together;
    for (; name != NULL && *name != NULL; name++)
        if (strcmp(*name, parameter) == 0)
            return true;
    return false;
}

/* True if two points belong to one candidate. */
static bool are_together(const struct design *design, size_t a, size_t b)
{
    const struct work_item *one = design->points[a].item, *other = design->points[b].item;
    return design->form->together != NULL && strcmp(one->recipe, other->recipe) == 0 &&
           strcmp(one->benchmark, other->benchmark) == 0 &&
           parameter_other(design->dataset.points[a], design->dataset.points[b], is_together, design->form,
                           true) == NULL;
}

/* True if line b determines the coefficients of line a better: it has more accesses per second, or as many
 * with more threads. With few threads, the energy of an access includes the chip's waiting. */
static bool is_faster(const struct design *design, size_t a, size_t b)
{
    const double *own = design->points[a].rows, *other = design->points[b].rows;
    double ratio = 0;
    if (!design->points[b].fits || are_together(design, a, b))
        return false;
    for (size_t k = 0; k < design->columns.count; k++) {
        if ((own[k] != 0) != (other[k] != 0))
            return false;
        ratio = ratio == 0 && own[k] != 0 ? other[k] / own[k] : ratio;
    }
    double more = dataset_number(&design->dataset.rows[b], "parameter.threads") -
                  dataset_number(&design->dataset.rows[a], "parameter.threads");
    return ratio > 1.01 || (ratio > 0.99 && (more > 0 || (more == 0 && b > a)));
}

static void keep_fastest(struct design *design)
{
    for (size_t i = 0; i < design->count; i++)
        for (size_t j = 0; design->points[i].fits && j < design->count; j++)
            design->points[i].fits = !is_faster(design, i, j);
}

static void find_candidates(struct design *design)
{
    if (design->form->of_lengths)
        keep_fastest(design);
    struct exchange *exchange = &design->exchange;
    design->sizes = memory_zeroed(design->count + 1, sizeof *design->sizes);
    for (size_t i = 0; i < design->count; i++) {
        struct planned *planned = &design->points[i];
        for (size_t j = 0; planned->fits && planned->candidate == SIZE_MAX && j < i; j++)
            if (design->points[j].fits && are_together(design, i, j))
                planned->candidate = design->points[j].candidate;
        if (planned->fits && planned->candidate == SIZE_MAX)
            planned->candidate = exchange->count++;
        if (planned->fits)
            design->sizes[planned->candidate]++;
    }
}

/* Subtracts the rows' mean, as the common part of a candidate's points determines nothing. */
static void subtract_mean(double *rows, size_t count, size_t columns)
{
    for (size_t j = 0; j < columns; j++) {
        double mean = 0;
        for (size_t i = 0; i < count; i++)
            mean += rows[i * columns + j] / (double)count;
        for (size_t i = 0; i < count; i++)
            rows[i * columns + j] -= mean;
    }
}

/* Fills the exchange's rows, for unit noise in one second of the candidate's time. Half of a point's time is
 * idle, so that the errors of the run and of the subtracted idle level are equal: their variance is 4 noise^2
 * / time. */
static void fill_exchange(struct design *design, double weight)
{
    struct exchange *exchange = &design->exchange;
    const struct expected_meter *meter = &design->request->meter;
    size_t n = design->columns.count;
    double share = weight *
                   model_setting(design->request->model->settings, design->request->settings, "point_error") /
                   100;
    size_t *first = memory_zeroed(exchange->count + 1, sizeof *first);
    double *rows = algebra_numbers(design->count * DESIGN_ROWS * n + 1);
    double *errors = algebra_numbers(exchange->count + 1);
    size_t filled = 0;
    for (size_t c = 0; c < exchange->count; c++) {
        double points = (double)design->sizes[c];
        double most_w = 0;
        for (size_t i = 0; i < design->count; i++) {
            const struct planned *planned = &design->points[i];
            if (planned->candidate != c)
                continue;
            memcpy(rows + filled * n, planned->rows, planned->row_count * n * sizeof *rows);
            filled += planned->row_count;
            most_w = fmax(most_w, meter->static_w + planned->dynamic_w);
        }
        if (design->form->contrasts)
            subtract_mean(rows + first[c] * n, filled - first[c], n);
        double scale = design->form->cools ? sqrt(COOLING_SHARE / DESIGN_ROWS) : 0.5;
        for (size_t i = first[c] * n; i < filled * n; i++)
            rows[i] *= scale / (meter->noise_w * sqrt(points));
        errors[c] = isfinite(share) ? pow(share * most_w / meter->noise_w, 2) / 4 / points : 0;
        first[c + 1] = filled;
    }
    free(design->rows);
    free(design->error);
    free(design->first);
    design->rows = rows;
    design->error = errors;
    design->first = first;
    *exchange = (struct exchange){n, exchange->count, rows, first, errors, design->out};
}

static void drop_column(struct design *design, size_t which)
{
    struct design_columns *columns = &design->columns;
    size_t n = columns->count;
    for (size_t i = 0; i < design->count; i++) {
        double *rows = design->points[i].rows;
        for (size_t r = 0, to = 0; r < DESIGN_ROWS * n; r++)
            if (r % n != which)
                rows[to++] = rows[r];
    }
    for (size_t j = which; j + 1 < n; j++) {
        memcpy(columns->names[j], columns->names[j + 1], LINEAR_NAME_BYTES);
        columns->nominal[j] = columns->nominal[j + 1];
    }
    columns->count--;
    fill_exchange(design, 0);
}

static bool is_moved(const struct exchange *exchange, size_t column)
{
    for (size_t r = 0; r < exchange->first[exchange->count]; r++)
        if (exchange->rows[r * exchange->columns + column] != 0)
            return true;
    return false;
}

/* The order in which columns that vary together are dropped: first those without power, then by weight. */
static bool is_dropped_before(const struct design *design, const double *weights, size_t a, size_t b)
{
    bool powerless[2] = {design->columns.nominal[a] == 0, design->columns.nominal[b] == 0};
    return powerless[0] != powerless[1] ? powerless[0] : fabs(weights[a]) >= fabs(weights[b]) * (1 - 1e-9);
}

/* Lists the combinations of columns that no candidate distinguishes, and drops one column of each. */
static void drop_unknown(struct design *design, struct design_outcome *outcome)
{
    double weights[LINEAR_COLUMNS];
    for (size_t j = 0; j < design->columns.count;) {
        if (is_moved(&design->exchange, j)) {
            j++;
            continue;
        }
        sentence_add(&outcome->unknown, &outcome->arena, "%s: no point here depends on it",
                     design->columns.names[j]);
        drop_column(design, j);
    }
    while (design->columns.count > 0 && exchange_unknown(&design->exchange, weights)) {
        char text[512] = "";
        size_t last = 0;
        for (size_t j = 0; j < design->columns.count; j++) {
            if (weights[j] == 0)
                continue;
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] == '\0' ? "" : ", ",
                     design->columns.names[j]);
            last = weights[last] == 0 || is_dropped_before(design, weights, j, last) ? j : last;
        }
        sentence_add(&outcome->unknown, &outcome->arena,
                     "%s vary together in all points: the design is without %s", text,
                     design->columns.names[last]);
        drop_column(design, last);
    }
}

/* ---- the time of each point ---- */

static double rounded_down(double seconds)
{
    double step = seconds >= 100 ? 1 : seconds >= 10 ? 0.1 : 0.01;
    return floor(seconds / step + 1e-9) * step;
}

/* The length of repetitions of a point whose candidate is a line over lengths: in the recipe's proportion,
 * with the shortest as short as a meter allows, as it determines most of the line's constant. */
static double length_of(const struct design *design, const struct planned *planned, double run_s)
{
    double shortest = planned->protocol.time_s;
    for (size_t i = 0; i < design->count; i++)
        if (design->points[i].candidate == planned->candidate)
            shortest = fmin(shortest, design->points[i].protocol.time_s);
    double least = fmin(shortest, fmax(SHORTEST_LENGTH_S, run_s / (MOST_REPS_OF_LENGTHS + 1)));
    return rounded_down(planned->protocol.time_s * least / shortest);
}

/* The shortest useful time of a point. */
static double least_of_point(const struct design *design, const struct planned *planned)
{
    const struct protocol *own = &planned->protocol;
    double time_s = design->form->of_lengths ? length_of(design, planned, 0) : fmin(own->time_s, SHORTEST_S);
    return LEAST_IDLE_S + (design->form->cools ? own->time_s * (own->reps + 1) + SHORTEST_COOLING_S
                                               : (2 * LEAST_REPS + 1) * time_s);
}

/* The shortest useful time of a candidate: that of its longest point for each of its points. */
static double least_s(const struct design *design, size_t candidate)
{
    double most = 0;
    for (size_t i = 0; i < design->count; i++)
        if (design->points[i].candidate == candidate)
            most = fmax(most, least_of_point(design, &design->points[i]));
    return (double)design->sizes[candidate] * most;
}

/* Divides a point's time so that run and idle level have equal errors; one more repetition is the warm-up. */
static struct design_line divide(const struct design *design, const struct planned *planned, double total_s)
{
    const struct protocol *own = &planned->protocol;
    struct design_line line = {.item = planned->item,
                               .point = design->dataset.points[planned - design->points]};
    double idle = own->idle_s + own->idle_after_s;
    if (design->form->cools) {
        line.reps = own->reps;
        line.time_s = own->time_s;
        line.idle_before_s = LEAST_IDLE_S;
        line.idle_after_s = rounded_down(total_s - LEAST_IDLE_S - own->time_s * (own->reps + 1));
    } else {
        double run_s = total_s / 2;
        double time_s = design->form->of_lengths ? length_of(design, planned, run_s) : USUAL_S;
        double most = design->form->of_lengths ? MOST_REPS_OF_LENGTHS : MOST_REPS;
        line.reps = fmin(fmax(floor(run_s / time_s + 1e-9) - 1, LEAST_REPS), most);
        line.time_s = design->form->of_lengths ? time_s : rounded_down(run_s / (line.reps + 1));
        double rest = total_s - line.time_s * (line.reps + 1);
        double after = idle > 0 ? own->idle_after_s / idle : 0;
        line.idle_after_s = rounded_down(rest * after);
        line.idle_before_s = rounded_down(rest - line.idle_after_s);
    }
    line.total_s = line.time_s * (line.reps + 1) + line.idle_before_s + line.idle_after_s;
    return line;
}

static struct expected_point expect(const struct design *design, const struct planned *planned)
{
    return (struct expected_point){.point = design->dataset.points[planned - design->points],
                                   .pass_s = planned->point.pass_s,
                                   .dynamic_w = planned->dynamic_w,
                                   .idle_w = design->form->cools ? planned->idle_w : NULL};
}

/* A choice of points, and its expected fit. */
struct choice {
    struct design_line *lines;       /* owned */
    struct expected_point *expected; /* owned; [count] */
    size_t count;
    double total_s, gap;
    struct expected_coefficients coefficients; /* owned */
    double inflation[LINEAR_COLUMNS];          /* variance inflation of the design's columns */
    bool is_determined;                        /* inflation is known */
};

static void add_line(const struct design *design, const struct planned *planned, double total_s,
                     struct choice *choice)
{
    struct design_line line = divide(design, planned, total_s);
    struct expected_point *expected = &choice->expected[choice->count];
    *expected = expect(design, planned);
    expected->reps = line.reps;
    expected->time_s = line.time_s;
    expected->idle_s = line.idle_before_s + (design->form->cools ? 0 : line.idle_after_s);
    expected->idle_after_s = line.idle_after_s;
    choice->lines[choice->count++] = line;
    choice->total_s += line.total_s;
}

/* Adds the points that can show the error of whole points: candidates that were not chosen, and points that
 * the fit does not use. */
static void find_others(const struct design *design, double total_s, size_t *others, size_t *count)
{
    *count = 0;
    for (size_t c = 0; c < design->exchange.count; c++)
        if (design->seconds[c] == 0 && VALIDATING_SHARE * total_s >= least_s(design, c))
            others[(*count)++] = c;
    for (size_t i = 0; i < design->count; i++)
        if (design->form->fits != NULL && design->points[i].row_count > 0 && !design->points[i].fits &&
            !design->points[i].tests && VALIDATING_SHARE * total_s >= SHORTEST_VALIDATING_S)
            others[(*count)++] = design->exchange.count + i;
}

/* Chooses points that test the form: as many as fit into their time, evenly spaced, with the last. Returns
 * the seconds of each. */
static double find_testing(const struct design *design, double total_s, bool *chosen)
{
    size_t *all = memory_zeroed(design->count + 1, sizeof *all);
    size_t count = 0;
    double most = 0, room = TESTING_SHARE * total_s;
    for (size_t i = 0; i < design->count; i++)
        if (design->points[i].tests) {
            all[count++] = i;
            most = fmax(most, least_of_point(design, &design->points[i]));
        }
    size_t wanted = count == 0 ? 0 : (size_t)fmin((double)count, floor(room / most));
    for (size_t k = 0; k < wanted; k++)
        chosen[all[count - 1 - k * count / wanted]] = true;
    free(all);
    return wanted == 0 ? 0 : room / (double)wanted;
}

/* Adds the points of chosen candidates, those that test the form and, with validating, some evenly spaced
 * others. */
static void add_lines(const struct design *design, double total_s, bool validating, struct choice *choice)
{
    size_t *others = memory_zeroed(design->exchange.count + design->count + 1, sizeof *others);
    size_t count = 0;
    if (validating)
        find_others(design, total_s, others, &count);
    size_t wanted = count < VALIDATING ? count : VALIDATING;
    bool *testing = memory_zeroed(design->count + 1, sizeof *testing);
    double testing_s = find_testing(design, total_s, testing);
    double rest = 1 - VALIDATING_SHARE * (double)wanted - (testing_s > 0 ? TESTING_SHARE : 0);
    choice->lines = memory_zeroed(design->count + 1, sizeof *choice->lines);
    choice->expected = memory_zeroed(design->count + 1, sizeof *choice->expected);
    for (size_t i = 0; i < design->count; i++) {
        const struct planned *planned = &design->points[i];
        size_t c = planned->candidate;
        size_t size = c == SIZE_MAX ? 1 : design->sizes[c];
        bool other = false;
        for (size_t k = 0; k < wanted; k++) {
            size_t which = others[k * count / wanted];
            other = other || which == c || which == design->exchange.count + i;
        }
        if (testing[i])
            add_line(design, planned, testing_s, choice);
        else if (c != SIZE_MAX && design->seconds[c] > 0)
            add_line(design, planned, rest * design->seconds[c] / (double)size, choice);
        else if (other)
            add_line(design, planned, VALIDATING_SHARE * total_s / (double)size, choice);
    }
    free(others);
    free(testing);
}

/* The recipes' own points, with times scaled by the factor. */
static size_t expect_recipes(const struct design *design, double factor, struct expected_point *expected)
{
    size_t count = 0;
    for (size_t i = 0; i < design->count; i++) {
        const struct planned *planned = &design->points[i];
        const struct protocol *own = &planned->protocol;
        if (planned->row_count == 0)
            continue;
        expected[count] = expect(design, planned);
        expected[count].reps = own->reps;
        expected[count].time_s = factor * own->time_s;
        expected[count].idle_s = factor * (own->idle_s + (design->form->cools ? 0 : own->idle_after_s));
        expected[count++].idle_after_s = factor * own->idle_after_s;
    }
    return count;
}

/* ---- the choice ---- */

/* Allocates the time, leaving out candidates whose time is too short, the shortest first. */
static enum status choose(struct design *design, double total_s, double *gap, struct error *error)
{
    struct exchange *exchange = &design->exchange;
    bool *needed = memory_zeroed(exchange->count + 1, sizeof *needed);
    *gap = exchange_choose(exchange, total_s, design->seconds);
    for (;;) {
        size_t shortest = SIZE_MAX;
        double least = 1;
        double need = 0;
        for (size_t i = 0; i < exchange->count; i++) {
            double share = design->seconds[i] / least_s(design, i);
            design->out[i] = design->out[i] || !(design->seconds[i] > 0);
            need += design->out[i] ? 0 : least_s(design, i);
            if (!design->out[i] && !needed[i] && share < least) {
                least = share;
                shortest = i;
            }
        }
        if (shortest == SIZE_MAX && need > total_s * (1 + 1e-9)) {
            free(needed);
            error_set(error, STATUS_USAGE,
                      "the points that determine all coefficients take %.0f s at least; the time is %.0f s",
                      need, total_s);
            error_hint(error, "--time %.0f or more", ceil(need));
            return STATUS_USAGE;
        }
        if (shortest == SIZE_MAX)
            break;
        design->out[shortest] = true;
        if (isnan(exchange_choose(exchange, total_s, design->seconds))) {
            design->out[shortest] = false;
            needed[shortest] = true;
            exchange_choose(exchange, total_s, design->seconds);
        }
    }
    free(needed);
    return STATUS_OK;
}

/* Gives candidates that cannot be replaced at least their shortest time, taken from the others. */
static void lengthen(struct design *design, double total_s)
{
    const struct exchange *exchange = &design->exchange;
    for (int round = 0; round < 20; round++) {
        double fixed = 0, rest = 0;
        for (size_t i = 0; i < exchange->count; i++) {
            bool is_short = design->seconds[i] > 0 && design->seconds[i] <= least_s(design, i) * (1 + 1e-9);
            design->seconds[i] = is_short ? least_s(design, i) : design->seconds[i];
            fixed += is_short ? design->seconds[i] : 0;
            rest += is_short ? 0 : design->seconds[i];
        }
        for (size_t i = 0; i < exchange->count && rest > 0; i++)
            if (design->seconds[i] > least_s(design, i) * (1 + 1e-9))
                design->seconds[i] *= (total_s - fixed) / rest;
    }
}

static bool set_inflation(const struct design *design, double *inflation)
{
    double covariance[LINEAR_COLUMNS * LINEAR_COLUMNS];
    if (!exchange_covariance(&design->exchange, design->seconds, covariance))
        return false;
    exchange_inflation(&design->exchange, design->seconds, covariance, inflation);
    return true;
}

/* The mean logarithm of the ratios of half-widths to those of another choice. */
static double width_over(const struct expected_coefficients *coefficients,
                         const struct expected_coefficients *others)
{
    double sum = 0;
    double count = 0;
    for (size_t i = 0; i < coefficients->count; i++) {
        const struct expected_coefficient *each = &coefficients->items[i];
        const struct expected_coefficient *other = expected_find(others, each->name);
        double least = 1e-9 * fabs(each->value);
        if (other == NULL || each->half <= least || other->half <= least)
            continue;
        sum += log(each->half / other->half);
        count++;
    }
    return count > 0 ? sum / count : 0;
}

static void free_choice(struct choice *choice)
{
    free(choice->lines);
    free(choice->expected);
    arena_free(&choice->coefficients.arena);
    *choice = (struct choice){0};
}

static enum status expect_choice(const struct design *design, const struct expected_point *points,
                                 size_t count, size_t draws, struct expected_coefficients *coefficients,
                                 struct error *error)
{
    const struct design_request *request = design->request;
    return expected_fit(request->model, request->settings, &design->chip.machine, points, count,
                        &request->meter, draws, coefficients, error);
}

/* Makes a choice, and keeps it as the best if its expected fit has narrower intervals. */
static enum status try_choice(struct design *design, double total_s, double gap, bool validating,
                              struct choice *best, struct error *error)
{
    struct choice choice = {.gap = gap};
    add_lines(design, total_s, validating, &choice);
    enum status status =
        expect_choice(design, choice.expected, choice.count, COMPARING_DRAWS, &choice.coefficients, error);
    if (status == STATUS_OK &&
        (best->count == 0 || width_over(&choice.coefficients, &best->coefficients) < 0)) {
        choice.is_determined = set_inflation(design, choice.inflation);
        free_choice(best);
        *best = choice;
        return status;
    }
    free_choice(&choice);
    return status;
}

static enum status find_best(struct design *design, double total_s, struct choice *best, struct error *error)
{
    enum status status = STATUS_OK;
    struct error last;
    for (size_t i = 0; i < sizeof WEIGHTS / sizeof WEIGHTS[0]; i++) {
        double gap;
        memset(design->out, 0, design->exchange.count);
        fill_exchange(design, WEIGHTS[i]);
        status = choose(design, total_s, &gap, &last);
        if (status != STATUS_OK)
            continue;
        lengthen(design, total_s);
        for (int validating = 0; validating < 2; validating++) {
            status = try_choice(design, total_s, gap, validating, best, &last);
            if (status != STATUS_OK)
                error_prefix(&last, "the fit of the chosen points would be refused");
        }
    }
    if (best->count > 0)
        return STATUS_OK;
    *error = last;
    return status;
}

static enum status choose_and_expect(struct design *design, struct design_outcome *outcome,
                                     struct error *error)
{
    double total_s = design->request->total_s > 0 ? design->request->total_s : outcome->recipes_s;
    struct choice best = {0};
    enum status status = find_best(design, total_s, &best, error);
    if (status != STATUS_OK)
        return status;
    outcome->lines = best.lines;
    outcome->count = best.count;
    outcome->total_s = best.total_s;
    outcome->efficiency = exp(-best.gap);
    for (size_t j = 0; best.is_determined && j < design->columns.count; j++)
        named_number_set(&outcome->inflation, &outcome->arena, design->columns.names[j], best.inflation[j]);
    arena_free(&best.coefficients.arena);
    status = expect_choice(design, best.expected, best.count, EXPECTED_DRAWS, &outcome->coefficients, error);
    free(best.expected);
    if (status != STATUS_OK)
        return status;
    struct expected_point *expected = memory_zeroed(design->count + 1, sizeof *expected);
    size_t count = expect_recipes(design, outcome->total_s / outcome->recipes_s, expected);
    expect_choice(design, expected, count, EXPECTED_DRAWS, &outcome->shipped, &outcome->shipped_error);
    free(expected);
    return status;
}

static void free_design(struct design *design)
{
    for (size_t i = 0; i < design->count; i++)
        free(design->points[i].rows);
    free(design->points);
    free(design->rows);
    free(design->error);
    free(design->seconds);
    free(design->first);
    free(design->sizes);
    free(design->out);
}

enum status design_measurement(const struct design_request *request, struct design_outcome *outcome,
                               struct error *error)
{
    struct design design = {.request = request, .form = request->model->design};
    *outcome = (struct design_outcome){0};
    enum status status = plan_points(&design, outcome, error);
    if (status == STATUS_OK && design.count > 0) {
        read_chip(&design);
        for (size_t i = 0; i < design.count; i++)
            fill_rows(&design, i);
        find_candidates(&design);
        design.out = memory_zeroed(design.exchange.count + 1, sizeof *design.out);
        design.seconds = algebra_numbers(design.exchange.count + 1);
        fill_exchange(&design, 0);
        drop_unknown(&design, outcome);
    }
    if (status == STATUS_OK && design.columns.count == 0) {
        status = error_set(error, STATUS_USAGE, "none of the %zu points determines a coefficient of %s here",
                           outcome->points, request->model->name);
        outcome->unknown.count = 0;
        if (outcome->refused > 0)
            error_hint(error, "%zu points are refused: %.200s", outcome->refused,
                       outcome->first_refusal.message);
        else
            error_hint(error, "expected %s", design.form->needs);
    }
    if (status == STATUS_OK)
        status = choose_and_expect(&design, outcome, error);
    outcome->dataset = design.dataset;
    free_design(&design);
    return status;
}

void design_outcome_free(struct design_outcome *outcome)
{
    free(outcome->lines);
    dataset_free(&outcome->dataset);
    arena_free(&outcome->arena);
    arena_free(&outcome->coefficients.arena);
    arena_free(&outcome->shipped.arena);
    *outcome = (struct design_outcome){0};
}
