#include "report/figure/figure_request.h"

#include "base/memory.h"
#include "base/text/plural.h"
#include "base/text/text_set.h"
#include "generator/metric/metric.h"
#include "report/figure/figure_curves.h"
#include "report/figure/figure_rows.h"
#include "report/figure/metric_labels.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIGURE_REASONS = 6, /* the most reasons of marked samples that a panel prints */
    REASON_NUMBERS = 4, /* of a reason, from its start, that may differ among samples */
};

/* An unfinished panel. */
struct sheet {
    const struct figure_request *request;
    struct figure_query query;
    struct metric_names left, right;
    enum figure_kind kind;
    struct figure_rows *rows; /* of each metric, those on the left first */
    size_t row_sets;
    struct buffer missing; /* the names of metrics without a point to draw, missing_count of them */
    size_t missing_count;
    const char *why_missing;
};

static const struct {
    const char *word;
    enum figure_kind kind;
} kind_words[] = {{"lines", FIGURE_LINES},
                  {"points", FIGURE_POINTS},
                  {"bars", FIGURE_BARS},
                  {"stacked", FIGURE_STACKED},
                  {"map", FIGURE_MAP}};

/* The plot's kind; by default points if x has no order, as for a metric on x or a fit, else lines. */
static enum figure_kind kind_of(const struct benchmark_plot *plot, bool scatter)
{
    const char *word = plot->kind == NULL ? "" : plot->kind;
    for (size_t i = 0; i < sizeof kind_words / sizeof *kind_words; i++)
        if (strcmp(word, kind_words[i].word) == 0)
            return kind_words[i].kind;
    return scatter || plot->fit != NULL ? FIGURE_POINTS : FIGURE_LINES;
}

/* ---- words ---- */

static void write_evidence(struct buffer *text, const struct figure_value *value)
{
    const struct evidence_kind_row *kind = &evidence_kinds[value->kind];
    buffer_text(text, kind->name);
    if (value->source != NULL && kind->before != NULL)
        buffer_printf(text, "%s%s", kind->before, value->source);
}

/* Appends each kind of evidence of the rows once: "inferred from timing". */
static void write_kinds(const struct figure_rows *rows, struct buffer *all)
{
    size_t named = all->size;
    buffer_text(all, "");
    for (size_t i = 0; i < rows->count; i++) {
        struct buffer one = {0};
        write_evidence(&one, rows->rows[i].observed);
        if (strstr(all->data + named, one.data) == NULL)
            buffer_printf(all, "%s%s", all->size == named ? "" : " and ", one.data);
        buffer_free(&one);
    }
}

static const char *metric_at(const struct sheet *sheet, size_t index)
{
    size_t left = sheet->left.count;
    return index < left ? sheet->left.items[index] : sheet->right.items[index - left];
}

/* A number in a reason, as it is printed there. */
struct reason_number {
    const char *text;
    size_t length;
    double value;
};

/* A reason for marked samples. Reasons that differ only in their numbers are one, with a range of each. */
struct figure_reason {
    const char *text; /* of the first sample */
    size_t samples;
    struct reason_number low[REASON_NUMBERS], high[REASON_NUMBERS];
};

/* Finds the next number that is not part of a word; length 0: none is left. */
static struct reason_number next_number(const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if (isdigit((unsigned char)*at) && (at == text || !isalnum((unsigned char)at[-1]))) {
            char *end;
            double value = strtod(at, &end);
            return (struct reason_number){at, (size_t)(end - at), value};
        }
    return (struct reason_number){text + strlen(text), 0, NAN};
}

/* Finds the numbers of a reason, and true if the rest of it is that of `other`. */
static bool is_alike(const char *text, const char *other, struct reason_number numbers[REASON_NUMBERS])
{
    for (size_t i = 0; i < REASON_NUMBERS; i++) {
        struct reason_number its = next_number(other);
        numbers[i] = next_number(text);
        size_t before = (size_t)(numbers[i].text - text);
        if (before != (size_t)(its.text - other) || memcmp(text, other, before) != 0 ||
            (numbers[i].length == 0) != (its.length == 0))
            return false;
        text = numbers[i].text + numbers[i].length;
        other = its.text + its.length;
    }
    return strcmp(text, other) == 0;
}

