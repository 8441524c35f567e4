#include "session/sensor_findings.h"

#include "base/clock.h"
#include "base/files/paths.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json/field_json.h"
#include "base/memory.h"
#include "runner/evidence/host.h"
#include "runner/measure/idle_interval.h"
#include "runner/power/load_waves.h"
#include "runner/power/quality_facts.h"
#include "runner/power/sensor_trial.h"
#include "runner/results/observation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double USUAL_S = 24, LEAST_S = 0.2;
static const double AGAIN = 3;   /* a second measurement takes this many times as long, */
static const double WIDE = 0.04; /* if half of an interval is wider than this share */
static const double IDLE_SHARE = 0.17;

/* Sensors are read this many times as often as in a run, so that their updates are visible. */
static const double FINER = 5;
static const double FINEST_S = 1e-4;

/* Two channels of one power differ by less than this share, in their rises and when idle. */
static const double ALIKE = 0.02;

enum { MEAN_PARTS = 10 };

const char *const sensor_relation_names[SENSOR_RELATIONS] = {
    [RELATION_CONTAINS] = "contains", [RELATION_DENIES] = "less than its part", [RELATION_SAME] = "same"};

/* ---- a channel ---- */

static double mean_between(const struct series *series, const struct sensor_channel *channel,
                           struct window window, double slack_s)
{
    if (channel->quantity == SENSOR_ENERGY)
        return series_energy(series, channel, window.from_s, window.to_s, slack_s) / window_seconds(window);
    return series_mean(series, window.from_s, window.to_s);
}

/* The median over parts of the idle time, from when the sensor no longer averages over earlier load. */
static struct interval find_mean(const struct sensor_finding *finding, const struct series *series,
                                 struct window idle)
{
    static const double FORGETS = 5; /* time constants */
    const struct interval none = {NAN, NAN, NAN, 0};
    const struct wave_response *response = &finding->response;
    double parts[MEAN_PARTS];
    if (response->follows)
        idle.from_s +=
            fmin(window_seconds(idle) / 2,
                 response->lag_s.value + (response->exponential ? FORGETS : 1) * response->window_s.value);
    for (size_t i = 0; i < MEAN_PARTS; i++) {
        parts[i] = mean_between(series, finding->channel, window_part(idle, i, MEAN_PARTS), finding->read_s);
        if (!isfinite(parts[i]))
            return none;
    }
    return stats_bootstrap(parts, MEAN_PARTS);
}

static void set_note(const struct listed_sensor *meter, const struct error *lost, bool power,
                     struct sensor_finding *finding)
{
    const char *text = "";
    if (finding->channel->why_not[0] != '\0')
        text = finding->channel->why_not;
    else if (lost != NULL)
        text = lost->message;
    else if (power && !finding->response.follows && meter->sensor->accelerator)
        text = "it did not follow the load, which is on processors only: its window, lag and share sampled "
               "need a load on the GPU, which this command does not drive";
    else if (power && !finding->response.follows)
        text = "it did not follow the load on the processors";
    snprintf(finding->note, sizeof finding->note, "%.*s", (int)sizeof finding->note - 1, text);
}

static struct sensor_finding look_at(const struct recorder *recorder, size_t meter, size_t channel,
                                     double period_s, struct window idle, const struct load_waves *waves)
{
    const struct listed_sensor *from = &recorder_meters(recorder)->meters[meter];
    const struct series *series = recorder_series(recorder, meter, channel);
    struct sensor_finding finding = {.channel = &from->channels[channel],
                                     .external = from->sensor->external,
                                     .readings = series->count,
                                     .period_s = period_s,
                                     .read_s = NAN,
                                     .step = NAN,
                                     .idling = {NAN, NAN, NAN, 0}};
    bool power = sensor_measures_power(finding.channel);
    finding.response = wave_response_find(series, finding.channel, from->period_s == 0, power ? waves : NULL);
    if (series->count >= 2) {
        finding.read_s = (series->t_s[series->count - 1] - series->t_s[0]) / (double)(series->count - 1);
        finding.step = quality_step(series, finding.channel->quantity == SENSOR_ENERGY);
        finding.idling = find_mean(&finding, series, idle);
    }
    set_note(from, recorder_lost(recorder, meter), power, &finding);
    return finding;
}

/* ---- two channels ---- */

/* True if by the names of the drivers a contains b. */
static bool is_named_to_contain(const struct sensor_finding *a, const struct sensor_finding *b)
{
    const char *outer = a->channel->label, *inner = b->channel->label;
    size_t length = strlen(outer);
    if (a->external != b->external)
        return a->external;
    if (a->external)
        return false;
    if (strncmp(outer, "psys", 4) == 0 || strstr(outer, "energy-psys") != NULL)
        return strncmp(inner, "psys", 4) != 0 && strstr(inner, "energy-psys") == NULL;
    return strncmp(inner, outer, length) == 0 && inner[length] == '/' &&
           strstr(inner, "dram") == NULL; /* memory is beside its package, not in it */
}

