/* The JSON of a point of results: the member of each field. A member of a wrong type counts as missing. */
#include "base/json.h"
#include "base/json/field_json.h"
#include "base/memory.h"
#include "generator/suite/calibration.h"
#include "runner/results/evidence_kind.h"
#include "runner/results/result_point.h"
#include "runner/results/results.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const char INTERVAL_KIND[] = "interval";

/* ---- values ---- */

static bool read_values(struct fields_reader *reader, const json_t *object, void *at)
{
    struct result_values *values = at;
    const char *name;
    json_t *value;
    *values = (struct result_values){
        arena_alloc(reader->arena, json_object_size(object), sizeof *values->items), 0};
    json_object_foreach((json_t *)(uintptr_t)object, name, value) values->items[values->count++] =
        (struct result_value){name, result_interval(value), json_string_or(value, "doubt", "")};
    return true;
}

static bool read_interval(struct fields_reader *reader, const json_t *value, void *at)
{
    (void)reader;
    *(struct interval *)at = result_interval(value);
    return true;
}

static bool read_cpu(struct fields_reader *reader, const json_t *value, void *at)
{
    (void)reader;
    *(int *)at = json_is_number(value) ? (int)json_number_value(value) : -1;
    return true;
}

static void write_numbers(json_t *object, const struct result_values *values)
{
    for (size_t i = 0; i < values->count; i++)
        json_object_set_new(object, values->items[i].name, json_real(values->items[i].interval.value));
}

static json_t *numbers_to_json(const struct result_values *values)
{
    json_t *document = json_object();
    write_numbers(document, values);
    return document;
}

/* The same, with integers where a number is whole. */
static json_t *whole_numbers_to_json(const struct result_values *values)
{
    json_t *document = json_object();
    for (size_t i = 0; i < values->count; i++)
        json_object_set_new(document, values->items[i].name,
                            json_from_number(values->items[i].interval.value));
    return document;
}

static void write_known(json_t *object, const char *name, double value)
{
    if (isfinite(value))
        json_object_set_new(object, name, json_real(value));
}

/* Writes the values from index first to before index last. */
static void write_intervals(json_t *object, const struct result_values *values, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        json_object_set_new(object, values->items[i].name,
                            result_interval_to_json(values->items[i].interval));
}

static void write_text(json_t *object, const char *name, const char *text)
{
    if (text != NULL)
        json_object_set_new(object, name, json_from_text(text));
}

/* Sets the member unless the part is empty. Takes the reference. */
static void write_part(json_t *object, const char *name, json_t *part)
{
    if (json_object_size(part) + json_array_size(part) > 0)
        json_object_set(object, name, part);
    json_decref(part);
}

static json_t *words_to_json(const struct manifest_words *words)
{
    json_t *list = json_array();
    for (size_t i = 0; i < words->count; i++)
        json_array_append_new(list, json_string(words->items[i]));
    return list;
}

/* ---- observations ---- */

static json_t *bound_to_json(double bound)
{
    return isfinite(bound) ? json_from_number(bound) : json_null();
}

json_t *observation_to_json(const struct observation *observation)
{
    json_t *json = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "source", observation->source, "kind",
                             evidence_kinds[observation->kind].name, "value",
                             json_from_number(observation->value), "low", bound_to_json(observation->low),
                             "high", bound_to_json(observation->high), "n", json_from_number(observation->n));
    if (observation->counted > 0 && observation->counted < 1)
        json_object_set_new(json, "counted", json_from_number(observation->counted));
    if (observation->part[0] != '\0')
        json_object_set_new(json, "part", json_string(observation->part));
    if (observation->doubt[0] != '\0')
        json_object_set_new(json, "doubt", json_from_text(observation->doubt));
    return json;
}

json_t *observations_to_json(const struct observations *list)
{
    json_t *document = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(document, observation_to_json(&list->items[i]));
    return document;
}

/* Takes the reference. */
static void write_taken(struct json_text *text, const char *key, json_t *document)
{
    json_text_value(text, key, document);
    json_decref(document);
}

void observations_write(struct json_text *text, const char *key, const struct observations *list)
{
    write_taken(text, key, observations_to_json(list));
}

/* The largest number that surely fits a size_t. */
static const double MOST_SAMPLES = 1e15;

static double bound_or(const json_t *from, const char *name, double usual)
{
    return json_is_null(json_object_get(from, name)) ? NAN : json_number_or(from, name, usual);
}

struct interval result_interval(const json_t *from)
{
    double value = json_is_number(from) ? json_number_value(from) : json_number_or(from, "value", NAN);
    return (struct interval){.value = value,
                             .low = bound_or(from, "low", value),
                             .high = bound_or(from, "high", value),
                             .n = (size_t)fmin(fmax(0, json_number_or(from, "n", 0)), MOST_SAMPLES)};
}

json_t *result_interval_to_json(struct interval interval)
{
    const double numbers[] = {interval.value, interval.low, interval.high};
    json_t *shown[3];
    for (size_t i = 0; i < 3; i++)
        shown[i] = isfinite(numbers[i]) ? json_real(numbers[i]) : json_null();
    return json_pack("{s:o, s:o, s:o, s:I}", "value", shown[0], "low", shown[1], "high", shown[2], "n",
                     (json_int_t)interval.n);
}

