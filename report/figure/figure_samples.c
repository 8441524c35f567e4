#include "report/figure/figure_request.h"

#include "base/file.h"
#include "base/json.h"
#include "report/figure/figure_curves.h"
#include "report/figure/figure_rows.h"
#include "report/figure/trace_read.h"
#include "runner/results/simulated.h"

#include <math.h>
#include <string.h>

/* Limits the panels of a recipe that selects no points. */
enum { PANELS_MOST = 8, SPANS_MOST = 600, IDLE_SPANS_MOST = 120, READINGS_A_SPAN = 4, UPDATES_A_SPAN = 8 };

/* The values of a plot's y and the sensor quantities behind them; power also comes from differences of
 * energy. */
struct sampled_quantity {
    const char *name;
    const char *label;
    double scale;
};

static const struct sampled_quantity quantities[] = {
    {"power", "Power (W)", 1},
    {"temperature",
     "Temperature (\xc2\xb0"
     "C)",
     1},
    {"clock", "Clock (GHz)", 1e-9},
};

static const struct sampled_quantity *quantity_named(const char *name)
{
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
        if (name != NULL && strcmp(name, quantities[i].name) == 0)
            return &quantities[i];
    return NULL;
}

/* The context's description of a sensor's channel, or NULL. */
static const json_t *sensor_of(const struct figure_request *request, const char *channel)
{
    size_t index;
    const json_t *sensor;
    json_array_foreach(json_object_get(request->results->context, "sensors"), index, sensor)
    {
        if (strcmp(json_string_or(sensor, "name", ""), channel) == 0)
            return sensor;
    }
    return NULL;
}

/* ---- spans: means of some readings each ---- */

/* The number of spans to show. Differences of single readings would show a counter's updates rather than the
 * power. */
static size_t spans_of(size_t readings, size_t most, bool differences)
{
    size_t spans = readings / (differences ? READINGS_A_SPAN : 1);
    return spans > most ? most : spans < 2 ? 1 : spans;
}

static struct figure_sample sample_at(double x, double y)
{
    return (struct figure_sample){.x = x, .y = y, .low = y, .high = y};
}

/* Readings first..last of a channel as one sample; false if an energy counter decreased or time did not
 * advance. */
static bool take_span(const struct trace_channel *channel, size_t first, size_t last, bool energy,
                      double scale, struct figure_sample *sample)
{
    double from = channel->t_s[first], to = channel->t_s[last], sum = 0;
    if (energy) {
        double joules = channel->values[last] - channel->values[first];
        *sample = sample_at((from + to) / 2, scale * joules / (to - from));
        return to > from && joules >= 0;
    }
    for (size_t i = first; i < last; i++)
        sum += channel->values[i];
    *sample = sample_at((from + to) / 2, scale * sum / (double)(last - first));
    return last > first;
}

/* A span needs many updates of its counter; with few, their timing would dominate. */
static size_t wide_enough(const struct trace_channel *channel, size_t spans, double update_s)
{
    double seconds = channel->count > 1 ? channel->t_s[channel->count - 1] - channel->t_s[0] : 0;
    double most = update_s > 0 ? seconds / (UPDATES_A_SPAN * update_s) : INFINITY;
    return (double)spans <= most ? spans : most < 1 ? 1 : (size_t)most;
}

/* update_s: the counter's update period, 0 if unknown. samples has room for spans_of the channel. */
static size_t make_spans(const struct trace_channel *channel, bool energy, double scale, double update_s,
                         struct figure_sample *samples)
{
    size_t spans = spans_of(channel->count, SPANS_MOST, energy);
    size_t count = 0;
    if (energy)
        spans = wide_enough(channel, spans, update_s);
    for (size_t i = 0; i < spans && channel->count > 1; i++) {
        size_t first = i * (channel->count - 1) / spans;
        size_t last = (i + 1) * (channel->count - 1) / spans;
        count += take_span(channel, first, last, energy, scale, &samples[count]);
    }
    return count;
}

/* ---- traces ---- */

