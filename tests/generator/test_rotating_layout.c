/* Working sets fit on small and odd machines: strides beside unconstrained ones, many lines in a small cache,
 * words that hit in an L1D of one way. Those that must not share a set do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/plan/memory/rotating_layout.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64, MOST_SETS = 4 };

struct outcome {
    struct machine machine;
    struct rotating_layout_request request;
    struct rotating_set_request sets[MOST_SETS];
    struct arena arena;
    struct random random;
    struct rotating_layout layout;
    struct error error;
};

static struct cache cache_of(unsigned kib, unsigned ways)
{
    return (struct cache){.size = (uint64_t)kib * 1024, .ways = ways, .line = LINE};
}

static void ask(struct outcome *outcome, struct cache l1d, struct cache l2)
{
    memset(outcome, 0, sizeof *outcome);
    outcome->machine.l1d = l1d;
    outcome->machine.l2 = l2;
    outcome->random = random_start(1, "rings");
    outcome->request = (struct rotating_layout_request){.block = 8,
                                                        .machine = &outcome->machine,
                                                        .sets = outcome->sets,
                                                        .period = 1,
                                                        .hot_apart = 2,
                                                        .depth = 2};
}

static void add(struct outcome *outcome, struct rotating_set_request set)
{
    outcome->sets[outcome->request.set_count++] = set;
    outcome->request.accesses += set.lines;
}

static enum status place(struct outcome *outcome)
{
    return rotating_layout_place(&outcome->request, &outcome->random, &outcome->arena, &outcome->layout,
                                 &outcome->error);
}

static uint64_t span_of(const struct outcome *outcome)
{
    return outcome->machine.l1d.size / outcome->machine.l1d.ways;
}

/* Who has each set of L1D: 0 nobody, 1 what always hits, 2 and up the working sets; no set has two. */
static void assert_sets_are_apart(const struct outcome *outcome)
{
    unsigned *owner = calloc(span_of(outcome) / LINE, sizeof *owner);
    assert_non_null(owner);
    for (unsigned i = 0; i < outcome->request.hot_words + outcome->request.hot_apart; i++)
        owner[outcome->layout.hot[i] % span_of(outcome) / LINE] = 1;
    for (unsigned r = 0; r < outcome->request.set_count; r++) {
        const struct rotating_set *set = &outcome->layout.sets[r];
        for (unsigned turn = 0; turn < rotation_turns(&set->at); turn++) {
            for (unsigned i = 0; i < outcome->sets[r].lines; i++) {
                uint64_t at = rotation_at(&set->at, turn) + set->offsets[i];
                unsigned *who = &owner[at % span_of(outcome) / LINE];
                assert_true(*who == 0 || *who == r + 2);
                *who = r + 2;
            }
        }
    }
    free(owner);
}

static void a_short_stride_leaves_colors_to_others(void **state)
{
    (void)state;
    struct outcome outcome;
    ask(&outcome, cache_of(48, 12), cache_of(2048, 16));
    add(&outcome, (struct rotating_set_request){.level = LEVEL_L2, .lines = 30});
    add(&outcome, (struct rotating_set_request){.level = LEVEL_MEM, .lines = 10});
    add(&outcome,
        (struct rotating_set_request){.level = LEVEL_L2, .lines = 150, .in_order = true, .stride = 512});
    add(&outcome,
        (struct rotating_set_request){.level = LEVEL_MEM, .lines = 150, .in_order = true, .stride = 128});
    assert_int_equal(place(&outcome), STATUS_OK);
    assert_sets_are_apart(&outcome);
    arena_free(&outcome.arena);
}

static void many_lines_take_the_colors_that_hold_them(void **state)
{
    (void)state;
    struct outcome outcome;
    ask(&outcome, cache_of(32, 8), cache_of(128, 8));
    add(&outcome, (struct rotating_set_request){.level = LEVEL_L2, .lines = 1500});
    assert_int_equal(place(&outcome), STATUS_OK);
    assert_sets_are_apart(&outcome);
    arena_free(&outcome.arena);
}

static void one_way_is_enough_for_what_hits(void **state)
{
    (void)state;
    struct outcome outcome;
    ask(&outcome, cache_of(4, 1), cache_of(64, 4));
    add(&outcome, (struct rotating_set_request){.level = LEVEL_L2, .lines = 100, .in_order = true});
    add(&outcome, (struct rotating_set_request){.level = LEVEL_MEM, .lines = 100, .in_order = true});
    outcome.request.hot_words = 40;
    assert_int_equal(place(&outcome), STATUS_OK);
    assert_sets_are_apart(&outcome);
    assert_true(outcome.layout.hot[0] / LINE != outcome.layout.hot[1] / LINE);
    arena_free(&outcome.arena);
}

/* What the refusal says would find room finds room, and one word more does not. */
static void a_refusal_tells_the_room_that_there_is(void **state)
{
    (void)state;
    struct outcome outcome;
    ask(&outcome, cache_of(8, 2), cache_of(64, 4));
    add(&outcome, (struct rotating_set_request){.level = LEVEL_L2, .lines = 10});
    outcome.request.hot_words = 5000;
    assert_int_equal(place(&outcome), STATUS_RECIPE);
    assert_non_null(strstr(outcome.error.message, "needs 5000 words that always hit"));
    unsigned room = outcome.layout.hot_room;
    assert_in_range(room, 8, 1024);
    outcome.request.hot_words = room + 1;
    assert_int_equal(place(&outcome), STATUS_RECIPE);
    outcome.request.hot_words = room;
    assert_int_equal(place(&outcome), STATUS_OK);
    assert_sets_are_apart(&outcome);
    arena_free(&outcome.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_stride_leaves_colors_to_others),
        cmocka_unit_test(many_lines_take_the_colors_that_hold_them),
        cmocka_unit_test(one_way_is_enough_for_what_hits),
        cmocka_unit_test(a_refusal_tells_the_room_that_there_is),
    };
    return cmocka_run_group_tests_name("generator/rotating_layout", tests, NULL, NULL);
}
