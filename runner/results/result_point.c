#include "runner/results/result_point.h"

#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"pass", "pass (code)", "pass, disputed", "inconclusive",
                                    "fail", "unobserved",  "not applicable", "observed"};
enum { NAME_COUNT = sizeof names / sizeof names[0] };

const char *verdict_name(enum verdict verdict)
{
    return names[verdict];
}

enum verdict verdict_from_name(const char *name)
{
    for (int i = 0; i < NAME_COUNT; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum verdict)i;
    return VERDICT_UNOBSERVED;
}

/* ---- rates ---- */

static const char *text_of(struct arena *arena, const char *text)
{
    return text == NULL ? NULL : arena_strdup(arena, text);
}

static struct result_rate *append(struct result_rates *rates, const struct result_rate *rate)
{
    rates->items = memory_next(rates->items, rates->count, sizeof *rates->items);
    rates->items[rates->count] = *rate;
    return &rates->items[rates->count++];
}

void result_rates_add(struct result_rates *rates, const struct result_rate *rate)
{
    struct result_rate *added = append(rates, rate);
    added->metric = text_of(&rates->arena, rate->metric);
    added->reason = text_of(&rates->arena, rate->reason);
    for (size_t i = 0; i < added->seen.count; i++)
        added->seen.items[i].source = text_of(&rates->arena, added->seen.items[i].source);
}

/* A side's own verdict, which is null if it has no observation. */
static bool read_side(const json_t *entry, const char *side, enum verdict *verdict)
{
    const char *name = json_string_or(entry, side, NULL);
    *verdict = verdict_from_name(name == NULL ? "" : name);
    return name != NULL;
}

static void read_rate(struct result_rates *rates, const char *metric, const json_t *entry)
{
    const json_t *expect = json_object_get(entry, "expect");
    struct result_rate rate = {.metric = metric,
                               .target = json_number_or(entry, "target", NAN),
                               .bounded = expect != NULL,
                               .min = json_number_or(expect, "min", -INFINITY),
                               .max = json_number_or(expect, "max", INFINITY),
                               .prefetched = json_is_true(json_object_get(entry, "prefetched")),
                               .calibrated = evidence_kind_named(json_string_or(entry, "calibrated", NULL)),
                               .verdict = verdict_from_name(json_string_or(entry, "verdict", "")),
                               .reason = json_string_or(entry, "reason", "")};
    rate.has_code = read_side(entry, "code", &rate.code);
    rate.has_silicon = read_side(entry, "silicon", &rate.silicon);
    observations_read(json_object_get(entry, "observations"), metric, &rate.seen);
    (void)append(rates, &rate);
}

void result_rates_read_one(const json_t *document, const char *metric, struct result_rates *rates)
{
    const json_t *entry = json_object_get(document, metric);
    *rates = (struct result_rates){0};
    if (entry != NULL)
        read_rate(rates, metric, entry);
}

void result_rates_read(const json_t *document, struct result_rates *rates)
{
    const char *metric;
    json_t *entry;
    *rates = (struct result_rates){0};
    json_object_foreach((json_t *)(uintptr_t)document, metric, entry) read_rate(rates, metric, entry);
}

json_t *result_rate_target(const struct result_rate *rate)
{
    /* The mix of a loop is a quotient, and stays one where it is whole. */
    return isnan(rate->target)              ? json_null()
           : metric_is_listed(rate->metric) ? json_real(rate->target)
                                            : json_from_number(rate->target);
}

json_t *result_rate_bounds(const struct result_rate *rate)
{
    if (!rate->bounded)
        return NULL;
    json_t *bounds = json_object();
    if (isfinite(rate->min))
        json_object_set_new(bounds, "min", json_from_number(rate->min));
    if (isfinite(rate->max))
        json_object_set_new(bounds, "max", json_from_number(rate->max));
    return bounds;
}

static json_t *word_of(bool there, enum verdict verdict)
{
    return there ? json_string(verdict_name(verdict)) : json_null();
}

