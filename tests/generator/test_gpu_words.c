/* The words that GPU programs load, as they lie in the image: whoever takes every n-th line, sector or word
 * of the bus, or what waves that are at different places ask for in turn, sees the stated rate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/generator/gpu_toy.h"
#include "tests/generator/gpu_walk.h"

#include "base/memory.h"
#include "base/random.h"
#include "generator/plan/data/word_settling.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_BUS = 128, LOOKED = 8192 };

struct region {
    unsigned char *bytes;
    size_t words;
    unsigned bus;
};

static unsigned differing(const struct region *region, size_t a, size_t b)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < region->bus; i++)
        bits += (unsigned)__builtin_popcount(
            (unsigned)(region->bytes[a * region->bus + i] ^ region->bytes[b * region->bus + i]));
    return bits;
}

/* The data of the plan's first stream. */
static void open_region(struct gpu_toy *toy, unsigned bus, struct region *region)
{
    struct gpu_walk walk;
    const struct gpu_rule *rule = &toy->plan.streams[0].rule;
    uint64_t bytes = rule->bytes < (uint64_t)LOOKED * bus ? rule->bytes : (uint64_t)LOOKED * bus;
    gpu_walk_open(&walk, &toy->plan);
    *region = (struct region){memory_zeroed(bytes, 1), bytes / bus, bus};
    gpu_image_fill(&walk.image, walk.address, rule->offset, bytes, region->bytes);
    gpu_walk_close(&walk);
}

/* Units of so many words, of which each of `turns` buses gets every turns-th. */
static double dealt(const struct region *region, unsigned unit, unsigned turns)
{
    uint64_t bits = 0, words = 0;
    for (size_t phase = 0; phase < turns; phase++) {
        size_t last = SIZE_MAX;
        for (size_t i = phase; (i + 1) * unit <= region->words; i += turns)
            for (size_t k = 0; k < unit; k++) {
                bits += last == SIZE_MAX ? 0 : differing(region, last, i * unit + k);
                words += last != SIZE_MAX;
                last = i * unit + k;
            }
    }
    return (double)bits / ((double)words * 8 * region->bus);
}

static double interleaved(const struct region *region, unsigned unit)
{
    struct random random = random_start(7, "interleaved");
    size_t units = region->words / unit, heads[16], last = SIZE_MAX;
    uint64_t bits = 0, words = 0;
    for (int i = 0; i < 16; i++)
        heads[i] = random_below(&random, (uint32_t)units);
    for (size_t i = 0; i < 4 * units; i++) {
        size_t *head = &heads[random_below(&random, 16)];
        size_t own = (*head)++ % units;
        for (size_t k = 0; k < unit; k++) {
            bits += last == SIZE_MAX ? 0 : differing(region, last, own * unit + k);
            words += last != SIZE_MAX;
            last = own * unit + k;
        }
    }
    return (double)bits / ((double)words * 8 * region->bus);
}

static void rates_hold_however_lines_are_dealt(void **state)
{
    struct gpu_toy *toy = *state;
    static const double rates[] = {0.0625, 0.25, 0.37, 0.5};
    static const unsigned buses[] = {8, 32, 64, 128}, turns[] = {1, 2, 3, 4, 8, 16};
    static const char *const levels[] = {"L1", "L2", "MEM"};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0] * 4 * 3; i++) {
        double rate = rates[i / 12];
        unsigned bus = buses[i / 3 % 4];
        char point[256];
        struct region region;
        snprintf(
            point, sizeof point,
            "{\"kernel\":{\"unit\":[{\"op\":\"load\",\"width\":8,\"served\":{\"%s\":1},\"bus\":%u,\"data\":{"
            "\"toggle\":%g}}]},\"grid\":{\"blocks\":2,\"threads\":64}}",
            levels[i % 3], 8 * bus, rate);
        if (gpu_toy_plan(toy, point, 1) != STATUS_OK)
            fail_msg("%s: %s", point, toy->error.message);
        open_region(toy, bus, &region);
        for (unsigned unit = 1; unit * bus <= 128; unit *= 4)
            for (size_t k = 0; k < sizeof turns / sizeof turns[0] && region.words / unit / turns[k] >= 16;
                 k++)
                if (fabs(dealt(&region, unit, turns[k]) - rate) > 0.02)
                    fail_msg("%s: every %u of %u words: %g", point, turns[k], unit,
                             dealt(&region, unit, turns[k]));
        if (region.words >= 64 && fabs(interleaved(&region, 1) - rate) > 0.02)
            fail_msg("%s: at random: %g", point, interleaved(&region, 1));
        free(region.bytes);
    }
}

/* Each word that follows another differs in as many bits, so that a part of a walk has the rate of the whole.
 */
static void steps_are_alike_when_settled(void **state)
{
    (void)state;
    enum { COUNT = 61, BITS = 256, ROOM = BITS / 64 };
    struct random random = random_start(3, "settled");
    uint64_t words[COUNT * ROOM], *times = memory_zeroed((size_t)COUNT * COUNT, sizeof *times);
    unsigned char *pairs = memory_zeroed((size_t)COUNT * COUNT, 1);
    double sum = 0;
    for (size_t i = 0; i < COUNT * ROOM; i++)
        words[i] = (uint64_t)random_next(&random) << 32 | random_next(&random);
    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned apart = 1; apart <= 13; apart += 12) {
            unsigned other = (i + apart) % COUNT;
            times[i < other ? i * COUNT + other : other * COUNT + i] += apart == 1 ? 3 : 1;
        }
    for (size_t i = 0; i < (size_t)COUNT * COUNT; i++)
        pairs[i] = times[i] > 0;
    uint64_t before[BITS] = {0}, after[BITS] = {0};
    for (size_t i = 0; i < COUNT * (size_t)BITS; i++)
        before[i % BITS] += words[i / 64] >> i % 64 & 1;
    word_settling_make(words, COUNT, BITS, times, pairs, 0.5 * BITS, &random);
    for (size_t i = 0; i < COUNT * (size_t)BITS; i++)
        after[i % BITS] += words[i / 64] >> i % 64 & 1;
    assert_memory_equal(before, after, sizeof before); /* a wire keeps its ones */
    for (unsigned a = 0; a < COUNT; a++)
        for (unsigned b = a + 1; b < COUNT; b++) {
            unsigned bits = 0;
            for (unsigned k = 0; k < ROOM; k++)
                bits += (unsigned)__builtin_popcountll(words[a * ROOM + k] ^ words[b * ROOM + k]);
            if (times[a * COUNT + b] > 0)
                assert_true(fabs(bits - 0.5 * BITS) <= 3);
            sum += (double)times[a * COUNT + b] * (bits - 0.5 * BITS);
        }
    assert_true(fabs(sum) <= 1);
    free(times);
    free(pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rates_hold_however_lines_are_dealt, gpu_toy_set_up,
                                        gpu_toy_tear_down),
        cmocka_unit_test(steps_are_alike_when_settled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