static struct figure_reason *add_reason(struct figure_reason *reasons, size_t *count, const char *text)
{
    struct reason_number numbers[REASON_NUMBERS];
    size_t at = 0;
    while (at < *count && !is_alike(text, reasons[at].text, numbers))
        at++;
    if (at == *count) {
        reasons = memory_next(reasons, *count, sizeof *reasons);
        reasons[(*count)++] = (struct figure_reason){.text = text};
        (void)is_alike(text, text, numbers);
        memcpy(reasons[at].low, numbers, sizeof numbers);
        memcpy(reasons[at].high, numbers, sizeof numbers);
    }
    reasons[at].samples++;
    for (size_t i = 0; i < REASON_NUMBERS; i++) {
        if (numbers[i].value < reasons[at].low[i].value)
            reasons[at].low[i] = numbers[i];
        if (numbers[i].value > reasons[at].high[i].value)
            reasons[at].high[i] = numbers[i];
    }
    return reasons;
}

/* Appends its text, with "2.07 to 2.99" for a number that differs. */
static void write_reason(const struct figure_reason *reason, struct buffer *line)
{
    const char *at = reason->text;
    for (size_t i = 0; i < REASON_NUMBERS; i++) {
        struct reason_number own = next_number(at);
        const struct reason_number *low = &reason->low[i], *high = &reason->high[i];
        buffer_append(line, at, (size_t)(own.text - at));
        buffer_append(line, low->text, low->length);
        if (low->value < high->value)
            buffer_printf(line, " to %.*s", (int)high->length, high->text);
        at = own.text + own.length;
    }
    buffer_text(line, at);
}

/* Sets the panel's doubts: each reason for marked samples once, and the number of lines that the legend
 * omits. */
static void describe_doubts(const struct sheet *sheet, struct figure_panel *panel)
{
    struct arena *arena = &sheet->request->figure->arena;
    struct figure_reason *reasons = NULL;
    size_t all = 0, count = 0;
    for (size_t i = 0; i < sheet->row_sets; i++)
        for (size_t j = 0; j < sheet->rows[i].count; j++, all++)
            if (sheet->rows[i].rows[j].sample.doubt != NULL)
                reasons = add_reason(reasons, &count, sheet->rows[i].rows[j].sample.doubt);
    size_t shown = count < FIGURE_REASONS ? count : FIGURE_REASONS;
    panel->doubts = arena_alloc(arena, shown + 2, sizeof *panel->doubts);
    for (size_t i = 0; i < shown; i++) {
        struct buffer line = {0};
        write_reason(&reasons[i], &line);
        panel->doubts[panel->doubt_count++] =
            arena_print(arena, "? (%zu of %zu): %s", reasons[i].samples, all, line.data);
        buffer_free(&line);
    }
    if (shown < count)
        panel->doubts[panel->doubt_count++] =
            arena_print(arena, "? for %zu other reason%s", count - shown, plural_s(count - shown));
    if (panel->kind != FIGURE_MAP && panel->line_count > FIGURE_LEGEND)
        panel->doubts[panel->doubt_count++] =
            arena_print(arena, "%zu further lines have no name here; their colours repeat",
                        panel->line_count - FIGURE_LEGEND);
    free(reasons);
}

/* Appends "IPC inferred from timing; Dynamic power measured"; without names if all have the same evidence. */
static void write_all_evidence(const struct sheet *sheet, struct buffer *all)
{
    struct buffer first = {0};
    size_t shown = 0;
    bool same = true;
    for (size_t i = 0; i < sheet->row_sets; i++) {
        struct buffer one = {0};
        if (sheet->rows[i].count == 0)
            continue;
        write_kinds(&sheet->rows[i], &one);
        same = same && (first.size == 0 || strcmp(first.data, one.data) == 0);
        if (shown++ == 0)
            buffer_text(&first, one.data);
        buffer_printf(all, "%s%s %s", all->size == 0 ? "" : "; ",
                      metric_short_name(&sheet->request->figure->arena, metric_at(sheet, i)), one.data);
        buffer_free(&one);
    }
    if (same && shown > 1) {
        buffer_free(all);
        buffer_text(all, first.data);
    }
    buffer_free(&first);
}

