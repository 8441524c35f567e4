/* Converts results to samples of the model "interconnect": finds points that differ only in distance, and how
 * much data each moved. */
#include "base/buffer.h"
#include "base/memory.h"
#include "model/data/parameters.h"
#include "model/data/pooled.h"
#include "model/interconnect/interconnect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest relative difference of a stated share from the measured bandwidth. */
static const double SAME_SHARE = 0.05;

/* The largest difference of a toggle rate from that of the same words dealt to wires (DESIGN.md section 4).
 */
static const double SAME_DEALT = 0.02;

/* Words for the distance. If no parameter has one, the benchmark's or the recipe's name may contain it. */
static const struct {
    const char *word;
    double paths;
} ways[] = {{"short", 0}, {"long", 1}, {"near", 0}, {"far", 1}};
enum { WAYS = sizeof ways / sizeof ways[0] };

static const char *const way_parameters[] = {"path", "side", "distance", "quadrant"};

/* Numbers of the sweep, by the names that recipes use. */
struct alias {
    const char *name;
    double factor;
};
static const struct alias clocks[] = {{"ghz", 1e9}, {"frequency", 1e9}, {"mhz", 1e6}, {NULL, 0}};
static const struct alias voltages[] = {{"volts", 1}, {"voltage", 1}, {"millivolts", 1e-3}, {NULL, 0}};
static const struct alias toggles[] = {{"toggle_rate", 1}, {"toggle", 1}, {NULL, 0}};
static const struct alias shares[] = {{"bandwidth_share", 1}, {NULL, 0}};

static double parameter_of(const struct result_point *point, const struct alias *aliases)
{
    for (; aliases->name != NULL; aliases++) {
        double value = result_parameter(point, aliases->name);
        if (isfinite(value))
            return value * aliases->factor;
    }
    return NAN;
}

/* ---- distance ---- */

/* Whether the word is at that place of the text, and not a part of a longer one. */
static bool is_word(const char *text, const char *at, const char *word)
{
    size_t length = strlen(word);
    bool begins = at == text || strchr("-_./ ", at[-1]) != NULL;
    return begins && strncmp(at, word, length) == 0 && (at[length] == '\0' || strchr("-_./ ", at[length]));
}

/* The index of the first word for the distance in the text, and its place; -1: none. */
static int find_way(const char *text, size_t *place)
{
    for (const char *at = text; *at != '\0'; at++)
        for (int i = 0; i < WAYS; i++)
            if (is_word(text, at, ways[i].word)) {
                *place = (size_t)(at - text);
                return i;
            }
    return -1;
}

/* Appends the text without its first word for the distance. */
static void append_without_way(struct buffer *key, const char *text)
{
    size_t place;
    int way = find_way(text, &place);
    if (way < 0) {
        buffer_text(key, text);
        return;
    }
    buffer_append(key, text, place);
    buffer_text(key, text + place + strlen(ways[way].word));
}

/* In mm, or in paths if *mm is false; NAN: unknown. */
static double distance_of(const struct result_point *point, double path_mm, bool *mm)
{
    double distance = result_parameter(point, "distance");
    size_t place;
    int way = -1;
    *mm = true;
    if (isfinite(distance))
        return distance;
    for (size_t i = 0; way < 0 && i < sizeof way_parameters / sizeof way_parameters[0]; i++) {
        const char *text = result_parameter_text(point, way_parameters[i]);
        way = text == NULL ? -1 : find_way(text, &place);
    }
    if (way < 0)
        way = find_way(point->benchmark, &place);
    if (way < 0)
        way = find_way(point->recipe, &place);
    *mm = isfinite(path_mm);
    return way < 0 ? NAN : ways[way].paths * (*mm ? path_mm : 1);
}

bool interconnect_is_of_units(const struct dataset_row *row)
{
    bool mm;
    return result_parameter(row->point, INTERCONNECT_UNITS) > 0 && isnan(distance_of(row->point, NAN, &mm));
}

static bool is_alias(const struct alias *aliases, const char *parameter)
{
    for (; aliases->name != NULL; aliases++)
        if (strcmp(aliases->name, parameter) == 0)
            return true;
    return false;
}

static bool is_of_load(const char *parameter)
{
    return is_alias(shares, parameter) || is_alias(toggles, parameter) || strcmp(parameter, "pattern") == 0 ||
           strcmp(parameter, "data") == 0;
}

