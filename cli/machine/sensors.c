/* trauma sensors: lists what can be observed on this machine, and what cannot, with reason and remedy. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/options/requests.h"
#include "generator/metric/metric.h"
#include "report/table.h"
#include "runner/conditions/condition.h"
#include "runner/evidence/host.h"
#include "runner/power/sensor.h"
#include "runner/power/sensor_list.h"
#include "runner/power/sensor_trial.h"
#include "runner/sources/source.h"
#include "session/devices.h"
#include "session/execute/conditions_now.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WORD_BYTES = 2048 };

/* ---- what is here, as one document for table and JSON alike ---- */

static void set(json_t *entry, const char *key, json_t *value)
{
    json_object_set_new(entry, key, value);
}

/* The entry without its lists; reason and hint are null if it is usable or they are empty. */
static json_t *new_entry(const char *name, const char *type, const char *kind, const struct error *why_not)
{
    bool usable = why_not->code == STATUS_OK;
    json_t *entry = json_object();
    set(entry, "name", json_string(name));
    set(entry, "type", json_string(type));
    set(entry, "kind", json_string(kind));
    set(entry, "usable", json_boolean(usable));
    set(entry, "observes", json_array());
    set(entry, "channels", json_array());
    set(entry, "reason", usable ? json_null() : json_string(why_not->message));
    set(entry, "hint", usable || why_not->hint[0] == '\0' ? json_null() : json_string(why_not->hint));
    return entry;
}

static void add_item(json_t *entry, const char *list, json_t *item)
{
    json_array_append_new(json_object_get(entry, list), item);
}

static json_t *describe_source(const struct counter_source *source)
{
    struct error why_not = {0};
    why_not.code = source_usable(source, &why_not);
    json_t *entry = new_entry(source->name, "counters", evidence_kinds[source->kind].name, &why_not);
    for (const struct metric *metric = metric_table; metric->name != NULL; metric++)
        if (metric_row_has(metric, source->name))
            add_item(entry, "observes", json_string(metric->name));
    return entry;
}

static json_t *describe_channel(const struct sensor_channel *channel, double reading)
{
    bool usable = channel->why_not[0] == '\0';
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:o, s:b, s:o}", "name", channel->name, "label",
                     channel->label, "path", channel->path, "quantity",
                     sensor_quantities[channel->quantity].name, "unit",
                     sensor_quantities[channel->quantity].unit, "whole", channel->whole, "reading",
                     isfinite(reading) ? json_real(reading) : json_null(), "usable", usable, "reason",
                     usable ? json_null() : json_string(channel->why_not));
}

/* A sensor of the table, or one that --power names. */
struct sensor_candidate {
    const struct power_sensor *sensor;
    struct error why_not; /* why it was not found; STATUS_OK: it is the meter of that index */
    size_t meter;
    bool named;
};

struct sensor_candidates {
    struct sensor_candidate items[2 * SENSOR_LIST_MOST];
    size_t count;
    struct sensor_list meters; /* that were found */
    struct recorder *recorder;
};

static json_t *describe_sensor(const struct sensor_candidates *candidates,
                               const struct sensor_candidate *candidate, size_t *missing)
{
    struct error why_not = candidate->why_not;
    const struct listed_sensor *meter = &candidates->meters.meters[candidate->meter];
    bool found = why_not.code == STATUS_OK;
    if (found)
        (void)sensor_trial_usable(meter, recorder_lost(candidates->recorder, candidate->meter), &why_not);
    *missing += candidate->named && why_not.code != STATUS_OK;
    json_t *entry = new_entry(candidate->sensor->name, candidate->sensor->type, "measured", &why_not);
    add_item(entry, "observes", json_string(candidate->sensor->what));
    for (size_t i = 0; found && i < meter->count; i++)
        add_item(entry, "channels",
                 describe_channel(&meter->channels[i],
                                  recorder_latest(candidates->recorder, candidate->meter, i)));
    return entry;
}