/* Its texts point into the document. */
static void observation_read(const json_t *document, const char *metric, struct observations *list)
{
    const struct interval interval = result_interval(document);
    observations_add(list, metric, json_string_or(document, "source", "?"),
                     evidence_kind_named(json_string_or(document, "kind", NULL)), interval.value,
                     interval.low, interval.high, json_number_or(document, "n", 0));
    struct observation *read = &list->items[list->count - 1];
    read->counted = json_number_or(document, "counted", 0);
    snprintf(read->part, sizeof read->part, "%s", json_string_or(document, "part", ""));
    snprintf(read->doubt, sizeof read->doubt, "%s", json_string_or(document, "doubt", ""));
}

static void observations_read(const json_t *document, const char *metric, struct observations *list)
{
    for (size_t i = 0; i < json_array_size(document); i++)
        observation_read(json_array_get(document, i), metric, list);
}

json_t *warnings_to_json(const struct warnings *warnings)
{
    json_t *list = json_array();
    for (size_t i = 0; i < warnings->count; i++) {
        const struct result_warning *one = &warnings->items[i];
        json_array_append_new(list, json_pack("{s:s, s:o}", "what", one->what, "mend",
                                              one->mend[0] == '\0' ? json_null() : json_string(one->mend)));
    }
    return list;
}

/* ---- rates ---- */

static bool read_verdict(struct fields_reader *reader, const json_t *value, void *at)
{
    (void)reader;
    *(enum verdict *)at = verdict_from_name(json_is_string(value) ? json_string_value(value) : "");
    return json_is_string(value);
}

static bool read_kind(struct fields_reader *reader, const json_t *value, void *at)
{
    (void)reader;
    *(enum evidence_kind *)at = evidence_kind_named(json_string_value(value));
    return true;
}

static const struct field_row bound_rows[] = {
    FIELD_ROW(result_rate, "min", FIELD_NUMBER, min), FIELD_ROW(result_rate, "max", FIELD_NUMBER, max), {0}};
static const struct field_row rate_rows[] = {FIELD_ROW(result_rate, "target", FIELD_NUMBER, target),
                                             FIELD_STATED(result_rate, "expect", bounded),
                                             FIELD_INNER("expect", bound_rows),
                                             FIELD_ROW(result_rate, "prefetched", FIELD_FLAG, prefetched),
                                             FIELD_BY(result_rate, "calibrated", calibrated, read_kind),
                                             FIELD_BY(result_rate, "verdict", verdict, read_verdict),
                                             FIELD_STATED(result_rate, "code", has_code),
                                             FIELD_BY(result_rate, "code", code, read_verdict),
                                             FIELD_STATED(result_rate, "silicon", has_silicon),
                                             FIELD_BY(result_rate, "silicon", silicon, read_verdict),
                                             FIELD_ROW(result_rate, "reason", FIELD_TEXT, reason),
                                             {0}};

static void read_rate(struct result_rates *rates, const char *metric, const json_t *entry)
{
    struct fields_reader reader = {.arena = &rates->arena, .what = "", .kind = ""};
    rates->items = memory_next(rates->items, rates->count, sizeof *rates->items);
    struct result_rate *rate = &rates->items[rates->count++];
    *rate = (struct result_rate){.metric = metric,
                                 .target = NAN,
                                 .min = -INFINITY,
                                 .max = INFINITY,
                                 .verdict = VERDICT_UNOBSERVED,
                                 .code = VERDICT_UNOBSERVED,
                                 .silicon = VERDICT_UNOBSERVED,
                                 .reason = ""};
    fields_read(&reader, entry, NULL, rate_rows, rate);
    observations_read(json_object_get(entry, "observations"), metric, &rate->seen);
}

void result_rates_read(const json_t *document, struct result_rates *rates)
{
    const char *metric;
    json_t *entry;
    *rates = (struct result_rates){0};
    json_object_foreach((json_t *)(uintptr_t)document, metric, entry) read_rate(rates, metric, entry);
}

static json_t *target_of(const struct result_rate *rate)
{
    /* The mix of a loop is a quotient, and written as a real number even if it is whole. */
    return isnan(rate->target)              ? json_null()
           : metric_is_listed(rate->metric) ? json_real(rate->target)
                                            : json_from_number(rate->target);
}

static json_t *bounds_of(const struct result_rate *rate)
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
    json_object_set_new(entry, "target", target_of(rate));
    if (rate->bounded)
        json_object_set_new(entry, "expect", bounds_of(rate));
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

void result_rates_write(struct json_text *text, const char *key, const struct result_rates *rates)
{
    write_taken(text, key, result_rates_to_json(rates));
}

void result_rate_write_target(struct json_text *text, const char *key, const struct result_rate *rate)
{
    write_taken(text, key, target_of(rate));
}

void result_rate_write_bounds(struct json_text *text, const char *key, const struct result_rate *rate)
{
    write_taken(text, key, bounds_of(rate));
}

/* ---- repetitions ---- */

static const struct result_copy no_copy = {.cpu = -1};
static const struct field_row copy_rows[] = {FIELD_BY(result_copy, "cpu", cpu, read_cpu),
                                             FIELD_ROW(result_copy, "iterations", FIELD_WHOLE, iterations),
                                             FIELD_ROW(result_copy, "ticks", FIELD_WHOLE, ticks),
                                             FIELD_ROW(result_copy, "start", FIELD_WHOLE, start),
                                             FIELD_ROW(result_copy, "bytes", FIELD_NUMBER, bytes),
                                             FIELD_ROW(result_copy, "blocks", FIELD_NUMBER, blocks),
                                             {0}};