static const char *write_subtitle(const struct sheet *sheet)
{
    struct buffer all = {0};
    write_all_evidence(sheet, &all);
    const char *machine = figure_machine(sheet->request);
    if (machine != NULL)
        buffer_printf(&all, " on %s", machine);
    const char *label = simulated_label(&sheet->request->results->context->simulated);
    if (label != NULL)
        buffer_printf(&all, "; %s", label);
    return arena_take(&sheet->request->figure->arena, &all);
}

/* The label of the metrics that have data; of all if none has. first: index of the first row set. */
static const char *write_drawn_label(const struct sheet *sheet, struct metric_names metrics, size_t first)
{
    struct arena *arena = &sheet->request->figure->arena;
    const char **drawn = arena_alloc(arena, metrics.count, sizeof *drawn);
    size_t count = 0;
    for (size_t i = 0; i < metrics.count; i++)
        if (sheet->rows[first + i].count > 0)
            drawn[count++] = metrics.items[i];
    return metrics_axis_label(arena, count > 0 ? (struct metric_names){drawn, count} : metrics);
}

/* "Dynamic power (W), in shares of path = short" */
static const char *write_label(const struct sheet *sheet, struct metric_names metrics, size_t first)
{
    struct arena *arena = &sheet->request->figure->arena;
    const char *label = write_drawn_label(sheet, metrics, first);
    struct buffer text = {0};
    const struct value *relative = &sheet->query.plot->relative;
    if (relative->kind == VALUE_NONE)
        return label;
    if (metrics.count == 1) /* a share has no unit */
        label = metric_short_name(arena, metrics.items[0]);
    buffer_printf(&text, "%s / that of", label);
    for (size_t i = 0; i < relative->count; i++) {
        const struct value_part *part = &relative->parts[i];
        buffer_printf(&text, " %s = ", part->name);
        figure_write_value(&text, part->name,
                           part->value.count > 0 ? &part->value.parts[0].value : &value_none,
                           &sheet->query.plot->sizes);
    }
    return arena_take(arena, &text);
}

static const char *write_heading(const struct sheet *sheet)
{
    struct arena *arena = &sheet->request->figure->arena;
    struct buffer text = {0};
    for (size_t i = 0; i < sheet->row_sets; i++)
        if (sheet->rows[i].count > 0)
            buffer_printf(&text, "%s%s", text.size == 0 ? "" : ", ",
                          metric_short_name(arena, metric_at(sheet, i)));
    buffer_printf(&text, " against %s (%s)",
                  figure_words(sheet->request, sheet->query.plot->xlabel, sheet->query.x),
                  sheet->request->name);
    return arena_take(arena, &text);
}

/* ---- lines ---- */

/* Merges the categories of all row sets into those of the panel. */
static void share_categories(const struct sheet *sheet, struct figure_panel *panel)
{
    size_t most = 0;
    bool words = false;
    for (size_t i = 0; i < sheet->row_sets; i++) {
        most += sheet->rows[i].category_count;
        words = words || sheet->rows[i].categories != NULL;
    }
    if (!words)
        return;
    struct text_set known = {0};
    panel->categories = arena_alloc(&sheet->request->figure->arena, most, sizeof *panel->categories);
    for (size_t i = 0; i < sheet->row_sets; i++)
        for (size_t j = 0; j < sheet->rows[i].count && sheet->rows[i].categories != NULL; j++) {
            double *x = &sheet->rows[i].rows[j].sample.x;
            const char *name = sheet->rows[i].categories[(size_t)*x];
            size_t at = text_set_add(&known, name);
            panel->categories[at] = name;
            *x = (double)at;
        }
    panel->category_count = known.count;
    text_set_free(&known);
}