static const struct power_sensor *sensor_of(const char *word)
{
    char name[REQUEST_WORD_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "=@"), word);
    return sensor_find(name);
}

/* Finds the sensor of the word, whose reason for not being there is then its own. */
static enum status add_candidate(const char *word, const char *sysfs_root, bool named,
                                 struct sensor_candidates *candidates, struct error *error)
{
    struct sensor_list found;
    struct sensor_candidate *candidate = &candidates->items[candidates->count];
    *candidate = (struct sensor_candidate){.sensor = sensor_of(word), .named = named};
    if (candidates->meters.count == SENSOR_LIST_MOST || candidates->count == 2 * SENSOR_LIST_MOST)
        return error_set(error, STATUS_USAGE, "--power: more than %d sensors", SENSOR_LIST_MOST);
    enum status status = sensor_list_find(word, sysfs_root, &found, &candidate->why_not);
    if (status == STATUS_USAGE) {
        *error = candidate->why_not;
        return status;
    }
    if (found.count > 0) {
        candidate->meter = candidates->meters.count;
        candidates->meters.meters[candidates->meters.count++] = found.meters[0];
    }
    candidates->count += candidate->sensor != NULL;
    return STATUS_OK;
}

static enum status add_named(const char *list, const char *sysfs_root, struct sensor_candidates *candidates,
                             struct error *error)
{
    enum status status = STATUS_OK;
    while (status == STATUS_OK && *list != '\0') {
        char word[WORD_BYTES];
        size_t length = strcspn(list, ",");
        if (length >= sizeof word)
            return error_set(error, STATUS_USAGE, "--power: a word of more than %d characters", WORD_BYTES);
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        status = add_candidate(word, sysfs_root, true, candidates, error);
        list += length + (list[length] == ',');
    }
    return status;
}

static bool is_candidate(const struct sensor_candidates *candidates, const struct power_sensor *sensor)
{
    for (size_t i = 0; i < candidates->count; i++)
        if (candidates->items[i].sensor == sensor)
            return true;
    return false;
}

/* External meters are searched for only at the address that the user gives. */
static void add_not_named(const struct power_sensor *sensor, struct sensor_candidates *candidates)
{
    struct sensor_candidate *candidate = &candidates->items[candidates->count++];
    *candidate = (struct sensor_candidate){.sensor = sensor};
    error_set(&candidate->why_not, STATUS_UNAVAILABLE, "an external meter; its address is not given");
    error_hint(&candidate->why_not, "name it, as in --power %s", sensor->example);
}

static enum status describe_sensors(const struct options *options, json_t *entries, size_t *missing,
                                    struct error *error)
{
    const char *root = requests_root(options);
    struct sensor_candidates candidates = {.count = 0};
    enum status status =
        options->power == NULL ? STATUS_OK : add_named(options->power, root, &candidates, error);
    for (size_t i = 0; power_sensors[i] != NULL && status == STATUS_OK; i++) {
        if (is_candidate(&candidates, power_sensors[i]))
            continue;
        if (power_sensors[i]->external)
            add_not_named(power_sensors[i], &candidates);
        else
            status = add_candidate(power_sensors[i]->name, root, false, &candidates, error);
    }
    if (status == STATUS_OK) {
        candidates.recorder = recorder_start(&candidates.meters);
        sensor_trial(&candidates.meters, candidates.recorder);
        for (size_t i = 0; i < candidates.count; i++)
            json_array_append_new(entries, describe_sensor(&candidates, &candidates.items[i], missing));
        recorder_close(candidates.recorder);
    }
    sensor_list_free(&candidates.meters);
    return status;
}

static enum status describe_all(const struct options *options, json_t *entries, size_t *missing,
                                struct error *error)
{
    for (size_t i = 0; counter_sources[i] != NULL; i++)
        json_array_append_new(entries, describe_source(counter_sources[i]));
    devices_describe(entries);
    return describe_sensors(options, entries, missing, error);
}

