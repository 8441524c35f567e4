/* The words of matrix operations with data: the stated share of bits changes from one to the next, all
 * numbers are finite and normal, what they add is 0, and what cannot be so is refused with the nearest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/generator/gpu_toy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares are the greatest, in 1000, that the numbers leave. */
static const struct operation {
    const char *op;
    unsigned bits, mantissa, bias; /* of a number; mantissa 0: integers */
    unsigned most, dealt;          /* in program order; over every second, third and fourth operation */
} operations[] = {{"mma", 16, 10, 15, 875, 500},
                  {"mma_bf16", 16, 7, 127, 812, 487},
                  {"mma_fp8", 8, 3, 7, 750, 450},
                  {"mma_int8", 8, 0, 0, 1000, 500}};

static enum status plan_with(struct gpu_toy *toy, const char *op, unsigned count, const char *data,
                             const char *beside, uint64_t seed)
{
    char text[512];
    bool bytes = strcmp(op, "mma_fp8") == 0; /* which no tensor core of sm_90 multiplies */
    snprintf(toy->machine.gpu.arch, sizeof toy->machine.gpu.arch, bytes ? "sm_89" : "sm_90");
    snprintf(text, sizeof text,
             "{\"kernel\":{\"unit\":[{\"op\":\"%s\",\"count\":%u,\"width\":4,\"data\":%s}%s]},\"grid\":{"
             "\"threads\":32}}",
             op, count, data, beside);
    return gpu_toy_plan(toy, text, seed);
}

static double number_of(const struct operation *operation, uint32_t word, unsigned place)
{
    uint32_t bits = word >> (operation->bits * place) & ((UINT32_C(1) << operation->bits) - 1);
    uint32_t magnitude = bits & ((UINT32_C(1) << (operation->bits - 1)) - 1);
    int exponent = (int)(magnitude >> operation->mantissa);
    if (magnitude == 0)
        return 0;
    assert_true(exponent > 0 && exponent < (1 << (operation->bits - 1 - operation->mantissa)) - 1);
    double fraction = 1 + ldexp(magnitude & ((1U << operation->mantissa) - 1), -(int)operation->mantissa);
    return ldexp(bits == magnitude ? fraction : -fraction, exponent - (int)operation->bias);
}

/* Every register of the first factor times every one of the second, number by number. */
static void adds_nothing(const struct operation *operation, const struct gpu_tiles *tiles)
{
    for (unsigned set = 0; set < tiles->sets && operation->mantissa > 0; set++)
        for (unsigned a = 0; a < tiles->first; a++)
            for (unsigned b = tiles->first; b < tiles->first + tiles->second; b++) {
                double sum = 0;
                for (unsigned place = 0; place < 32 / operation->bits; place++)
                    sum += number_of(operation, tiles->words[set][a], place) *
                           number_of(operation, tiles->words[set][b], place);
                assert_true(sum == 0);
            }
}

/* The share that changes over a pass and on to the next, counted from the words. */
static double toggles_of(const struct gpu_toy *toy, unsigned apart)
{
    const struct gpu_tiles *tiles = &toy->plan.tiles;
    unsigned instances = toy->plan.units * toy->kernel.items[0].count,
             registers = tiles->first + tiles->second;
    uint64_t toggles = 0;
    for (unsigned i = 0; i < instances; i++)
        for (unsigned r = 0; r < registers; r++)
            toggles +=
                (unsigned)__builtin_popcount(tiles->words[gpu_tiles_set(tiles, i)][r] ^
                                             tiles->words[gpu_tiles_set(tiles, (i + apart) % instances)][r]);
    return (double)toggles / (32.0 * registers * instances);
}

static void shares_are_met(void **state)
{
    struct gpu_toy *toy = *state;
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        for (unsigned share = 0; share <= operations[i].most; share += 25)
            for (uint64_t seed = 1; seed <= 3; seed++) {
                char data[64];
                bool program = share > operations[i].dealt;
                snprintf(data, sizeof data, "{\"toggle\":%.3f%s}", share / 1000.0,
                         program ? ",\"order\":\"program\"" : "");
                if (plan_with(toy, operations[i].op, 4, data, "", seed) != STATUS_OK)
                    fail_msg("%s %u: %s", operations[i].op, share, toy->error.message);
                assert_true(fabs(toggles_of(toy, 1) - share / 1000.0) <= 1e-3);
                assert_true(fabs(toggles_of(toy, 1) - toy->plan.tiles.toggle) < 1e-12);
                for (unsigned apart = 2; apart <= 4 && !program; apart++)
                    assert_true(fabs(toggles_of(toy, apart) - share / 1000.0) <= 0.02);
                adds_nothing(&operations[i], &toy->plan.tiles);
                assert_true(toy->plan.rates.targets.count > 0);
            }
}

