/* Plots of recipes: what is accepted, how it appears in results, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toy.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/json.h"
#include "generator/kernel/operations.h"
#include "generator/recipe/recipe.h"

#include <stdlib.h>
#include <string.h>

/* A benchmark of the sweep zip{ a, b }, d with this plot, in a file of its own. */
static enum status load_plot(const char *plot, struct recipe *recipe, struct error *error)
{
    char folder[] = "/tmp/trauma-plot-XXXXXX", path[FILE_PATH_BYTES];
    struct buffer text = {0};
    buffer_printf(
        &text,
        "benchmark { name = 'b', kernel = function() return { nop {} } end,\n"
        "sweep = { zip { a = { 1, 2, 3 }, b = { 'x y', '-', true } }, d = { 0.5, false } },\nplot = %s }",
        plot);
    assert_non_null(mkdtemp(folder));
    file_join(path, folder, "recipe.lua");
    assert_int_equal(file_write(path, text.data, text.size, false, error), STATUS_OK);
    enum status status = load(path, NULL, NULL, recipe, error);
    buffer_free(&text);
    assert_int_equal(file_remove_tree(folder, NULL), STATUS_OK);
    return status;
}

struct made {
    const char *plot;
    const char *document;
};

static const struct made made[] = {
    {"{ x = 'd', y = 'ipc', from = 'points' }",
     "{\"x\":\"d\",\"y\":[\"ipc\"],\"order\":{\"d\":[0.5,false]}}"},
    {"{ x = 'a', y = 'ipc' }", "{\"x\":\"a\",\"y\":[\"ipc\"],\"paired\":[\"b\"]}"},
    {"{ x = 'ipc', y = { 'served.L1' }, by = 'd', title = 'T', xlabel = 'IPC', ylabel = 'L' }",
     "{\"x\":\"ipc\",\"y\":[\"served.L1\"],\"by\":\"d\",\"title\":\"T\",\"xlabel\":\"IPC\",\"ylabel\":\"L\","
     "\"order\":{\"d\":[0.5,false]}}"},
    {"{ x = 'b', y = { 'ipc', 'dpc' }, kind = 'bars', right = 'power.total_w', log = 'y', together = true,\n"
     "  fit = 'linear', only = { a = { 1, 3 } }, relative = { b = '-' } }",
     "{\"x\":\"b\",\"y\":[\"ipc\",\"dpc\"],\"kind\":\"bars\",\"right\":[\"power.total_w\"],\"log\":\"y\","
     "\"together\":true,\"fit\":\"linear\",\"only\":{\"a\":[1,3]},\"relative\":{\"a\":[2],\"b\":[\"-\"]},"
     "\"order\":{\"b\":[\"x y\",\"-\",true]},\"paired\":[\"a\"]}"},
    {"{ from = 'trace', right = 'temperature' }",
     "{\"x\":\"time\",\"y\":[\"power\"],\"from\":\"trace\",\"right\":[\"temperature\"]}"},
    {"{ from = 'idle_after', by = 'a', fit = 'cubic', zero = true }",
     "{\"x\":\"temperature\",\"y\":[\"power\"],\"by\":\"a\",\"from\":\"idle_after\",\"fit\":\"cubic\","
     "\"zero\":true}"},
};

static void plots_come_to_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        struct recipe recipe;
        struct error error;
        struct buffer text = {0};
        if (load_plot(made[i].plot, &recipe, &error) != STATUS_OK)
            fail_msg("%s\ngave \"%s\"", made[i].plot, error.message);
        const json_t *plots = json_object_get(recipe.benchmarks.items[0].document, "plot");
        assert_int_equal(json_array_size(plots), 1);
        json_write(&text, json_array_get(plots, 0), 0);
        text.data[text.size - 1] = '\0';
        assert_string_equal(text.data, made[i].document);
        buffer_free(&text);
        recipe_free(&recipe);
    }
}

struct refused {
    const char *plot;
    const char *part; /* of the message */
};

static const struct refused refused[] = {
    {"{ x = 'a', y = 'ipc', kind = 'bar' }", "did you mean 'bars'?"},
    {"{ x = 'a', y = 'ipc', kind = 'bars', log = 'x' }", "bars have no logarithmic x axis"},
    {"{ x = 'a', y = 'ipc', kind = 'bars', zero = false }", "can only be compared from 0"},
    {"{ x = 'a', y = { 'ipc', 'dpc' }, by = 'd', kind = 'stacked' }", "by their metrics or by a parameter"},
    {"{ x = 'a', y = 'ipc', kind = 'stacked', right = 'dpc' }", "one y axis that begins at 0"},
    {"{ x = 'a', y = 'ipc', only = { dd = 1 } }", "names 'dd', which is no sweep parameter"},
    {"{ x = 'a', y = 'ipc', only = { d = {} } }", "has 0 values"},
    {"{ x = 'a', y = 'ipc', relative = { a = { 1, 2 } } }", "expected one value"},
    {"{ x = 'a', y = 'ipc', relative = 'a' }", "expected a table"},
    {"{ x = 'a', y = 'ipc', right = 'pwr' }", "a metric, such as"},
    {"{ x = 'a', y = { 'ipc', 'dcp' } }", "did you mean 'dpc'?"},
    {"{ from = 'trace', y = 'ipc' }", "expected power, temperature or clock"},
    {"{ from = 'trace', x = 'temperature' }", "expected time"},
    {"{ from = 'trace', by = 'd' }", "a figure of its own"},
    {"{ from = 'idle_after', kind = 'bars' }", "is for figures of points"},
    {"{ from = 'idle', y = 'power' }", "expected points, trace, idle_before or idle_after"},
};

static void refusals_say_what_was_expected(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct recipe recipe;
        struct error error;
        assert_int_equal(load_plot(refused[i].plot, &recipe, &error), STATUS_RECIPE);
        if (strstr(error.message, refused[i].part) == NULL)
            fail_msg("%s\ngave \"%s\"\nexpected \"%s\"", refused[i].plot, error.message, refused[i].part);
        recipe_free(&recipe);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plots_come_to_documents),
        cmocka_unit_test(refusals_say_what_was_expected),
    };
    return cmocka_run_group_tests_name("generator/recipe_plot", tests, NULL, NULL);
}
