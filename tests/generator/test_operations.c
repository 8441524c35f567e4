/* Operations: what is refused again for kernels from a manifest, operands whose bits change as specified, and
 * separate registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "generator/plan/data/operand_words.h"
#include "generator/plan/data/word_tally.h"
#include "generator/suite/manifest_read.h"
#include "generator/suite/program.h"
#include "tests/given_manifest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char MACHINE[] = "{\"name\": \"toy\", \"isa\": \"x86_64\", \"caches\": {\"L1I\": {\"size\": "
                              "32768, \"ways\": 4, \"line\": 64},"
                              " \"L1D\": {\"size\": 8192, \"ways\": %d, \"line\": 64}, \"L2\": {\"size\": "
                              "262144, \"ways\": 4, \"line\": 64}}, "
                              "\"features\": [%s]}";
static const char ALL[] = "\"sse2\", \"avx\", \"avx2\", \"fma\", \"avx512f\"";

/* Makes the program of a unit on a machine with these features. */
static enum status make(const char *unit, const char *features, int ways, struct program *program,
                        struct error *error)
{
    char text[1024];
    struct code_generator code_generator;
    struct machine machine;
    struct error problem;
    snprintf(text, sizeof text, MACHINE, ways, features);
    json_t *description = json_parse(text, strlen(text), "machine", &problem);
    assert_int_equal(machine_from_json(description, "machine", &machine, &problem), STATUS_OK);
    snprintf(text, sizeof text, "{\"benchmark\": \"b\", \"point\": \"p\", \"kernel\": {\"unit\": [%s]}}",
             unit);
    json_t *point = json_parse(text, strlen(text), "point", &problem);
    assert_non_null(point);
    assert_int_equal(code_generator_open("x86_64", &code_generator, &problem), STATUS_OK);
    memset(error, 0, sizeof *error);
    enum status status = program_make(&code_generator, given_point(point), &machine, 1, program, error);
    code_generator_close(&code_generator);
    machine_free(&machine);
    json_decref(description);
    json_decref(point);
    return status;
}

/* ---- refusals ---- */

#define LOAD "{\"op\": \"load\", \"served\": {\"L1\": 1, \"L2\": 0}}, "

static const struct refusal {
    const char *unit, *features;
    int ways;
    const char *part;
} refusals[] = {
    {"{\"op\": \"frobnicate\"}", ALL, 2, "no such operation"},
    {"{\"op\": \"add\", \"width\": 12}", ALL, 2, "expected 4, 8, 16, 32 or 64"},
    {"{\"op\": \"add\", \"width\": 128}", ALL, 2, "from 4 to 64"},
    {"{\"op\": \"div\", \"width\": 32}", ALL, 2, "div.width is 32"},
    {"{\"op\": \"fma\", \"width\": 32}", "\"sse2\", \"avx\", \"avx2\"", 2,
     "fma{} with width = 32 needs the feature fma or fma4, which toy does not have"},
    {"{\"op\": \"fadd\"}", "\"aes\"", 2, "needs the feature avx or sse2"},
    {LOAD "{\"op\": \"rotate\", \"dependents\": 1}", ALL, 2, "no form that consumes a load"},
    {"{\"op\": \"nop\", \"chain\": 2}", ALL, 2, "no form that begins a chain"},
    {"{\"op\": \"shift\", \"data\": {\"toggle\": 0.5}}", ALL, 2, "no operand that could hold it"},
    {LOAD "{\"op\": \"add\", \"dependents\": 1, \"data\": {\"toggle\": 0.5}}", ALL, 2, "the loaded value"},
    {"{\"op\": \"div\", \"chain\": 2, \"data\": {\"toggle\": 0.5}}", ALL, 2, "the previous link's result"},
    {"{\"op\": \"div\", \"data\": {\"word\": \"0x0\"}}", ALL, 2, "cannot be a divisor"},
    {"{\"op\": \"div\", \"chain\": 2}, {\"op\": \"div\"}", ALL, 2, "the unit has 2 div{}"},
    {"{\"op\": \"add\", \"data\": {\"word\": \"zero\"}}", ALL, 2, "words in hexadecimal"},
    {"{\"op\": \"add\", \"data\": {\"toggle\": 2}}", ALL, 2, "words in hexadecimal"},
    {"{\"op\": \"add\", \"data\": {\"toggle\": 0.6}}", ALL, 2, "above 0.5 with"},
    {"{\"op\": \"add\", \"data\": {\"toggle\": 0.6, \"order\": \"some\"}}", ALL, 2, "above 0.5 with"},
    {"{\"op\": \"add\", \"data\": {\"toggle\": 0.3, \"zeros\": 2}}", ALL, 2, "above 0.5 with"},
    {"{\"op\": \"add\", \"data\": {\"words\": [\"0x0\", \"0x1\", \"0x2\", \"0x3\", \"0x4\", \"0x5\", "
     "\"0x6\", "
     "\"0x7\", \"0x8\", \"0x9\", \"0xa\"]}}",
     ALL, 2, "11 words need a register each"},
    {"{\"op\": \"fadd\", \"data\": {\"words\": [\"0x0\", \"0x1\", \"0x2\", \"0x3\", \"0x4\", \"0x5\", "
     "\"0x6\", "
     "\"0x7\", \"0x8\", \"0x9\", \"0xa\", \"0xb\", \"0xc\", \"0xd\"]}}",
     ALL, 2, "14 words need a register each"},
    {"{\"op\": \"fadd\"}, {\"op\": \"fmul\", \"data\": {\"words\": [\"0x0\", \"0x1\", \"0x2\", "
     "\"0x3\", \"0x4\", \"0x5\", \"0x6\", \"0x7\", \"0x8\", \"0x9\"]}}, "
     "{\"op\": \"fdiv\", \"width\": 4}",
     ALL, 2, "fdiv needs a register for its operand"},
    {"{\"op\": \"prefetch\"}", ALL, 128, "no line stays"},
};

