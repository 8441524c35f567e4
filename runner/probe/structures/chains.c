/* Chains of loads: how many miss at the same time, and how many pages are translated without delay. */
#include "runner/probe/structures/structure.h"

#include <math.h>

enum { LINE = 64, LOADS = 32, SAMPLE_LOADS = 512, ITERATIONS = 24, PARALLEL_MOST = 64, WARM_ROUNDS = 12 };

/* Each chain begins at another place of the first half of the memory, and at other places each time, because
 * lines that an earlier chain visited are in nearer caches. */
enum status structure_parallel(struct structure_bench *bench, const struct structure_row *row, size_t size,
                               struct probe_point points[STRUCTURE_COMPANIES], struct error *error)
{
    uintptr_t places[PARALLEL_MOST];
    static const uint64_t SPREAD = UINT64_C(0x9e3779b97f4a7c15);
    (void)row;
    const struct probe_loop loop = {.body = "parallel", .repeat = (unsigned)size, .step = sizeof(void *)};
    struct probe_code code = {0};
    enum status status = probe_code_make(&bench->probe->texts, &loop, &code, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < size; i++)
        places[i] = (uintptr_t)bench->probe->memory.bytes +
                    (++bench->places * SPREAD >> 32) % bench->chain_places * LINE;
    struct probe_words words = {.third = (uintptr_t)places};
    struct probe_timing timing = {.code = &code, .iterations = ITERATIONS, .things = 1, .words = &words};
    structure_time(bench, &timing, points);
    probe_code_free(&code);
    return STATUS_OK;
}

static void time_chain(struct structure_bench *bench, void *first, size_t places,
                       struct probe_point points[STRUCTURE_COMPANIES])
{
    struct probe_words words = {.first = (uintptr_t)first};
    struct probe_timing timing = {.code = &bench->probe->chase, .things = LOADS, .words = &words};
    timing.iterations = WARM_ROUNDS * places / LOADS + 1;
    probe_code_run(timing.code, timing.iterations, &words);
    timing.iterations = SAMPLE_LOADS / LOADS;
    structure_time(bench, &timing, points);
}

/* One line of each page, compared with as many lines packed together, which the same level of the caches
 * serves.
 */
enum status structure_translation(struct structure_bench *bench, const struct structure_row *row, size_t size,
                                  struct probe_point points[STRUCTURE_COMPANIES], struct error *error)
{
    struct probe_point dense[STRUCTURE_COMPANIES] = {0};
    (void)row, (void)error;
    time_chain(bench, probe_chain_random(bench->small.bytes, size, PROBE_SMALL_PAGE, LINE), size, points);
    time_chain(bench, probe_chain_random(bench->dense, size, LINE, 0), size, dense);
    if (bench->page_base == 0)
        bench->page_base = dense[STRUCTURE_SHARED].disturbed ? dense[STRUCTURE_ALONE].cycles.value
                                                             : dense[STRUCTURE_SHARED].cycles.value;
    for (size_t i = 0; i < STRUCTURE_COMPANIES; i++) {
        double shift = bench->page_base - dense[i].cycles.value;
        struct interval *cycles = &points[i].cycles;
        points[i].disturbed = points[i].disturbed || dense[i].disturbed;
        *cycles = (struct interval){fmax(bench->page_base, cycles->value + shift),
                                    fmax(bench->page_base, cycles->low + shift),
                                    fmax(bench->page_base, cycles->high + shift), cycles->n};
    }
    return STATUS_OK;
}
