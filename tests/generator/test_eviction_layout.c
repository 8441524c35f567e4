/* Eviction sets: deeper than L1D has ways, away from the line that hits, within L2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/plan/memory/eviction_layout.h"

#include <string.h>

static const struct cache l1 = {.size = 8192, .ways = 2, .line = 32, .policy = POLICY_LRU};
static const struct cache l2 = {.size = 262144, .ways = 4, .line = 32, .policy = POLICY_LRU};

static unsigned set_of(uint64_t offset, const struct cache *cache)
{
    return (unsigned)(offset / cache->line % cache_sets(cache));
}

static struct eviction_layout place(struct eviction_layout_request request, struct arena *arena)
{
    struct error error;
    struct eviction_layout layout;
    if (request.l1 == NULL)
        request.l1 = &l1;
    if (request.l2 == NULL)
        request.l2 = &l2;
    if (eviction_layout_place(&request, arena, &layout, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    return layout;
}

static void groups_are_deep_and_apart_from_the_hits(void **state)
{
    (void)state;
    for (unsigned misses = 3; misses <= 266; misses++) {
        struct arena arena = {0};
        struct eviction_layout layout =
            place((struct eviction_layout_request){.misses = misses, .period = 1, .depth = 4}, &arena);
        unsigned visits = 0;
        for (unsigned i = 0; i < layout.set_count; i++) {
            assert_true(layout.sets[i].lines > l1.ways);
            assert_int_not_equal(layout.sets[i].l1d_set, set_of(layout.hit_offset, &l1));
            for (unsigned j = 0; j < i; j++)
                assert_int_not_equal(layout.sets[i].l1d_set, layout.sets[j].l1d_set);
            visits += layout.sets[i].lines * layout.sets[i].rounds;
        }
        assert_int_equal(visits, misses);
        for (unsigned i = 0; i < misses; i++) {
            assert_int_equal(set_of(layout.misses[i].offset, &l1),
                             layout.sets[layout.misses[i].group].l1d_set);
            assert_true(layout.misses[i].offset + 8 <= layout.bytes);
        }
        assert_int_equal(layout.align % 4096, 0);
        assert_int_equal(layout.align % (l2.size / l2.ways), 0);
        arena_free(&arena);
    }
}

static void no_l2_set_has_more_lines_than_ways(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct eviction_layout layout =
        place((struct eviction_layout_request){.misses = 800, .period = 1, .depth = 12}, &arena);
    unsigned char lines[2048] = {0};
    lines[set_of(layout.hit_offset, &l2)]++;
    for (unsigned i = 0; i < 800; i++) {
        unsigned before = 0;
        while (before < i && layout.misses[before].offset != layout.misses[i].offset)
            before++;
        if (before == i)
            assert_true(++lines[set_of(layout.misses[i].offset, &l2)] <= l2.ways);
    }
    arena_free(&arena);
}

static void rotating_lines_differ_from_pass_to_pass(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct eviction_layout layout = place(
        (struct eviction_layout_request){
            .misses = 1, .period = 20, .rotating = true, .depth = 4, .tlb_entries = 64},
        &arena);
    assert_true(layout.turns > l1.ways);
    assert_int_equal(20 % layout.turns, 0);
    assert_true(layout.step > 0 && layout.step % (l1.size / l1.ways) == 0);
    assert_true(layout.misses[0].offset + (layout.turns - 1) * layout.step + 8 <= layout.bytes);
    assert_true(layout.pages <= 64);
    arena_free(&arena);
}

static void without_misses_there_is_one_line(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct eviction_layout layout = place((struct eviction_layout_request){.period = 1, .depth = 4}, &arena);
    assert_int_equal(layout.set_count, 0);
    assert_int_equal(layout.pages, 1);
    assert_true(layout.bytes >= 64);
    arena_free(&arena);
}

static void a_one_set_cache_lets_hits_follow_misses(void **state)
{
    (void)state;
    const struct cache one = {.size = 256, .ways = 4, .line = 64, .policy = POLICY_LRU};
    const struct cache second = {.size = 65536, .ways = 8, .line = 64, .policy = POLICY_LRU};
    struct arena arena = {0};
    struct eviction_layout layout = place(
        (struct eviction_layout_request){.l1 = &one, .l2 = &second, .misses = 8, .period = 1, .depth = 8},
        &arena);
    assert_true(layout.hits_follow_misses);
    arena_free(&arena);
}

static void an_l2_without_room_is_refused(void **state)
{
    (void)state;
    const struct cache direct = {.size = 8192, .ways = 1, .line = 32, .policy = POLICY_LRU};
    const struct cache wide = {.size = 8192, .ways = 8, .line = 32, .policy = POLICY_LRU};
    const struct eviction_layout_request request = {
        .l1 = &wide, .l2 = &direct, .misses = 20, .period = 1, .depth = 16};
    struct arena arena = {0};
    struct eviction_layout layout;
    struct error error;
    assert_int_equal(eviction_layout_room(&wide, &direct), 8);
    assert_int_equal(eviction_layout_place(&request, &arena, &layout, &error), STATUS_RECIPE);
    assert_non_null(strstr(error.message, "9 lines"));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_deep_and_apart_from_the_hits),
        cmocka_unit_test(no_l2_set_has_more_lines_than_ways),
        cmocka_unit_test(rotating_lines_differ_from_pass_to_pass),
        cmocka_unit_test(without_misses_there_is_one_line),
        cmocka_unit_test(a_one_set_cache_lets_hits_follow_misses),
        cmocka_unit_test(an_l2_without_room_is_refused),
    };
    return cmocka_run_group_tests_name("generator/eviction_layout", tests, NULL, NULL);
}