static const struct field_row rep_rows[] = {
    FIELD_ROW(result_rep, "iterations", FIELD_NUMBER, iterations),
    FIELD_ROW(result_rep, "ticks", FIELD_NUMBER, ticks),
    FIELD_ROW(result_rep, "seconds", FIELD_NUMBER, seconds),
    FIELD_ROW(result_rep, "waited", FIELD_NUMBER, waited),
    FIELD_ROW(result_rep, "wall_s", FIELD_NUMBER, wall_s),
    FIELD_ROW(result_rep, "outlier", FIELD_FLAG, outlier),
    FIELD_STATED(result_rep, "threads", threads.given),
    FIELD_LIKE(result_rep, "threads", threads.items, threads.count, copy_rows, no_copy),
    FIELD_STATED(result_rep, "company", company.given),
    FIELD_LIKE(result_rep, "company", company.items, company.count, copy_rows, no_copy),
    FIELD_STATED(result_rep, "energy_j", metered),
    FIELD_BY(result_rep, "energy_j", energy_j, read_values),
    FIELD_BY(result_rep, "temperature_c", temperature_c, read_values),
    {0}};

static json_t *record_to_json(const struct result_record *record)
{
    json_t *document =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:o}", "blocks", (json_int_t)record->blocks, "worked",
                  (json_int_t)record->worked, "ticks", (json_int_t)record->ticks, "ticks_low",
                  (json_int_t)record->ticks_low, "ticks_high", (json_int_t)record->ticks_high, "places",
                  whole_numbers_to_json(&record->places));
    write_known(document, "seconds", record->seconds);
    write_known(document, "clock_hz", record->clock_hz);
    if (record->by_events)
        json_object_set_new(document, "timed_by", json_string("event"));
    json_object_set_new(document, "kernel_s", json_real(record->kernel_s));
    return document;
}

static const struct result_rep no_rep = {
    .iterations = NAN, .ticks = NAN, .seconds = NAN, .waited = NAN, .wall_s = NAN, .copies = 1};

struct result_rep *result_reps_read(const json_t *list, struct arena *arena, size_t *count)
{
    struct fields_reader reader = {.arena = arena, .what = "", .kind = ""};
    struct result_rep *reps = arena_alloc(arena, json_array_size(list), sizeof *reps);
    *count = json_array_size(list);
    for (size_t i = 0; i < *count; i++) {
        reps[i] = no_rep;
        fields_read(&reader, json_array_get(list, i), NULL, rep_rows, &reps[i]);
        reps[i].copies = reps[i].threads.count > 0 ? reps[i].threads.count : 1;
    }
    return reps;
}

static bool read_reps(struct fields_reader *reader, const json_t *list, void *at)
{
    struct result_point *point = at;
    point->reps = result_reps_read(list, reader->arena, &point->rep_count);
    return true;
}

