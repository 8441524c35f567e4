/* The caches and buses that executors share: private copies, channels, sectors; bits on a bus. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/bus.h"
#include "sim/caches.h"

#include <string.h>

/* Two cores with an L1 and an L2 each, and one L3. */
static const struct cache_level cores[] = {
    {.cache = {.size = 128, .ways = 1, .line = 64, .policy = POLICY_LRU}, .copies = 2},
    {.cache = {.size = 1024, .ways = 2, .line = 64, .policy = POLICY_LRU}, .copies = 2},
    {.cache = {.size = 12288, .ways = 4, .line = 64, .policy = POLICY_LRU}, .copies = 1},
};

static void a_line_is_served_by_the_nearest_level_that_has_it(void **state)
{
    (void)state;
    static const struct {
        unsigned first, unit;
        uint64_t address;
        unsigned level;
    } rows[] = {
        {0, 0, 0x0, 3},   {0, 0, 0x3f, 0},  {0, 1, 0x0, 2},   {0, 1, 0x0, 0}, /* the other core's from L3 */
        {0, 0, 0x80, 3},  {0, 0, 0x0, 1},                                     /* the same set of L1 */
        {1, 0, 0x100, 3}, {1, 0, 0x100, 1}, {0, 0, 0x100, 1}, /* past L1, which is not filled */
        {0, 0, 0x100, 0},
    };
    struct caches *caches = NULL;
    struct error error;
    assert_int_equal(caches_new(cores, 3, &caches, &error), STATUS_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(caches_serve(caches, rows[i].first, rows[i].unit, rows[i].address), rows[i].level);
    caches_empty(caches, 0, 0);
    assert_int_equal(caches_serve(caches, 0, 0, 0x100), 1);
    assert_int_equal(caches_serve(caches, 0, 1, 0x0), 0); /* the other core keeps its own */
    assert_int_equal(caches_channel(caches, 2, 0x12345), 0);
    caches_free(caches);
}

/* All channels together hold what the level's size says, also where their number is no power of two: a
 * channel's addresses are without gaps. */
static void channels_share_a_level(void **state)
{
    (void)state;
    for (unsigned channels = 1; channels <= 6; channels++) {
        const uint64_t size = 1024 * (uint64_t)channels;
        const struct cache_level level = {
            .cache = {.size = size, .ways = 1, .line = 64, .policy = POLICY_LRU},
            .copies = channels,
            .interleave = 256};
        struct caches *caches = NULL;
        struct error error;
        assert_int_equal(caches_new(&level, 1, &caches, &error), STATUS_OK);
        for (uint64_t at = 0; at < size; at += 64)
            assert_int_equal(caches_serve(caches, 0, 7, at), 1);
        for (uint64_t at = 0; at < size; at += 64)
            assert_int_equal(caches_serve(caches, 0, 3, at), 0);
        assert_int_equal(caches_channel(caches, 0, 255), 0);
        assert_int_equal(caches_channel(caches, 0, 256 * 5), 5 % channels);
        assert_int_equal(caches_serve(caches, 0, 0, size),
                         1); /* one more than fits takes the first's place */
        assert_int_equal(caches_serve(caches, 0, 0, 0), 1);
        caches_free(caches);
    }
}

static void a_channel_fills_sectors(void **state)
{
    (void)state;
    struct cache_level level = {
        .cache = {.size = 8192, .ways = 2, .line = 128, .sector = 32, .policy = POLICY_LRU},
        .copies = 2,
        .interleave = 512};
    struct caches *caches = NULL;
    struct error error;
    assert_int_equal(caches_new(&level, 1, &caches, &error), STATUS_OK);
    assert_int_equal(caches_serve(caches, 0, 0, 0), 1);
    assert_int_equal(caches_serve(caches, 0, 0, 31), 0);
    assert_int_equal(caches_serve(caches, 0, 0, 32), 1);
    caches_free(caches);
}

static void what_is_no_hierarchy_is_refused(void **state)
{
    (void)state;
    const struct cache plain = {.size = 1024, .ways = 2, .line = 64, .policy = POLICY_LRU}; /* 8 sets */
    const struct {
        struct cache_level level;
        unsigned count;
        const char *text;
    } rows[] = {
        {{.cache = plain, .copies = 1}, 0, "expected 1 to 3"},
        {{.cache = plain, .copies = 1}, CACHES_MOST_LEVELS + 1, "expected 1 to 3"},
        {{.cache = plain, .copies = 0}, 1, "no copies"},
        {{.cache = {.ways = 2, .line = 64}, .copies = 1}, 1, "no sets"},
        {{.cache = plain, .copies = 9, .interleave = 64}, 1, "8 sets, fewer than its 9 channels"},
        {{.cache = plain, .copies = 2, .interleave = 96}, 1, "do not fit an interleaving of 96"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cache_level levels[CACHES_MOST_LEVELS + 1] = {rows[i].level};
        struct caches *caches = NULL;
        struct error error;
        assert_int_equal(caches_new(levels, rows[i].count, &caches, &error), STATUS_USAGE);
        assert_null(caches);
        assert_non_null(strstr(error.message, rows[i].text));
    }
}

static void a_bus_counts_bits_and_changes(void **state)
{
    (void)state;
    struct bus bus = {.used = false};
    struct bus_count count = {.bits = 0};
    unsigned char line[32] = {0};
    line[0] = 0xff;  /* word 0: 8 ones */
    line[16] = 0x0f; /* word 1: 4 ones, 4 toggles */
    bus_send(&bus, &count, line, sizeof line, 16);
    assert_int_equal(count.transfers, 2);
    assert_int_equal(count.bits, 256);
    assert_int_equal(count.ones, 12);
    assert_int_equal(count.compared, 128); /* the first word follows none */
    assert_int_equal(count.toggles, 4);
    const struct bus_count fewer = count;
    bus_send(&bus, &count, line, sizeof line, 16);
    bus_subtract(&count, &fewer);
    assert_int_equal(count.transfers, 2);
    assert_int_equal(count.compared, 256);
    assert_int_equal(count.toggles, 8);
    assert_int_equal(count.ones, 12);
}

/* Words that alternate change all bits in turn, and none for a port that takes every second or fourth. */
static void ports_see_every_second_third_and_fourth_word(void **state)
{
    (void)state;
    struct bus_turns turns = {.sent = 0};
    struct bus_count counts[BUS_TURNS] = {{.bits = 0}};
    unsigned char line[12 * 16];
    for (unsigned i = 0; i < sizeof line; i++)
        line[i] = i / 16 % 2 == 0 ? 0 : 0xff;
    bus_deal(&turns, counts, line, 5 * 16, 16);
    bus_deal(&turns, counts, line + 5 * 16, 7 * 16, 16); /* goes on */
    for (unsigned turn = 0; turn < BUS_TURNS; turn++) {
        assert_int_equal(counts[turn].transfers, 12);
        assert_int_equal(counts[turn].ones, 6 * 128);
        assert_int_equal(counts[turn].compared,
                         (12 - 1 - turn) * 128); /* the first of each port follows none */
        assert_int_equal(counts[turn].toggles, turn % 2 == 0 ? counts[turn].compared : 0);
    }
}

static void buses_of_all_widths_count_all_bits(void **state)
{
    (void)state;
    static const unsigned widths[] = {4, 8, 12, 60, 64, BUS_MOST_BYTES};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        unsigned width = widths[i];
        struct bus bus = {.used = false};
        struct bus_count count = {.bits = 0}, counts[BUS_TURNS] = {{.bits = 0}};
        struct bus_turns turns = {.sent = 0};
        unsigned char words[2 * BUS_MOST_BYTES] = {0};
        memset(words, 0xff, width);
        bus_send(&bus, &count, words, 2 * width, width);
        bus_deal(&turns, counts, words, 2 * width, width);
        assert_int_equal(count.ones, 8 * width);
        assert_int_equal(count.toggles, 8 * width);
        assert_int_equal(counts[BUS_PROGRAM].ones, 8 * width);
        assert_int_equal(counts[BUS_PROGRAM].toggles, 8 * width);
        assert_int_equal(counts[BUS_EVERY_2].toggles, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_served_by_the_nearest_level_that_has_it),
        cmocka_unit_test(channels_share_a_level),
        cmocka_unit_test(a_channel_fills_sectors),
        cmocka_unit_test(what_is_no_hierarchy_is_refused),
        cmocka_unit_test(a_bus_counts_bits_and_changes),
        cmocka_unit_test(ports_see_every_second_third_and_fourth_word),
        cmocka_unit_test(buses_of_all_widths_count_all_bits),
    };
    return cmocka_run_group_tests_name("sim/caches", tests, NULL, NULL);
}
