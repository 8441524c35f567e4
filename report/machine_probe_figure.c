#include "report/machine_probe_figure.h"

#include "base/units.h"
#include "report/page/html.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 160, TICK_BYTES = 32, TICK_STEP = 4 };

/* Adds a tick at every second power of two. */
static void add_ticks(const struct probe_curve *curve, struct arena *arena, struct figure_panel *panel)
{
    double *ticks = arena_alloc(arena, curve->count, sizeof *ticks);
    panel->tick_labels = arena_alloc(arena, curve->count, sizeof *panel->tick_labels);
    double last = curve->points[curve->count - 1].size;
    for (double size = curve->points[0].size; size <= last; size *= TICK_STEP) {
        char text[TICK_BYTES];
        units_show_size((uint64_t)size, text, sizeof text);
        ticks[panel->tick_count] = size;
        panel->tick_labels[panel->tick_count++] = arena_strdup(arena, text);
    }
    panel->ticks = ticks;
}

void machine_probe_figure(const struct probe *probe, struct figure *figure)
{
    const struct probe_curve *curve = &probe->latency;
    struct arena *arena = &figure->arena;
    struct figure_sample *samples = arena_alloc(arena, curve->count, sizeof *samples);
    for (size_t i = 0; i < curve->count; i++) {
        const struct interval *ns = &curve->points[i].ns;
        samples[i] = (struct figure_sample){
            .x = curve->points[i].size, .y = ns->value, .low = ns->low, .high = ns->high};
    }
    char subtitle[TEXT_BYTES];
    if (machine_is_gpu(probe->request->machine))
        snprintf(subtitle, sizeof subtitle, "measured: pointer chase of one thread, one line apart; on %s",
                 probe->request->machine->name);
    else
        snprintf(subtitle, sizeof subtitle,
                 "measured: random pointer chase, %.0f %% on huge pages, one word per line; on %s",
                 100 * probe->huge_share, probe->request->machine->name);
    struct figure_panel *panel = figure_add_panel(figure);
    panel->title = panel->heading = "Latency of a load over the working set";
    panel->subtitle = arena_strdup(arena, subtitle);
    panel->x_label = "Working set";
    panel->y_label = "Latency (ns)";
    panel->x_is_log = panel->y_is_log = true;
    add_ticks(curve, arena, panel);
    panel->lines = arena_alloc(arena, 1, sizeof *panel->lines);
    panel->line_count = 1;
    panel->lines[0] = (struct figure_line){.label = "", .samples = samples, .count = curve->count};
}

/* ---- structures ---- */

static void add_structure_line(const struct probe_curve *curve, const char *label, struct figure_panel *panel,
                               struct arena *arena)
{
    struct figure_sample *samples = arena_alloc(arena, curve->count + 1, sizeof *samples);
    size_t count = 0;
    for (size_t i = 0; i < curve->count; i++) {
        const struct interval *y = &curve->points[i].cycles;
        if (!curve->points[i].disturbed)
            samples[count++] = (struct figure_sample){
                .x = curve->points[i].size, .y = y->value, .low = y->low, .high = y->high};
    }
    if (count > 0) {
        panel->lines[panel->line_count] = (struct figure_line){
            .label = label, .colour = panel->line_count, .samples = samples, .count = count};
        panel->line_count++;
    }
}

static void add_marks(const struct probe *probe, const struct probe_structure *structure,
                      struct figure_panel *panel, struct arena *arena)
{
    struct figure_mark *marks = arena_alloc(arena, 2, sizeof *marks);
    for (size_t i = 0; i < 2 && structure->values[i] != NULL; i++) {
        const struct probe_value *value = probe_find(probe, structure->values[i]);
        if (value->found)
            marks[panel->mark_count++] = (struct figure_mark){
                .x = value->interval.value, .label = arena_print(arena, "%.0f", value->interval.value)};
    }
    panel->marks = marks;
}

void machine_probe_structures(const struct probe *probe, struct figure *figure)
{
    static const char *const labels[] = {"alone on the core", "while another thread of the core ran"};
    struct arena *arena = &figure->arena;
    for (size_t i = 0; i < probe->structure_count; i++) {
        const struct probe_structure *structure = &probe->structures[i];
        struct figure_panel panel = {.lines = arena_alloc(arena, 2, sizeof *panel.lines)};
        for (size_t j = 0; j < 2; j++)
            add_structure_line(&structure->curves[j], labels[j], &panel, arena);
        if (panel.line_count == 0)
            continue;
        panel.title = panel.heading = structure->title;
        panel.subtitle = arena_print(arena, "measured by time alone; on %s", probe->request->machine->name);
        panel.x_label = structure->x_label;
        panel.y_label = structure->y_label;
        panel.x_is_log = panel.from_zero = panel.narrow = true;
        add_marks(probe, structure, &panel, arena);
        *figure_add_panel(figure) = panel;
    }
}

void machine_probe_page(const struct probe *probe, char *svg, const char *why, struct buffer *page)
{
    static const char *const heads[] = {"What", "Size", "Interval", "How, or why not", NULL};
    html_begin(page, "Structures of a core");
    buffer_text(page, "<header>\n<h1>Structures of a core</h1>\n</header>\n<main>\n");
    html_element_of(
        page, "p",
        "Sizes on %s, measured by time alone: the largest size before the curve rises, in each of "
        "two passes.",
        probe->request->machine->name);
    html_table_begin(page, "Sizes", heads);
    for (size_t i = 0; i < probe->value_count; i++) {
        const struct probe_value *value = &probe->values[i];
        if (strncmp(value->name, "clock.", strlen("clock.")) == 0)
            continue;
        buffer_text(page, "<tr>");
        html_element(page, "th scope=\"row\"", value->name);
        if (value->found && value->unit[0] != '\0')
            html_element_of(page, "td class=\"number\"", "%.0f %s%s", value->interval.value, value->unit,
                            value->doubt != NULL ? " ?" : "");
        else
            html_element(page, "td", value->found ? "" : "unknown");
        if (value->found && value->unit[0] != '\0')
            html_element_of(page, "td class=\"number\"", "%.0f to %.0f", value->interval.low,
                            value->interval.high);
        else
            html_element(page, "td", "");
        html_element_of(page, "td", "%s%s%s", value->remark, value->doubt != NULL ? "; " : "",
                        value->doubt != NULL ? value->doubt : "");
        buffer_text(page, "</tr>\n");
    }
    html_table_end(page);
    if (!html_picture(page, svg, 1, "A curve for each structure"))
        html_element_of(page, "p", "The curves could not be drawn: %s", why);
    buffer_text(page, "</main>\n</body>\n</html>\n");
}
