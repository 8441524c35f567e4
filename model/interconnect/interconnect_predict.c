/* Applies the model "interconnect" to an application (Adhinarayanan et al. 2016, sections VI to VIII):
 * computes bytes per second on each segment from counters, their power and share of all dynamic power, and
 * the effect of another layout, other caches, another toggle rate or another technology. */
#include "model/chart.h"
#include "model/interconnect/interconnect.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Values beyond the measured range by this share are extrapolated. */
static const double BEYOND = 0.01;
enum { SEGMENTS = 3, FROM_L1 = 1, NAMES = 3 };

/* The segments, with the names of their settings and counters: registers to L1, L1 to L2, L2 to the memory
 * controllers. */
static const struct {
    const char *name, *distance, *to_distance, *peak, *bytes;
} segments[SEGMENTS] = {
    {"register-L1", "reg_l1", "to_reg_l1", "peak_reg_l1", "bytes.reg_l1"},
    {"L1-L2", "l1_l2", "to_l1_l2", "peak_l1_l2", "bytes.l1_l2"},
    {"L2-memory", "l2_mc", "to_l2_mc", "peak_l2_mc", "bytes.l2_mc"},
};

/* Names of counters, of users and importers; the first that is given counts. */
static const char *const l1_accesses[NAMES + 1] = {"l1_accesses", "gpu_l1_accesses", "l1d_loads"};
static const char *const l2_hits[NAMES + 1] = {"l2_hits", "gpu_l2_hits"};
static const char *const l2_misses[NAMES + 1] = {"l2_misses", "gpu_l2_misses"};

/* An application on a chip. */
struct scenario {
    double distance[SEGMENTS]; /* NAN: unknown */
    double bytes_s[SEGMENTS];  /* NAN: unknown */
    double toggle;
};

/* The state of a prediction. */
struct interconnect_prediction {
    const struct model_result *model;
    const struct interconnect_own *own; /* model->own */
    const struct named_numbers *counters;
    const struct model_settings *settings;
    double clock_ratio, voltage_ratio; /* application / reference */
    struct model_result *result;
    struct chart *chart; /* of the result */
};

/* The setting of this prediction; NAN: not given. */
static double given(const struct interconnect_prediction *work, const char *name)
{
    for (size_t i = work->settings->count; i > 0; i--)
        if (strcmp(work->settings->items[i - 1].name, name) == 0)
            return work->settings->items[i - 1].value;
    return NAN;
}

/* The setting of this prediction, else that of the fit, else the model's default. */
static double setting(const struct interconnect_prediction *work, const char *name)
{
    double value = given(work, name), kept = named_number_value(&work->own->settings, name);
    return !isnan(value) ? value : !isnan(kept) ? kept : interconnect_setting(work->settings, name);
}

static double count(const struct interconnect_prediction *work, const char *name)
{
    return named_number_value(work->counters, name);
}

/* ---- counters ---- */

static double count_of(const struct interconnect_prediction *work, const char *prefix,
                       const char *const *names)
{
    for (; *names != NULL; names++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", prefix, *names);
        double found = count(work, name);
        if (isfinite(found))
            return found;
    }
    return NAN;
}

struct counts {
    double l1, hits, misses, seconds;
};

/* Derives misses of L2 from the data that memory delivered, and hits from their percentage, if the profiler
 * reports only these (CodeXL's FetchSize and CacheHit). */
static void derive(const struct interconnect_prediction *work, const char *prefix, struct counts *counts)
{
    static const char *const kib[] = {"gpu_memory_read_kib", NULL};
    static const char *const bytes[] = {"gpu_memory_read_bytes", NULL};
    static const char *const percent[] = {"gpu_l2_hit_percent", NULL};
    double fetched = count_of(work, prefix, bytes);
    double hit = count_of(work, prefix, percent) / 100;
    if (isnan(fetched))
        fetched = 1024 * count_of(work, prefix, kib);
    if (isnan(counts->misses))
        counts->misses = fetched / setting(work, "mc_bytes");
    if (isnan(counts->hits) && hit < 1)
        counts->hits = counts->misses * hit / (1 - hit);
}

static struct counts read_counts(const struct interconnect_prediction *work, const char *prefix)
{
    static const char *const seconds[] = {"seconds", NULL};
    struct counts counts = {count_of(work, prefix, l1_accesses), count_of(work, prefix, l2_hits),
                            count_of(work, prefix, l2_misses), count_of(work, prefix, seconds)};
    derive(work, prefix, &counts);
    return counts;
}