static json_t *copies_to_json(const struct result_copies *copies)
{
    json_t *list = json_array();
    for (size_t i = 0; i < copies->count; i++) {
        const struct result_copy *copy = &copies->items[i];
        json_t *entry =
            json_pack("{s:i, s:I, s:I, s:I}", "cpu", copy->cpu, "iterations", (json_int_t)copy->iterations,
                      "ticks", (json_int_t)copy->ticks, "start", (json_int_t)copy->start);
        if (copy->bytes > 0)
            json_object_set_new(entry, "bytes", json_real(copy->bytes));
        if (copy->blocks > 0)
            json_object_set_new(entry, "blocks", json_integer((json_int_t)copy->blocks));
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *rep_to_json(const struct result_rep *rep)
{
    json_t *document = json_object();
    if (!isnan(rep->iterations))
        json_object_set_new(document, "iterations", json_integer((json_int_t)rep->iterations));
    if (!isnan(rep->ticks))
        json_object_set_new(document, "ticks", json_integer((json_int_t)rep->ticks));
    write_known(document, "wall_s", rep->wall_s);
    write_known(document, "seconds", rep->seconds);
    if (rep->threads.given)
        json_object_set_new(document, "threads", copies_to_json(&rep->threads));
    if (rep->company.given)
        json_object_set_new(document, "company", copies_to_json(&rep->company));
    if (rep->record != NULL)
        json_object_set_new(document, "record", record_to_json(rep->record));
    if (rep->metered)
        json_object_set_new(document, "energy_j", numbers_to_json(&rep->energy_j));
    write_part(document, "temperature_c", numbers_to_json(&rep->temperature_c));
    write_known(document, "waited", rep->waited);
    if (rep->outlier)
        json_object_set_new(document, "outlier", json_true());
    return document;
}

json_t *result_reps_to_json(const struct result_rep *reps, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, rep_to_json(&reps[i]));
    return list;
}

/* ---- power and state ---- */

static const struct field_row channel_rows[] = {
    FIELD_ROW(result_channel, "label", FIELD_TEXT, label),
    FIELD_ROW(result_channel, "verdict", FIELD_TEXT, verdict),
    FIELD_ROW(result_channel, "reason", FIELD_TEXT, reason),
    FIELD_BY(result_channel, "power.static_w", static_w, read_interval),
    {0}};

static bool read_channels(struct fields_reader *reader, const json_t *channels, void *at)
{
    struct result_power *power = at;
    const char *name;
    json_t *channel;
    power->channels = arena_alloc(reader->arena, json_object_size(channels), sizeof *power->channels);
    json_object_foreach((json_t *)(uintptr_t)channels, name, channel)
    {
        struct result_channel *read = &power->channels[power->channel_count++];
        *read = (struct result_channel){.name = name, .static_w = {NAN, NAN, NAN, 0}};
        fields_read(reader, channel, NULL, channel_rows, read);
        (void)read_values(reader, channel, &read->values);
    }
    return true;
}

static const struct field_row power_rows[] = {FIELD_ROW(result_power, "simulated", FIELD_FLAG, simulated),
                                              FIELD_ROW(result_power, "verdict", FIELD_TEXT, verdict),
                                              FIELD_ROW(result_power, "reason", FIELD_TEXT, reason),
                                              FIELD_TEXTS(result_power, "from", from),
                                              FIELD_TEXTS(result_power, "inside", inside),
                                              FIELD_SELF("sensors", read_channels),
                                              {0}};

/* A GPU's clock may be a word. The core's clock comes last, so that it has precedence. */
static const struct field_row wanted_rows[] = {FIELD_ROW(result_state, "gpu_clock", FIELD_LOOSE, wanted_ghz),
                                               FIELD_ROW(result_state, "frequency", FIELD_NUMBER, wanted_ghz),
                                               {0}};

static const struct field_row clock_rows[] = {FIELD_BY(result_state, "core_ghz", core, read_interval),
                                              FIELD_BY(result_state, "cpufreq_ghz", cpufreq, read_interval),
                                              {0}};
static const struct field_row gpu_clock_rows[] = {FIELD_ROW(result_state, "sm", FIELD_NUMBER, gpu_ghz), {0}};
static const struct field_row observed_rows[] = {
    FIELD_INNER("clock", clock_rows), FIELD_INNER("gpu_clock", gpu_clock_rows), {0}};
static const struct field_row state_rows[] = {FIELD_ROW(result_state, "wanted", FIELD_VALUE, wanted),
                                              FIELD_INNER("wanted", wanted_rows),
                                              FIELD_INNER("observed", observed_rows),
                                              FIELD_TEXTS(result_state, "unmet", unmet),
                                              {0}};

/* ---- points ---- */

static bool read_rates(struct fields_reader *reader, const json_t *object, void *at)
{
    (void)reader;
    result_rates_read(object, at);
    return true;
}

/* "" is a reason, too. */
static bool read_reason(struct fields_reader *reader, const json_t *value, void *at)
{
    (void)reader;
    *(const char **)at = json_is_string(value) ? json_string_value(value) : "";
    return json_is_string(value);
}

static bool read_code(struct fields_reader *reader, const json_t *value, void *at)
{
    double code = json_number_value(value);
    (void)reader;
    if (code == STATUS_RECIPE || code == STATUS_UNAVAILABLE)
        *(enum status *)at = (enum status)code;
    return true;
}

static bool read_tolerance(struct fields_reader *reader, const json_t *value, void *at)
{
    struct result_point *point = at;
    struct tolerances *read = arena_alloc(reader->arena, 1, sizeof *read);
    (void)tolerances_read(value, reader->arena, read);
    point->tolerance = read;
    return true;
}

static const struct field_row summary_rows[] = {
    FIELD_BY(result_copy_summary, "cpu", cpu, read_cpu),
    FIELD_BY(result_copy_summary, "time", time, read_values),
    FIELD_BY(result_copy_summary, "counters", counters, read_values),
    {0}};

static bool read_summaries(struct fields_reader *reader, const json_t *list, void *at)
{
    struct result_point *point = at;
    const char *metric;
    json_t *seen;
    point->copy_count = json_array_size(list);
    point->copies = arena_alloc(reader->arena, point->copy_count, sizeof *point->copies);
    for (size_t i = 0; i < point->copy_count; i++) {
        const json_t *copy = json_array_get(list, i);
        struct result_copy_summary *read = &point->copies[i];
        read->cpu = -1;
        fields_read(reader, copy, NULL, summary_rows, read);
        (void)read_values(reader, copy, &read->values);
        json_object_foreach(json_object_get(copy, "rates"), metric, seen)
        {
            observation_read(seen, metric, &read->seen);
        }
    }
    return true;
}

static const struct field_row core_rows[] = {FIELD_BY(result_copy_summary, "cpu", cpu, read_cpu),
                                             FIELD_BY(result_copy_summary, "counters", counters, read_values),
                                             {0}};

static struct result_copy_summary *cores_read(struct fields_reader *reader, const json_t *list, size_t *count)
{
    *count = json_array_size(list);
    struct result_copy_summary *cores = arena_alloc(reader->arena, *count, sizeof *cores);
    for (size_t i = 0; i < *count; i++) {
        cores[i].cpu = -1;
        fields_read(reader, json_array_get(list, i), NULL, core_rows, &cores[i]);
        (void)read_values(reader, json_array_get(list, i), &cores[i].values);
    }
    return cores;
}

static bool read_application_cores(struct fields_reader *reader, const json_t *list, void *at)
{
    struct result_point *point = at;
    point->application.cores = cores_read(reader, list, &point->application.core_count);
    return true;
}

static bool read_step_cores(struct fields_reader *reader, const json_t *list, void *at)
{
    struct result_step *step = at;
    step->cores = cores_read(reader, list, &step->core_count);
    return true;
}

static const struct field_row step_rows[] = {
    FIELD_ROW(result_step, "benchmark", FIELD_TEXT, benchmark),
    FIELD_ROW(result_step, "name", FIELD_TEXT, name),
    FIELD_ROW(result_step, "t_s", FIELD_NUMBER, t_s),
    FIELD_ROW(result_step, "seconds", FIELD_NUMBER, seconds),
    FIELD_ROW(result_step, "ghz", FIELD_NUMBER, ghz),
    FIELD_ROW(result_step, "temperature_c", FIELD_NUMBER, temperature_c),
    FIELD_ROW(result_step, "power_w", FIELD_NUMBER, power_w),
    FIELD_BY(result_step, "energy_j", energy_j, read_values),
    FIELD_BY(result_step, "counters", counters, read_values),
    FIELD_SELF("cores", read_step_cores),
    {0}};

static const struct field_row sample_rows[] = {
    FIELD_ROW(result_sample, "t_s", FIELD_NUMBER, t_s),
    FIELD_BY(result_sample, "energy_j", energy_j, read_values),
    FIELD_BY(result_sample, "temperature_c", temperature_c, read_values),
    {0}};
static const struct result_sample no_sample = {.t_s = NAN};
static const struct field_row warning_rows[] = {FIELD_ROW(result_warning, "what", FIELD_TEXT, what),
                                                FIELD_ROW(result_warning, "mend", FIELD_TEXT, mend),
                                                {0}};
static const struct result_warning no_warning = {"", ""};

static const struct field_row idle_rows[] = {
    FIELD_LIKE(result_idle, "samples", samples, count, sample_rows, no_sample), {0}};
static const struct field_row pass_rows[] = {FIELD_ROW(result_point, "doubt", FIELD_TEXT, ticks_doubt), {0}};
static const struct field_row time_rows[] = {
    FIELD_ROW(result_point, "ticks_per_s", FIELD_NUMBER, ticks_per_s),
    FIELD_BY(result_point, "ticks_per_pass", ticks_per_pass, read_interval),
    FIELD_INNER("ticks_per_pass", pass_rows),
    {0}};
static const struct field_row together_rows[] = {FIELD_ROW(result_point, "overlap", FIELD_NUMBER, overlap),
                                                 {0}};

static const struct field_row point_rows[] = {
    FIELD_ROW(result_point, "recipe", FIELD_TEXT, recipe),
    FIELD_ROW(result_point, "benchmark", FIELD_TEXT, benchmark),
    FIELD_ROW(result_point, "name", FIELD_TEXT, name),
    FIELD_ROW(result_point, "target", FIELD_TEXT, target),
    FIELD_ROW(result_point, "program_hash", FIELD_TEXT, program_hash),
    FIELD_ROW(result_point, "index", FIELD_NUMBER, index),
    FIELD_ROW(result_point, "context", FIELD_WHOLE, context),
    FIELD_SELF("tolerance", read_tolerance),
    FIELD_BY(result_point, "error", error, read_reason),
    FIELD_BY(result_point, "skipped", skipped, read_reason),
    FIELD_ROW(result_point, "trace", FIELD_TEXT, trace),
    FIELD_ROW(result_point, "simulated", FIELD_FLAG, simulated),
    FIELD_BY(result_point, "one_by_one", one_by_one, read_reason),
    FIELD_BY(result_point, "code", code, read_code),
    FIELD_STATED(result_point, "command", application.given),
    FIELD_TEXTS(result_point, "command", application.command),
    FIELD_ROW(result_point, "exit_code", FIELD_NUMBER, application.exit_code),
    FIELD_SELF("cores", read_application_cores),
    FIELD_STATED(result_point, "device", on_device),
    FIELD_STATED(result_point, "start", started),
    FIELD_ROW(result_point, "point", FIELD_VALUE, parameters),
    FIELD_ROW(result_point, "units", FIELD_NUMBER, units),
    FIELD_SELF("reps", read_reps),
    FIELD_BY(result_point, "rates", rates, read_rates),
    FIELD_STATED(result_point, "time", timed),
    FIELD_BY(result_point, "time", time, read_values),
    FIELD_INNER("time", time_rows),
    FIELD_BY(result_point, "together", together, read_values),
    FIELD_INNER("together", together_rows),
    FIELD_BY(result_point, "per_pass", per_pass, read_values),
    FIELD_STATED(result_point, "counters", counted),
    FIELD_BY(result_point, "counters", counters, read_values),
    FIELD_STATED(result_point, "power", power.given),
    FIELD_BY(result_point, "power", power.values, read_values),
    FIELD_PART(result_point, "power", power, power_rows),
    FIELD_PART(result_point, "state", state, state_rows),
    FIELD_STATED(result_point, "idle_after", idle_after.given),
    FIELD_PART(result_point, "idle_after", idle_after, idle_rows),
    FIELD_PART(result_point, "idle_before", idle_before, idle_rows),
    FIELD_STATED(result_point, "threads", placed),
    FIELD_SELF("threads", read_summaries),
    FIELD_LIKE(result_point, "warnings", warnings.items, warnings.count, warning_rows, no_warning),
    {0}};

#define UNKNOWN                                                                                              \
    {                                                                                                        \
        NAN, NAN, NAN, 0                                                                                     \
    }

const struct result_point result_point_none = {
    .recipe = "",
    .benchmark = "",
    .name = "",
    .target = "",
    .program_hash = "",
    .code = STATUS_FAILED,
    .overlap = 1,
    .ticks_per_pass = UNKNOWN,
    .ticks_doubt = "",
    .ticks_per_s = NAN,
    .units = NAN,
    .parameters = {.number = NAN},
    .state = {
        .wanted = {.number = NAN}, .wanted_ghz = NAN, .gpu_ghz = NAN, .core = UNKNOWN, .cpufreq = UNKNOWN}};

void result_point_read(const json_t *document, struct result_point *point)
{
    *point = result_point_none;
    point->document = json_incref((json_t *)(uintptr_t)document); /* changes only the reference count */
    struct fields_reader reader = {.arena = &point->arena, .what = "", .kind = ""};
    fields_read(&reader, document, NULL, point_rows, point);
}

enum status result_point_load(struct results_reader *results, size_t index, const char *const *keys,
                              struct result_point *point, struct error *error)
{
    json_t *document = results_point(results, index, keys, error);
    if (document == NULL)
        return STATUS_USAGE;
    result_point_read(document, point);
    json_decref(document);
    return STATUS_OK;
}

static bool is_bound(const json_t *bound)
{
    return json_is_number(bound) || json_is_null(bound); /* null: there is no interval */
}

static bool is_observation(const json_t *seen)
{
    return json_is_string(json_object_get(seen, "source")) && json_is_string(json_object_get(seen, "kind")) &&
           json_is_number(json_object_get(seen, "value")) && is_bound(json_object_get(seen, "low")) &&
           is_bound(json_object_get(seen, "high"));
}

const char *result_point_fault(const struct result_point *point)
{
    const json_t *rates = json_object_get(point->document, "rates");
    const char *metric;
    json_t *entry;
    if (json_is_string(json_object_get(point->document, "error")))
        return NULL;
    if (!json_is_object(rates))
        return "expected an object as \"rates\", or the \"error\" of a point that did not run";
    json_object_foreach((json_t *)(uintptr_t)rates, metric, entry)
    {
        const json_t *list = json_object_get(entry, "observations");
        if (!json_is_array(list))
            return "expected a list of \"observations\" for each rate";
        for (size_t i = 0; i < json_array_size(list); i++)
            if (!is_observation(json_array_get(list, i)))
                return "expected \"source\" and \"kind\" and numbers as \"value\", \"low\" and \"high\" of "
                       "each observation";
    }
    return NULL;
}

void result_point_print(const struct result_point *point, struct buffer *text)
{
    json_write(text, point->document, 0);
}

bool result_point_again(const struct result_point *one, const struct result_point *other)
{
    static const char *const keys[] = {"benchmark", "name",     "point", "program_hash",
                                       "per_pass",  "counters", "reps",  "idle_after"};
    bool same = one->document != NULL || one == other;
    for (size_t i = 0; same && i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *here = json_object_get(one->document, keys[i]);
        const json_t *there = json_object_get(other->document, keys[i]);
        same = here == there || json_equal(here, there);
    }
    return same;
}

/* Copies the names into the arena, because the line is freed before the step. */
static void keep_names(struct result_values *values, struct arena *arena)
{
    for (size_t i = 0; i < values->count; i++) {
        values->items[i].name = arena_strdup(arena, values->items[i].name);
        values->items[i].doubt = "";
    }
}

bool result_step_read(const char *text, size_t size, struct arena *arena, struct result_step *step,
                      bool *whole)
{
    struct fields_reader reader = {.arena = arena, .what = "", .kind = ""};
    json_t *line = json_parse(text, size, "", NULL);
    *step =
        (struct result_step){.t_s = NAN, .seconds = NAN, .ghz = NAN, .temperature_c = NAN, .power_w = NAN};
    fields_read(&reader, line, NULL, step_rows, step);
    step->benchmark = arena_strdup(arena, step->benchmark == NULL ? "" : step->benchmark);
    step->name = arena_strdup(arena, step->name == NULL ? "" : step->name);
    keep_names(&step->energy_j, arena);
    keep_names(&step->counters, arena);
    for (size_t i = 0; i < step->core_count; i++) {
        keep_names(&step->cores[i].counters, arena);
        keep_names(&step->cores[i].values, arena);
    }
    bool interval = strcmp(json_string_or(line, "kind", ""), INTERVAL_KIND) == 0;
    *whole = json_is_object(line);
    json_decref(line);
    return interval;
}

/* ---- a point's line ---- */

static void write_state(const struct result_state *state, json_t *line)
{
    const struct state_record *record = &state->record;
    json_t *written = json_object(), *clock = json_object(), *unmet = json_array();
    json_t *observed = record->given ? json_from_value(&record->observed) : json_object();
    if (state->cpufreq.n > 0)
        json_object_set_new(clock, "cpufreq_ghz", result_interval_to_json(state->cpufreq));
    if (state->core.n > 0) {
        json_object_set_new(clock, "core_ghz", result_interval_to_json(state->core));
        json_object_set_new(clock, "core_by", json_string(state->core_by));
    }
    write_part(observed, "clock", clock);
    for (size_t i = 0; i < record->unmet.count; i++)
        json_array_append_new(unmet, json_string(record->unmet.items[i].what));
    if (record->given) {
        json_object_set_new(written, "wanted", json_from_value(&record->wanted));
        json_object_set(written, "observed", observed);
    }
    write_part(written, "observed", observed);
    write_part(written, "unmet", unmet);
    write_part(line, "state", written);
}

static void write_response(const struct result_response *response, json_t *object)
{
    if (response->filter == NULL)
        return;
    json_object_set_new(object, "lag_s", json_real(response->lag_s));
    json_object_set_new(object, "window_s", json_real(response->window_s));
    json_object_set_new(object, "filter", json_string(response->filter));
}

static json_t *channel_to_json(const struct result_channel *channel)
{
    json_t *object = json_pack("{s:s, s:s}", "label", channel->label, "quantity", channel->quantity);
    write_intervals(object, &channel->values, 0, channel->values.count);
    write_response(&channel->response, object);
    write_text(object, "verdict", channel->verdict);
    write_text(object, "reason", channel->reason);
    return object;
}

static json_t *power_to_json(const struct result_power *power)
{
    json_t *object = json_object(), *sensors = json_object();
    size_t whole = power->values.count; /* without the energy per access, which is written last */
    if (whole > 0 &&
        strncmp(power->values.items[whole - 1].name, RESULT_PER_ACCESS, sizeof RESULT_PER_ACCESS - 1) == 0)
        whole--;
    write_part(object, "from", words_to_json(&power->from));
    write_text(object, "left_out", power->left_out);
    write_intervals(object, &power->values, 0, power->own_count);
    write_response(&power->response, object);
    write_text(object, "verdict", power->verdict);
    write_text(object, "reason", power->reason);
    write_part(object, "inside", words_to_json(&power->inside));
    write_intervals(object, &power->values, power->own_count, whole);
    for (size_t i = 0; i < power->channel_count; i++)
        json_object_set_new(sensors, power->channels[i].name, channel_to_json(&power->channels[i]));
    write_part(object, "sensors", sensors);
    write_intervals(object, &power->values, whole, power->values.count);
    return object;
}

static void write_time(const struct result_point *point, json_t *line)
{
    json_t *ticks = result_interval_to_json(point->ticks_per_pass);
    json_t *time = json_pack("{s:o}", "ticks_per_pass", ticks);
    if (point->ticks_doubt[0] != '\0')
        json_object_set_new(ticks, "doubt", json_string(point->ticks_doubt));
    write_known(time, "ticks_per_s", point->ticks_per_s);
    json_object_set_new(line, "time", time);
}

static void write_idle(const struct result_idle *idle, const char *name, json_t *line)
{
    json_t *samples = json_array();
    for (size_t i = 0; i < idle->count; i++) {
        const struct result_sample *sample = &idle->samples[i];
        json_t *written = json_pack("{s:f}", "t_s", sample->t_s);
        write_part(written, "energy_j", numbers_to_json(&sample->energy_j));
        write_part(written, "temperature_c", numbers_to_json(&sample->temperature_c));
        json_array_append_new(samples, written);
    }
    if (idle->given)
        json_object_set_new(line, name,
                            json_pack("{s:f, s:O}", "seconds", idle->seconds, "samples", samples));
    json_decref(samples);
}

static json_t *summary_to_json(const struct result_copy_summary *copy)
{
    json_t *times = json_object(), *rates = json_object();
    write_intervals(times, &copy->time, 0, copy->time.count);
    json_t *summary = json_pack("{s:i, s:o}", "cpu", copy->cpu, "time", times);
    write_numbers(summary, &copy->values);
    for (size_t i = 0; i < copy->seen.count; i++)
        json_object_set_new(rates, copy->seen.items[i].metric, observation_to_json(&copy->seen.items[i]));
    write_part(summary, "rates", rates);
    return summary;
}

static void write_copies(const struct result_point *point, json_t *line)
{
    json_t *threads = json_array();
    for (size_t i = 0; i < point->copy_count; i++)
        json_array_append_new(threads, summary_to_json(&point->copies[i]));
    json_object_set_new(line, "threads", threads);
    write_part(line, "together", numbers_to_json(&point->together));
}

static void write_measure(const struct result_measure *measure, json_t *line)
{
    json_t *written = json_object();
    if (measure->given) {
        json_object_set_new(written, "time", json_real(measure->time_s));
        json_object_set_new(written, "idle_with_memory", json_boolean(measure->idle_with_memory));
    }
    if (measure->subtract_start)
        json_object_set_new(written, "subtract_start", json_true());
    if (measure->idle_left_out_s > 0)
        json_object_set_new(written, "idle_left_out_s", json_real(measure->idle_left_out_s));
    write_part(line, "measure", written);
}

/* Writes raw counts; those that may have been scaled, with the share of the time for which they counted. */
static void write_counts(const struct observations *seen, json_t *line)
{
    json_t *counters = json_object(), *imported = json_object();
    for (size_t i = 0; i < seen->counters.count; i++) {
        const struct raw_count *one = &seen->counters.items[i];
        json_t *count = json_pack("{s:o, s:o, s:o, s:I}", "value", json_from_number(one->interval.value),
                                  "low", json_from_number(one->interval.low), "high",
                                  json_from_number(one->interval.high), "n", (json_int_t)one->interval.n);
        if (!isnan(one->counted)) {
            json_object_set_new(count, "scaled", json_boolean(one->counted < 1));
            json_object_set_new(count, "counted", json_from_number(one->counted));
        }
        json_object_set_new(counters, one->name, count);
    }
    for (size_t i = 0; i < seen->imported.count; i++)
        json_object_set_new(imported, seen->imported.items[i].name,
                            json_from_number(seen->imported.items[i].interval.value));
    write_part(line, "counters", counters);
    if (seen->tool != NULL)
        json_object_set_new(
            line, "imported",
            json_pack("{s:s, s:s, s:O}", "tool", seen->tool, "file", seen->file, "counts", imported));
    json_decref(imported);
}

static void write_cores(const struct result_copy_summary *cores, size_t count, json_t *line)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *core = json_pack("{s:i}", "cpu", cores[i].cpu);
        write_numbers(core, &cores[i].values);
        write_part(core, "counters", whole_numbers_to_json(&cores[i].counters));
        json_array_append_new(list, core);
    }
    write_part(line, "cores", list);
}