static json_t *rate_to_json(const struct result_rate *rate)
{
    json_t *entry = json_object();
    json_object_set_new(entry, "target", result_rate_target(rate));
    if (rate->bounded)
        json_object_set_new(entry, "expect", result_rate_bounds(rate));
    if (rate->prefetched)
        json_object_set_new(entry, "prefetched", json_true());
    if (rate->calibrated != EVIDENCE_NONE)
        json_object_set_new(entry, "calibrated", json_string(evidence_kinds[rate->calibrated].name));
    json_object_set_new(entry, "verdict", json_string(verdict_name(rate->verdict)));
    json_object_set_new(entry, "code", word_of(rate->has_code, rate->code));
    json_object_set_new(entry, "silicon", word_of(rate->has_silicon, rate->silicon));
    if (rate->reason[0] != '\0')
        json_object_set_new(entry, "reason", json_string(rate->reason));
    json_object_set_new(entry, "observations", observations_to_json(&rate->seen));
    return entry;
}

json_t *result_rates_to_json(const struct result_rates *rates)
{
    json_t *document = json_object();
    for (size_t i = 0; i < rates->count; i++)
        json_object_set_new(document, rates->items[i].metric, rate_to_json(&rates->items[i]));
    return document;
}

const struct result_rate *result_rates_find(const struct result_rates *rates, const char *metric)
{
    for (size_t i = 0; i < rates->count; i++)
        if (strcmp(rates->items[i].metric, metric) == 0)
            return &rates->items[i];
    return NULL;
}

void result_rates_free(struct result_rates *rates)
{
    for (size_t i = 0; i < rates->count; i++)
        observations_free(&rates->items[i].seen);
    free(rates->items);
    arena_free(&rates->arena);
    *rates = (struct result_rates){0};
}

const struct observation *result_rate_best(const struct result_rate *rate)
{
    const struct observation *best = NULL;
    for (size_t i = 0; i < rate->seen.count; i++) {
        const struct observation *one = &rate->seen.items[i];
        if (one->kind > (best == NULL ? EVIDENCE_NONE : best->kind) && isfinite(one->value))
            best = one;
    }
    return best;
}

/* ---- points ---- */

/* The member's text, "" if it has another type; NULL without the member. */
static const char *reason_of(const json_t *document, const char *key)
{
    return json_object_get(document, key) == NULL ? NULL : json_string_or(document, key, "");
}

static void read_values(struct arena *arena, const json_t *object, struct result_values *values)
{
    const char *name;
    json_t *value;
    *values = (struct result_values){arena_alloc(arena, json_object_size(object), sizeof *values->items), 0};
    json_object_foreach((json_t *)(uintptr_t)object, name, value) values->items[values->count++] =
        (struct result_value){name, result_interval(value), json_string_or(value, "doubt", "")};
}

static void read_words(struct arena *arena, const json_t *list, struct manifest_words *words)
{
    words->count = json_array_size(list);
    words->items = arena_alloc(arena, words->count, sizeof *words->items);
    for (size_t i = 0; i < words->count; i++)
        words->items[i] = json_string_value(json_array_get(list, i));
}

static void read_copies(struct arena *arena, const json_t *list, struct result_copies *copies)
{
    *copies =
        (struct result_copies){list != NULL, arena_alloc(arena, json_array_size(list), sizeof *copies->items),
                               json_array_size(list)};
    for (size_t i = 0; i < copies->count; i++) {
        const json_t *copy = json_array_get(list, i);
        copies->items[i] = (struct result_copy){(int)json_number_or(copy, "cpu", -1),
                                                json_integer_value(json_object_get(copy, "iterations")),
                                                json_integer_value(json_object_get(copy, "ticks")),
                                                json_integer_value(json_object_get(copy, "start"))};
    }
}

struct result_rep *result_reps_read(const json_t *list, struct arena *arena, size_t *count)
{
    struct result_rep *reps = arena_alloc(arena, json_array_size(list), sizeof *reps);
    *count = json_array_size(list);
    for (size_t i = 0; i < *count; i++) {
        const json_t *rep = json_array_get(list, i);
        reps[i] = (struct result_rep){.iterations = json_number_or(rep, "iterations", NAN),
                                      .ticks = json_number_or(rep, "ticks", NAN),
                                      .seconds = json_number_or(rep, "seconds", NAN),
                                      .waited = json_number_or(rep, "waited", NAN),
                                      .wall_s = json_number_or(rep, "wall_s", NAN),
                                      .record = json_object_get(rep, "record"),
                                      .metered = json_object_get(rep, "energy_j") != NULL,
                                      .outlier = json_is_true(json_object_get(rep, "outlier"))};
        read_copies(arena, json_object_get(rep, "threads"), &reps[i].threads);
        read_copies(arena, json_object_get(rep, "company"), &reps[i].company);
        reps[i].copies = reps[i].threads.count > 0 ? reps[i].threads.count : 1;
        read_values(arena, json_object_get(rep, "energy_j"), &reps[i].energy_j);
        read_values(arena, json_object_get(rep, "temperature_c"), &reps[i].temperature_c);
    }
    return reps;
}

