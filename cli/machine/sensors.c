/* trauma sensors: lists the sources and sensors of this machine, and for those that are not usable the reason
 * and the remedy. */
#include "base/buffer.h"
#include "base/file.h"
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
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 2048 };

/* ---- rows of the table, or JSON objects ---- */

struct sensor_lister {
    bool json;
    struct json_text text; /* the list */
    struct table table;
    struct buffer observes; /* the cell of the current row */
};

/* Reason and hint are NULL where there are none. */
struct listed_entry {
    const char *name, *type, *kind;
    bool usable;
    const char *reason, *hint;
    const char *state; /* of a condition; NULL: the entry is none */
};

static struct listed_entry entry_of(const char *name, const char *type, const char *kind,
                                    const struct error *why_not)
{
    bool usable = why_not->code == STATUS_OK;
    return (struct listed_entry){name,
                                 type,
                                 kind,
                                 usable,
                                 usable ? NULL : why_not->message,
                                 usable || why_not->hint[0] == '\0' ? NULL : why_not->hint,
                                 NULL};
}

/* A row that continues the one above: only its last cell has text. */
static void add_remark(struct table *table, const char *lead, const char *text)
{
    for (size_t i = 0; i + 1 < table->column_count; i++)
        table_cell(table, "%s", "");
    table_cell(table, "%s%s", lead, text);
}

/* The order of calls for an entry: begin_entry, add_observed, begin_channels, its channels, end_entry. */
static void begin_entry(struct sensor_lister *lister, const struct listed_entry *entry)
{
    if (!lister->json)
        return;
    json_text_open(&lister->text, NULL, '{');
    json_text_pack(&lister->text, "{s:s, s:s, s:s, s:b}", "name", entry->name, "type", entry->type, "kind",
                   entry->kind, "usable", (int)entry->usable);
    json_text_open(&lister->text, "observes", '[');
}

static void add_observed(struct sensor_lister *lister, const char *what)
{
    if (lister->json)
        json_text_string(&lister->text, NULL, what);
    else
        buffer_printf(&lister->observes, "%s%s", lister->observes.size == 0 ? "" : ", ", what);
}

static void begin_channels(struct sensor_lister *lister, const struct listed_entry *entry)
{
    const char *observes = lister->observes.size == 0 ? "" : lister->observes.data;
    if (lister->json) {
        json_text_close(&lister->text, ']');
        json_text_open(&lister->text, "channels", '[');
        return;
    }
    table_texts(&lister->table, entry->name, entry->type, entry->kind, entry->usable ? "yes" : "no",
                entry->usable ? observes : entry->reason);
    if (entry->hint != NULL)
        add_remark(&lister->table, "-> ", entry->hint);
    buffer_free(&lister->observes);
}

static void end_entry(struct sensor_lister *lister, const struct listed_entry *entry)
{
    if (!lister->json)
        return;
    json_text_close(&lister->text, ']');
    json_text_word(&lister->text, "reason", entry->reason);
    json_text_word(&lister->text, "hint", entry->hint);
    if (entry->state != NULL)
        json_text_string(&lister->text, "state", entry->state);
    json_text_close(&lister->text, '}');
}

/* ---- sources and devices ---- */

static void add_source(struct sensor_lister *lister, const struct counter_source *source)
{
    struct error why_not = {0};
    why_not.code = source_usable(source, &why_not);
    const struct listed_entry entry =
        entry_of(source->name, "counters", evidence_kinds[source->kind].name, &why_not);
    begin_entry(lister, &entry);
    for (const struct metric *metric = metric_table; metric->name != NULL; metric++)
        if (metric_row_has(metric, source->name))
            add_observed(lister, metric->name);
    begin_channels(lister, &entry);
    end_entry(lister, &entry);
}

static void add_device(struct sensor_lister *lister, const struct device_driver *driver,
                       const struct device *device)
{
    char name[32];
    char label[160];
    char row[sizeof name + sizeof label + 8];
    snprintf(name, sizeof name, "%s:%d", driver->name, (int)device->ordinal);
    snprintf(label, sizeof label, "%.80s%s%.16s, %d %s, %.1f GiB", device->name,
             device->arch[0] == '\0' ? "" : ", ", device->arch, (int)device->units, driver->counted,
             (double)device->memory / (1 << 30));
    snprintf(row, sizeof row, "%s  (%s)", name, label);
    if (!lister->json) {
        add_remark(&lister->table, "   ", row);
        return;
    }
    json_text_open(&lister->text, NULL, '{');
    json_text_string(&lister->text, "name", name);
    json_text_string(&lister->text, "label", label);
    device_write(&lister->text, "device", device);
    json_text_close(&lister->text, '}');
}