static bool is_of_way(const char *parameter)
{
    for (size_t i = 0; i < sizeof way_parameters / sizeof way_parameters[0]; i++)
        if (strcmp(way_parameters[i], parameter) == 0)
            return true;
    return false;
}

static bool is_out(const char *name, const void *without_load)
{
    return is_of_way(name) || (*(const bool *)without_load && is_of_load(name));
}

/* Identifies a point by everything except its distance and, without_load, its data and stated share of
 * bandwidth. Free it. */
static char *condition_key(const struct result_point *point, bool without_load)
{
    struct buffer key = {0};
    append_without_way(&key, point->recipe);
    buffer_text(&key, "|");
    append_without_way(&key, point->benchmark);
    parameter_key(point, is_out, &without_load, &key);
    return key.data;
}

/* ---- numbers of a point ---- */

static double toggle_of(const struct dataset_row *row)
{
    double rate = dataset_number(row, "data.toggle_rate");
    return isfinite(rate) ? rate : parameter_of(row->point, toggles);
}

static const char *pattern_of(const struct dataset_row *row)
{
    const char *pattern = dataset_text(row, "pattern");
    if (pattern == NULL)
        pattern = dataset_text(row, "data");
    return pattern == NULL ? "" : pattern;
}

/* Bytes per second: measured, or else computed from the loads; NAN: unknown. */
static double bytes_of(const struct dataset_row *row, double access_bytes)
{
    double measured = dataset_number(row, "bandwidth.L2");
    return isfinite(measured) ? measured : dataset_number(row, "accesses.L2") * access_bytes / row->seconds;
}

/* The effective number of channels: 1 / the busiest one's share; NAN: not observed. */
static double channels_in_use(const struct dataset_row *row)
{
    static const char channel[] = "l2.channel";
    const struct result_rates *rates = &row->point->rates;
    double most = NAN;
    for (size_t i = 0; i < rates->count; i++) {
        bool is = strncmp(rates->items[i].metric, channel, sizeof channel - 1) == 0;
        const struct observation *best = is ? result_rate_best(&rates->items[i]) : NULL;
        most = best != NULL ? fmax(most, best->value) : most;
    }
    return most > 0 ? 1 / most : NAN;
}

/* The difference of the wires' toggle rate from that in the program's order; 0: unknown. */
static double dealt_off(const struct dataset_row *row)
{
    double off = dataset_number(row, "data.toggle_rate.dealt") - dataset_number(row, "data.toggle_rate");
    return isfinite(off) ? fabs(off) : 0;
}

static enum status lacks(const struct interconnect_sample *sample, const char *what, const char *hint,
                         struct error *error)
{
    error_set(error, STATUS_USAGE, "%.200s does not state %s", dataset_name(sample->point), what);
    error_hint(error, "%s", hint);
    return STATUS_USAGE;
}

static enum status lacks_distance(const struct interconnect_sample *sample, struct error *error)
{
    return lacks(sample, "how far its data goes",
                 "expected a parameter path = \"short\" or \"long\", side = \"near\" or \"far\", or "
                 "distance = MILLIMETRES",
                 error);
}

static enum status check_numbers(const struct interconnect_sample *sample, struct error *error)
{
    if (!(sample->toggle >= 0 && sample->toggle <= 1))
        return lacks(sample, "its toggle rate from 0 to 1",
                     "expected the rate data.toggle_rate, or a parameter toggle_rate", error);
    if (!(sample->stated > 0) && !(sample->bytes_s > 0))
        return lacks(
            sample, "how much data it moves",
            "expected the rate bandwidth.L2, --set access_bytes=BYTES and loads that L2 serves, or a "
            "parameter bandwidth_share",
            error);
    if (sample->stated > 1)
        return lacks(sample, "a share of the peak bandwidth of at most 1", "a share is from 0 to 1", error);
    return STATUS_OK;
}

static void set_sample(struct interconnect_sample *sample, const struct dataset_row *row,
                       const struct model_settings *settings, bool *mm)
{
    *sample = (struct interconnect_sample){.point = row->point, .reps = 1};
    sample->distance = distance_of(row->point, interconnect_setting(settings, "distance"), mm);
    sample->toggle = toggle_of(row);
    sample->dealt_off = dealt_off(row);
    sample->pattern = pattern_of(row);
    sample->stated = parameter_of(row->point, shares);
    sample->in_use = channels_in_use(row);
    sample->bytes_s = bytes_of(row, interconnect_setting(settings, "access_bytes"));
    sample->hz = parameter_of(row->point, clocks);
    sample->volts = parameter_of(row->point, voltages);
    sample->watts = row->dynamic_j / row->seconds;
    sample->static_w = row->static_w;
    sample->celsius = dataset_number(row, "temperature_c");
}