/* The label of a line; with several metrics it begins with the metric. */
static const char *label_of(const struct sheet *sheet, size_t set, const char *label)
{
    struct arena *arena = &sheet->request->figure->arena;
    bool right = set >= sheet->left.count;
    if (sheet->row_sets == 1)
        return label;
    return arena_print(arena, "%s%s%s%s",
                       right ? metric_short_name(arena, metric_at(sheet, set))
                             : metric_own_name(arena, metric_at(sheet, set), sheet->left),
                       label[0] == '\0' ? "" : ", ", label, right ? " (right)" : "");
}

static void add_set(const struct sheet *sheet, size_t set, struct figure_panel *panel)
{
    const struct figure_rows *rows = &sheet->rows[set];
    struct figure_sample *samples = arena_alloc(&sheet->request->figure->arena, rows->count, sizeof *samples);
    for (size_t i = 0; i < rows->count; i++) {
        samples[i] = rows->rows[i].sample;
        if (i == 0 || rows->rows[i].line != rows->rows[i - 1].line) {
            panel->lines[panel->line_count] =
                (struct figure_line){.label = label_of(sheet, set, rows->rows[i].label),
                                     .right = set >= sheet->left.count,
                                     .colour = panel->line_count,
                                     .samples = &samples[i]};
            panel->line_count++;
        }
        panel->lines[panel->line_count - 1].count++;
    }
}

/* Stacks each bar on those of earlier lines at the same x. */
static void stack(struct figure_panel *panel, struct arena *arena)
{
    double *tops = arena_alloc(arena, panel->category_count + 1, sizeof *tops);
    for (size_t i = 0; i < panel->line_count; i++) {
        struct figure_sample *samples = (struct figure_sample *)(void *)panel->lines[i].samples;
        for (size_t j = 0; j < panel->lines[i].count; j++) {
            double *top = &tops[(size_t)samples[j].x];
            samples[j].base = *top;
            samples[j].y += *top;
            samples[j].low += *top;
            samples[j].high += *top;
            *top = samples[j].y;
        }
    }
}

/* Shortens the names of a map's rows to the value of `by`. */
static void name_rows(const struct sheet *sheet, struct figure_panel *panel)
{
    size_t length = strlen(sheet->query.by);
    for (size_t i = 0; i < panel->line_count; i++) {
        const char *label = panel->lines[i].label;
        if (strncmp(label, sheet->query.by, length) == 0 && strncmp(label + length, " = ", 3) == 0)
            panel->lines[i].label = label + length + 3;
    }
}

/* The name of a row and column, and the place of the processor with that number. */
struct named_unit {
    const char *name;
    struct figure_unit unit;
};

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

/* Sorts processors by socket, cluster and core, then by number. */
static int by_unit(const void *left, const void *right)
{
    const struct named_unit *a = left, *b = right;
    int order = compare(a->unit.socket, b->unit.socket);
    order = order != 0 ? order : compare(a->unit.cluster, b->unit.cluster);
    order = order != 0 ? order : compare(a->unit.core, b->unit.core);
    order = order != 0 ? order : compare(strtod(a->name, NULL), strtod(b->name, NULL));
    return order != 0 ? order : strcmp(a->name, b->name);
}

static int member_of(const double *numbers, size_t count, size_t index)
{
    return index < count ? (int)numbers[index] : 0;
}

static struct figure_unit unit_of(const struct results_context *context, const char *name)
{
    for (size_t i = 0; i < context->processors.count; i++)
        if (compare(context->processors.cpus[i], strtod(name, NULL)) == 0)
            return (struct figure_unit){
                member_of(context->processors.socket, context->processors.sockets, i),
                member_of(context->processors.cluster, context->processors.clusters, i),
                member_of(context->processors.core, context->processors.cores, i)};
    return (struct figure_unit){-1, -1, -1};
}

/* A cell of a mirrored map. */
struct cell {
    size_t row;
    bool turned; /* copied from the cell with row and column exchanged; a measured value replaces it */
    size_t place;
    struct figure_sample sample;
};

static int by_cell(const void *left, const void *right)
{
    const struct cell *a = left, *b = right;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->sample.x < b->sample.x || a->sample.x > b->sample.x)
        return a->sample.x < b->sample.x ? -1 : 1;
    if (a->turned != b->turned)
        return a->turned ? 1 : -1;
    return (a->place < b->place) - (a->place > b->place);
}

