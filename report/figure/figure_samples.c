#include "report/figure/figure_request.h"

#include "base/file.h"
#include "report/figure/figure_curves.h"
#include "report/figure/figure_rows.h"
#include "report/figure/trace_read.h"

#include <math.h>
#include <string.h>

/* PANELS_MOST: of traces, if the plot selects no points; the others as in spans_of and wide_enough. */
enum { PANELS_MOST = 8, SPANS_MOST = 600, IDLE_SPANS_MOST = 120, READINGS_A_SPAN = 4, UPDATES_A_SPAN = 8 };

/* The quantities that a plot's y may name; power is also computed from differences of energy. */
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
static const struct context_sensor *sensor_of(const struct figure_request *request, const char *channel)
{
    const struct results_context *context = request->results->context;
    for (size_t i = 0; i < context->sensor_count; i++)
        if (strcmp(context->sensors[i].name, channel) == 0)
            return &context->sensors[i];
    return NULL;
}

/* ---- spans: means of consecutive readings ---- */

/* The number of spans. Differences of single readings would show the updates of a counter, not the power: a
 * span of differences has READINGS_A_SPAN readings. */
static size_t spans_of(size_t readings, size_t most, bool differences)
{
    size_t spans = readings / (differences ? READINGS_A_SPAN : 1);
    return spans > most ? most : spans < 2 ? 1 : spans;
}

static struct figure_sample sample_at(double x, double y)
{
    return (struct figure_sample){.x = x, .y = y, .low = y, .high = y};
}

/* Makes one sample of a channel's readings first to last; false if an energy counter decreased or time did
 * not advance. */
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

/* Reduces the number of spans until each has UPDATES_A_SPAN updates of its counter: with few, their timing
 * would dominate. */
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
        const struct context_sensor *sensor = sensor_of(request, channel->name);
        const char *recorded = sensor == NULL ? "" : sensor->quantity;
        bool energy = strcmp(recorded, "energy") == 0 && strcmp(quantity->name, "power") == 0;
        if (!energy && strcmp(recorded, quantity->name) != 0)
            continue;
        struct figure_sample *samples =
            arena_alloc(arena, spans_of(channel->count, SPANS_MOST, energy), sizeof *samples);
        double update_s = sensor == NULL || isnan(sensor->update_s) ? 0 : sensor->update_s;
        size_t count = make_spans(channel, energy, quantity->scale, update_s, samples);
        if (count == 0)
            continue;
        struct buffer label = {0};
        buffer_printf(&label, "%s, %s%s",
                      sensor == NULL || sensor->label == NULL ? channel->name : sensor->label, quantity->name,
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

static const char *axis_of(const struct figure_request *request, const struct benchmark_words *names)
{
    struct buffer text = {0};
    for (size_t i = 0; i < names->count; i++) {
        const struct sampled_quantity *quantity = quantity_named(names->items[i]);
        if (quantity != NULL)
            buffer_printf(&text, "%s%s", text.size == 0 ? "" : ", ", quantity->label);
    }
    return arena_take(&request->figure->arena, &text);
}

static const char *own_name(const struct figure_point *point)
{
    return point->name[0] == '\0' ? "default" : point->name;
}

/* The point's name in commands: "programs/program=MB_L2". */
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
    const char *label = simulated_label(&request->results->context->simulated);
    buffer_printf(&text, "%s: %s, means over %.3g s", name_of(request, point),
                  label == NULL ? "measured" : label, longest_span(panel));
    if (machine != NULL)
        buffer_printf(&text, ", on %s", machine);
    if (point->untrusted)
        buffer_text(&text, "; its power is untrustworthy");
    panel->subtitle = arena_take(&request->figure->arena, &text);
    panel->heading = arena_print(&request->figure->arena, "Trace of %s", name_of(request, point));
    panel->x_label = figure_words(request, request->plot->xlabel, "Time (s)");
    panel->y_label = figure_words(request, request->plot->ylabel, axis_of(request, &request->plot->y));
    panel->from_zero = !request->plot->zero_given || request->plot->zero;
    panel->plain = true;
}

/* Adds the quantities of the plot's list as lines of the left or the right axis. */
static void add_quantities(const struct figure_request *request, const struct trace *trace, bool right,
                           struct figure_panel *panel)
{
    const struct benchmark_words *names = right ? &request->plot->right : &request->plot->y;
    for (size_t i = 0; i < names->count; i++) {
        const struct sampled_quantity *quantity = quantity_named(names->items[i]);
        if (quantity != NULL)
            add_channels(request, trace, quantity, right, panel);
    }
}