json_t *result_values_to_json(const struct result_values *values)
{
    json_t *document = json_object();
    for (size_t i = 0; i < values->count; i++)
        json_object_set_new(document, values->items[i].name, json_real(values->items[i].interval.value));
    return document;
}

static json_t *copies_to_json(const struct result_copies *copies)
{
    json_t *list = json_array();
    for (size_t i = 0; i < copies->count; i++) {
        const struct result_copy *copy = &copies->items[i];
        json_array_append_new(list, json_pack("{s:i, s:I, s:I, s:I}", "cpu", copy->cpu, "iterations",
                                              (json_int_t)copy->iterations, "ticks", (json_int_t)copy->ticks,
                                              "start", (json_int_t)copy->start));
    }
    return list;
}

json_t *result_rep_to_json(const struct result_rep *rep)
{
    json_t *document = json_object();
    if (!isnan(rep->iterations))
        json_object_set_new(document, "iterations", json_integer((json_int_t)rep->iterations));
    if (!isnan(rep->ticks))
        json_object_set_new(document, "ticks", json_integer((json_int_t)rep->ticks));
    if (isfinite(rep->wall_s))
        json_object_set_new(document, "wall_s", json_real(rep->wall_s));
    if (isfinite(rep->seconds))
        json_object_set_new(document, "seconds", json_real(rep->seconds));
    if (rep->threads.given)
        json_object_set_new(document, "threads", copies_to_json(&rep->threads));
    if (rep->company.given)
        json_object_set_new(document, "company", copies_to_json(&rep->company));
    if (rep->record != NULL)
        json_object_set(document, "record", (json_t *)(uintptr_t)rep->record);
    if (rep->metered)
        json_object_set_new(document, "energy_j", result_values_to_json(&rep->energy_j));
    if (rep->temperature_c.count > 0)
        json_object_set_new(document, "temperature_c", result_values_to_json(&rep->temperature_c));
    if (isfinite(rep->waited))
        json_object_set_new(document, "waited", json_real(rep->waited));
    if (rep->outlier)
        json_object_set_new(document, "outlier", json_true());
    return document;
}

json_t *result_reps_to_json(const struct result_rep *reps, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, result_rep_to_json(&reps[i]));
    return list;
}

static void read_power(struct arena *arena, const json_t *document, struct result_power *power)
{
    json_t *channels = json_object_get(document, "sensors");
    const char *name;
    json_t *channel;
    *power = (struct result_power){.given = document != NULL,
                                   .simulated = json_is_true(json_object_get(document, "simulated")),
                                   .verdict = json_string_or(document, "verdict", NULL),
                                   .reason = json_string_or(document, "reason", NULL)};
    read_words(arena, json_object_get(document, "from"), &power->from);
    read_words(arena, json_object_get(document, "inside"), &power->inside);
    read_values(arena, document, &power->values);
    power->channels = arena_alloc(arena, json_object_size(channels), sizeof *power->channels);
    json_object_foreach(channels, name, channel)
    {
        struct result_channel *read = &power->channels[power->channel_count++];
        *read =
            (struct result_channel){.name = name,
                                    .label = json_string_or(channel, "label", NULL),
                                    .verdict = json_string_or(channel, "verdict", NULL),
                                    .reason = json_string_or(channel, "reason", NULL),
                                    .static_w = result_interval(json_object_get(channel, "power.static_w"))};
        read_values(arena, channel, &read->values);
    }
}

