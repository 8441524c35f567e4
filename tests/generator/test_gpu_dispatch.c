/* Blocks by place: the computed numbers for a grid equal a count of all its blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "generator/plan/gpu/gpu_dispatch.h"

enum { MOST = 8 };

/* Some of the numbers below count, which is at most MOST, to room. */
static struct place_list numbers(struct random *random, unsigned count, long long room[MOST])
{
    struct place_list list = {room, 0};
    for (unsigned i = 0; i < count; i++)
        if (random_below(random, 3) > 0)
            room[list.count++] = i;
    return list;
}

/* Each block alone: dies first, then shader engines, then their arrays, then compute units. */
static bool is_at(const struct gpu *gpu, unsigned block, const char *field, unsigned number)
{
    unsigned turn = block % (gpu->xcc * gpu->cu_per_xcc);
    unsigned xcc = turn % gpu->xcc, own = turn / gpu->xcc;
    unsigned se = own % gpu->se;
    unsigned sh = own / gpu->se % gpu->sh_per_se;
    unsigned cu = own / (gpu->se * gpu->sh_per_se);
    return (field[0] == 'x' ? xcc : field[0] == 'c' ? cu : field[1] == 'h' ? sh : se) == number;
}

static void every_block_counts_once(void **state)
{
    (void)state;
    struct random random = random_start(7, "gpu dispatch");
    unsigned uneven = 0;
    for (unsigned round = 0; round < 400; round++) {
        struct machine machine = {.isa = "gcn"};
        struct gpu *gpu = &machine.gpu;
        gpu->se = 1 + random_below(&random, 4);
        gpu->sh_per_se = 1 + random_below(&random, 2);
        gpu->cu_per_sh = 1 + random_below(&random, 8);
        gpu->xcc = 1 + random_below(&random, 3);
        gpu->cu_per_xcc = gpu->se * gpu->sh_per_se * gpu->cu_per_sh;
        gpu->cu_per_xcc -= random_below(&random, gpu->cu_per_xcc < 3 ? gpu->cu_per_xcc : 3);
        gpu->sm = gpu->xcc * gpu->cu_per_xcc;
        long long room[3][MOST];
        const struct kernel kernel = {
            .place = {.first = "xcc",
                      .of = {[PLACE_XCC] = numbers(&random, gpu->xcc, room[0]),
                             [PLACE_SE] = numbers(&random, gpu->se, room[1]),
                             [PLACE_CU] = numbers(&random, gpu->cu_per_sh, room[2])}}};
        const struct gpu_plan plan = {
            .kernel = &kernel, .machine = &machine, .blocks = 1 + random_below(&random, 3 * gpu->sm)};
        unsigned works = 0;
        unsigned at[4] = {0};
        for (unsigned block = 0; block < plan.blocks; block++) {
            bool is = gpu_dispatch_works(&plan, block);
            works += is;
            for (unsigned i = 0; i < 4; i++)
                at[i] += is && is_at(gpu, block, place_fields[i], 0);
        }
        assert_true(gpu_working_blocks(&plan) == works);
        for (unsigned i = 0; works > 0 && i < 4; i++)
            assert_true(gpu_dispatch_share(&plan, (enum place_field)i, 0) == (double)at[i] / works);
        uneven += works > 0 && plan.blocks % gpu->sm != 0;
    }
    assert_true(uneven > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_block_counts_once)};
    return cmocka_run_group_tests_name("generator/gpu_dispatch", tests, NULL, NULL);
}