/* The conditions as entries of the same shape; usable: the condition could be determined. */
static void add_conditions(json_t *entries, const struct found_condition *found, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct finding *finding = &found[i].finding;
        struct error none = {.code = STATUS_OK};
        json_t *entry = new_entry(found[i].name, "condition", "observed", &none);
        set(entry, "usable", json_boolean(finding->state != CONDITION_UNKNOWN));
        set(entry, "state", json_string(condition_states[finding->state]));
        set(entry, "reason", json_from_text(finding->what));
        set(entry, "hint", finding->mend[0] == '\0' ? json_null() : json_from_text(finding->mend));
        json_array_append_new(entries, entry);
    }
}

/* ---- as a table ---- */

/* A row with only its last cell, which continues the row above. */
static void add_remark(struct table *table, const char *lead, const char *text)
{
    for (size_t i = 0; i + 1 < table->column_count; i++)
        table_cell(table, "%s", "");
    table_cell(table, "%s%s", lead, text);
}

/* The name as in results, and the driver's name if it differs; the reason unless it is the sensor's. */
static void add_channel(struct table *table, const json_t *channel, const char *why_sensor)
{
    char text[SENSOR_NAME_BYTES + SENSOR_LABEL_BYTES + SENSOR_REASON_BYTES + 64];
    const char *why = json_string_or(channel, "reason", "");
    const char *name = json_string_or(channel, "name", "");
    const char *label = json_string_or(channel, "label", "");
    const char *unit = json_string_or(channel, "unit", NULL);
    const json_t *reading = json_object_get(channel, "reading");
    int length = snprintf(text, sizeof text, strstr(name, label) != NULL ? "%s" : "%s  (%s)", name, label);
    if (unit != NULL && length > 0 && json_is_number(reading))
        length += snprintf(text + length, sizeof text - (size_t)length, ": %.4g %s now",
                           json_number_value(reading), unit);
    else if (unit != NULL && length > 0)
        length += snprintf(text + length, sizeof text - (size_t)length, ": no reading now");
    if (why[0] != '\0' && strcmp(why, why_sensor) != 0)
        snprintf(text + length, sizeof text - (size_t)length, "; not usable: %s", why);
    add_remark(table, "   ", text);
}

static void write_observes(const json_t *entry, struct buffer *text)
{
    const json_t *observes = json_object_get(entry, "observes");
    size_t index;
    const json_t *item;
    json_array_foreach(observes, index, item)
        buffer_printf(text, "%s%s", index == 0 ? "" : ", ", json_string_value(item));
}

static void add_entry(struct table *table, const json_t *entry)
{
    bool usable = json_is_true(json_object_get(entry, "usable"));
    struct buffer text = {0};
    if (usable)
        write_observes(entry, &text);
    else
        buffer_text(&text, json_string_or(entry, "reason", ""));
    table_texts(table, json_string_or(entry, "name", ""), json_string_or(entry, "type", ""),
                json_string_or(entry, "kind", ""), usable ? "yes" : "no", text.size == 0 ? "" : text.data);
    buffer_free(&text);
    const char *hint = json_string_or(entry, "hint", NULL);
    if (hint != NULL)
        add_remark(table, "-> ", hint);
    const json_t *channels = json_object_get(entry, "channels");
    size_t index;
    const json_t *channel;
    json_array_foreach(channels, index, channel)
        add_channel(table, channel, json_string_or(entry, "reason", ""));
}

static void print_table(const json_t *entries)
{
    struct table table = table_of("name|type|kind|usable|observes; or why not, and the remedy");
    size_t index;
    const json_t *entry;
    json_array_foreach(entries, index, entry) add_entry(&table, entry);
    table_finish(&table, stdout);
}

/* ---- the command ---- */