static void set_traffic(const struct interconnect_prediction *work, const struct counts *counts,
                        double bytes_s[SEGMENTS])
{
    bytes_s[0] = counts->l1 * setting(work, "l1_bytes") / counts->seconds;
    bytes_s[1] = (counts->hits + counts->misses) * setting(work, "l2_bytes") / counts->seconds;
    bytes_s[2] = counts->misses * setting(work, "mc_bytes") / counts->seconds;
}

static enum status check_counters(const struct interconnect_prediction *work, struct error *error)
{
    for (size_t i = 0; i < work->counters->count; i++) {
        const struct named_number *each = &work->counters->items[i];
        if (!(each->value >= 0))
            return error_set(error, STATUS_USAGE, "the counter %.60s is %g: expected 0 or more", each->name,
                             each->value);
    }
    if (count(work, "seconds") > 0)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "the counters do not state how long the application ran");
    error_hint(error, "expected seconds, above 0, beside the counts");
    return STATUS_USAGE;
}

static enum status read_base(const struct interconnect_prediction *work, struct scenario *base,
                             struct error *error)
{
    struct counts counts = read_counts(work, "");
    size_t known = 0;
    set_traffic(work, &counts, base->bytes_s);
    base->toggle = setting(work, "toggle");
    for (size_t i = 0; i < SEGMENTS; i++) {
        double bytes = count(work, segments[i].bytes);
        if (isfinite(bytes))
            base->bytes_s[i] = bytes / counts.seconds;
        base->distance[i] = setting(work, segments[i].distance);
        if (isfinite(base->bytes_s[i]) && isfinite(base->distance[i]))
            known++;
        else
            model_note(work->result, "%s is left out: %s is unknown", segments[i].name,
                       isfinite(base->distance[i]) ? "its traffic" : "its distance");
    }
    if (known > 0)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "no part of the interconnect has both a distance and traffic");
    error_hint(error, "expected counters of l1_accesses, l2_hits, l2_misses, and --set l1_l2=, l2_mc= or "
                      "reg_l1=DISTANCE (the paper's GPU: 10.5, 11.5 and 3.5 mm)");
    return STATUS_USAGE;
}

/* ---- what if ---- */

/* The factor on the misses of a cache of another size, by a power law; 1: the same size. */
static double resized(const struct interconnect_prediction *work, const char *size, const char *to_size)
{
    double ratio = setting(work, to_size) / setting(work, size);
    return isfinite(ratio) && ratio > 0 ? pow(ratio, -setting(work, "miss_exponent")) : 1;
}

static void resize(const struct interconnect_prediction *work, struct counts *counts)
{
    double accesses = counts->hits + counts->misses;
    double l1 = resized(work, "l1_size", "to_l1_size");
    double l2 = resized(work, "l2_size", "to_l2_size");
    if (l1 != 1)
        accesses = fmin(accesses * l1, isfinite(counts->l1) ? counts->l1 : INFINITY);
    counts->misses = fmin(counts->misses * l2, accesses);
    counts->hits = accesses - counts->misses;
    if (l1 != 1 || l2 != 1)
        model_note(work->result,
                   "misses of caches of another size are assumed to fall as size^-%g, in the same time; "
                   "counters to.l2_hits and to.l2_misses replace this assumption",
                   setting(work, "miss_exponent"));
}

/* Replaces counts by those that were taken with the other caches; false: there are none. */
static bool read_other_counts(const struct interconnect_prediction *work, struct counts *counts)
{
    struct counts other = read_counts(work, "to.");
    bool any = isfinite(other.l1) || isfinite(other.misses) || isfinite(other.hits);
    if (isfinite(other.l1))
        counts->l1 = other.l1;
    if (isfinite(other.hits))
        counts->hits = other.hits;
    if (isfinite(other.misses))
        counts->misses = other.misses;
    if (other.seconds > 0)
        counts->seconds = other.seconds;
    return any;
}