static void manifests_are_checked_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct refusal *refusal = &refusals[i];
        struct program program;
        struct error error;
        enum status status = make(refusal->unit, refusal->features, refusal->ways, &program, &error);
        if (status != STATUS_RECIPE || strstr(error.message, refusal->part) == NULL)
            fail_msg("%s\ngave %d \"%s\"\nexpected \"%s\"", refusal->unit, (int)status, error.message,
                     refusal->part);
        program_free(&program);
    }
}

/* ---- words ---- */

static void shares_that_toggle_are_the_nearest(void **state)
{
    (void)state;
    struct random random = random_start(7, "operands");
    for (int round = 0; round < 400; round++) {
        struct arena arena = {0};
        struct operand_words made;
        struct behaviour item = {.has_data = true, .changes = true, .width = 4u << random_below(&random, 5)};
        unsigned count = 10 + random_below(&random, 200);
        unsigned bits = 8 * behaviour_lane(&item);
        item.toggle = random_below(&random, 1001) / 1000.0;
        item.program_order = item.toggle > 0.5 || random_below(&random, 2) == 0;
        assert_true(operand_words_make(&item, count, NULL, &random, &arena, &made));
        uint64_t words[210];
        struct word_tally tally = {0};
        for (unsigned i = 0; i < count; i++)
            words[i] = made.words[operand_words_of(&made, i)];
        word_tally_add(&tally, words, bits, count, NULL, false, 1);
        double most = 2.0 * (count / 2) * bits;
        double wanted = fmin(item.toggle * bits * count, most), flips = tally.flips[DEALT_IN_PROGRAM_ORDER];
        if (fabs(flips - wanted) > 1 + 1e-9 || made.count > 3)
            fail_msg("%u instances of %u bits toggle %g, wanted %g of %g", count, bits, flips, wanted,
                     item.toggle);
        double dealt = word_tally_dealt(&tally, item.toggle);
        bool even =
            item.toggle <= 0.47 || count % 4 != 1; /* two of 13 words cannot differ in half of 13 steps */
        if (!item.program_order && even && fabs(dealt - item.toggle) > 0.02)
            fail_msg("%u instances of %u bits are dealt %g, wanted %g", count, bits, dealt, item.toggle);
        for (unsigned i = 0; i < made.count; i++)
            assert_true(abs(2 * __builtin_popcountll(made.words[i]) - (int)bits) <= 2);
        arena_free(&arena);
    }
}

/* ---- registers ---- */