/* A panel has one line for each of the trace's channels of the quantity. */
static void add_channels(const struct figure_request *request, const struct trace *trace,
                         const struct sampled_quantity *quantity, bool right, struct figure_panel *panel)
{
    struct arena *arena = &request->figure->arena;
    for (size_t i = 0; i < trace->channel_count; i++) {
        const struct trace_channel *channel = &trace->channels[i];
        const json_t *sensor = sensor_of(request, channel->name);
        const char *told = json_string_or(sensor, "quantity", "");
        bool energy = strcmp(told, "energy") == 0 && strcmp(quantity->name, "power") == 0;
        if (!energy && strcmp(told, quantity->name) != 0)
            continue;
        struct figure_sample *samples =
            arena_alloc(arena, spans_of(channel->count, SPANS_MOST, energy), sizeof *samples);
        size_t count =
            make_spans(channel, energy, quantity->scale, json_number_or(sensor, "update_s", 0), samples);
        if (count == 0)
            continue;
        struct buffer label = {0};
        buffer_printf(&label, "%s, %s%s", json_string_or(sensor, "label", channel->name), quantity->name,
                      right ? " (right)" : "");
        panel->lines[panel->line_count] = (struct figure_line){.label = arena_strdup(arena, label.data),
                                                               .right = right,
                                                               .colour = panel->line_count,
                                                               .samples = samples,
                                                               .count = count};
        panel->line_count++;
        buffer_free(&label);
    }
}

static const char *axis_of(const struct figure_request *request, const json_t *names)
{
    struct buffer text = {0};
    for (size_t i = 0; i < json_array_size(names); i++) {
        const struct sampled_quantity *quantity = quantity_named(json_string_value(json_array_get(names, i)));
        if (quantity != NULL)
            buffer_printf(&text, "%s%s", text.size == 0 ? "" : ", ", quantity->label);
    }
    return arena_take(&request->figure->arena, &text);
}

static const char *own_name(const struct figure_point *point)
{
    return point->name[0] == '\0' ? "default" : point->name;
}

/* "programs/program=MB_L2", as commands name points. */
static const char *name_of(const struct figure_request *request, const struct figure_point *point)
{
    return arena_print(&request->figure->arena, "%s/%s", request->name, own_name(point));
}

static double longest_span(const struct figure_panel *panel)
{
    double longest = 0;
    for (size_t i = 0; i < panel->line_count; i++) {
        const struct figure_line *line = &panel->lines[i];
        if (line->count > 1 && !line->right)
            longest = fmax(longest, (line->samples[line->count - 1].x - line->samples[0].x) /
                                        (double)(line->count - 1));
    }
    return longest;
}

static void describe_trace(const struct figure_request *request, const struct figure_point *point,
                           struct figure_panel *panel)
{
    struct buffer text = {0};
    const char *machine = figure_machine(request);
    const char *label = simulated_label(request->results->context);
    buffer_printf(&text, "%s: %s, means over %.3g s", name_of(request, point),
                  label == NULL ? "measured" : label, longest_span(panel));
    if (machine != NULL)
        buffer_printf(&text, ", on %s", machine);
    if (point->untrusted)
        buffer_text(&text, "; its power is untrustworthy");
    panel->subtitle = arena_take(&request->figure->arena, &text);
    panel->heading = arena_print(&request->figure->arena, "Trace of %s", name_of(request, point));
    panel->x_label = figure_words(request, "xlabel", "Time (s)");
    panel->y_label = figure_words(request, "ylabel", axis_of(request, json_object_get(request->plot, "y")));
    panel->from_zero = !json_is_false(json_object_get(request->plot, "zero"));
    panel->plain = true;
}

/* The quantities of the plot's list, as lines on the left or on the right. */
static void add_quantities(const struct figure_request *request, const struct trace *trace, const char *key,
                           struct figure_panel *panel)
{
    size_t index;
    const json_t *name;
    json_array_foreach(json_object_get(request->plot, key), index, name)
    {
        const struct sampled_quantity *quantity = quantity_named(json_string_value(name));
        if (quantity != NULL)
            add_channels(request, trace, quantity, strcmp(key, "right") == 0, panel);
    }
}