/* The names of rows and columns, each once, sorted by their place in the machine and by number. Sets the
 * panel's units. In the arena. */
static const char **name_cells(const struct results_context *context, struct figure_panel *panel,
                               struct arena *arena, struct text_set *sorted)
{
    struct text_set all = {0};
    for (size_t i = 0; i < panel->line_count; i++)
        text_set_add(&all, panel->lines[i].label);
    for (size_t i = 0; i < panel->category_count; i++)
        text_set_add(&all, panel->categories[i]);
    const char **names = arena_alloc(arena, all.count, sizeof *names);
    struct named_unit *named = arena_alloc(arena, all.count, sizeof *named);
    struct figure_unit *units = arena_alloc(arena, all.count, sizeof *units);
    for (size_t i = 0; i < all.count; i++)
        named[i] = (struct named_unit){arena_strdup(arena, all.texts[i]), unit_of(context, all.texts[i])};
    qsort(named, all.count, sizeof *named, by_unit);
    for (size_t i = 0; i < all.count; i++) {
        names[i] = named[i].name;
        units[i] = named[i].unit;
        text_set_add(sorted, names[i]);
    }
    panel->units = context->processors.given ? units : NULL;
    text_set_free(&all);
    return names;
}

/* Mirrors a map: a value at (x, by) is also that at (by, x), so that rows and columns have the same names. */
static void mirror(const struct results_context *context, struct figure_panel *panel, struct arena *arena)
{
    struct text_set sorted = {0};
    size_t count = 0, most = 0;
    for (size_t i = 0; i < panel->line_count; i++)
        most += 2 * panel->lines[i].count;
    struct cell *cells = arena_alloc(arena, most, sizeof *cells);
    struct figure_sample *samples = arena_alloc(arena, most, sizeof *samples);
    const char **names = name_cells(context, panel, arena, &sorted);
    for (size_t i = 0; i < panel->line_count; i++)
        for (size_t j = 0; j < panel->lines[i].count; j++) {
            struct figure_sample sample = panel->lines[i].samples[j];
            size_t row = text_set_find(&sorted, panel->lines[i].label);
            size_t column = text_set_find(&sorted, panel->categories[(size_t)sample.x]);
            sample.x = (double)column;
            cells[count] = (struct cell){row, false, count, sample};
            sample.x = (double)row;
            cells[count + 1] = (struct cell){column, true, count + 1, sample};
            count += 2;
        }
    qsort(cells, count, sizeof *cells, by_cell);
    panel->lines = arena_alloc(arena, sorted.count, sizeof *panel->lines);
    panel->line_count = panel->category_count = sorted.count;
    panel->categories = names;
    for (size_t row = 0; row < sorted.count; row++)
        panel->lines[row] = (struct figure_line){.label = names[row]};
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct figure_line *line = &panel->lines[cells[i].row];
        if (i > 0 && cells[i - 1].row == cells[i].row && cells[i - 1].sample.x == cells[i].sample.x)
            continue;
        samples[kept] = cells[i].sample;
        line->samples = line->count == 0 ? &samples[kept] : line->samples;
        line->count++;
        kept++;
    }
    text_set_free(&sorted);
}

/* Leaves out values that are not above 0, as a logarithm needs. */
static void keep_positive(const struct sheet *sheet, bool x, bool y)
{
    size_t dropped = 0;
    for (size_t i = 0; i < sheet->row_sets; i++) {
        struct figure_rows *rows = &sheet->rows[i];
        size_t kept = 0;
        for (size_t j = 0; j < rows->count; j++) {
            const struct figure_sample *sample = &rows->rows[j].sample;
            if ((!x || sample->x > 0) && (!y || (sample->y > 0 && !(sample->low <= 0))))
                rows->rows[kept++] = rows->rows[j];
        }
        dropped += rows->count - kept;
        rows->count = kept;
    }
    if (dropped > 0)
        figure_warn(sheet->request->figure, sheet->request->name,
                    "%zu points are not above 0 and cannot be shown on a logarithmic axis", dropped);
}

/* ---- panels ---- */