static void words_are_the_recipes(void **state)
{
    struct gpu_toy *toy = *state;
    assert_int_equal(plan_with(toy, "mma_int8", 4, "{\"words\":[\"0x01020304\",\"0xfefdfcfb\"]}", "", 1),
                     STATUS_OK);
    assert_int_equal(toy->plan.tiles.words[0][0], 0x01020304);
    assert_int_equal(toy->plan.tiles.words[1][5], 0xfefdfcfb);
    assert_true(toggles_of(toy, 1) == 1);
    assert_int_equal(plan_with(toy, "mma", 4, "{\"word\":\"0x3c003c00\"}", "", 1), STATUS_OK);
    assert_int_equal(toy->plan.tiles.words[0][0], 0xbc003c00);
    assert_int_equal(toy->plan.tiles.words[0][4], 0x3c003c00);
    assert_int_equal(plan_with(toy, "mma", 4, "{\"word\":\"0x00000000\"}", "", 1), STATUS_OK);
    assert_true(toy->plan.tiles.ones == 0 && toy->plan.tiles.toggle == 0);
}

static void what_cannot_be_is_refused(void **state)
{
    static const struct {
        const char *op;
        unsigned count;
        const char *data, *beside, *why;
    } refused[] = {
        {"mma", 4, "{\"toggle\":0.9,\"order\":\"program\"}", "", "the nearest that works is 0.875"},
        {"mma_bf16", 4, "{\"toggle\":1,\"order\":\"program\"}", "", "the nearest that works is 0.8125"},
        {"mma_fp8", 4, "{\"toggle\":0.8,\"order\":\"program\"}", "", "the nearest that works is 0.75"},
        {"mma_bf16", 4, "{\"toggle\":0.5}", "", "the nearest that works is 0.4875"},
        {"mma_fp8", 4, "{\"toggle\":0.46}", "", "the nearest that works is 0.45"},
        {"mma", 4, "{\"word\":\"0xffffffff\"}", "", "no finite and normal number"},
        {"mma", 4, "{\"word\":\"0x00010001\"}", "", "no finite and normal number"},
        {"mma_bf16", 4, "{\"word\":\"0x10001000\"}", "", "no finite and normal number"},
        {"mma_fp8", 4, "{\"word\":\"0x7f7f7f7f\"}", "", "no finite and normal number"},
        {"mma", 4, "{\"word\":\"0x3c004000\"}", "", "not pairs of equal ones"},
        {"mma_int8", 64, "{\"words\":[\"0x1\",\"0x2\",\"0x3\"]}", "", "expected a multiple"},
        {"mma", 65, "{\"toggle\":0.5,\"order\":\"program\"}", "", "expected an even number"},
        {"mma", 4, "{\"toggle\":0.5}", ",{\"op\":\"mma_int8\",\"count\":1,\"width\":4}", "beside mma_int8{}"},
        {"mma", 4, "{\"toggle\":0.5}",
         ",{\"op\":\"load\",\"width\":4,\"served\":{\"L1\":1},\"data\":{\"toggle\":0.5}}",
         "beside load.data"},
    };
    struct gpu_toy *toy = *state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (plan_with(toy, refused[i].op, refused[i].count, refused[i].data, refused[i].beside, 1) !=
            STATUS_RECIPE)
            fail_msg("%s %s is not refused", refused[i].op, refused[i].data);
        if (strstr(toy->error.message, refused[i].why) == NULL)
            fail_msg("%s %s: %s", refused[i].op, refused[i].data, toy->error.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shares_are_met, gpu_toy_set_up, gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(words_are_the_recipes, gpu_toy_set_up, gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_is_refused, gpu_toy_set_up, gpu_toy_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
