/* Names with which a GPU's templates are expanded: one that does not fit ends the emission and replaces no
 * other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/emit/gpu_emission.h"
#include "tests/generator/gpu_toy.h"

static void names_without_room_are_refused(void **state)
{
    static char names[GPU_BINDINGS + 1][16];
    (void)state;
    struct gpu_toy toy;
    gpu_toy_open(&toy, toy_gpu);
    struct gpu_emission emission = {.templates = &toy.templates, .error = &toy.error};
    for (unsigned i = 0; i <= GPU_BINDINGS; i++) {
        assert_int_equal(gpu_bound(&emission), STATUS_OK);
        snprintf(names[i], sizeof names[i], "name_%u", i);
        gpu_bind(&emission, names[i], "%u", i);
    }
    assert_string_equal(emission.bindings[GPU_BINDINGS - 1].value, "95");
    struct buffer text = {0};
    assert_int_equal(gpu_section(&emission, "kernel", &text), STATUS_FAILED);
    assert_non_null(strstr(toy.error.message, "{name_96}"));
    buffer_free(&text);
    gpu_toy_close(&toy);
}

static void values_are_not_cut(void **state)
{
    (void)state;
    struct gpu_toy toy;
    gpu_toy_open(&toy, toy_gpu);
    struct gpu_emission emission = {.templates = &toy.templates, .error = &toy.error};
    gpu_bind(&emission, "short", "%0*d", GPU_VALUE_BYTES - 1, 1);
    assert_int_equal(gpu_bound(&emission), STATUS_OK);
    gpu_bind(&emission, "long", "%0*d", GPU_VALUE_BYTES, 1);
    assert_int_equal(gpu_bound(&emission), STATUS_FAILED);
    assert_non_null(strstr(toy.error.message, "{long}"));
    gpu_toy_close(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_without_room_are_refused),
                                       cmocka_unit_test(values_are_not_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
