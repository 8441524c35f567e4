/* Chains of loads: how many miss at the same time, and how many pages are translated without delay. */
#include "runner/probe/structures/structure.h"

#include <math.h>
#include <string.h>

enum { LINE = 64, ITERATIONS = 60, PARALLEL_MOST = 64 };

/* Each chain goes its own way through the first half of the memory, beginning at places far apart. */
enum status structure_parallel(struct structure_bench *bench, const struct structure_row *row, size_t size,
                               struct probe_point points[STRUCTURE_COMPANIES], struct error *error)
{
    static void *places[PARALLEL_MOST];
    (void)row;
    const struct probe_loop loop = {.body = "parallel", .repeat = (unsigned)size, .step = sizeof(void *)};
    struct probe_code code = {0};
    enum status status = probe_code_make(&bench->probe->texts, &loop, &code, error);
    if (status != STATUS_OK)
        return status;
    void *at = (void *)bench->first;
    for (size_t i = 0; i < size; i++) {
        places[i] = at;
        for (int n = 0; n < 3001; n++)
            memcpy(&at, at, sizeof at);
    }
    struct probe_words words = {.third = (uintptr_t)places};
    struct probe_timing timing = {.code = &code, .iterations = ITERATIONS, .things = 1, .words = &words};
    structure_time(bench, &timing, points);
    bench->first = (uintptr_t)places[0];
    probe_code_free(&code);
    return STATUS_OK;
}

/* One line of each page, compared with as many lines packed together, as in tlb.c. */
enum status structure_translation(struct structure_bench *bench, const struct structure_row *row, size_t size,
                                  struct probe_point points[STRUCTURE_COMPANIES], struct error *error)
{
    (void)row, (void)error;
    if (bench->page_base == 0)
        bench->page_base = probe_translation(bench->probe, &bench->small, size, 0).value;
    points[STRUCTURE_ALONE].cycles = probe_translation(bench->probe, &bench->small, size, bench->page_base);
    points[STRUCTURE_SHARED].disturbed = true;
    return STATUS_OK;
}
