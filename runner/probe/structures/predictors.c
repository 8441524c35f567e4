/* A core's predictors of branches: the return stack, and the buffer of branch targets. */
#include "base/memory.h"
#include "runner/probe/structures/structure.h"

#include <stdio.h>
#include <stdlib.h>

enum { ITERATIONS = 40, NAME_BYTES = 24 };

/* Functions that call the next one, `size` deep. */
enum status structure_return(struct structure_bench *bench, const struct structure_row *row, size_t size,
                             struct probe_point points[STRUCTURE_COMPANIES], struct error *error)
{
    static const char *const sections[] = {"stack.enter", "stack.inner", "stack.last"};
    const struct template *texts = &bench->probe->texts;
    struct buffer text = {0};
    struct probe_code code = {0};
    enum status status = STATUS_OK;
    (void)row;
    for (size_t i = 0; status == STATUS_OK && i <= size; i++) {
        char here[NAME_BYTES], next[NAME_BYTES];
        snprintf(here, sizeof here, "depth_%zu", i);
        snprintf(next, sizeof next, "depth_%zu", i + 1);
        const struct binding bindings[] = {{"here", here}, {"next", next}};
        const char *section = template_section(texts, sections[i == 0 ? 0 : i < size ? 1 : 2]);
        status = template_expand(texts, section, bindings, 2, &text, error);
        buffer_text(&text, "\n");
    }
    const struct probe_loop loop = {.text = text.data, .repeat = 1};
    if (status == STATUS_OK)
        status = probe_code_make(texts, &loop, &code, error);
    if (status == STATUS_OK) {
        struct probe_words words = {0};
        struct probe_timing timing = {
            .code = &code, .iterations = ITERATIONS, .things = (double)size, .words = &words};
        structure_time(bench, &timing, points);
    }
    probe_code_free(&code);
    buffer_free(&text);
    return status;
}

/* Jumps in address order, row->parameter bytes apart, the last of which returns. */
enum status structure_target(struct structure_bench *bench, const struct structure_row *row, size_t size,
                             struct probe_point points[STRUCTURE_COMPANIES], struct error *error)
{
    enum { REACH = 1 << 20, LEAST_JUMPS = 2000 };
    struct probe_code code = {0};
    enum status status = STATUS_OK;
    if (bench->links.jump == NULL)
        status = jump_links_learn(&bench->probe->texts, REACH, &bench->links, error);
    size_t *places = memory_resized(NULL, size, sizeof *places);
    for (size_t i = 0; i < size; i++)
        places[i] = i * row->parameter;
    if (status == STATUS_OK)
        status = jump_links_lay(&bench->links, places, size, size * row->parameter, &code, error);
    free(places);
    if (status == STATUS_OK) {
        struct probe_words words = {.first = (uintptr_t)code.bytes};
        struct probe_timing timing = {.code = &bench->links.caller,
                                      .things = (double)size,
                                      .iterations = LEAST_JUMPS / size + 1,
                                      .words = &words};
        probe_code_run(timing.code, 2, &words);
        structure_time(bench, &timing, points);
    }
    probe_code_free(&code);
    return status;
}
