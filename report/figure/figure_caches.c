#include "report/figure/figure_caches.h"

#include "base/buffer.h"
#include "base/units.h"

#include <math.h>
#include <stdint.h>

static void add(struct arena *arena, struct figure_panel *panel, struct figure_mark *marks, double size,
                const char *name, const char *part)
{
    char text[32];
    struct buffer label = {0};
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < panel->line_count; i++)
        for (size_t j = 0; j < panel->lines[i].count; j++) {
            low = fmin(low, panel->lines[i].samples[j].x);
            high = fmax(high, panel->lines[i].samples[j].x);
        }
    if (!(size > low && size < high))
        return;
    buffer_printf(&label, "%s%s %s", part, name, units_show_size((uint64_t)size, text, sizeof text));
    size_t at = panel->mark_count++;
    for (; at > 0 && marks[at - 1].x > size; at--)
        marks[at] = marks[at - 1];
    marks[at] = (struct figure_mark){.x = size, .label = arena_strdup(arena, label.data)};
    buffer_free(&label);
}

void figure_mark_caches(struct arena *arena, struct recorded_machine machine, struct figure_panel *panel)
{
    const struct {
        const char *name;
        double size;
    } caches[] = {{"L1", machine.l1}, {"L1D", machine.l1d}, {"L2", machine.l2}, {"L3", machine.l3}};
    enum { CACHES = sizeof caches / sizeof caches[0], MOST_MARKS = CACHES + 1 };
    struct figure_mark *marks = arena_alloc(arena, MOST_MARKS, sizeof *marks);
    for (size_t i = 0; i < CACHES; i++) {
        add(arena, panel, marks, caches[i].size, caches[i].name, "");
        if (i == 2 && machine.sides == 2)
            add(arena, panel, marks, caches[i].size / 2, caches[i].name, "half of ");
    }
    panel->marks = marks;
}
