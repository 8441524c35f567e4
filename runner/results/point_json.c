/* The JSON of a point of results: which member is which field. What is of another type than it should be is
 * taken to be missing. */
#include "base/json.h"
#include "base/json/field_json.h"
#include "base/memory.h"
#include "runner/results/evidence_kind.h"
#include "runner/results/result_point.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define WORDS(of, title, member)                                                                             \
    {                                                                                                        \
        .name = (title), .type = FIELD_WORDS, .offset = offsetof(struct of, member.items),                   \
        .count = offsetof(struct of, member.count)                                                           \
    }
#define LIST(of, title, member, number, table, usual)                                                        \
    {                                                                                                        \
        .name = (title), .type = FIELD_LIST, .offset = offsetof(struct of, member),                          \
        .count = offsetof(struct of, number), .rows = (table), .size = sizeof(usual), .none = &(usual)       \
    }

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

json_t *result_values_to_json(const struct result_values *values)
{
    json_t *document = json_object();
    for (size_t i = 0; i < values->count; i++)
        json_object_set_new(document, values->items[i].name, json_real(values->items[i].interval.value));
    return document;
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
                                 .calibrated = evidence_kind_named(NULL),
                                 .verdict = VERDICT_UNOBSERVED,
                                 .code = VERDICT_UNOBSERVED,
                                 .silicon = VERDICT_UNOBSERVED,
                                 .reason = ""};
    fields_read(&reader, entry, NULL, rate_rows, rate);
    observations_read(json_object_get(entry, "observations"), metric, &rate->seen);
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

/* ---- repetitions ---- */

static const struct result_copy no_copy = {.cpu = -1};
static const struct field_row copy_rows[] = {FIELD_BY(result_copy, "cpu", cpu, read_cpu),
                                             FIELD_ROW(result_copy, "iterations", FIELD_WHOLE, iterations),
                                             FIELD_ROW(result_copy, "ticks", FIELD_WHOLE, ticks),
                                             FIELD_ROW(result_copy, "start", FIELD_WHOLE, start),
                                             {0}};
static const struct field_row rep_rows[] = {
    FIELD_ROW(result_rep, "iterations", FIELD_NUMBER, iterations),
    FIELD_ROW(result_rep, "ticks", FIELD_NUMBER, ticks),
    FIELD_ROW(result_rep, "seconds", FIELD_NUMBER, seconds),
    FIELD_ROW(result_rep, "waited", FIELD_NUMBER, waited),
    FIELD_ROW(result_rep, "wall_s", FIELD_NUMBER, wall_s),
    FIELD_ROW(result_rep, "record", FIELD_ANY, record),
    FIELD_ROW(result_rep, "outlier", FIELD_FLAG, outlier),
    FIELD_STATED(result_rep, "threads", threads.given),
    LIST(result_rep, "threads", threads.items, threads.count, copy_rows, no_copy),
    FIELD_STATED(result_rep, "company", company.given),
    LIST(result_rep, "company", company.items, company.count, copy_rows, no_copy),
    FIELD_STATED(result_rep, "energy_j", metered),
    FIELD_BY(result_rep, "energy_j", energy_j, read_values),
    FIELD_BY(result_rep, "temperature_c", temperature_c, read_values),
    {0}};
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
                                              WORDS(result_power, "from", from),
                                              WORDS(result_power, "inside", inside),
                                              FIELD_SELF("sensors", read_channels),
                                              {0}};

/* A clock of a GPU may be a word, and that of the core is named last. */
static const struct field_row wanted_rows[] = {FIELD_ROW(result_state, "gpu_clock", FIELD_LOOSE, wanted_ghz),
                                               FIELD_ROW(result_state, "frequency", FIELD_NUMBER, wanted_ghz),
                                               {0}};

static bool read_core_clock(struct fields_reader *reader, const json_t *value, void *at)
{
    const struct interval core = result_interval(value);
    struct result_state *state = at;
    (void)reader;
    state->core_ghz = core.value;
    state->core_low_ghz = core.low;
    state->core_high_ghz = core.high;
    return true;
}

static bool read_reported_clock(struct fields_reader *reader, const json_t *value, void *at)
{
    (void)reader;
    *(double *)at = result_interval(value).value;
    return true;
}

static const struct field_row clock_rows[] = {
    FIELD_SELF("core_ghz", read_core_clock),
    FIELD_BY(result_state, "cpufreq_ghz", cpufreq_ghz, read_reported_clock),
    {0}};
static const struct field_row gpu_clock_rows[] = {FIELD_ROW(result_state, "sm", FIELD_NUMBER, gpu_ghz), {0}};
static const struct field_row observed_rows[] = {
    FIELD_INNER("clock", clock_rows), FIELD_INNER("gpu_clock", gpu_clock_rows), {0}};
static const struct field_row state_rows[] = {FIELD_ROW(result_state, "wanted", FIELD_ANY, wanted),
                                              FIELD_INNER("wanted", wanted_rows),
                                              FIELD_INNER("observed", observed_rows),
                                              WORDS(result_state, "unmet", unmet),
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

static const struct field_row idle_after_rows[] = {
    LIST(result_point, "samples", idle_after, idle_after_count, sample_rows, no_sample), {0}};
static const struct field_row idle_before_rows[] = {
    LIST(result_point, "samples", idle_before, idle_before_count, sample_rows, no_sample), {0}};
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
    FIELD_BY(result_point, "error", error, read_reason),
    FIELD_BY(result_point, "skipped", skipped, read_reason),
    FIELD_ROW(result_point, "trace", FIELD_TEXT, trace),
    FIELD_ROW(result_point, "simulated", FIELD_FLAG, simulated),
    FIELD_BY(result_point, "one_by_one", one_by_one, read_reason),
    FIELD_BY(result_point, "code", code, read_code),
    FIELD_STATED(result_point, "device", on_device),
    FIELD_STATED(result_point, "start", started),
    FIELD_ROW(result_point, "point", FIELD_ANY, parameters),
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
    FIELD_STATED(result_point, "idle_after", idled_after),
    FIELD_INNER("idle_after", idle_after_rows),
    FIELD_INNER("idle_before", idle_before_rows),
    FIELD_STATED(result_point, "threads", placed),
    FIELD_SELF("threads", read_summaries),
    LIST(result_point, "warnings", warnings, warning_count, warning_rows, no_warning),
    {0}};

void result_point_read(const json_t *document, struct result_point *point)
{
    static const struct result_point none = {.recipe = "",
                                             .benchmark = "",
                                             .name = "",
                                             .target = "",
                                             .program_hash = "",
                                             .code = STATUS_FAILED,
                                             .overlap = 1,
                                             .ticks_per_pass = {NAN, NAN, NAN, 0},
                                             .ticks_doubt = "",
                                             .ticks_per_s = NAN,
                                             .units = NAN,
                                             .state = {NULL, NAN, NAN, NAN, NAN, NAN, NAN, {0}}};
    *point = none;
    point->document = document;
    struct fields_reader reader = {.arena = &point->arena, .what = "", .kind = ""};
    fields_read(&reader, document, NULL, point_rows, point);
}