static void read_state(struct arena *arena, const json_t *document, struct result_state *state)
{
    const json_t *wanted = json_object_get(document, "wanted"),
                 *observed = json_object_get(document, "observed"),
                 *clock = json_object_get(observed, "clock");
    struct interval core = result_interval(json_object_get(clock, "core_ghz"));
    *state = (struct result_state){
        .wanted = wanted,
        .wanted_ghz = json_number_or(wanted, "frequency", json_number_or(wanted, "gpu_clock", NAN)),
        .core_ghz = core.value,
        .core_low_ghz = core.low,
        .core_high_ghz = core.high,
        .gpu_ghz = json_number_or(json_object_get(observed, "gpu_clock"), "sm", NAN),
        .cpufreq_ghz = result_interval(json_object_get(clock, "cpufreq_ghz")).value};
    read_words(arena, json_object_get(document, "unmet"), &state->unmet);
}

static struct result_sample *read_idle(struct arena *arena, const json_t *interval, size_t *count)
{
    const json_t *list = json_object_get(interval, "samples");
    struct result_sample *samples = arena_alloc(arena, json_array_size(list), sizeof *samples);
    *count = json_array_size(list);
    for (size_t i = 0; i < *count; i++) {
        const json_t *sample = json_array_get(list, i);
        samples[i].t_s = json_number_or(sample, "t_s", NAN);
        read_values(arena, json_object_get(sample, "energy_j"), &samples[i].energy_j);
        read_values(arena, json_object_get(sample, "temperature_c"), &samples[i].temperature_c);
    }
    return samples;
}

static void read_summaries(const json_t *list, struct result_point *point)
{
    struct arena *arena = &point->arena;
    const char *metric;
    json_t *seen;
    point->copies = arena_alloc(arena, point->copy_count, sizeof *point->copies);
    for (size_t i = 0; i < point->copy_count; i++) {
        const json_t *copy = json_array_get(list, i);
        struct result_copy_summary *read = &point->copies[i];
        read->cpu = (int)json_number_or(copy, "cpu", -1);
        read_values(arena, copy, &read->values);
        read_values(arena, json_object_get(copy, "time"), &read->time);
        read_values(arena, json_object_get(copy, "counters"), &read->counters);
        json_object_foreach(json_object_get(copy, "rates"), metric, seen)
        {
            observation_read(seen, metric, &read->seen);
        }
    }
}

static void read_warnings(const json_t *list, struct result_point *point)
{
    point->warnings = arena_alloc(&point->arena, json_array_size(list), sizeof *point->warnings);
    for (size_t i = 0; i < json_array_size(list); i++)
        point->warnings[point->warning_count++] =
            (struct result_warning){json_string_or(json_array_get(list, i), "what", ""),
                                    json_string_or(json_array_get(list, i), "mend", "")};
}

/* The first and last of the begins and ends of all copies that ran. */
struct span {
    double begin[2], end[2];
};

static void widen(struct span *span, const struct result_copies *copies)
{
    for (size_t i = 0; i < copies->count; i++) {
        double start = (double)copies->items[i].start;
        double stop = start + (double)copies->items[i].ticks;
        span->begin[0] = fmin(span->begin[0], start);
        span->begin[1] = fmax(span->begin[1], start);
        span->end[0] = fmin(span->end[0], stop);
        span->end[1] = fmax(span->end[1], stop);
    }
}

double result_rep_overlap(const struct result_rep *rep)
{
    struct span span = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    widen(&span, &rep->threads);
    widen(&span, &rep->company);
    double whole = span.end[1] - span.begin[0];
    return whole > 0 ? fmax(0, (span.end[0] - span.begin[1]) / whole) : 0;
}

bool result_rep_counts(const struct result_rep *rep, double overlap)
{
    return rep->company.count == 0 || fmax(overlap, result_rep_overlap(rep)) >= RESULT_TOGETHER;
}

struct unit_range result_unit_range(const struct result_rep *reps, size_t count, double units, double overlap)
{
    struct unit_range range = {NAN, NAN};
    for (size_t i = 0; i < count; i++) {
        double seconds = reps[i].seconds / (reps[i].iterations * units);
        if (!(seconds > 0) || !isfinite(seconds) || !result_rep_counts(&reps[i], overlap))
            continue;
        range.least_s = fmin(range.least_s, seconds); /* of a number and NAN, the number */
        range.most_s = fmax(range.most_s, seconds);
    }
    return range;
}

