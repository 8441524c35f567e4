/* The plain chases that "timing" compares with: their sizes on each machine, and that their cycles visit
 * every line. Their speed is not tested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/sources/timing/plain_chase.h"
#include "tests/skip.h"

#include <math.h>
#include <string.h>

enum { LINE = 64 };

static const size_t KIB = 1024;
static const size_t MIB = 1024 * 1024;

/* A core with 32 KiB, 1 MiB and 32 MiB. */
static struct machine example(void)
{
    struct machine machine = {.name = "example"};
    machine.l1d = (struct cache){.size = 32 * KIB, .ways = 8, .line = LINE};
    machine.l2 = (struct cache){.size = MIB, .ways = 8, .line = LINE};
    machine.l3 = (struct cache){.size = 32 * MIB, .ways = 16, .line = LINE};
    return machine;
}

/* The sizes lie within the two. */
static void expect_sizes(const struct machine *machine, enum memory_level level, size_t least, size_t most)
{
    size_t sizes[PLAIN_SIZES];
    struct error error = {0};
    if (plain_chase_sizes(machine, level, sizes, &error) != STATUS_OK)
        fail_msg("%s: %s", level_name((int)level), error.message);
    if (sizes[0] < least || sizes[1] > most || sizes[0] > sizes[1])
        fail_msg("%s: %zu and %zu bytes, expected within %zu and %zu", level_name((int)level), sizes[0],
                 sizes[1], least, most);
}

static void rings_lie_well_inside_their_level(void **state)
{
    (void)state;
    struct machine machine = example();
    expect_sizes(&machine, LEVEL_L1, 4 * KIB, 16 * KIB);
    expect_sizes(&machine, LEVEL_L2, 128 * KIB, 256 * KIB);
    expect_sizes(&machine, LEVEL_L3, 4 * MIB, 16 * MIB); /* in less, an L2 that replaces at random has hits */
    expect_sizes(&machine, LEVEL_MEM, 64 * MIB, 128 * MIB);
    machine.l3.effective = 5 * MIB;
    expect_sizes(&machine, LEVEL_L3, 5 * MIB / 2, 5 * MIB / 2);
    expect_sizes(&machine, LEVEL_MEM, 64 * MIB, 128 * MIB);
    machine.l3 = (struct cache){0};
    expect_sizes(&machine, LEVEL_MEM, 32 * MIB, 64 * MIB);
}

static void expect_none(const struct machine *machine, enum memory_level level, const char *why)
{
    size_t sizes[PLAIN_SIZES];
    struct error error = {0};
    assert_int_equal(plain_chase_sizes(machine, level, sizes, &error), STATUS_UNAVAILABLE);
    if (strstr(error.message, why) == NULL)
        fail_msg("expected \"%s\" in: %s", why, error.message);
}

static void what_is_not_sure_has_no_ring(void **state)
{
    (void)state;
    struct machine machine = example();
    machine.l3.effective = 2 * MIB;
    expect_none(&machine, LEVEL_L3, "a core has 2 MiB");
    machine.l3 = (struct cache){0};
    expect_none(&machine, LEVEL_L3, "has no L3");
    machine.l3 = (struct cache){.size = 1024 * MIB, .ways = 16, .line = LINE};
    expect_none(&machine, LEVEL_MEM, "more than");
}

static size_t length_of(const struct plain_chase *chase)
{
    const void *first = (const void *)(uintptr_t)chase->at.first; /* NOLINT: the chase's own words */
    const void *at = first;
    size_t length = 0;
    do {
        const unsigned char *place = at;
        assert_true(place >= chase->base && place < chase->base + chase->bytes);
        memcpy(&at, place, sizeof at);
        length++;
    } while (at != first && length <= chase->bytes);
    return length;
}

static void rings_go_through_every_line(void **state)
{
    (void)state;
    struct machine machine = example();
    struct plain_chase_request wish = {.one_set = true};
    struct plain_chases chases;
    struct error error;
    wish.levels[LEVEL_L2] = true;
#ifdef __x86_64__
    if (plain_chases_open(&machine, wish, -1, &chases, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(chases.count, 2 * PLAIN_SIZES + ONE_SET_GAPS);
    for (size_t i = 0; i < chases.count; i++) {
        const struct plain_chase *chase = &chases.items[i];
        size_t lines = chase->one_set ? chase->bytes / (4 * KIB) * (1 + chase->hits) : chase->bytes / LINE;
        assert_int_equal(length_of(chase), lines);
    }
    double ticks[PLAIN_MOST] = {0};
    plain_chases_time(&chases, ticks);
    for (size_t i = 0; i < chases.count; i++)
        assert_true(isfinite(ticks[i]));
    plain_chases_free(&chases);
#else
    (void)chases, (void)error;
    skip_because("this processor follows no x86-64 chases");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_lie_well_inside_their_level),
        cmocka_unit_test(what_is_not_sure_has_no_ring),
        cmocka_unit_test(rings_go_through_every_line),
    };
    return cmocka_run_group_tests_name("runner/plain_chase", tests, NULL, NULL);
}
