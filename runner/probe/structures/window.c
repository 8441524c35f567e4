/* How far a core looks ahead: two loads that miss, with more and more instructions between them (Wong,
 * "Measuring reorder buffer capacity", 2013). While all fit into a structure, the loads miss at the same
 * time; when they do not, the second waits for the first. The same code is also timed with a second load that
 * hits; in the ratio of both, the time of the instructions themselves cancels out. */
#include "runner/probe/structures/structure.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 16, ITERATIONS = 24 };

static enum status append(const struct template *texts, const char *name, struct buffer *text,
                          struct error *error)
{
    const char *section = probe_section(texts, name, error);
    if (section == NULL)
        return STATUS_FAILED;
    buffer_text(text, section);
    buffer_text(text, "\n");
    return STATUS_OK;
}

/* The section `count` times, each with the next register of the section "window.words" or "vectors". */
static enum status write_fillers(const struct template *texts, const char *section, size_t count,
                                 struct buffer *text, struct error *error)
{
    const char *filler = template_section(texts, section);
    const char *pool =
        template_section(texts, strstr(filler, "{vector}") != NULL ? "vectors" : "window.words");
    const char *next = pool;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && pool != NULL && i < count; i++) {
        char name[NAME_BYTES];
        int used;
        if (sscanf(next, "%15s%n", name, &used) != 1 && sscanf(next = pool, "%15s%n", name, &used) != 1)
            break;
        next += used;
        const struct binding bindings[] = {{"register", name}, {"vector", name}};
        status = template_expand(texts, filler, bindings, 2, text, error);
        buffer_text(text, "\n");
    }
    return status;
}

static enum status write_body(const struct structure_bench *bench, const struct structure_row *row,
                              size_t size, struct buffer *text, struct error *error)
{
    static const char *const loads[] = {"window.first", "window.second"};
    static const char *const waits[] = {"window.first.waits", "window.second.waits"};
    const struct template *texts = &bench->probe->texts;
    bool waiting = strstr(row->section, ".scheduler") != NULL;
    enum status status = STATUS_OK;
    for (size_t half = 0; status == STATUS_OK && half < 2; half++) {
        status = append(texts, loads[half], text, error);
        if (status == STATUS_OK && waiting)
            status = append(texts, waits[half], text, error);
        if (status == STATUS_OK)
            status = write_fillers(texts, row->section, size, text, error);
    }
    return status;
}

enum status structure_window(struct structure_bench *bench, const struct structure_row *row, size_t size,
                             struct probe_point points[STRUCTURE_COMPANIES], struct error *error)
{
    struct buffer text = {0};
    struct probe_code code = {0};
    enum status status = write_body(bench, row, size, &text, error);
    const struct probe_loop loop = {.before = "window.before", .text = text.data, .repeat = 1};
    if (status == STATUS_OK)
        status = probe_code_make(&bench->probe->texts, &loop, &code, error);
    if (status == STATUS_OK) {
        struct probe_words words = {.first = bench->first, .second = bench->second};
        struct probe_timing timing = {.code = &code, .iterations = ITERATIONS, .things = 1, .words = &words};
        struct probe_point both[STRUCTURE_COMPANIES], one[STRUCTURE_COMPANIES];
        structure_time(bench, &timing, both);
        bench->second = words.second;
        words.second = (uintptr_t)bench->self;
        structure_time(bench, &timing, one);
        bench->first = words.first;
        for (size_t i = 0; i < STRUCTURE_COMPANIES; i++) {
            const struct interval *a = &both[i].cycles, *b = &one[i].cycles;
            points[i].disturbed = both[i].disturbed || one[i].disturbed;
            points[i].cycles =
                (struct interval){a->value / b->value, a->low / b->high, a->high / b->low, a->n};
        }
    }
    probe_code_free(&code);
    buffer_free(&text);
    return status;
}