static void write_application(const struct result_application *application, json_t *line)
{
    if (!application->given)
        return;
    json_t *command = json_array();
    for (size_t i = 0; i < application->command.count; i++)
        json_array_append_new(command, json_from_text(application->command.items[i]));
    json_object_set_new(line, "command", command);
    json_object_set_new(line, "exit_code", json_from_number(application->exit_code));
    write_cores(application->cores, application->core_count, line);
}

static json_t *step_to_json(const struct result_step *step)
{
    json_t *line = json_pack("{s:s, s:s, s:s, s:f, s:f}", "kind", INTERVAL_KIND, "benchmark", step->benchmark,
                             "name", step->name, "t_s", step->t_s, "seconds", step->seconds);
    if (line == NULL)
        return NULL;
    write_known(line, "ghz", step->ghz);
    write_known(line, "temperature_c", step->temperature_c);
    write_known(line, "power_w", step->power_w);
    write_part(line, "energy_j", numbers_to_json(&step->energy_j));
    write_part(line, "counters", whole_numbers_to_json(&step->counters));
    write_cores(step->cores, step->core_count, line);
    return line;
}

static void write_measured(const struct result_point *point, json_t *line)
{
    if (point->power.given)
        json_object_set_new(line, "power", power_to_json(&point->power));
    if (point->measured)
        json_object_set_new(line, "reps", result_reps_to_json(point->reps, point->rep_count));
    write_part(line, "retaken", result_reps_to_json(point->retaken, point->retaken_count));
    if (point->timed)
        write_time(point, line);
    write_idle(&point->idle_before, "idle_before", line);
    write_idle(&point->idle_after, "idle_after", line);
    if (point->placed)
        write_copies(point, line);
    write_measure(&point->measure, line);
    if (point->started)
        json_object_set_new(line, "start", rep_to_json(&point->start));
}

