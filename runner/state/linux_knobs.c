/* The knobs for which Linux has files: cpufreq (frequency, boost, governor) and cpuidle. */
#include "runner/state/knob.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char folder[] = "/sys/devices/system/cpu";

enum { STATES_MOST = 32 };

static bool find_cpu_file(const char *root, int cpu, const char *name, char path[KNOB_PATH_BYTES])
{
    snprintf(path, KNOB_PATH_BYTES, "%s%s/cpu%d/%s", root, folder, cpu, name);
    return true;
}

static const char *cpu_file(char path[KNOB_PATH_BYTES], const char *root, int cpu, const char *name)
{
    (void)find_cpu_file(root, cpu, name, path);
    return path;
}

static const struct knob_place processor = {
    find_cpu_file,
    "a virtual machine usually lacks it; on a real machine see `ls /sys/devices/system/cpu/cpu0`"};

/* ---- frequency: the minimum and maximum for the governor, in GHz ---- */

static bool read_ghz(const char *root, int cpu, const char *name, char path[KNOB_PATH_BYTES], double *ghz)
{
    char line[KNOB_VALUE_BYTES];
    if (!knob_read_line(cpu_file(path, root, cpu, name), line))
        return false;
    char *end;
    *ghz = strtod(line, &end) * 1e-6;
    errno = EINVAL;
    return end != line;
}

static struct value frequency_observe(const struct knob *knob, const char *root, int cpu, struct arena *arena,
                                      struct error *why_not)
{
    char path[KNOB_PATH_BYTES];
    double least;
    double most;
    struct value seen = {.kind = VALUE_NONE};
    if (!read_ghz(root, cpu, "cpufreq/scaling_min_freq", path, &least) ||
        !read_ghz(root, cpu, "cpufreq/scaling_max_freq", path, &most))
        return knob_unseen(knob, path, why_not);
    value_set(&seen, "min", value_number(least), arena);
    value_set(&seen, "max", value_number(most), arena);
    return seen;
}

static bool frequency_met(const struct knob *knob, const struct value *observed, const struct value *wanted)
{
    (void)knob;
    return fabs(value_get(observed, "min")->number - wanted->number) < 5e-4 &&
           fabs(value_get(observed, "max")->number - wanted->number) < 5e-4;
}

/* The kernel refuses a minimum above the maximum, so the order of the writes depends on the direction.
 * Restoring in reverse order is correct then too. */
static enum status frequency_plan(const struct knob *knob, const char *root, int cpu,
                                  const struct value *wanted, struct knob_changes *changes,
                                  struct error *error)
{
    static const char *const files[] = {"cpufreq/scaling_min_freq", "cpufreq/scaling_max_freq"};
    char path[KNOB_PATH_BYTES];
    char text[KNOB_VALUE_BYTES];
    double most;
    double lowest;
    double highest;
    double ghz = wanted->number;
    if (!read_ghz(root, cpu, files[1], path, &most))
        return knob_unset(knob, path, error);
    if (read_ghz(root, cpu, "cpufreq/cpuinfo_min_freq", path, &lowest) &&
        read_ghz(root, cpu, "cpufreq/cpuinfo_max_freq", path, &highest) &&
        (ghz < lowest - 5e-4 || ghz > highest + 5e-4))
        return error_set(error, STATUS_UNAVAILABLE, "logical processor %d has %.10g to %.10g GHz", cpu,
                         lowest, highest);
    snprintf(text, sizeof text, "%.0f", ghz * 1e6);
    for (int i = 0; i < 2; i++)
        knob_add_text(changes, cpu_file(path, root, cpu, files[ghz > most ? 1 - i : i]), text);
    return STATUS_OK;
}

/* ---- boost: one switch for all processors ---- */

static const struct {
    const char *file;
    char on;
} boosts[] = {{"cpufreq/boost", '1'}, {"intel_pstate/no_turbo", '0'}};

static bool find_boost(const char *root, char path[KNOB_PATH_BYTES], size_t *kind, char *value)
{
    char line[KNOB_VALUE_BYTES] = "";
    for (*kind = 0; *kind < 2; ++*kind) {
        snprintf(path, KNOB_PATH_BYTES, "%s%s/%s", root, folder, boosts[*kind].file);
        if (knob_read_line(path, line) && (line[0] == '0' || line[0] == '1')) {
            *value = line[0];
            return true;
        }
    }
    return false;
}

static struct value boost_observe(const struct knob *knob, const char *root, int cpu, struct arena *arena,
                                  struct error *why_not)
{
    (void)cpu;
    (void)arena;
    char path[KNOB_PATH_BYTES];
    size_t kind;
    char value;
    if (find_boost(root, path, &kind, &value))
        return value_flag(value == boosts[kind].on);
    return knob_unseen(knob, path, why_not);
}