/* The driver's devices, or the reason for having none. */
static void add_driver(struct sensor_lister *lister, const struct launcher *launcher)
{
    struct error why_not = {0};
    char observes[64];
    struct device *devices;
    size_t count;
    if (launcher->driver == NULL)
        return;
    why_not.code = launch_devices(launcher->driver, &devices, &count, &why_not);
    const struct listed_entry entry = entry_of(launcher->driver->name, "device", "measured", &why_not);
    snprintf(observes, sizeof observes, "runs programs of -t %s", launcher->target);
    begin_entry(lister, &entry);
    add_observed(lister, observes);
    begin_channels(lister, &entry);
    for (size_t i = 0; i < count; i++)
        add_device(lister, launcher->driver, &devices[i]);
    end_entry(lister, &entry);
    free(devices);
}

/* ---- sensors ---- */

/* A sensor of the table, or one that --power names. */
struct sensor_candidate {
    const struct power_sensor *sensor;
    struct error why_not; /* the reason why it was not found; STATUS_OK: it was */
    size_t meter;         /* its index, if it was found */
    bool named;
};

struct sensor_candidates {
    struct sensor_candidate items[2 * SENSOR_LIST_MOST];
    size_t count;
    struct sensor_list meters; /* those that were found */
    struct recorder *recorder;
};

/* The channel's name in results, the driver's name if it differs, and the reason unless it is the sensor's.
 */
static void add_channel(struct sensor_lister *lister, const struct sensor_channel *channel, double reading,
                        const char *why_sensor)
{
    const char *unit = sensor_quantities[channel->quantity].unit;
    bool usable = channel->why_not[0] == '\0';
    if (lister->json) {
        struct json_text *text = &lister->text;
        json_text_open(text, NULL, '{');
        json_text_pack(text, "{s:s, s:s, s:s, s:s, s:s, s:b}", "name", channel->name, "label", channel->label,
                       "path", channel->path, "quantity", sensor_quantities[channel->quantity].name, "unit",
                       unit, "whole", (int)channel->whole);
        json_text_real(text, "reading", reading);
        json_text_bool(text, "usable", usable);
        json_text_word(text, "reason", channel->why_not);
        json_text_close(text, '}');
        return;
    }
    struct buffer row = {0};
    buffer_printf(&row, strstr(channel->name, channel->label) != NULL ? "%s" : "%s  (%s)", channel->name,
                  channel->label);
    if (isfinite(reading))
        buffer_printf(&row, ": %.4g %s now", reading, unit);
    else
        buffer_text(&row, ": no reading now");
    if (!usable && (why_sensor == NULL || strcmp(channel->why_not, why_sensor) != 0))
        buffer_printf(&row, "; not usable: %s", channel->why_not);
    add_remark(&lister->table, "   ", row.data);
    buffer_free(&row);
}

static void add_sensor(struct sensor_lister *lister, const struct sensor_candidates *candidates,
                       const struct sensor_candidate *candidate, size_t *missing)
{
    struct error why_not = candidate->why_not;
    const struct listed_sensor *meter = &candidates->meters.meters[candidate->meter];
    bool found = why_not.code == STATUS_OK;
    if (found)
        (void)sensor_trial_usable(meter, recorder_lost(candidates->recorder, candidate->meter), &why_not);
    *missing += candidate->named && why_not.code != STATUS_OK;
    const struct listed_entry entry =
        entry_of(candidate->sensor->name, candidate->sensor->type, "measured", &why_not);
    begin_entry(lister, &entry);
    add_observed(lister, candidate->sensor->what);
    begin_channels(lister, &entry);
    for (size_t i = 0; found && i < meter->count; i++)
        add_channel(lister, &meter->channels[i], recorder_latest(candidates->recorder, candidate->meter, i),
                    entry.reason);
    end_entry(lister, &entry);
}