static bool read_power(const struct results_context *context)
{
    bool power = false;
    for (size_t i = 0; i < context->sensor_count; i++)
        power = power || strcmp(context->sensors[i].quantity, "energy") == 0 ||
                strcmp(context->sensors[i].quantity, "power") == 0;
    return power;
}

static const char *why_no_data(const struct sheet *sheet, const struct figure_rows *rows, const char *metric)
{
    const struct metric *row = metric_find(metric);
    if (rows->found == 0)
        return sheet->query.plot->only.kind == VALUE_NONE
                   ? "the results have no point of this benchmark"
                   : "the plot's only = {...} selects no point of the results";
    if (rows->found == rows->failed)
        return "every point failed";
    if (rows->with_x == 0)
        return "no point has the sweep parameter that the plot puts on x";
    if (rows->alone > 0)
        return "the point that the others are relative to has no value above 0";
    if (row != NULL && metric_row_has(row, "sensors"))
        return read_power(sheet->request->results->context) ? "the power sensors have no value for it"
                                                            : "no power sensor was read";
    if (row != NULL && row->star == STAR_LEVEL && row->trend != TREND_NONE)
        return "the level serves all accesses of no point, or no source observed it; load.ns is the time per "
               "load";
    return "no source observed it";
}

static void report_missing(struct sheet *sheet)
{
    if (sheet->missing_count > 0)
        figure_warn(sheet->request->figure, sheet->request->name, "%s against %.60s %s no point to draw: %s",
                    sheet->missing.data, sheet->query.x, sheet->missing_count == 1 ? "has" : "have",
                    sheet->why_missing);
    buffer_free(&sheet->missing);
    sheet->missing_count = 0;
}

/* Consecutive metrics of a plot that have no point for the same reason share one warning. */
static void add_missing(struct sheet *sheet, const struct figure_rows *rows, const char *metric)
{
    const char *why = why_no_data(sheet, rows, metric);
    if (sheet->missing_count > 0 && strcmp(why, sheet->why_missing) != 0)
        report_missing(sheet);
    buffer_printf(&sheet->missing, "%s%.60s", sheet->missing_count++ == 0 ? "" : ", ", metric);
    sheet->why_missing = why;
}

/* Reads the rows of all metrics; returns the number of rows. */
static size_t read_rows(struct sheet *sheet)
{
    struct arena *arena = &sheet->request->figure->arena;
    size_t count = 0;
    sheet->row_sets = sheet->left.count + sheet->right.count;
    sheet->rows = arena_alloc(arena, sheet->row_sets, sizeof *sheet->rows);
    for (size_t i = 0; i < sheet->row_sets; i++) {
        sheet->query.metric = metric_at(sheet, i);
        if (sheet->query.metric == NULL)
            continue;
        sheet->rows[i] =
            figure_rows_select(arena, sheet->request->points, sheet->request->point_count, &sheet->query);
        if (sheet->rows[i].count == 0)
            add_missing(sheet, &sheet->rows[i], sheet->query.metric);
        else if (sheet->rows[i].alone > 0)
            figure_warn(sheet->request->figure, sheet->request->name,
                        "%s: %zu points have no point to compare with", sheet->query.metric,
                        sheet->rows[i].alone);
        count += sheet->rows[i].count;
    }
    return count;
}

static bool right_has_rows(const struct sheet *sheet)
{
    for (size_t i = sheet->left.count; i < sheet->row_sets; i++)
        if (sheet->rows[i].count > 0)
            return true;
    return false;
}

static void describe_panel(const struct sheet *sheet, struct figure_panel *panel)
{
    const char *log = sheet->query.plot->log == NULL ? "" : sheet->query.plot->log;
    panel->kind = sheet->kind;
    panel->heading = write_heading(sheet);
    panel->subtitle = write_subtitle(sheet);
    describe_doubts(sheet, panel);
    panel->x_label = figure_words(sheet->request, sheet->query.plot->xlabel,
                                  metric_axis_label(&sheet->request->figure->arena, sheet->query.x));
    panel->y_label =
        figure_words(sheet->request, sheet->query.plot->ylabel, write_label(sheet, sheet->left, 0));
    if (right_has_rows(sheet))
        panel->right_label = write_label(sheet, sheet->right, sheet->left.count);
    panel->from_zero = !sheet->query.plot->zero_given || sheet->query.plot->zero;
    panel->x_is_log = strchr(log, 'x') != NULL && panel->categories == NULL;
    panel->y_is_log = strchr(log, 'y') != NULL;
    const char *unit = sheet->query.plot->xunit;
    panel->x_is_bytes = (unit != NULL && strcmp(unit, "bytes") == 0) ||
                        benchmark_has(&sheet->query.plot->sizes, sheet->query.x);
    if (panel->x_is_bytes && panel->categories == NULL)
        figure_mark_caches(&sheet->request->figure->arena, sheet->request->results->context->machine, panel);
}