static void read_whatif(const struct interconnect_prediction *work, const struct scenario *base,
                        struct scenario *other)
{
    struct counts counts = read_counts(work, "");
    double bytes_s[SEGMENTS] = {NAN, NAN, NAN};
    *other = *base;
    bool counted = read_other_counts(work, &counts);
    if (!counted)
        resize(work, &counts);
    if (counted || resized(work, "l1_size", "to_l1_size") != 1 || resized(work, "l2_size", "to_l2_size") != 1)
        set_traffic(work, &counts, bytes_s);
    for (size_t i = 0; i < SEGMENTS; i++)
        if (isfinite(bytes_s[i]))
            other->bytes_s[i] = bytes_s[i];
    for (size_t i = 0; i < SEGMENTS; i++)
        if (isfinite(given(work, segments[i].to_distance)))
            other->distance[i] = given(work, segments[i].to_distance);
    if (isfinite(given(work, "to_toggle")))
        other->toggle = given(work, "to_toggle");
}

static bool is_another(const struct scenario *a, const struct scenario *b)
{
    for (size_t i = 0; i < SEGMENTS; i++)
        if ((isfinite(a->distance[i]) && a->distance[i] != b->distance[i]) ||
            (isfinite(a->bytes_s[i]) && a->bytes_s[i] != b->bytes_s[i]))
            return true;
    return a->toggle != b->toggle;
}

static enum status check_document(const struct interconnect_prediction *work, struct error *error)
{
    if (work->own->line_count >= 2)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "the model lacks its \"line\", power over toggle rates");
    error_hint(error, "trauma fit interconnect RESULTS.jsonl -o model.json creates it again");
    return STATUS_USAGE;
}

static enum status check_settings(const struct interconnect_prediction *work, struct error *error)
{
    static const char *const fractions[] = {"toggle", "to_toggle"};
    for (size_t i = 0; i < work->settings->count; i++)
        if (!(work->settings->items[i].value >= 0))
            return error_set(error, STATUS_USAGE, "the setting %.60s is %g: expected 0 or more",
                             work->settings->items[i].name, work->settings->items[i].value);
    for (size_t i = 0; i < 2; i++)
        if (setting(work, fractions[i]) > 1)
            return error_set(error, STATUS_USAGE, "%s is %g: expected flips per bit, 0 to 1", fractions[i],
                             setting(work, fractions[i]));
    if (isfinite(given(work, "to_l1_size")) !=
            isfinite(setting(work, "to_l1_size") / setting(work, "l1_size")) ||
        isfinite(given(work, "to_l2_size")) !=
            isfinite(setting(work, "to_l2_size") / setting(work, "l2_size")))
        return error_set(error, STATUS_USAGE,
                         "another cache size needs the present size: l1_size or l2_size");
    return STATUS_OK;
}

/* ---- power ---- */

/* Power at full bandwidth, W/mm, interpolated between the toggle rates of the model's line. */
static struct interval per_distance(const struct interconnect_prediction *work, double toggle)
{
    const struct interconnect_at *line = work->own->line;
    struct interval product;
    if (setting(work, "product") > 0 && model_coefficient(work->model, "product", &product))
        return interval_times(product, toggle);
    size_t last = work->own->line_count - 1;
    size_t below = 0;
    while (below + 1 < last && line[below + 1].toggle <= toggle)
        below++;
    const struct interconnect_at *a = &line[below], *b = &line[below + 1];
    double part = (toggle - a->toggle) / (b->toggle - a->toggle);
    return (struct interval){(1 - part) * a->value + part * b->value, (1 - part) * a->low + part * b->low,
                             (1 - part) * a->high + part * b->high, 1};
}

/* The peak bandwidth of a segment at the application's clock, B/s; NAN: unknown. */
static double peak_of(const struct interconnect_prediction *work, size_t segment)
{
    double own = setting(work, segments[segment].peak);
    double set = given(work, "peak");
    double peak = isfinite(set) ? set : work->own->peak_bytes_per_s;
    return isfinite(own) ? own : peak * work->clock_ratio;
}

/* The factor on power in W/mm: share of peak * distance * f * V^2. NAN: unknown. */
static double load_of(const struct interconnect_prediction *work, const struct scenario *scenario,
                      size_t segment)
{
    return scenario->bytes_s[segment] / peak_of(work, segment) * scenario->distance[segment] *
           work->clock_ratio * work->voltage_ratio * work->voltage_ratio;
}

/* The sum of these factors over the segments from `first` on; unknown ones count as 0. */
static double sum_loads(const struct interconnect_prediction *work, const struct scenario *scenario,
                        size_t first)
{
    double sum = 0;
    for (size_t i = first; i < SEGMENTS; i++)
        if (isfinite(load_of(work, scenario, i)))
            sum += load_of(work, scenario, i);
    return sum;
}

