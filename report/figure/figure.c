#include "report/figure/figure.h"

#include "base/text/visible.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void figure_warn(struct figure *figure, const char *benchmark, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct buffer *warnings = &figure->warnings;
    visible_append(warnings, benchmark); /* text from a recipe cannot end the line */
    buffer_text(warnings, ": ");
    visible_append(warnings, text);
    buffer_text(warnings, "\n");
}

struct figure_panel *figure_add_panel(struct figure *figure)
{
    size_t count = figure->panel_count;
    if ((count & (count - 1)) == 0) { /* full: 0, 1, 2, 4, ... */
        size_t room = count == 0 ? 1 : 2 * count;
        struct figure_panel *panels = arena_alloc(&figure->arena, room, sizeof *panels);
        if (count > 0)
            memcpy(panels, figure->panels, count * sizeof *panels);
        figure->panels = panels;
    }
    struct figure_panel *panel = &figure->panels[figure->panel_count++];
    *panel = (struct figure_panel){.heading = "", .from_zero = true};
    return panel;
}

void figure_free(struct figure *figure)
{
    arena_free(&figure->arena);
    buffer_free(&figure->warnings);
    memset(figure, 0, sizeof *figure);
}
