/* Adds the measurements to the machine's description, as detected. */
#include "runner/probe/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        abort(); /* out of memory */
}

static double measured(const struct probe *probe, const char *name)
{
    const struct probe_value *value = probe_find(probe, name);
    return value != NULL && value->found && value->doubt == NULL ? value->interval.value : 0;
}

/* Rounded to four digits: no measurement is accurate to more than three. */
static json_t *short_number(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    double number = strtod(text, NULL);
    return number == floor(number) ? json_integer((json_int_t)number) : json_real(number);
}

/* ---- caches ---- */

static const struct {
    const char *key, *size, *ways;
} first_levels[] = {{"L1I", "l1i.size", NULL}, {"L1D", "l1d.size", "l1d.ways"}};

static const struct {
    const char *key, *effective;
    json_int_t unit; /* the output's unit in bytes */
} shared_levels[] = {{"L2", "l2.effective", 32 << 10}, {"L3", "l3.effective", 256 << 10}};

static json_t *cache_in(json_t *document, const char *key)
{
    return json_object_get(json_object_get(document, "caches"), key);
}

/* Replaces the system's size and ways of an L1 only if both were measured and the size differs: the number of
 * sets must stay a power of two. */
static void describe_first_levels(const struct probe *probe, json_t *document)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof first_levels / sizeof first_levels[0]; i++) {
        const struct probe_value *size = probe_find(probe, first_levels[i].size);
        json_t *cache = cache_in(document, first_levels[i].key);
        if (cache == NULL || size == NULL || !size->found || size->agreement != PROBE_DISAGREES)
            continue;
        double ways = first_levels[i].ways == NULL ? 0 : measured(probe, first_levels[i].ways);
        if (ways == 0)
            continue;
        json_array_append_new(list, json_string(first_levels[i].key));
        put(cache, "ways", json_integer((json_int_t)ways));
        put(cache, "size", json_integer((json_int_t)size->interval.value));
    }
    if (json_array_size(list) > 0)
        put(document, "measured", list);
    else
        json_decref(list);
}

/* Adds a core's share of the other caches. The system's size stays, as it is that of the whole cache. */
static void describe_shared_levels(const struct probe *probe, json_t *document)
{
    for (size_t i = 0; i < sizeof shared_levels / sizeof shared_levels[0]; i++) {
        json_t *cache = cache_in(document, shared_levels[i].key);
        json_int_t units = (json_int_t)measured(probe, shared_levels[i].effective) / shared_levels[i].unit;
        if (cache != NULL && units > 0)
            put(cache, "effective", json_integer(units * shared_levels[i].unit));
    }
}

bool probe_policy_known(const char *name)
{
    for (int policy = POLICY_UNKNOWN + 1; policy <= POLICY_FIFO; policy++)
        if (strcmp(name, cache_policy_name((enum cache_policy)policy)) == 0)
            return true;
    return false;
}

/* Adds measured policies, if machine files have a word for them. */
static void describe_policies(const struct probe *probe, json_t *document)
{
    static const char *const values[][2] = {{"L1D", "l1d.policy"}, {"L2", "l2.policy"}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const struct probe_value *value = probe_find(probe, values[i][1]);
        json_t *cache = cache_in(document, values[i][0]);
        if (cache != NULL && value != NULL && value->found && value->doubt == NULL &&
            probe_policy_known(value->text))
            put(cache, "policy", json_string(value->text));
    }
}

/* ---- other properties ---- */

static void describe_latency(const struct probe *probe, json_t *document)
{
    static const char *const keys[][2] = {
        {"L1D", "latency.L1D"}, {"L2", "latency.L2"}, {"L3", "latency.L3"}, {"MEM", "latency.MEM"}};
    json_t *latency = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (measured(probe, keys[i][1]) > 0)
            put(latency, keys[i][0], short_number(measured(probe, keys[i][1])));
    put(document, "latency", latency);
}

/* Adds the TLB, if its ways were measured: they determine the exact number of entries, the curve only a
 * range. */
static void describe_tlb(const struct probe *probe, json_t *document)
{
    double ways = measured(probe, "dtlb.ways");
    const struct probe_value *entries = probe_find(probe, "dtlb.entries");
    if (ways == 0 || entries == NULL || !entries->found || entries->agreement == PROBE_AGREES)
        return;
    double sets = round(entries->interval.low / ways);
    json_t *tlb = json_object_get(document, "tlb"); /* keeps the system's data on huge pages */
    if (sets >= 1 && tlb == NULL)
        put(document, "tlb", tlb = json_object());
    if (sets >= 1)
        put(tlb, "data",
            json_pack("{s:i, s:i, s:i}", "entries", (int)(sets * ways), "ways", (int)ways, "page",
                      PROBE_SMALL_PAGE));
}

/* Adds the rates. A rate near a whole number is rounded to it, as ports are whole. Other load can only lower
 * a rate, so the upper end of its interval is the better value. */
static void describe_rates(const struct probe *probe, json_t *document)
{
    static const char lead[] = "rate.";
    static const double NEAR = 0.04;
    json_t *rates = json_object();
    for (size_t i = 0; i < probe->value_count; i++) {
        const struct probe_value *value = &probe->values[i];
        double rate = value->interval.high;
        if (!value->found || value->doubt != NULL || strncmp(value->name, lead, strlen(lead)) != 0)
            continue;
        double whole = round(rate);
        put(rates, value->name + strlen(lead),
            short_number(fabs(rate - whole) <= NEAR * whole ? whole : rate));
    }
    if (json_object_size(rates) > 0)
        put(document, "per_cycle", rates);
    else
        json_decref(rates);
}

static void describe_core(const struct probe *probe, json_t *document)
{
    double issue = round(measured(probe, "width.issue"));
    double load = round(measured(probe, "width.load"));
    double store = round(measured(probe, "width.store"));
    if (measured(probe, "clock.core") > 0)
        put(document, "clock_ghz", short_number(measured(probe, "clock.core")));
    if (issue >= 1)
        put(document, "issue_width", json_integer((json_int_t)issue));
    if (load >= 1 && store >= 1)
        put(document, "ports", json_pack("{s:i, s:i}", "load", (int)load, "store", (int)store));
}

enum status probe_describe(const struct probe *probe, struct machine *machine, struct error *error)
{
    json_t *document = json_deep_copy(probe->request->machine->document);
    if (document == NULL)
        abort(); /* out of memory */
    describe_first_levels(probe, document);
    describe_shared_levels(probe, document);
    describe_policies(probe, document);
    if (!probe->request->structures)
        describe_latency(probe, document);
    describe_tlb(probe, document);
    describe_core(probe, document);
    describe_rates(probe, document);
    enum status status = machine_from_json(document, NULL, machine, error);
    json_decref(document);
    if (status != STATUS_OK)
        error_prefix(error, "the measurements make no valid machine file");
    return status;
}