static enum status check_shares(const struct interconnect_prediction *work, const struct scenario *scenario,
                                struct error *error)
{
    for (size_t i = 0; i < SEGMENTS; i++) {
        double share = scenario->bytes_s[i] / peak_of(work, i);
        bool own = i == FROM_L1 || isfinite(setting(work, segments[i].peak));
        if (isfinite(scenario->bytes_s[i]) && !isfinite(share)) {
            error_set(error, STATUS_USAGE, "the peak bandwidth of the model's interconnect is unknown");
            error_hint(error, "--set peak=BYTES_PER_SECOND");
            return STATUS_USAGE;
        }
        if (!own || !(share > 1.02))
            continue;
        error_set(error, STATUS_USAGE, "%s moves %.4g B/s, above its peak of %.4g B/s", segments[i].name,
                  scenario->bytes_s[i], peak_of(work, i));
        error_hint(error, "do the counts cover the same time as seconds, and are the bytes per access right "
                          "(l1_bytes, l2_bytes, mc_bytes)?");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* ---- rows of the result ---- */

/* Whether the part is a sum of other parts. */
static bool is_sum(const char *name)
{
    return strcmp(name, "interconnect") == 0 || strcmp(name, "L1-memory") == 0;
}

static void add_part(const struct interconnect_prediction *work, const char *prefix, const char *name,
                     struct interval value, const char *unit)
{
    char text[96];
    snprintf(text, sizeof text, "%s%s%s", prefix, prefix[0] == '\0' ? "" : ": ", name);
    model_add_part(work->result, text, value, unit, is_sum(name));
}

/* All dynamic power, measured; NAN: unknown. */
static double dynamic_of(const struct interconnect_prediction *work)
{
    double watts = count(work, "dynamic_w");
    return isfinite(watts) ? watts
                           : count(work, "energy_j") / count(work, "seconds") - count(work, "static_w");
}

/* All dynamic power. In a scenario it is the base's, less the base's interconnect, times transistor, plus the
 * scenario's interconnect times wire. */
struct whole {
    double dynamic;          /* of the base, W; NAN: unknown */
    struct interval moved;   /* of the base's interconnect, W */
    double wire, transistor; /* factors of another technology */
};

static double percent(double load, double all, double per, double moved, const struct whole *whole)
{
    double rest = (whole->dynamic - moved) * whole->transistor;
    return 100 * per * load * whole->wire / (per * all * whole->wire + rest);
}

static void add_scenario(const struct interconnect_prediction *work, const char *prefix,
                         const struct scenario *scenario, const struct whole *whole)
{
    struct interval per = per_distance(work, scenario->toggle);
    double all = sum_loads(work, scenario, 0);
    for (size_t i = 0; i <= SEGMENTS; i++) {
        double load = i < SEGMENTS ? load_of(work, scenario, i) : all;
        const char *name = i < SEGMENTS ? segments[i].name : "interconnect";
        if (!isfinite(load))
            continue;
        add_part(work, prefix, name, interval_times(per, whole->wire * load), "W");
        if (i < SEGMENTS)
            chart_bar(work->chart, name, prefix[0] == '\0' ? "as counted" : prefix,
                      interval_times(per, whole->wire * load));
        if (isfinite(whole->dynamic))
            add_part(work, prefix, name,
                     (struct interval){percent(load, all, per.value, whole->moved.value, whole),
                                       percent(load, all, per.low, whole->moved.low, whole),
                                       percent(load, all, per.high, whole->moved.high, whole), 1},
                     "% of dynamic");
    }
}

/* The relative change in percent. At equal toggle rates it is exact, as it does not depend on the
 * coefficients. */
static struct interval change(const struct interconnect_prediction *work, const struct scenario *base,
                              const struct scenario *other, double ratio)
{
    struct interval before = per_distance(work, base->toggle);
    struct interval after = per_distance(work, other->toggle);
    bool same = base->toggle == other->toggle;
    double value = ratio * after.value / before.value;
    return (struct interval){100 * (value - 1), 100 * ((same ? value : ratio * after.low / before.high) - 1),
                             100 * ((same ? value : ratio * after.high / before.low) - 1), 1};
}

static void add_change(const struct interconnect_prediction *work, const char *name,
                       const struct scenario *base, const struct scenario *other, double before, double after)
{
    if (before > 0 && isfinite(after))
        add_part(work, "change", name, change(work, base, other, after / before), "%");
}

static void add_changes(const struct interconnect_prediction *work, const struct scenario *base,
                        const struct scenario *other)
{
    for (size_t i = 0; i < SEGMENTS; i++)
        add_change(work, segments[i].name, base, other, load_of(work, base, i), load_of(work, other, i));
    add_change(work, "L1-memory", base, other, sum_loads(work, base, FROM_L1),
               sum_loads(work, other, FROM_L1));
    add_change(work, "interconnect", base, other, sum_loads(work, base, 0), sum_loads(work, other, 0));
}

static double or_1(double factor)
{
    return isfinite(factor) ? factor : 1;
}

static void note_beyond(const struct interconnect_prediction *work, const char *what,
                        const struct model_span *span, double value, double unit, const char *unit_name)
{
    double low = span->given && span->count == 2 ? span->ends[0] : NAN;
    double high = span->given && span->count == 2 ? span->ends[1] : NAN;
    if (value < low * (1 - BEYOND) || value > high * (1 + BEYOND))
        model_note(work->result, "extrapolated: %s %.4g%s is outside the measured range, %.4g to %.4g%s",
                   what, value / unit, unit_name, low / unit, high / unit, unit_name);
}

static void note_extrapolation(const struct interconnect_prediction *work)
{
    note_beyond(work, "the toggle rate", &work->own->fitted.toggle, setting(work, "toggle"), 1, "");
    note_beyond(work, "the toggle rate", &work->own->fitted.toggle, given(work, "to_toggle"), 1, "");
    note_beyond(work, "the clock", &work->own->fitted.hz, 1e9 * given(work, "ghz"), 1e9, " GHz");
    note_beyond(work, "the voltage", &work->own->fitted.volts, given(work, "volts"), 1, " V");
}

static enum status add_all(const struct interconnect_prediction *work, const struct scenario *base,
                           struct error *error)
{
    struct scenario other;
    struct whole whole = {dynamic_of(work),
                          interval_times(per_distance(work, base->toggle), sum_loads(work, base, 0)), 1, 1};
    double wire = given(work, "wire_factor");
    double transistor = given(work, "transistor_factor");
    note_extrapolation(work);
    if (isfinite(transistor) && !isfinite(whole.dynamic)) {
        error_set(error, STATUS_USAGE,
                  "transistor_factor cannot be used: the counters do not determine the power of everything "
                  "but the interconnect");
        error_hint(error, "expected dynamic_w, or energy_j and static_w, among the counters");
        return STATUS_USAGE;
    }
    if (whole.dynamic < whole.moved.value)
        return error_set(error, STATUS_USAGE,
                         "the interconnect would take %.4g W, more than all dynamic power, %.4g W",
                         whole.moved.value, whole.dynamic);
    add_scenario(work, "", base, &whole);
    read_whatif(work, base, &other);
    if (!is_another(base, &other) && !isfinite(wire) && !isfinite(transistor))
        return STATUS_OK;
    enum status status = check_shares(work, &other, error);
    if (status != STATUS_OK)
        return status;
    whole.wire = or_1(wire);
    whole.transistor = or_1(transistor);
    add_scenario(work, "what if", &other, &whole);
    if (is_another(base, &other))
        add_changes(work, base, &other);
    return STATUS_OK;
}

static double ratio_or_1(double over, double under)
{
    return isfinite(over) && isfinite(under) ? over / under : 1;
}

enum status interconnect_predict(const struct model_result *model, const struct named_numbers *counters,
                                 const struct model_settings *settings, struct model_result *result,
                                 struct error *error)
{
    struct interconnect_prediction work = {
        .model = model, .own = model->own, .counters = counters, .settings = settings, .result = result};
    struct scenario base;
    work.clock_ratio = ratio_or_1(given(&work, "ghz") * 1e9, work.own->hz);
    work.voltage_ratio = ratio_or_1(given(&work, "volts"), work.own->volts);
    model_states(result, "parts");
    model_states(result, "notes");
    work.chart = model_chart(result, CHART_STACKED, "Power of moving data", "", "",
                             "Dynamic power of the interconnect (W)");
    enum status status = check_document(&work, error);
    if (status == STATUS_OK)
        status = check_settings(&work, error);
    if (status == STATUS_OK)
        status = check_counters(&work, error);
    if (status == STATUS_OK)
        status = read_base(&work, &base, error);
    if (status == STATUS_OK)
        status = check_shares(&work, &base, error);
    if (status == STATUS_OK)
        status = add_all(&work, &base, error);
    return status;
}