static void add_panel(struct sheet *sheet)
{
    struct figure *figure = sheet->request->figure;
    const char *log = sheet->query.plot->log == NULL ? "" : sheet->query.plot->log;
    size_t count = read_rows(sheet);
    if (count > 0 && log[0] != '\0')
        keep_positive(sheet, strchr(log, 'x') != NULL && sheet->rows[0].categories == NULL,
                      strchr(log, 'y') != NULL);
    size_t left = 0;
    for (size_t i = 0; i < sheet->row_sets; i++)
        left += sheet->rows[i].count;
    if (left == 0)
        return;
    struct figure_panel *panel = figure_add_panel(figure);
    share_categories(sheet, panel);
    panel->lines =
        arena_alloc(&figure->arena, 2 * count + 1, sizeof *panel->lines); /* with fits and a model */
    for (size_t i = 0; i < sheet->row_sets; i++)
        if (sheet->rows[i].count > 0)
            add_set(sheet, i, panel);
    describe_panel(sheet, panel);
    if (panel->kind == FIGURE_STACKED)
        stack(panel, &figure->arena);
    if (panel->kind == FIGURE_MAP) {
        panel->colour_label = write_label(sheet, sheet->left, 0);
        panel->y_label = figure_words(sheet->request, sheet->query.plot->ylabel, sheet->query.by);
        name_rows(sheet, panel);
        if (sheet->query.plot->mirror)
            mirror(sheet->request->results->context, panel, &figure->arena);
        return;
    }
    figure_add_fits(sheet->request, panel);
    if (sheet->row_sets == 1)
        figure_add_reference(sheet->request, sheet->query.metric, &sheet->rows[0], panel);
}

static void warn_of_missing(struct sheet *sheet, size_t panels_before)
{
    report_missing(sheet);
    const struct figure_rows *rows = &sheet->rows[0];
    if (sheet->request->figure->panel_count > panels_before && sheet->row_sets > 0 && rows->failed > 0)
        figure_warn(sheet->request->figure, sheet->request->name,
                    "%zu of %zu points failed and are not drawn", rows->failed, rows->found);
}

void figure_add_points(const struct figure_request *request)
{
    const struct benchmark_plot *plot = request->plot;
    const struct metric_names y = {plot->y.items, plot->y.count};
    struct sheet sheet = {.request = request, .left = y, .right = {plot->right.items, plot->right.count}};
    size_t before = request->figure->panel_count;
    sheet.query = (struct figure_query){.benchmark = request->name,
                                        .recipe = request->benchmark->recipe,
                                        .x = plot->x,
                                        .by = plot->by,
                                        .plot = plot};
    if (sheet.query.x == NULL) {
        figure_warn(request->figure, request->name, "a plot of the recipe has no x");
        return;
    }
    sheet.kind = kind_of(plot, metric_find(sheet.query.x) != NULL);
    sheet.query.categories =
        sheet.kind == FIGURE_BARS || sheet.kind == FIGURE_STACKED || sheet.kind == FIGURE_MAP;
    if (sheet.kind == FIGURE_STACKED || plot->together || sheet.right.count > 0) {
        add_panel(&sheet);
        warn_of_missing(&sheet, before);
        return;
    }
    for (size_t i = 0; i < y.count; i++) {
        sheet.left = (struct metric_names){&y.items[i], 1};
        add_panel(&sheet);
    }
    if (y.count > 0)
        warn_of_missing(&sheet, before);
}
