#include "report/figure/machine_probe_figure.h"

#include "base/units.h"

#include <stdio.h>

enum { TEXT_BYTES = 160, TICK_BYTES = 32, TICK_STEP = 4 };

/* A mark at every second power of two. */
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
