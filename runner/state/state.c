#include "runner/state/state.h"

#include "base/file.h"
#include "base/json.h"

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The logical processors that are online; the first where the system does not tell. */
static hwloc_bitmap_t find_processors(const char *root)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (set == NULL)
        abort(); /* out of memory */
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/online", root);
    if (file_read(path, &text, NULL) == STATUS_OK && text.data != NULL)
        hwloc_bitmap_list_sscanf(set, text.data);
    if (hwloc_bitmap_first(set) < 0 || hwloc_bitmap_last(set) < 0)
        hwloc_bitmap_only(set, 0);
    buffer_free(&text);
    return set;
}

/* One knob on all processors: one value where they agree. NULL, with the reason, where the first has none. */
static json_t *observe_all(const struct knob *knob, const char *root, hwloc_const_bitmap_t cpus,
                           struct error *why_not)
{
    json_t *list = json_array();
    bool agree = true;
    for (int cpu = hwloc_bitmap_first(cpus); cpu >= 0; cpu = hwloc_bitmap_next(cpus, cpu)) {
        json_t *value = knob->observe(root, cpu, why_not);
        if (value == NULL) {
            json_decref(list);
            return NULL;
        }
        json_array_append_new(list, value);
        agree = agree && json_equal(value, json_array_get(list, 0));
    }
    if (!agree)
        return list;
    json_t *common = json_incref(json_array_get(list, 0));
    json_decref(list);
    return common;
}

static json_t *observe_knobs(const char *root, hwloc_const_bitmap_t cpus)
{
    json_t *observed = json_object();
    for (const struct knob *knob = knobs; knob->name != NULL; knob++) {
        json_t *value = observe_all(knob, root, cpus, NULL);
        if (value != NULL)
            json_object_set_new(observed, knob->name, value);
    }
    return observed;
}

json_t *state_observe(const char *root)
{
    hwloc_bitmap_t cpus = find_processors(root);
    json_t *observed = observe_knobs(root, cpus);
    hwloc_bitmap_free(cpus);
    return observed;
}

/* A state being set. */
struct setting {
    const struct state_request *request;
    hwloc_bitmap_t cpus;
    const struct guard *guard;
    json_t *unmet;
};

/* Sets one knob on one processor. */
static enum status set_one(const struct setting *setting, const struct knob *knob, int cpu,
                           const json_t *wanted, struct error *error)
{
    struct knob_changes changes = {0};
    enum status status = knob->plan(setting->request->root, cpu, wanted, &changes, error);
    for (size_t i = 0; status == STATUS_OK && i < changes.count; i++)
        status = guard_change(setting->guard, &changes.items[i], error);
    knob_changes_free(&changes);
    return status;
}

/* What an unmet wish says: what it is instead, and why it was not set. */
static void add_unmet(json_t *unmet, const struct knob *knob, const json_t *observed, const json_t *wanted,
                      const char *why)
{
    char *is = observed == NULL ? NULL : json_dumps(observed, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    char *wish = json_dumps(wanted, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    json_array_append_new(unmet, json_sprintf("state.%s is %s, wanted %s%s%s", knob->name,
                                              is == NULL ? "not known" : is, wish == NULL ? "?" : wish,
                                              why[0] == '\0' ? "" : ": ", why));
    free(is);
    free(wish);
}

static bool met_on_all(const struct setting *setting, const struct knob *knob, const json_t *wanted)
{
    bool met = true;
    for (int cpu = hwloc_bitmap_first(setting->cpus); met && cpu >= 0;
         cpu = hwloc_bitmap_next(setting->cpus, cpu)) {
        json_t *value = knob->observe(setting->request->root, cpu, NULL);
        met = value != NULL && knob->met(value, wanted);
        json_decref(value);
    }
    return met;
}

/* Sets one knob on all processors, looks what it is then, and says what is unmet. */
static void begin_one(const struct setting *setting, const struct knob *knob, const json_t *wanted)
{
    const struct state_request *request = setting->request;
    struct error why = {0};
    struct error unseen = {0};
    enum status status = STATUS_OK;
    int cpu = hwloc_bitmap_first(setting->cpus);
    for (; request->allowed && status == STATUS_OK && cpu >= 0; cpu = hwloc_bitmap_next(setting->cpus, cpu))
        status = set_one(setting, knob, cpu, wanted, &why);
    if (met_on_all(setting, knob, wanted))
        return;
    json_t *observed = observe_all(knob, request->root, setting->cpus, &unseen);
    const char *reason = why.message[0] != '\0' ? why.message : unseen.message;
    if (reason[0] == '\0' && !request->allowed)
        reason = "--allow-state sets it for the run";
    add_unmet(setting->unmet, knob, observed, wanted, reason);
    json_decref(observed);
}

enum status state_begin(const struct state_request *request, struct guard *guard, json_t **record,
                        struct error *error)
{
    *record = NULL;
    *guard = (struct guard){.line = -1};
    if (request->wanted == NULL)
        return STATUS_OK;
    enum status status = request->allowed ? guard_open(guard, error) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    struct setting setting = {
        .request = request, .cpus = find_processors(request->root), .guard = guard, .unmet = json_array()};
    for (const struct knob *knob = knobs; knob->name != NULL; knob++) {
        const json_t *wanted = json_object_get(request->wanted, knob->name);
        if (wanted != NULL && knob->sane(wanted))
            begin_one(&setting, knob, wanted);
        else if (wanted != NULL)
            add_unmet(setting.unmet, knob, NULL, wanted, "no recipe can wish that");
    }
    *record = json_pack("{s:O, s:o}", "wanted", request->wanted, "observed",
                        observe_knobs(request->root, setting.cpus));
    if (json_array_size(setting.unmet) > 0)
        json_object_set(*record, "unmet", setting.unmet);
    json_decref(setting.unmet);
    hwloc_bitmap_free(setting.cpus);
    return STATUS_OK;
}