/* Whether the repetition is left out, because it lacks dynamic energy, or its wires toggle at another rate;
 * counts both. */
static bool is_left_out(const struct dataset_row *row, struct interconnect_samples *samples)
{
    bool no_energy = !isfinite(row->dynamic_j / row->seconds);
    bool dealt = !no_energy && dealt_off(row) > SAME_DEALT;
    samples->without_energy += no_energy;
    if (dealt && samples->dealt++ == 0)
        samples->dealt_point = row->point;
    return no_energy || dealt;
}

/* ---- conditions ---- */

/* Different texts; a text's number is its index. */
struct texts {
    char **items;
    size_t count;
};

/* The text's number; adds it if it is new. Takes over the text. */

static size_t number_of(struct texts *texts, char *text)
{
    for (size_t i = 0; i < texts->count; i++)
        if (strcmp(texts->items[i], text) == 0) {
            free(text);
            return i;
        }
    texts->items = memory_resized(texts->items, texts->count + 1, sizeof *texts->items);
    texts->items[texts->count] = text;
    return texts->count++;
}

static void free_texts(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->items[i]);
    free(texts->items);
}

static size_t group_of(struct texts *recipes, const struct result_point *point)
{
    struct buffer key = {0};
    append_without_way(&key, point->recipe);
    buffer_text(&key, "");
    return number_of(recipes, key.data);
}

static enum status take_rows(const struct dataset *dataset, const struct model_settings *settings,
                             struct interconnect_samples *samples, struct error *error)
{
    struct texts conditions = {0};
    struct texts recipes = {0};
    struct texts loops = {0};
    enum status status = STATUS_OK;
    const struct dataset_row *unclocked = NULL; /* the first whose recipe does not state the clock */
    size_t in_mm = 0;
    for (size_t i = 0; status == STATUS_OK && i < dataset->count; i++) {
        struct interconnect_sample *sample = &samples->items[samples->count];
        bool mm;
        if (interconnect_is_of_units(&dataset->rows[i]) || is_left_out(&dataset->rows[i], samples))
            continue;
        set_sample(sample, &dataset->rows[i], settings, &mm);
        if (!isfinite(sample->distance)) {
            if (samples->unplaced++ == 0)
                samples->unplaced_point = sample->point;
            continue;
        }
        status = check_numbers(sample, error);
        unclocked = unclocked == NULL && isnan(sample->hz) ? &dataset->rows[i] : unclocked;
        if (status == STATUS_OK && isnan(sample->hz))
            status = pooled_clock(unclocked, &dataset->rows[i], error);
        sample->condition = number_of(&conditions, condition_key(sample->point, false));
        sample->rated = number_of(&loops, condition_key(sample->point, true));
        sample->group = group_of(&recipes, sample->point);
        in_mm += mm;
        samples->count++;
    }
    samples->mm = in_mm == samples->count;
    if (status == STATUS_OK && samples->count == 0 && samples->unplaced > 0)
        status = lacks_distance(&(struct interconnect_sample){.point = samples->unplaced_point}, error);
    if (status == STATUS_OK && in_mm > 0 && !samples->mm) {
        status = error_set(error, STATUS_USAGE, "some points give their distance in mm, others only a path");
        error_hint(error, "--set distance=MILLIMETRES states by how much the long path is longer");
    }
    free_texts(&conditions);
    free_texts(&recipes);
    free_texts(&loops);
    return status;
}

/* ---- references ---- */

/* Sets f_ref and V_ref: the settings, else those of the fastest sample. */
static void set_reference(struct interconnect_samples *samples, const struct model_settings *settings)
{
    samples->ref_hz = interconnect_setting(settings, "ghz") * 1e9;
    samples->ref_volts = interconnect_setting(settings, "volts");
    const struct interconnect_sample *fastest = NULL;
    for (size_t i = 0; i < samples->count; i++)
        if (isfinite(samples->items[i].hz) && (fastest == NULL || samples->items[i].hz > fastest->hz))
            fastest = &samples->items[i];
    if (fastest != NULL && isnan(samples->ref_hz))
        samples->ref_hz = fastest->hz;
    if (fastest != NULL && isnan(samples->ref_volts))
        samples->ref_volts = fastest->volts;
}