static enum status boost_plan(const struct knob *knob, const char *root, int cpu, const struct value *wanted,
                              struct knob_changes *changes, struct error *error)
{
    (void)cpu;
    char path[KNOB_PATH_BYTES];
    size_t kind;
    char value;
    if (!find_boost(root, path, &kind, &value))
        return knob_unset(knob, path, error);
    bool on = wanted->on;
    knob_add_text(changes, path, (boosts[kind].on == '1') == on ? "1" : "0");
    return STATUS_OK;
}

/* ---- idle states: {name: allowed}, from the one that polls to the deepest ---- */

static struct value idle_observe(const struct knob *knob, const char *root, int cpu, struct arena *arena,
                                 struct error *why_not)
{
    char path[KNOB_PATH_BYTES];
    char name[KNOB_VALUE_BYTES];
    char disabled[KNOB_VALUE_BYTES];
    char file[64];
    struct value states = {.kind = VALUE_NONE};
    for (int i = 0; i < STATES_MOST; i++) {
        snprintf(file, sizeof file, "cpuidle/state%d/name", i);
        if (!knob_read_line(cpu_file(path, root, cpu, file), name))
            break;
        snprintf(file, sizeof file, "cpuidle/state%d/disable", i);
        if (knob_read_line(cpu_file(path, root, cpu, file), disabled))
            value_set(&states, name, value_flag(disabled[0] == '0'), arena);
    }
    return states.count > 0 ? states : knob_unseen(knob, path, why_not);
}

/* Whether the request allows the state; the first one saves nothing, and is always allowed. *passed: the
 * requested name was among the states so far. */
static bool idle_wanted(const struct value *wanted, const char *name, bool first, bool *passed)
{
    bool named = wanted->kind == VALUE_WORD;
    bool allowed = first || wanted->on || (named && !*passed);
    *passed = *passed || (named && strcmp(name, wanted->word) == 0);
    return allowed;
}

static bool idle_met(const struct knob *knob, const struct value *observed, const struct value *wanted)
{
    (void)knob;
    bool passed = false;
    bool met = true;
    for (size_t i = 0; i < observed->count; i++)
        met = met &&
              observed->parts[i].value.on == idle_wanted(wanted, observed->parts[i].name, i == 0, &passed);
    return met && (passed || wanted->kind != VALUE_WORD);
}

static enum status no_such_state(const struct value *observed, const struct value *wanted,
                                 struct error *error)
{
    char names[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < observed->count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used == 0 ? "" : ", ",
                                 observed->parts[i].name);
    return error_set(error, STATUS_UNAVAILABLE, "there is no idle state %s; available: %s", wanted->word,
                     names);
}

static enum status idle_plan(const struct knob *knob, const char *root, int cpu, const struct value *wanted,
                             struct knob_changes *changes, struct error *error)
{
    struct arena arena = {0};
    const struct value observed = idle_observe(knob, root, cpu, &arena, error);
    enum status status = observed.kind == VALUE_NONE ? STATUS_UNAVAILABLE : STATUS_OK;
    char path[KNOB_PATH_BYTES];
    char file[64];
    bool passed = false;
    if (status == STATUS_OK && wanted->kind == VALUE_WORD &&
        value_get(&observed, wanted->word)->kind == VALUE_NONE)
        status = no_such_state(&observed, wanted, error);
    for (size_t i = 0; status == STATUS_OK && i < observed.count; i++) {
        bool want = idle_wanted(wanted, observed.parts[i].name, i == 0, &passed);
        snprintf(file, sizeof file, "cpuidle/state%zu/disable", i);
        if (observed.parts[i].value.on != want)
            knob_add_text(changes, cpu_file(path, root, cpu, file), want ? "0" : "1");
    }
    arena_free(&arena);
    return status;
}

/* ---- the table ---- */

static bool is_switch(const struct value *wanted)
{
    return wanted->kind == VALUE_FLAG;
}

static bool is_word(const struct value *wanted)
{
    return wanted->kind == VALUE_WORD && strlen(wanted->word) < KNOB_VALUE_BYTES - 1;
}

static bool is_switch_or_word(const struct value *wanted)
{
    return is_switch(wanted) || is_word(wanted);
}

const struct knob knobs[] = {
    {"frequency", "frequency", NULL, NULL, &processor, knob_is_ghz, frequency_observe, frequency_met,
     frequency_plan},
    {"boost", "boost", NULL, NULL, &processor, is_switch, boost_observe, knob_same, boost_plan},
    {"governor", "governor", "cpufreq/scaling_governor", NULL, &processor, is_word, knob_word_observe,
     knob_same, knob_word_plan},
    {"idle_states", "idle states", NULL, NULL, &processor, is_switch_or_word, idle_observe, idle_met,
     idle_plan},
    {"prefetchers", "prefetchers", NULL, NULL, &processor, is_switch, knob_prefetchers_observe, knob_same,
     knob_prefetchers_plan},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};
