/* What a PTX program's operations on floating-point numbers come to after many passes, by execution of its
 * text: millions of multiplications leave a number as large as it was, in every block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/memory.h"
#include "generator/suite/program.h"
#include "sim/ptx/ptx_code.h"
#include "sim/ptx/warp_launch.h"
#include "tests/given_manifest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 8192, THREADS = 32, RECORD_BYTES = 64, PLACE = 48, PASSES = 2000 };
#define RECORD UINT64_C(0x100000)
#define MOST (UINT64_C(1) << 27)

static const char UNUSED[] = "st.global.u64 [%entry+48], %zero;";

static const struct row {
    const char *unit;
    const char *store; /* what the record gets in place of a 0 */
    double values[2];  /* thread 0 has one of them, with at most a hundredth more or less */
} rows[] = {
    {"[{\"op\": \"fmul\", \"count\": 900, \"chain\": 900}]", "st.global.f32 [%entry+48], %x0;", {3, 3}},
    {"[{\"op\": \"fmul\", \"count\": 901, \"chain\": 901}]", "st.global.f32 [%entry+48], %x0;", {3, 3}},
    {"[{\"op\": \"fmul\", \"count\": 900, \"chain\": 900, \"width\": 8}]",
     "st.global.f64 [%entry+48], %p0;",
     {3, 3}},
    {"[{\"op\": \"fmul\", \"count\": 64, \"chain\": 64}, {\"op\": \"fmul\", \"count\": 900, \"chain\": 900, "
     "\"width\": 8}]",
     "st.global.f32 [%entry+48], %x0;",
     {3, 3}},
    /* 1 / 3 is what a division makes of it. */
    {"[{\"op\": \"fdiv\"}, {\"op\": \"fmul\", \"count\": 801}]",
     "st.global.f32 [%entry+48], %x0;",
     {3, 1.0 / 3}},
    {"[{\"op\": \"fmul\", \"count\": 100, \"chain\": 100}, {\"op\": \"fsqrt\", \"count\": 9}]",
     "st.global.f32 [%entry+48], %x0;",
     {1, 1}},
};

static char *changed(const struct program *program, const char *store)
{
    const char *text = program->source.data;
    const char *at = strstr(text, UNUSED);
    assert_non_null(at);
    size_t before = (size_t)(at - text), size = strlen(text) + strlen(store) + 1;
    char *own = memory_zeroed(size, 1);
    memcpy(own, text, before);
    strcpy(own + before, store);
    strcat(own, at + strlen(UNUSED));
    return own;
}

/* Runs the first and the last block; their numbers. */
static void run(const char *text, const struct machine *machine, bool wide, double values[2])
{
    struct error error = {0};
    struct ptx_program program;
    struct warp_chip chip;
    struct warp_result result;
    unsigned char *record = memory_zeroed(BLOCKS, RECORD_BYTES), *chosen = memory_zeroed(BLOCKS, 1);
    const uint64_t parameters[] = {PASSES, 1, 0, RECORD};
    const struct device_range range = {"the record", RECORD, (uint64_t)BLOCKS * RECORD_BYTES,
                                       record,       true,   true};
    const struct warp_launch launch = {.program = &program,
                                       .blocks = BLOCKS,
                                       .threads = THREADS,
                                       .chosen = chosen,
                                       .parameters = parameters,
                                       .ranges = &range,
                                       .range_count = 1,
                                       .warmup = 1,
                                       .most_instructions = MOST,
                                       .no_caches = true};
    chosen[0] = chosen[BLOCKS - 1] = 1;
    if (warp_chip_from(machine, &chip, &error) != STATUS_OK ||
        ptx_read(text, strlen(text), "trauma_kernel", &program, &error) != STATUS_OK ||
        warp_run(&chip, &launch, &result, &error) != STATUS_OK)
        fail_msg("line %d: %s", error.line, error.message);
    for (unsigned i = 0; i < 2; i++) {
        const unsigned char *place = record + (size_t)i * (BLOCKS - 1) * RECORD_BYTES + PLACE;
        float narrow;
        memcpy(&narrow, place, sizeof narrow);
        memcpy(&values[i], place, sizeof values[i]);
        values[i] = wide ? values[i] : (double)narrow;
    }
    warp_result_free(&result);
    ptx_free(&program);
    free(record);
    free(chosen);
}

static void check_row(const struct code_generator *code_generator, const struct machine *machine,
                      const struct row *row)
{
    struct error error = {0};
    struct program program;
    double values[2];
    json_t *unit = json_loads(row->unit, 0, NULL);
    json_t *point =
        json_pack("{s:s, s:s, s:{}, s:s, s:{s:o, s:{s:i}}, s:{s:i, s:i}, s:{}}", "benchmark", "values",
                  "point", "default", "parameters", "target", "ptx", "kernel", "unit", unit, "loop", "units",
                  1, "grid", "blocks", BLOCKS, "threads", THREADS, "place");
    if (program_make(code_generator, given_point(point), machine, 1, &program, &error) != STATUS_OK)
        fail_msg("%s: %s", row->unit, error.message);
    char *text = changed(&program, row->store);
    run(text, machine, strstr(row->store, "f64") != NULL, values);
    for (unsigned i = 0; i < 2; i++)
        if (!(fabs(values[i] / row->values[0] - 1) < 0.01) && !(fabs(values[i] / row->values[1] - 1) < 0.01))
            fail_msg("%s: after %d passes the %s block has %g: expected %g or %g", row->unit, PASSES,
                     i == 0 ? "first" : "last", values[i], row->values[0], row->values[1]);
    free(text);
    program_free(&program);
    json_decref(point);
}

static void numbers_stay_as_large_as_they_were(void **state)
{
    (void)state;
    struct error error = {0};
    struct code_generator code_generator;
    struct machine machine;
    json_t *document = json_pack("{s:s, s:s, s:{s:{s:i}, s:{s:i}}, s:{s:s, s:i, s:i}}", "name", "made-up",
                                 "isa", "ptx", "caches", "L1", "size", 256 << 10, "L2", "size", 50 << 20,
                                 "gpu", "arch", "sm_90", "sm", 132, "shared", 48 << 10);
    if (machine_from_json(document, "made-up", &machine, &error) != STATUS_OK ||
        code_generator_open("ptx", &code_generator, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&code_generator, &machine, &rows[i]);
    code_generator_close(&code_generator);
    machine_free(&machine);
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_stay_as_large_as_they_were)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