/* Sets each sample's scale; a sample without a clock ran at the reference. STATUS_USAGE: a voltage is
 * missing. */
static enum status set_scales(struct interconnect_samples *samples, struct error *error)
{
    for (size_t i = 0; i < samples->count; i++) {
        struct interconnect_sample *sample = &samples->items[i];
        bool clock = isfinite(sample->hz) && fabs(sample->hz / samples->ref_hz - 1) > 1e-9;
        if (clock && !(isfinite(sample->volts) && isfinite(samples->ref_volts)))
            return lacks(sample, "its voltage, and its clock differs from the reference",
                         "expected a parameter volts at each clock; --set volts=VOLTS sets the reference's",
                         error);
        double f = clock ? sample->hz / samples->ref_hz : 1;
        double v = isfinite(sample->volts) ? sample->volts / samples->ref_volts : 1;
        sample->scale = f * v * v;
    }
    return STATUS_OK;
}

/* The sample's clock over the reference clock. */
static double clock_ratio(const struct interconnect_samples *samples,
                          const struct interconnect_sample *sample)
{
    return isfinite(sample->hz) ? sample->hz / samples->ref_hz : 1;
}

/* The unthrottled bandwidth of the sample's loop at the reference clock, B/s, from its measured bandwidth and
 * stated share; NAN: one of them is unknown. */
static double unthrottled(const struct interconnect_samples *samples,
                          const struct interconnect_sample *sample)
{
    return sample->bytes_s / sample->stated / clock_ratio(samples, sample);
}

/* Sets the peak at the reference clock: the setting; that of the banks; the highest unthrottled bandwidth of
 * loops with a stated share; else the highest observed. */
static void set_peak(struct interconnect_samples *samples, const struct model_settings *settings)
{
    double banks = interconnect_setting(settings, "banks") * interconnect_setting(settings, "bank_bytes");
    samples->peak = interconnect_setting(settings, "peak");
    if (isnan(samples->peak))
        samples->peak = banks * samples->ref_hz;
    if (isfinite(samples->peak))
        return;
    for (size_t i = 0; i < samples->count; i++)
        samples->peak = fmax(samples->peak, unthrottled(samples, &samples->items[i]));
    if (isfinite(samples->peak))
        return;
    for (size_t i = 0; i < samples->count; i++)
        samples->peak =
            fmax(samples->peak, samples->items[i].bytes_s / clock_ratio(samples, &samples->items[i]));
    samples->peak_is_measured = isfinite(samples->peak);
}

static enum status contradicts(const struct interconnect_sample *sample, double measured, double full,
                               const char *of, struct error *error)
{
    error_set(
        error, STATUS_USAGE,
        "%.160s states a share of %.4g of the bandwidth, and its measured %.4g B/s are %.4g of the %.4g "
        "B/s %.200s: more than %g %% apart",
        dataset_name(sample->point), sample->stated, sample->bytes_s, measured, full, of, 100 * SAME_SHARE);
    error_hint(
        error,
        "throttle{} depends on the machine file's gpu.bandwidth: correct it and run again; the setting "
        "peak must be that of the channels in use, and may be omitted");
    return STATUS_USAGE;
}

/* The unthrottled bandwidth of the sample's loop: the mean of the samples that state the highest share. *of:
 * one of them. */
static double highest_of_loop(const struct interconnect_samples *samples,
                              const struct interconnect_sample *like, const struct interconnect_sample **of)
{
    double sum = 0;
    size_t count = 0;
    *of = like;
    for (size_t i = 0; i < samples->count; i++) {
        const struct interconnect_sample *sample = &samples->items[i];
        if (sample->rated != like->rated || isnan(unthrottled(samples, sample)) ||
            sample->stated < (*of)->stated)
            continue;
        if (sample->stated > (*of)->stated)
            sum = 0, count = 0;
        *of = sample;
        sum += unthrottled(samples, sample);
        count++;
    }
    return sum / (double)count;
}

static bool differ(double a, double b)
{
    return fabs(a / b - 1) > SAME_SHARE;
}

/* Refuses stated shares that contradict the measured bandwidths of the same loop, or the setting peak. The
 * peak of the banks may be higher, as not all of them need serve. */