/* True if there was data to draw. */
static bool add_trace(const struct figure_request *request, const struct figure_point *point)
{
    struct figure *figure = request->figure;
    struct trace trace;
    struct error error = {0};
    const char *path = point->trace;
    if (path == NULL ||
        trace_read(request->results->folder, path, &figure->arena, &trace, &error) != STATUS_OK) {
        char place[FILE_PATH_BYTES + 16] = "";
        if (path != NULL && error.line > 0)
            snprintf(place, sizeof place, "%s:%d: ", error.file, error.line);
        figure_warn(figure, request->name, "no trace of %.100s: %s%s", own_name(point), place,
                    path == NULL ? "no sensor was read while it ran" : error.message);
        return false;
    }
    struct figure_panel *panel = figure_add_panel(figure);
    size_t most = 2 * 2 * trace.channel_count + 1; /* each on both axes, with a fit */
    panel->lines =
        arena_alloc(&figure->arena, most * sizeof quantities / sizeof *quantities, sizeof *panel->lines);
    add_quantities(request, &trace, "y", panel);
    size_t left = panel->line_count;
    add_quantities(request, &trace, "right", panel);
    if (left == 0) {
        figure->panel_count--;
        figure_warn(figure, request->name, "the trace of %.100s has no sensor that the plot needs",
                    own_name(point));
        return false;
    }
    if (panel->line_count > left)
        panel->right_label = axis_of(request, json_object_get(request->plot, "right"));
    panel->marks = trace.marks;
    panel->mark_count = trace.mark_count;
    describe_trace(request, point, panel);
    figure_add_fits(request, panel);
    return true;
}

/* ---- idle intervals ---- */

/* Samples first..last as one: mean power at the middle of the interval. */
static bool take_idle(const struct figure_request *request, const struct figure_moment *begin,
                      const struct figure_moment *end, struct figure_sample *sample)
{
    double seconds = end->t_s - begin->t_s;
    double celsius = (begin->celsius + end->celsius) / 2;
    double watts = (end->joules - begin->joules) / seconds;
    double middle = begin->t_s + seconds / 2;
    const char *y = json_string_value(json_array_get(json_object_get(request->plot, "y"), 0));
    bool over_time = strcmp(json_string_or(request->plot, "x", ""), "time") == 0;
    *sample =
        sample_at(over_time ? middle : celsius, y != NULL && strcmp(y, "temperature") == 0 ? celsius : watts);
    return seconds > 0 && isfinite(sample->x) && isfinite(sample->y);
}

/* "ghz = 1.4", from the plot's `by`; else the point's name. */
static const char *idle_label(const struct figure_request *request, const struct figure_point *point)
{
    struct buffer text = {0};
    const char *by = json_string_or(request->plot, "by", NULL);
    const json_t *value = by == NULL ? NULL : json_object_get(point->parameters, by);
    if (value == NULL)
        return name_of(request, point);
    buffer_printf(&text, "%s = ", by);
    figure_write_value(&text, by, value, json_object_get(request->benchmark, "sizes"));
    return arena_take(&request->figure->arena, &text);
}

static bool add_idle_line(const struct figure_request *request, const struct figure_point *point,
                          const struct figure_idle *idle, struct figure_panel *panel)
{
    size_t readings = idle->count;
    size_t spans = spans_of(readings, IDLE_SPANS_MOST, true);
    struct figure_sample *samples = arena_alloc(&request->figure->arena, spans, sizeof *samples);
    size_t count = 0;
    for (size_t i = 0; i < spans && readings > 1; i++)
        count += take_idle(request, &idle->moments[i * (readings - 1) / spans],
                           &idle->moments[(i + 1) * (readings - 1) / spans], &samples[count]);
    if (count == 0)
        return false;
    panel->lines[panel->line_count] = (struct figure_line){
        .label = idle_label(request, point), .colour = panel->line_count, .samples = samples, .count = count};
    panel->line_count++;
    return true;
}