static enum status check_options(const struct options *options, struct error *error)
{
    if (options->input_count > 0 && !options->events) {
        error_set(error, STATUS_USAGE, "trauma sensors takes no arguments, found '%s'", options->inputs[0]);
        error_hint(error, "it always lists everything");
        return STATUS_USAGE;
    }
    if (options->sysfs_root != NULL && !file_is_folder(options->sysfs_root)) {
        error_set(error, STATUS_USAGE, "--sysfs-root %s is not a folder", options->sysfs_root);
        error_hint(error, "name the folder that contains sys/class/powercap");
        return STATUS_USAGE;
    }
    if (!options->measure && options->time > 0) {
        error_set(error, STATUS_USAGE, "--time needs --measure");
        error_hint(error, "trauma sensors --measure takes that long");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

static void print_conditions(const struct found_condition *found, size_t count)
{
    struct table table = table_of("condition|state|finding and remedy");
    for (size_t i = 0; i < count; i++) {
        const struct finding *finding = &found[i].finding;
        table_texts(&table, found[i].name, condition_states[finding->state], finding->what);
        if (finding->mend[0] == '\0')
            continue;
        table_texts(&table, "", "");
        table_cell(&table, "-> %s", finding->mend);
    }
    table_finish(&table, stdout);
}

static int run(const struct options *options)
{
    struct error error;
    if (check_options(options, &error) != STATUS_OK)
        return command_fail(&error);
    if (options->measure)
        return sensors_measure(options);
    if (options->events)
        return sensors_events(options);
    size_t missing = 0;
    json_t *entries = json_array();
    enum status status = describe_all(options, entries, &missing, &error);
    size_t count;
    struct found_condition *conditions =
        conditions_now(requests_root(options), host_choose_cpu(), AFFECTS_ALL, &count);
    if (status == STATUS_OK && options->json) {
        add_conditions(entries, conditions, count);
        command_print_json(entries, 2);
    } else if (status == STATUS_OK) {
        print_table(entries);
        printf("\n");
        print_conditions(conditions, count);
    }
    free(conditions);
    json_decref(entries);
    if (status != STATUS_OK)
        return command_fail(&error);
    return missing > 0 ? STATUS_UNAVAILABLE : STATUS_OK; /* of those that the user named */
}

static const char *const accepted[] = {"measure",    "time",        "power", "events",
                                       "sysfs-root", "allow-state", "json",  NULL};

const struct command command_sensors = {
    .name = "sensors",
    .arguments = "[--measure | --events [FAMILY|MACHINE|all]]",
    .summary = "lists counter sources, power sensors and the machine's condition: usable or not, the reason "
               "and the remedy",
    .details =

        "Each sensor is read while a core works, for a second at most. A channel of power or energy that "
        "does not change is not usable (docs/reference/evidence.md).\n"
        "\n"
        "With --measure, the command loads all processors but one in square waves for --time seconds, reads "
        "each sensor five times as often as a run would, and prints its update period, averaging window, "
        "lag, the share of the time that it sees, its step, idle level and rise, the ratios of the rises, "
        "and which sensors count the same power. The findings are kept for this host, and `run` takes "
        "durations, trims and warnings from them. GPUs are not loaded. TRAUMA_NVML=FILE names another "
        "libnvidia-ml.so.1, TRAUMA_CUDA=FILE another libcuda.so.1.\n"
        "\n"
        "--events lists the events behind each metric, on this processor or on those of a family or a "
        "described machine, and the present equivalents of the papers' counters. A family is a file: "
        "templates/events/*.txt, and your own in $XDG_CONFIG_HOME/traumagen/events "
        "(~/.config/traumagen/events), which take precedence.\n",
    .examples = "  trauma sensors\n"
                "  trauma sensors --power line=/dev/ttyACM0@columns=v:a  # reads a meter, too\n",
    .options = accepted,
    .run = run,
};