/* Adds a panel for the point's trace. False, with a warning, if there are no data to draw. */
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
    add_quantities(request, &trace, false, panel);
    size_t left = panel->line_count;
    add_quantities(request, &trace, true, panel);
    if (left == 0) {
        figure->panel_count--;
        figure_warn(figure, request->name, "the trace of %.100s has no sensor that the plot needs",
                    own_name(point));
        return false;
    }
    if (panel->line_count > left)
        panel->right_label = axis_of(request, &request->plot->right);
    panel->marks = trace.marks;
    panel->mark_count = trace.mark_count;
    describe_trace(request, point, panel);
    figure_add_fits(request, panel);
    return true;
}

/* ---- idle intervals ---- */

static bool is_over_time(const struct figure_request *request)
{
    return request->plot->x != NULL && strcmp(request->plot->x, "time") == 0;
}

/* Makes one sample of two moments: the mean power between them, over the middle time or temperature. */
static bool take_idle(const struct figure_request *request, const struct figure_moment *begin,
                      const struct figure_moment *end, struct figure_sample *sample)
{
    double seconds = end->t_s - begin->t_s;
    double celsius = (begin->celsius + end->celsius) / 2;
    double watts = (end->joules - begin->joules) / seconds;
    double middle = begin->t_s + seconds / 2;
    const char *y = request->plot->y.count > 0 ? request->plot->y.items[0] : NULL;
    bool over_time = is_over_time(request);
    *sample =
        sample_at(over_time ? middle : celsius, y != NULL && strcmp(y, "temperature") == 0 ? celsius : watts);
    return seconds > 0 && isfinite(sample->x) && isfinite(sample->y);
}

/* The label of a point's line: "ghz = 1.4", from the plot's `by`; else the point's name. */
static const char *idle_label(const struct figure_request *request, const struct figure_point *point)
{
    struct buffer text = {0};
    const char *by = request->plot->by;
    if (!value_has(&point->parameters, by))
        return name_of(request, point);
    buffer_printf(&text, "%s = ", by);
    figure_write_value(&text, by, value_get(&point->parameters, by), &request->benchmark->sizes);
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
    bool over_time = is_over_time(request);
    const char *machine = figure_machine(request);
    const char *label = simulated_label(&request->results->context->simulated);
    buffer_printf(&text, "%s while nothing ran %s the loops; hottest thermometer",
                  label == NULL ? "measured" : label,
                  strcmp(interval, "idle_before") == 0 ? "before" : "after");
    if (machine != NULL)
        buffer_printf(&text, "; on %s", machine);
    panel->subtitle = arena_take(&request->figure->arena, &text);
    panel->heading = arena_print(&request->figure->arena, "Idle power (%s)", request->name);
    panel->x_label =
        figure_words(request, request->plot->xlabel, over_time ? "Time (s)" : quantities[1].label);
    panel->y_label = figure_words(request, request->plot->ylabel, axis_of(request, &request->plot->y));
    bool lines = request->plot->kind != NULL && strcmp(request->plot->kind, "lines") == 0;
    panel->kind = lines ? FIGURE_LINES : FIGURE_POINTS;
    panel->from_zero = request->plot->zero_given && request->plot->zero;
    if (without > 0)
        figure_warn(request->figure, request->name,
                    "%zu points have no samples of power and temperature in %s", without, interval);
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

/* Adds one panel with a line for each point. */
static void add_idle(const struct figure_request *request, const struct figure_query *query,
                     const char *interval)
{
    struct figure *figure = request->figure;
    struct figure_panel *panel = figure_add_panel(figure);
    size_t without = 0;
    const char *by = request->plot->by == NULL ? "" : request->plot->by;
    bool before = strcmp(interval, "idle_before") == 0;
    panel->lines = arena_alloc(&figure->arena, 2 * request->point_count + 1, sizeof *panel->lines);
    double *orders = arena_alloc(&figure->arena, request->point_count + 1, sizeof *orders);
    for (size_t i = 0; i < request->point_count; i++) {
        const struct figure_point *point = request->points[i];
        if (!figure_rows_selects(point, query))
            continue;
        orders[panel->line_count] = figure_order_of(request->plot, by, value_get(&point->parameters, by));
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

/* ---- traces or idle intervals ---- */

static void add_traces(const struct figure_request *request, const struct figure_query *query)
{
    size_t drawn = 0, more = 0;
    for (size_t i = 0; i < request->point_count; i++) {
        const struct figure_point *point = request->points[i];
        if (!figure_rows_selects(point, query) || point->failed)
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
    const char *from = request->plot->from;
    const struct figure_query query = {
        .benchmark = request->name, .recipe = request->benchmark->recipe, .plot = request->plot};
    if (strcmp(from, "trace") == 0)
        add_traces(request, &query);
    else if (strcmp(from, "idle_before") == 0 || strcmp(from, "idle_after") == 0)
        add_idle(request, &query, from);
    else
        figure_warn(request->figure, request->name, "there are no plots from \"%.40s\"", from);
}