static enum status code_of(double code)
{
    return code == STATUS_RECIPE || code == STATUS_UNAVAILABLE ? (enum status)code : STATUS_FAILED;
}

void result_point_read(const json_t *document, struct result_point *point)
{
    const json_t *time = json_object_get(document, "time"),
                 *ticks_per_pass = json_object_get(time, "ticks_per_pass");
    *point =
        (struct result_point){.recipe = json_string_or(document, "recipe", ""),
                              .benchmark = json_string_or(document, "benchmark", ""),
                              .name = json_string_or(document, "name", ""),
                              .target = json_string_or(document, "target", ""),
                              .program_hash = json_string_or(document, "program_hash", ""),
                              .index = json_number_or(document, "index", 0),
                              .error = reason_of(document, "error"),
                              .skipped = reason_of(document, "skipped"),
                              .trace = json_string_or(document, "trace", NULL),
                              .simulated = json_is_true(json_object_get(document, "simulated")),
                              .one_by_one = reason_of(document, "one_by_one"),
                              .code = code_of(json_number_or(document, "code", 0)),
                              .placed = json_is_array(json_object_get(document, "threads")),
                              .copy_count = json_array_size(json_object_get(document, "threads")),
                              .overlap = json_number_or(json_object_get(document, "together"), "overlap", 1),
                              .on_device = json_object_get(document, "device") != NULL,
                              .started = json_is_object(json_object_get(document, "start")),
                              .parameters = json_object_get(document, "point"),
                              .timed = time != NULL,
                              .ticks_per_s = json_number_or(time, "ticks_per_s", NAN),
                              .ticks_per_pass = result_interval(ticks_per_pass),
                              .ticks_doubt = json_string_or(ticks_per_pass, "doubt", ""),
                              .units = json_number_or(document, "units", NAN),
                              .counted = json_object_get(document, "counters") != NULL,
                              .document = document};
    point->reps = result_reps_read(json_object_get(document, "reps"), &point->arena, &point->rep_count);
    result_rates_read(json_object_get(document, "rates"), &point->rates);
    read_values(&point->arena, time, &point->time);
    read_values(&point->arena, json_object_get(document, "together"), &point->together);
    read_values(&point->arena, json_object_get(document, "per_pass"), &point->per_pass);
    read_values(&point->arena, json_object_get(document, "counters"), &point->counters);
    read_power(&point->arena, json_object_get(document, "power"), &point->power);
    read_state(&point->arena, json_object_get(document, "state"), &point->state);
    const json_t *after = json_object_get(document, "idle_after");
    point->idled_after = after != NULL;
    point->idle_after = read_idle(&point->arena, after, &point->idle_after_count);
    point->idle_before =
        read_idle(&point->arena, json_object_get(document, "idle_before"), &point->idle_before_count);
    read_summaries(json_object_get(document, "threads"), point);
    read_warnings(json_object_get(document, "warnings"), point);
}

const struct result_value *result_value_find(const struct result_values *values, const char *name)
{
    for (size_t i = 0; name != NULL && i < values->count; i++)
        if (strcmp(values->items[i].name, name) == 0)
            return &values->items[i];
    return NULL;
}

struct interval result_value(const struct result_values *values, const char *name)
{
    const struct result_value *found = result_value_find(values, name);
    return found == NULL ? (struct interval){NAN, NAN, NAN, 0} : found->interval;
}

enum evidence_kind result_clock_kind(const struct result_point *point)
{
    return point->simulated ? EVIDENCE_SIMULATED : EVIDENCE_MEASURED;
}

enum evidence_kind result_power_kind(const struct result_point *point)
{
    return point->power.simulated ? EVIDENCE_SIMULATED : result_clock_kind(point);
}

double result_parameter(const struct result_point *point, const char *name)
{
    return json_number_or(point->parameters, name, NAN);
}

const char *result_parameter_text(const struct result_point *point, const char *name)
{
    return json_string_or(point->parameters, name, NULL);
}

void result_point_free(struct result_point *point)
{
    for (size_t i = 0; i < point->copy_count; i++)
        observations_free(&point->copies[i].seen);
    result_rates_free(&point->rates);
    arena_free(&point->arena);
}
