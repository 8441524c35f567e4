/* Hostile code: random words and damaged code objects end with a status and an error message, within the
 * instruction limit and within their memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/gcn/decode/decode.h"
#include "tests/mutate.h"
#include "tests/wave_fixture.h"
#include "tests/wave_object.h"

enum {
    WORDS = 64,
    LIMIT = 2000,
    THREADS = 128,
    BLOCKS = 3,
    DATA_BYTES = 4096,
    ENOUGH = 1000,
    MOST_TRIES = 5000
};

/* What came of the runs. */
struct tally {
    size_t ended, refused;
    uint64_t executed;
};

static void try(struct fixture *fixture, struct tally *tally)
{
    fixture->launch.most_instructions = LIMIT;
    if (fixture_try(fixture, 3, 1) == STATUS_OK) {
        tally->ended++;
    } else {
        assert_true(strlen(fixture->error.message) > 10);
        tally->refused++;
    }
    assert_true(fixture->result.executed <= LIMIT);
    tally->executed += fixture->result.executed;
}

static const struct {
    const char *target;
    unsigned generation;
    unsigned lanes;
} targets[] = {{"gfx600", 6, 64},   {"gfx700", 7, 64},   {"gfx803", 8, 64},
               {"gfx906", 9, 64},   {"gfx1030", 10, 32}, {"gfx1030", 10, 64},
               {"gfx1100", 11, 32}, {"gfx1100", 11, 64}, {"gfx1201", 12, 32}};

/* Words that decode, mostly, so that a run gets somewhere; few registers, so that these are there. */
static uint32_t likely_word(struct random *random, unsigned generation)
{
    for (unsigned i = 0; i < 200; i++) {
        uint32_t word[2] = {random_next(random), random_next(random)};
        struct gcn_instruction got;
        struct error error;
        if (gcn_decode(generation, (const unsigned char *)word, 8, 0, &got, &error) == STATUS_OK)
            return word[0];
    }
    return random_next(random);
}

static void test_random_code(void **state)
{
    (void)state;
    struct random random = mutate_start("wave words");
    struct mutate_span span = mutate_begin(mutate_seconds() / 2);
    struct tally tally = {0};
    while (mutate_more(&span) || (tally.executed <= ENOUGH && span.tries < MOST_TRIES)) {
        uint32_t code[WORDS];
        size_t which = random_below(&random, sizeof targets / sizeof targets[0]);
        struct object_kernel kernel = {targets[which].target, 256, 4096, targets[which].lanes};
        struct fixture fixture;
        fixture_open(&fixture, BLOCKS, THREADS, DATA_BYTES);
        for (size_t i = 0; i < WORDS; i++)
            code[i] = random_below(&random, 3) == 0 ? random_next(&random)
                                                    : likely_word(&random, targets[which].generation);
        code[WORDS - 1] = targets[which].generation >= 11 ? 0xbfb00000 : 0xbf810000; /* s_endpgm */
        object_wrap(&kernel, code, sizeof code, &fixture.object);
        try(&fixture, &tally);
        fixture_close(&fixture);
    }
    assert_true(tally.refused > 0 && tally.executed > ENOUGH);
}

/* Damage that leaves most of the program as it is. */
static void test_damaged_objects(void **state)
{
    (void)state;
    static const char *const names[] = {"read.gfx600",   "read.gfx701",  "cached.gfx803", "read.gfx906",
                                        "cached.gfx90a", "read.gfx1030", "cached.gfx1100"};
    struct random random = mutate_start("wave objects");
    struct mutate_span span = mutate_begin(mutate_seconds());
    struct tally tally = {0};
    while (mutate_more(&span)) {
        char path[256];
        struct fixture fixture;
        fixture_open(&fixture, BLOCKS, THREADS, DATA_BYTES);
        snprintf(path, sizeof path, "tests/golden/wave/%s.hex",
                 names[random_below(&random, sizeof names / sizeof names[0])]);
        fixture_hex(path, &fixture.object);
        for (unsigned i = random_below(&random, 6); i > 0; i--)
            fixture.object.data[random_below(&random, (uint32_t)fixture.object.size)] =
                (char)random_below(&random, 256);
        if (random_below(&random, 4) == 0)
            mutate_once(&random, &fixture.object);
        try(&fixture, &tally);
        fixture_close(&fixture);
    }
    assert_true(tally.refused > 0 && tally.ended > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_code),
        cmocka_unit_test(test_damaged_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