/* True if the rises by each part of the machine and the idle levels agree. */
static bool is_same(const struct sensor_finding *a, const struct sensor_finding *b, size_t parts,
                    struct interval ratio)
{
    for (size_t i = 0; i < parts; i++)
        if (!(fabs(a->response.rise_w[i].value - b->response.rise_w[i].value) <=
              ALIKE * fabs(a->response.total_w.value)))
            return false;
    return fabs(ratio.value - 1) <= ALIKE && ratio.low <= 1 + ALIKE && ratio.high >= 1 - ALIKE &&
           fabs(a->response.idle_w - b->response.idle_w) <= ALIKE * fabs(a->response.idle_w);
}

static void compare(struct sensor_findings *findings, size_t i, size_t j)
{
    struct sensor_pair pair = {.first = i, .second = j};
    const struct sensor_finding *items = findings->items;
    bool first = is_named_to_contain(&items[i], &items[j]),
         second = is_named_to_contain(&items[j], &items[i]);
    if (second || (!first && items[j].response.total_w.value > items[i].response.total_w.value))
        pair = (struct sensor_pair){.first = j, .second = i};
    const struct sensor_finding *a = &items[pair.first], *b = &items[pair.second];
    pair.ratio = wave_response_ratio(a->response.total_w, b->response.total_w);
    if (is_same(a, b, findings->parts, pair.ratio))
        pair.relation = RELATION_SAME;
    else if (first || second)
        pair.relation = pair.ratio.high < 1 - ALIKE ? RELATION_DENIES : RELATION_CONTAINS;
    findings->pairs[findings->pair_count++] = pair;
}

static void compare_all(struct sensor_findings *findings)
{
    findings->pairs = memory_zeroed(findings->count * findings->count + 1, sizeof *findings->pairs);
    findings->pair_count = 0;
    for (size_t i = 0; i < findings->count; i++)
        for (size_t j = 0; j < i; j++)
            if (findings->items[i].response.follows && findings->items[j].response.follows)
                compare(findings, j, i);
}

/* ---- the measurement ---- */

static void read_finer(struct sensor_list *meters)
{
    for (size_t i = 0; i < meters->count; i++) {
        struct listed_sensor *meter = &meters->meters[i];
        if (request_text(&meter->request, "period") == NULL && meter->period_s > 0)
            meter->period_s = fmax(meter->period_s / FINER, FINEST_S);
    }
}

static enum status find_meters(const char *sensors, const char *root, struct sensor_list *meters,
                               struct error *error)
{
    enum status status = sensor_list_find(sensors, root, meters, error);
    if (status != STATUS_OK || meters->count > 0)
        return status;
    if (error->message[0] == '\0')
        error_set(error, STATUS_UNAVAILABLE, "no sensor is requested");
    return error->code = STATUS_UNAVAILABLE;
}

/* Reads the sensors during an idle time and then during the waves, for `seconds` in all. periods: the period
 * of each meter in a run. */
static enum status record(struct sensor_findings *findings, const double *periods, double seconds,
                          const struct load_cpus *cpus, struct error *error)
{
    const struct sensor_list *meters = &findings->meters;
    struct recorder *recorder = findings->recorder;
    recorder_begin(recorder, cpus->cpus, cpus->count);
    struct window idle = {clock_now_s(), clock_now_s() + IDLE_SHARE * seconds};
    struct load_waves waves = load_waves_plan(cpus->part_count, idle.to_s, (1 - IDLE_SHARE) * seconds,
                                              (uint64_t)(1e6 * clock_now_s()));
    idle_rest(idle.to_s - clock_now_s() - LEAST_S / 4);
    enum status status = load_waves_drive(cpus, &waves, error);
    recorder_end(recorder, clock_now_s());
    findings->items = memory_resized(findings->items, meters->channel_count + 1, sizeof *findings->items);
    findings->count = 0;
    findings->parts = cpus->part_count;
    for (size_t i = 0; status == STATUS_OK && i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++)
            findings->items[findings->count++] = look_at(recorder, i, j, periods[i], idle, &waves);
    load_waves_free(&waves);
    return status;
}

static bool is_wide(struct interval of, double scale)
{
    return !(of.high - of.low <= 2 * WIDE * scale);
}

/* True if an interval is wide, so that a longer measurement is worth its time. */
static bool would_gain(const struct sensor_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct wave_response *found = &findings->items[i].response;
        double scale = found->window_s.value;
        if (found->follows &&
            (is_wide(found->window_s, scale) || is_wide(found->total_w, found->total_w.value) ||
             is_wide(found->lag_s, fmax(scale, found->update_s.value))))
            return true;
    }
    return false;
}