static enum status check_stated(const struct interconnect_samples *samples,
                                const struct model_settings *settings, struct error *error)
{
    double peak = interconnect_setting(settings, "peak");
    for (size_t i = 0; i < samples->count; i++) {
        const struct interconnect_sample *sample = &samples->items[i], *of;
        double own = unthrottled(samples, sample), clock = clock_ratio(samples, sample);
        char text[256];
        if (isnan(own))
            continue;
        double full = highest_of_loop(samples, sample, &of);
        snprintf(text, sizeof text, "of the unthrottled loop, computed from %.150s", dataset_name(of->point));
        if (differ(own, full))
            return contradicts(sample, sample->stated * own / full, full * clock, text, error);
        bool too_much = isfinite(samples->peak) && own > (1 + SAME_SHARE) * samples->peak;
        if (too_much || differ(own, peak))
            return contradicts(sample, sample->bytes_s / samples->peak / clock, samples->peak * clock,
                               "of the stated peak", error);
    }
    return STATUS_OK;
}

/* The share of the peak if no bandwidth was measured: the stated share, of the channels in use. */
static double share_as_stated(const struct interconnect_sample *sample, const struct model_settings *settings)
{
    double banks = interconnect_setting(settings, "banks");
    bool whole = isfinite(interconnect_setting(settings, "peak"));
    return sample->stated * (!whole && sample->in_use < banks ? sample->in_use / banks : 1);
}

static enum status set_shares(struct interconnect_samples *samples, const struct model_settings *settings,
                              struct error *error)
{
    for (size_t i = 0; i < samples->count; i++) {
        struct interconnect_sample *sample = &samples->items[i];
        double possible = samples->peak * clock_ratio(samples, sample);
        bool measured = isfinite(sample->bytes_s);
        samples->unmeasured += !measured;
        sample->share = measured ? sample->bytes_s / possible : share_as_stated(sample, settings);
        if (isnan(sample->share))
            return lacks(sample, "its share of the peak bandwidth",
                         "--set peak=BYTES_PER_SECOND, or banks, bank_bytes and ghz, state the peak", error);
        if (!(sample->share > 1.02))
            continue;
        error_set(error, STATUS_USAGE, "%.200s moves %.4g B/s, above the stated peak of %.4g B/s",
                  dataset_name(sample->point), sample->bytes_s, possible);
        error_hint(error, "peak, banks, bank_bytes or ghz is set too small");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* Sorts by distance, so that each difference is that of a longer path from shorter ones, then by the order of
 * reading. */
static int compare_distances(const void *a, const void *b)
{
    const struct interconnect_sample *one = a, *other = b;
    int farther = (one->distance > other->distance) - (one->distance < other->distance);
    return farther != 0 ? farther : (one->place > other->place) - (one->place < other->place);
}

const char *interconnect_label(const struct dataset_row *row, char *buffer)
{
    bool mm;
    double distance = distance_of(row->point, NAN, &mm);
    if (!isfinite(distance))
        return NULL;
    /* Data with the same toggle rate have one label, except patterns that do not toggle. */
    double toggle = toggle_of(row);
    const char *pattern = toggle > 0 ? "data" : pattern_of(row)[0] == '\0' ? "zeros" : pattern_of(row);
    snprintf(buffer, MODEL_LABEL_BYTES, "%.40s toggling %g at distance %g", pattern, toggle, distance);
    return buffer;
}

enum status interconnect_gather(const struct dataset *dataset, const struct model_settings *settings,
                                struct interconnect_samples *samples, struct error *error)
{
    *samples = (struct interconnect_samples){0};
    samples->items = memory_zeroed(dataset->count + 1, sizeof *samples->items);
    enum status status = take_rows(dataset, settings, samples, error);
    for (size_t i = 0; i < samples->count; i++)
        samples->items[i].place = i;
    qsort(samples->items, samples->count, sizeof *samples->items, compare_distances);
    set_reference(samples, settings);
    if (status == STATUS_OK)
        status = set_scales(samples, error);
    set_peak(samples, settings);
    if (status == STATUS_OK)
        status = check_stated(samples, settings, error);
    if (status == STATUS_OK)
        status = set_shares(samples, settings, error);
    if (status == STATUS_OK)
        status = interconnect_keep_pairs(samples, error);
    return status;
}