static void describe_idle(const struct figure_request *request, const char *interval, size_t without,
                          struct figure_panel *panel)
{
    struct buffer text = {0};
    bool over_time = strcmp(json_string_or(request->plot, "x", ""), "time") == 0;
    const char *machine = figure_machine(request);
    const char *label = simulated_label(request->results->context);
    buffer_printf(&text, "%s while nothing ran %s the loops; hottest thermometer",
                  label == NULL ? "measured" : label,
                  strcmp(interval, "idle_before") == 0 ? "before" : "after");
    if (machine != NULL)
        buffer_printf(&text, "; on %s", machine);
    panel->subtitle = arena_take(&request->figure->arena, &text);
    panel->heading = arena_print(&request->figure->arena, "Idle power (%s)", request->name);
    panel->x_label = figure_words(request, "xlabel", over_time ? "Time (s)" : quantities[1].label);
    panel->y_label = figure_words(request, "ylabel", axis_of(request, json_object_get(request->plot, "y")));
    panel->kind =
        strcmp(json_string_or(request->plot, "kind", ""), "lines") == 0 ? FIGURE_LINES : FIGURE_POINTS;
    panel->from_zero = json_is_true(json_object_get(request->plot, "zero"));
    if (without > 0)
        figure_warn(request->figure, request->name,
                    "%zu points have no samples of power and temperature in %s", without, interval);
}

/* Sorts by the value of `by`, as points are measured in any order. */
static double order_of(const struct figure_request *request, const struct figure_point *point)
{
    const char *by = json_string_or(request->plot, "by", "");
    const json_t *value = json_object_get(point->parameters, by);
    const json_t *order = json_object_get(json_object_get(request->plot, "order"), by);
    size_t index = 0;
    while (index < json_array_size(order) && !json_equal(json_array_get(order, index), value))
        index++;
    return order == NULL ? json_number_value(value) : (double)index;
}

static void sort_lines(struct figure_panel *panel, const double *orders)
{
    for (size_t i = 1; i < panel->line_count; i++)
        for (size_t j = i; j > 0 && orders[panel->lines[j].colour] < orders[panel->lines[j - 1].colour];
             j--) {
            struct figure_line kept = panel->lines[j];
            panel->lines[j] = panel->lines[j - 1];
            panel->lines[j - 1] = kept;
        }
    for (size_t i = 0; i < panel->line_count; i++)
        panel->lines[i].colour = i;
}

/* One panel, a line for each point. */
static void add_idle(const struct figure_request *request, const struct figure_query *query,
                     const char *interval)
{
    struct figure *figure = request->figure;
    struct figure_panel *panel = figure_add_panel(figure);
    size_t without = 0;
    bool before = strcmp(interval, "idle_before") == 0;
    panel->lines = arena_alloc(&figure->arena, 2 * request->point_count + 1, sizeof *panel->lines);
    double *orders = arena_alloc(&figure->arena, request->point_count + 1, sizeof *orders);
    for (size_t i = 0; i < request->point_count; i++) {
        const struct figure_point *point = request->points[i];
        if (!figure_rows_wants(point, query))
            continue;
        orders[panel->line_count] = order_of(request, point);
        if (!add_idle_line(request, point, before ? &point->before : &point->after, panel))
            without++;
    }
    sort_lines(panel, orders);
    if (panel->line_count == 0) {
        figure->panel_count--;
        figure_warn(figure, request->name, "no samples of power and temperature in %s: nothing to draw",
                    interval);
        return;
    }
    describe_idle(request, interval, without, panel);
    figure_add_fits(request, panel);
}

/* ---- what the plot is from ---- */

static void add_traces(const struct figure_request *request, const struct figure_query *query)
{
    size_t drawn = 0, more = 0;
    for (size_t i = 0; i < request->point_count; i++) {
        const struct figure_point *point = request->points[i];
        if (!figure_rows_wants(point, query) || point->failed)
            continue;
        if (drawn == PANELS_MOST)
            more++;
        else
            drawn += add_trace(request, point);
    }
    if (more > 0)
        figure_warn(request->figure, request->name,
                    "%zu more traces are not drawn; select with the plot's only = {...}", more);
}

void figure_add_samples(const struct figure_request *request)
{
    const char *from = json_string_or(request->plot, "from", "");
    const struct figure_query query = {.benchmark = request->name,
                                       .recipe = json_string_or(request->benchmark, "recipe", NULL),
                                       .only = json_object_get(request->plot, "only")};
    if (strcmp(from, "trace") == 0)
        add_traces(request, &query);
    else if (strcmp(from, "idle_before") == 0 || strcmp(from, "idle_after") == 0)
        add_idle(request, &query, from);
    else
        figure_warn(request->figure, request->name, "there are no plots from \"%.40s\"", from);
}