enum status sensor_findings_measure(const char *sensors, const char *root, double seconds,
                                    struct sensor_findings *findings, struct error *error)
{
    double periods[SENSOR_LIST_MOST];
    *findings = (struct sensor_findings){.count = 0};
    *error = (struct error){0};
    enum status status = find_meters(sensors, root, &findings->meters, error);
    for (size_t i = 0; i < findings->meters.count; i++)
        periods[i] = findings->meters.meters[i].period_s;
    read_finer(&findings->meters);
    if (status == STATUS_OK)
        status = recorder_open(&findings->meters, &findings->recorder, error);
    if (status != STATUS_OK)
        return status;
    sensor_trial(&findings->meters, findings->recorder);
    status = sensor_trial_judge(&findings->meters, error);
    const struct load_cpus cpus = load_cpus_here();
    if (status == STATUS_OK)
        status = record(findings, periods, seconds > 0 ? fmax(LEAST_S, seconds) : USUAL_S, &cpus, error);
    if (status == STATUS_OK && !(seconds > 0) && would_gain(findings))
        status = record(findings, periods, AGAIN * USUAL_S, &cpus, error);
    if (status == STATUS_OK)
        compare_all(findings);
    return status;
}

void sensor_findings_free(struct sensor_findings *findings)
{
    recorder_close(findings->recorder);
    sensor_list_free(&findings->meters);
    free(findings->items);
    free(findings->pairs);
    *findings = (struct sensor_findings){.count = 0};
}

/* ---- as JSON ---- */

/* Null where nothing was observed. unit NULL: none. */
static void write_interval(struct json_text *text, const char *name, struct interval of, const char *unit)
{
    if (!isfinite(of.value)) {
        json_text_null(text, name);
        return;
    }
    json_text_open(text, name, '{');
    fields_write(text, interval_fields, NULL, &of);
    if (unit != NULL)
        json_text_string(text, "unit", unit);
    json_text_close(text, '}');
}

static void write_pairs(struct json_text *text, const struct sensor_findings *findings, size_t index)
{
    json_text_open(text, "against", '[');
    for (size_t i = 0; i < findings->pair_count; i++) {
        const struct sensor_pair *pair = &findings->pairs[i];
        if (pair->first != index)
            continue;
        json_text_open(text, NULL, '{');
        json_text_string(text, "channel", findings->items[pair->second].channel->name);
        write_interval(text, "ratio", pair->ratio, NULL);
        json_text_word(text, "relation", sensor_relation_names[pair->relation]);
        json_text_close(text, '}');
    }
    json_text_close(text, ']');
}

static void write_finding(struct json_text *text, const struct sensor_findings *findings, size_t index)
{
    const struct sensor_finding *finding = &findings->items[index];
    const struct sensor_channel *channel = finding->channel;
    const struct wave_response *found = &finding->response;
    enum sensor_quantity level = channel->quantity == SENSOR_ENERGY ? SENSOR_POWER : channel->quantity;
    json_text_open(text, NULL, '{');
    json_text_pack(text, "{s:s, s:s, s:s, s:s, s:b}", "name", channel->name, "label", channel->label,
                   "quantity", sensor_quantities[channel->quantity].name, "unit",
                   sensor_quantities[channel->quantity].unit, "whole", (int)channel->whole);
    json_text_real(text, "period_s", finding->period_s);
    json_text_integer(text, "readings", (long long)finding->readings);
    json_text_real(text, "read_s", finding->read_s);
    json_text_real(text, "update_s", found->update_s.value);
    json_text_bool(text, "update_is_bound", found->update_is_bound);
    json_text_real(text, "resolution", finding->step);
    write_interval(text, "mean", finding->idling, sensor_quantities[level].unit);
    json_text_word(text, "window", !found->follows ? NULL : found->exponential ? "exponential" : "box");
    write_interval(text, "window_s", found->window_s, NULL);
    json_text_bool(text, "window_is_bound", found->window_is_bound);
    write_interval(text, "lag_s", found->lag_s, NULL);
    write_interval(text, "sampled", found->sampled, NULL);
    write_interval(text, "rise", found->total_w, "W");
    write_pairs(text, findings, index);
    json_text_word(text, "reason", finding->note);
    json_text_close(text, '}');
}

static void write_findings(struct json_text *text, const char *name, const struct sensor_findings *findings)
{
    json_text_open(text, name, '[');
    for (size_t i = 0; i < findings->count; i++)
        write_finding(text, findings, i);
    json_text_close(text, ']');
}