/* Which register of the ISA's table the text after a percent sign is; -1 for none. */
static int register_at(const char *text)
{
    const struct register_name *found = isa_register(&isa_x86_64, text + 1, strcspn(text + 1, ",) \n"));
    return found == NULL ? -1 : (int)(found - isa_x86_64.registers);
}

static bool is_operand(const struct manifest *manifest, int index)
{
    for (size_t i = 0; i < manifest->operand_count; i++) {
        const struct manifest_words *names = &manifest->operands[i].registers;
        for (size_t j = 0; j < names->count; j++)
            if (strcmp(names->items[j], isa_x86_64.registers[index].whole) == 0)
                return true;
    }
    return false;
}

/* No instruction of the loop writes an operand: its last register is none. */
static void check_loop(const char *unit, const struct program *program)
{
    const char *line = strstr(program->source.data, "\ntrauma_loop:\n");
    const char *end = strstr(program->source.data, "\ntrauma_loop_end:\n");
    assert_true(line != NULL && end != NULL);
    for (line++; line < end; line = strchr(line, '\n') + 1) {
        size_t length = strcspn(line, "#\n");
        const char *last = NULL;
        for (const char *at = line; at < line + length; at++)
            last = *at == '%' ? at : last;
        bool writes = last != NULL && memchr(last, ')', length - (size_t)(last - line)) == NULL &&
                      strstr(line, "test") == NULL && strncmp(line, "    div", 7) != 0;
        if (writes && register_at(last) >= 0 && is_operand(program->manifest, register_at(last)))
            fail_msg("%s\nwrites an operand: %.*s", unit, (int)length, line);
    }
}

static void operands_are_never_written(void **state)
{
    (void)state;
    static const char *const units[] = {
        "{\"op\": \"add\", \"count\": 3, \"data\": {\"toggle\": 0.3}}",
        "{\"op\": \"xor\", \"width\": 4, \"chain\": 3, \"data\": {\"toggle\": 0.25}}, {\"op\": \"div\"}",
        "{\"op\": \"fma\", \"width\": 64, \"data\": {\"toggle\": 0.3}}, {\"op\": \"fadd\", \"width\": 4, "
        "\"data\": "
        "{\"toggle\": 0.3}}, {\"op\": \"sub\", \"width\": 16, \"data\": {\"words\": [\"0x1\", \"0x2\", "
        "\"0x3\"]}}",
        LOAD "{\"op\": \"add\", \"dependents\": 1}, {\"op\": \"mul\", \"data\": {\"toggle\": 0.5}}, {\"op\": "
             "\"branch\", \"accuracy\": 0.75}",
        "{\"op\": \"load\", \"served\": {\"L1\": 0.5, \"L2\": 0.5}, \"address\": \"chase\"}, {\"op\": "
        "\"add\", "
        "\"data\": {\"toggle\": 0.3}}, {\"op\": \"div\", \"data\": {\"word\": \"0x7\"}}, {\"op\": "
        "\"branch\", "
        "\"accuracy\": 0.9}",
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        struct program program;
        struct error error;
        if (make(units[i], ALL, 2, &program, &error) != STATUS_OK)
            fail_msg("%s: %s", units[i], error.message);
        assert_true(program.manifest->operand_count > 0);
        check_loop(units[i], &program);
        program_free(&program);
    }
}

/* ---- features ---- */

static void the_first_row_that_the_machine_has_is_taken(void **state)
{
    (void)state;
    static const struct {
        const char *features, *text, *needs;
    } cases[] = {
        {"\"sse2\"", "\n    addsd ", "sse2"},
        {"\"sse2\", \"avx\"", "\n    vaddsd ", "avx"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct program program;
        struct error error;
        assert_int_equal(make("{\"op\": \"fadd\"}", cases[i].features, 2, &program, &error), STATUS_OK);
        assert_non_null(strstr(program.source.data, cases[i].text));
        assert_int_equal(program.manifest->features.count, 1);
        assert_string_equal(program.manifest->features.items[0], cases[i].needs);
        program_free(&program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(manifests_are_checked_again),
        cmocka_unit_test(shares_that_toggle_are_the_nearest),
        cmocka_unit_test(operands_are_never_written),
        cmocka_unit_test(the_first_row_that_the_machine_has_is_taken),
    };
    return cmocka_run_group_tests_name("generator/operations", tests, NULL, NULL);
}