static const struct power_sensor *sensor_of(const char *word)
{
    char name[REQUEST_WORD_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "=@"), word);
    return sensor_find(name);
}

/* Finds the sensor that the word names, or records why it is not there. STATUS_USAGE for a wrong word. */
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

/* External meters need an address, which the user has not given. */
static void add_not_named(const struct power_sensor *sensor, struct sensor_candidates *candidates)
{
    struct sensor_candidate *candidate = &candidates->items[candidates->count++];
    *candidate = (struct sensor_candidate){.sensor = sensor};
    error_set(&candidate->why_not, STATUS_UNAVAILABLE, "an external meter; its address is not given");
    error_hint(&candidate->why_not, "name it, as in --power %s", sensor->example);
}

static enum status add_sensors(const struct options *options, struct sensor_lister *lister, size_t *missing,
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
            add_sensor(lister, &candidates, &candidates.items[i], missing);
        recorder_close(candidates.recorder);
    }
    sensor_list_free(&candidates.meters);
    return status;
}

static enum status list_all(const struct options *options, struct sensor_lister *lister, size_t *missing,
                            struct error *error)
{
    for (size_t i = 0; counter_sources[i] != NULL; i++)
        add_source(lister, counter_sources[i]);
    for (const struct launcher *launcher = launchers; launcher->target != NULL; launcher++)
        add_driver(lister, launcher);
    return add_sensors(options, lister, missing, error);
}

/* The conditions as entries; usable: the condition could be determined. */
static void add_conditions(struct sensor_lister *lister, const struct found_condition *found, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct finding *finding = &found[i].finding;
        const struct listed_entry entry = {.name = found[i].name,
                                           .type = "condition",
                                           .kind = "observed",
                                           .usable = finding->state != CONDITION_UNKNOWN,
                                           .reason = finding->what,
                                           .hint = finding->mend[0] == '\0' ? NULL : finding->mend,
                                           .state = condition_states[finding->state]};
        begin_entry(lister, &entry);
        begin_channels(lister, &entry);
        end_entry(lister, &entry);
    }
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
    struct sensor_lister lister = {
        .json = options->json,
        .table = table_of("name|type|kind|usable|observes; or why not, and the remedy")};
    json_text_open(&lister.text, NULL, '[');
    enum status status = list_all(options, &lister, &missing, &error);
    size_t count;
    struct found_condition *conditions =
        conditions_now(requests_root(options), host_choose_cpu(), AFFECTS_ALL, &count);
    if (status == STATUS_OK && !options->json) {
        table_print(&lister.table, stdout);
        printf("\n");
        print_conditions(conditions, count);
    }
    add_conditions(&lister, conditions, options->json ? count : 0);
    json_text_close(&lister.text, ']');
    if (status == STATUS_OK && options->json)
        command_print_tree(&lister.text, 2);
    else
        json_decref(lister.text.tree[0]);
    table_free(&lister.table);
    free(conditions);
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

        "Each sensor is read for at most a second while a core works. A channel of power or energy that "
        "does not change is not usable (docs/reference/evidence.md).\n"
        "\n"
        "--measure loads all processors but one in square waves for --time seconds and reads each sensor "
        "five times as often as a run would. It prints the update period, the averaging window, the lag, "
        "the share of the time that the readings cover, the resolution (step), the idle level and the "
        "rise under load of each, the ratios of the rises, and which sensors measure the same power. The "
        "findings are stored for this host, and `run` takes durations, trims and warnings from them. GPUs "
        "are not loaded. TRAUMA_NVML=FILE names another libnvidia-ml.so.1, TRAUMA_CUDA=FILE another "
        "libcuda.so.1.\n"
        "\n"
        "--events lists the events behind each metric, on this processor or on that of a family or a "
        "described machine, and the present equivalents of the papers' counters. A family is a file: "
        "templates/events/*.txt, or your own in $XDG_CONFIG_HOME/traumagen/events "
        "(~/.config/traumagen/events), which takes precedence.\n",
    .examples = "  trauma sensors\n"
                "  trauma sensors --power line=/dev/ttyACM0@columns=v:a  # reads a meter, too\n",
    .options = accepted,
    .run = run,
};
