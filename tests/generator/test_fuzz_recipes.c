/* Damaged recipes and machine files: each ends with a status and a sentence, within the sandbox's time, and
 * what still is a recipe goes on to a program or is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "generator/program.h"
#include "generator/recipe.h"
#include "tests/mutate.h"

#include <stdio.h>
#include <unistd.h>

/* Longer than the sandbox lets a file run, on a loaded machine under a sanitizer. */
static const double LONGEST_S = 20;

static const char RECIPE[] =
    "benchmark {\n"
    "  name = \"all\", title = \"t\", tags = { \"a\" },\n"
    "  sweep = { hit = { 0.5, 1 }, zip { a = range(1, 2), b = { 3, 4 } } },\n"
    "  where = function(p) return p.hit < 1 end,\n"
    "  loop = { units = 10 }, expect = { ipc = { min = 0.1 } }, measure = { time = 0.1, reps = 2 },\n"
    "  plot = { x = \"hit\", y = \"ipc\" },\n"
    "  kernel = function(p, m)\n"
    "    return {\n"
    "      load { served_by = { L1 = p.hit, L2 = 1 - p.hit }, order = \"even\", count = 2 },\n"
    "      asm { x86_64 = \"addq {r0}, {r1}; movq {memory}, %rax\", registers = { \"r9\", \"r10\", \"rax\" "
    "}, "
    "memory = 64 },\n"
    "      add { count = 2, dependents = 1 }, mul { chain = 2 }, nop { count = 3 },\n"
    "      branch { accuracy = 0.9 }, branch { accuracy = 0.8, kind = \"indirect\" },\n"
    "    }\n"
    "  end,\n"
    "}\n";

static const char MACHINE[] =
    "machine {\n"
    "  name = \"toy\", isa = \"x86_64\", vendor = \"v\", clock_ghz = 2.5, issue_width = 4,\n"
    "  caches = {\n"
    "    L1I = { size = \"32KiB\", ways = 8, line = 64, policy = \"lru\" },\n"
    "    L1D = { size = \"4KiB\", ways = 2, line = 64, policy = \"lru\" },\n"
    "    L2  = { size = 65536, ways = 8, line = 64, policy = \"tree-plru\" },\n"
    "  },\n"
    "  tlb = { data = { entries = 64, ways = 4, page = \"4KiB\" } },\n"
    "  features = { \"sse2\" }, latency = { L1D = 4, L2 = 14 },\n"
    "}\n";

struct scene {
    char path[64];
    struct workshop workshop;
    struct machine machine;
    json_t *ops;
    unsigned good, bad;
    struct error last;
};

static int set_up(void **state)
{
    struct error error;
    struct scene *scene = calloc(1, sizeof *scene);
    *state = scene;
    snprintf(scene->path, sizeof scene->path, "/tmp/trauma-fuzz-XXXXXX");
    int fd = mkstemp(scene->path);
    if (fd < 0 || file_write(scene->path, MACHINE, strlen(MACHINE), false, &error) != STATUS_OK ||
        recipe_load_machine(scene->path, &scene->machine, &error) != STATUS_OK ||
        workshop_open("x86_64", &scene->workshop, &error) != STATUS_OK)
        return 1;
    close(fd);
    scene->ops = workshop_operations(&scene->workshop);
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    unlink(scene->path);
    workshop_close(&scene->workshop);
    machine_free(&scene->machine);
    json_decref(scene->ops);
    free(scene);
    return 0;
}

static void require_ending(struct scene *scene, enum status status, const struct error *error, double started)
{
    scene->good += status == STATUS_OK;
    scene->bad += status != STATUS_OK;
    scene->last = *error;
    assert_true(status == STATUS_OK || error->message[0] != '\0');
    assert_true(mutate_now() - started < LONGEST_S);
}

static void try_machine(struct scene *scene)
{
    struct machine machine;
    struct error error = {0};
    double started = mutate_now();
    enum status status = recipe_load_machine(scene->path, &machine, &error);
    require_ending(scene, status, &error, started);
    machine_free(&machine);
}

static void try_recipe(struct scene *scene)
{
    struct recipe recipe;
    struct error error = {0};
    double started = mutate_now();
    enum status status = recipe_load(scene->path, &scene->machine, scene->ops, NULL, 0, &recipe, &error);
    require_ending(scene, status, &error, started);
    if (status == STATUS_OK && recipe.count > 0) {
        struct program program;
        json_t *document = recipe_document(&recipe, &recipe.points[0], &error);
        assert_non_null(document);
        status = program_make(&scene->workshop, document, &scene->machine, 1, &program, &error);
        json_decref(document);
        require_ending(scene, status, &error, started);
        program_free(&program);
    }
    recipe_free(&recipe);
}

static void damage(struct scene *scene, const char *text, const char *label, void (*try_one)(struct scene *))
{
    struct random random = mutate_start(label);
    struct buffer whole = {0};
    buffer_text(&whole, text);
    scene->good = scene->bad = 0;
    assert_int_equal(file_write(scene->path, whole.data, whole.size, false, NULL), STATUS_OK);
    try_one(scene);
    if (scene->bad > 0)
        fail_msg("%s", scene->last.message);
    for (struct mutate_span span = mutate_begin(mutate_seconds()); mutate_more(&span);) {
        struct buffer damaged = mutate(&random, &whole);
        assert_int_equal(file_write(scene->path, damaged.data, damaged.size, false, NULL), STATUS_OK);
        try_one(scene);
        buffer_free(&damaged);
    }
    buffer_free(&whole);
    assert_true(scene->bad > 10);
    print_message("%s: %u good, %u refused\n", label, scene->good, scene->bad);
}

static void damaged_recipes_are_told(void **state)
{
    damage(*state, RECIPE, "recipes", try_recipe);
}

static void damaged_machines_are_told(void **state)
{
    damage(*state, MACHINE, "machines", try_machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(damaged_recipes_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_machines_are_told, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("generator/fuzz_recipes", tests, NULL, NULL);
}
