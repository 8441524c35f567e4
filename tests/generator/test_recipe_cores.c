/* A kernel per core: the benchmarks of such a recipe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/paths.h"
#include "base/json.h"
#include "generator/recipe/recipe.h"

static void load_well(const char *path, struct recipe *recipe)
{
    struct error error = {0};
    struct machine machine;
    char home[FILE_PATH_BYTES];
    struct template templates;
    assert_int_equal(paths_home(home, &error), STATUS_OK);
    assert_int_equal(template_load(home, isa_find("x86_64"), &templates, &error), STATUS_OK);
    assert_int_equal(recipe_load_machine(TRAUMA_SOURCE_DIR "/recipes/machines/odd-24k.lua", &machine, &error),
                     STATUS_OK);
    if (recipe_load(path, &machine, &templates, NULL, 0, recipe, &error) != STATUS_OK)
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    template_free(&templates);
    machine_free(&machine);
}

static void assert_document(const json_t *document, const char *expected)
{
    struct buffer text = {0};
    json_write(&text, document, 0);
    text.data[text.size - 1] = '\0';
    assert_string_equal(text.data, expected);
    buffer_free(&text);
}

static void assert_point(const struct recipe *recipe, size_t index, const char *expected)
{
    struct error error;
    struct buffer text = {0};
    assert_int_equal(recipe_text(recipe, &recipe->points[index], &text, &error), STATUS_OK);
    json_t *document = json_loadb(text.data, text.size, 0, NULL);
    assert_non_null(document);
    assert_document(document, expected);
    json_decref(document);
    buffer_free(&text);
}

static void kernels_of_cores_are_points_that_run_together(void **state)
{
    (void)state;
    struct recipe recipe;
    load_well(TRAUMA_SOURCE_DIR "/tests/generator/recipes/cores.lua", &recipe);
    assert_int_equal(recipe.count, 3);
    assert_point(
        &recipe, 0,
        "{\"benchmark\":\"pair\",\"point\":\"alpha=x,core=0,zeta=0.5\",\"parameters\":{\"alpha\":\"x\","
        "\"core\":0,\"zeta\":0.5},\"target\":\"x86_64\",\"kernel\":{\"unit\":[{\"op\":\"add\",\"count\":2,"
        "\"dependents\":0,\"chain\":0}],\"loop\":{}},\"place\":{\"cores\":[0]},\"together\":["
        "\"alpha=x,core=0,zeta=0.5\",\"alpha=x,core=3,zeta=0.5\"],\"line\":2}");
    assert_string_equal(recipe.points[1].name, "alpha=x,core=3,zeta=0.5");
    assert_string_equal(recipe.points[2].name, "core=1");
    recipe_free(&recipe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_cores_are_points_that_run_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