json_t *result_point_to_json(const struct result_point *point)
{
    json_t *line = json_pack("{s:s, s:s, s:s, s:I, s:o, s:s, s:s?, s:s}", "kind",
                             point->application.given ? "application" : "point", "recipe", point->recipe,
                             "benchmark", point->benchmark, "index", (json_int_t)point->index, "point",
                             json_from_value(&point->parameters), "name", point->name, "target",
                             point->target, "program_hash", point->program_hash);
    if (line == NULL)
        return NULL;
    if (point->application.given)
        json_object_del(line, "point");
    if (point->tolerance != NULL)
        json_object_set_new(line, "tolerance", tolerances_to_json(point->tolerance));
    write_part(line, "runs_with", words_to_json(&point->runs_with));
    write_part(line, "per_pass", whole_numbers_to_json(&point->per_pass));
    if (isfinite(point->units))
        json_object_set_new(line, "units", json_from_number(point->units));
    if (point->calibration != NULL)
        json_object_set_new(line, "calibration", calibration_outcome_to_json(point->calibration));
    if (point->state.record.given) /* before it ran */
        write_state(&point->state, line);
    if (point->facts != NULL)
        json_object_update(line, (json_t *)(uintptr_t)point->facts);
    write_text(line, "skipped", point->skipped);
    write_application(&point->application, line);
    write_measured(point, line);
    write_part(line, "warnings", warnings_to_json(&point->warnings));
    if (!point->state.record.given)
        write_state(&point->state, line);
    write_text(line, "trace", point->trace);
    if (point->judged)
        json_object_set_new(line, "rates", result_rates_to_json(&point->rates));
    write_counts(&point->seen, line);
    write_text(line, "one_by_one", point->one_by_one);
    write_text(line, "error", point->error);
    if (point->error != NULL && point->code != STATUS_FAILED)
        json_object_set_new(line, "code", json_integer(point->code));
    return line;
}

static enum status refuse_text(const char *benchmark, const char *name, struct error *error)
{
    return error_set(error, STATUS_FAILED, "%s/%s cannot be recorded: one of its texts is not UTF-8",
                     benchmark, name);
}

enum status result_point_check(const struct result_point *point, struct error *error)
{
    json_t *line = result_point_to_json(point);
    json_decref(line);
    return line == NULL ? refuse_text(point->benchmark, point->name, error) : STATUS_OK;
}

enum status result_point_append(const struct result_point *point, struct results_file *file,
                                struct result_point *read, struct error *error)
{
    json_t *line = result_point_to_json(point);
    enum status status =
        line == NULL ? refuse_text(point->benchmark, point->name, error) : results_append(file, line, error);
    if (status == STATUS_OK && read != NULL)
        result_point_read(line, read);
    json_decref(line);
    return status;
}

enum status result_step_append(const struct result_step *step, struct results_file *file, struct error *error)
{
    json_t *line = step_to_json(step);
    enum status status =
        line == NULL ? refuse_text(step->benchmark, step->name, error) : results_append(file, line, error);
    json_decref(line);
    return status;
}
