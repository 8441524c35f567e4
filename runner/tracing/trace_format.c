#include "runner/tracing/trace_format.h"

#include <string.h>

extern const struct trace_format trace_champsim, trace_drmemtrace, trace_dinero;

const struct trace_format *const trace_formats[] = {&trace_champsim, &trace_drmemtrace, &trace_dinero, NULL};

const struct trace_format *trace_format_find(const char *name)
{
    size_t i = 0;
    while (trace_formats[i] != NULL && strcmp(trace_formats[i]->name, name) != 0)
        i++;
    return trace_formats[i];
}

void trace_format_names(struct buffer *text)
{
    for (size_t i = 0; trace_formats[i] != NULL; i++)
        buffer_printf(text, "%s%s", i == 0 ? "" : ", ", trace_formats[i]->name);
}