void sensor_findings_print(const struct sensor_findings *findings, struct buffer *text)
{
    struct json_text list = {.buffer = NULL};
    write_findings(&list, NULL, findings);
    json_write(text, list.tree[0], 2);
    json_decref(list.tree[0]);
}

/* ---- kept for this host ---- */

/* One file for each host and root, named by their hash. */
static void own_file(const char *root, char path[FILE_PATH_BYTES])
{
    enum { KEY_DIGITS = 16 };
    char folder[FILE_PATH_BYTES], name[64], key[HASH_TEXT_BYTES];
    struct buffer text = {0};
    struct host_names host;
    host_read(&host);
    buffer_printf(&text, "%s\n%s\n", host.cpu == NULL ? "" : host.cpu, host.host == NULL ? "" : host.host);
    arena_free(&host.arena);
    char *real = root[0] == '\0' ? NULL : realpath(root, NULL);
    buffer_text(&text, real == NULL ? root : real);
    hash_bytes(text.data, text.size, key);
    snprintf(name, sizeof name, "sensors-%.*s.json", KEY_DIGITS, key);
    path[0] = '\0';
    if (paths_own(folder)[0] != '\0')
        file_join(path, folder, name);
    free(real);
    buffer_free(&text);
}

enum status sensor_findings_keep(const struct sensor_findings *findings, const char *root,
                                 char path[FILE_PATH_BYTES], struct error *error)
{
    char folder[FILE_PATH_BYTES];
    own_file(root, path);
    if (path[0] == '\0')
        return STATUS_OK;
    struct buffer text = {0};
    struct json_text document = {.buffer = NULL};
    json_text_open(&document, NULL, '{');
    json_text_pack(&document, "{s:i, s:s}", "schema", 1, "kind", "sensors");
    write_findings(&document, "channels", findings);
    json_text_close(&document, '}');
    enum status status = file_make_folders(file_folder_of(folder, path), error);
    json_write(&text, document.tree[0], 1);
    if (status == STATUS_OK)
        status = file_write(path, text.data, text.size, false, error);
    json_decref(document.tree[0]);
    buffer_free(&text);
    return status;
}

/* The findings that are kept for a channel. */
struct kept_finding {
    const char *name, *window;
    bool window_is_bound, update_is_bound;
    double window_s, lag_s, update_s, sampled;
};

static const struct field_row window_value[] = {FIELD_ROW(kept_finding, "value", FIELD_NUMBER, window_s),
                                                {NULL}};
static const struct field_row lag_value[] = {FIELD_ROW(kept_finding, "value", FIELD_NUMBER, lag_s), {NULL}};
static const struct field_row sampled_value[] = {FIELD_ROW(kept_finding, "value", FIELD_NUMBER, sampled),
                                                 {NULL}};
static const struct field_row kept_rows[] = {
    FIELD_ROW(kept_finding, "name", FIELD_TEXT, name),
    FIELD_ROW(kept_finding, "window", FIELD_TEXT, window),
    FIELD_ROW(kept_finding, "window_is_bound", FIELD_FLAG, window_is_bound),
    FIELD_ROW(kept_finding, "update_is_bound", FIELD_FLAG, update_is_bound),
    FIELD_ROW(kept_finding, "update_s", FIELD_NUMBER, update_s),
    FIELD_INNER("window_s", window_value),
    FIELD_INNER("lag_s", lag_value),
    FIELD_INNER("sampled", sampled_value),
    {NULL}};

static void recall(const struct kept_finding *kept, struct sensor_list *meters)
{
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++)
            if (strcmp(kept->name, meters->meters[i].channels[j].name) == 0)
                meters->meters[i].channels[j].known =
                    (struct sensor_known){.window_s = kept->window_is_bound ? 0 : kept->window_s,
                                          .lag_s = kept->lag_s,
                                          .update_s = kept->update_is_bound ? 0 : kept->update_s,
                                          .sampled = kept->sampled,
                                          .exponential = strcmp(kept->window, "exponential") == 0};
}

void sensor_findings_recall(const char *root, struct sensor_list *meters)
{
    char path[FILE_PATH_BYTES];
    struct error ignored; /* a file that cannot be read has no findings */
    struct fields_reader reader = {.what = path, .kind = "a file of findings", .error = &ignored};
    own_file(root, path);
    json_t *document = path[0] == '\0' || !file_is_regular(path) ? NULL : json_read(path, &ignored);
    size_t index;
    const json_t *entry;
    json_array_foreach(fields_list(&reader, document, NULL, "channels"), index, entry)
    {
        struct kept_finding kept = {.name = "", .window = ""};
        fields_read(&reader, entry, NULL, kept_rows, &kept);
        recall(&kept, meters);
    }
    json_decref(document);
}
