/* Hostile recipes end by themselves, with an error message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define RECIPES TRAUMA_SOURCE_DIR "/tests/generator/recipes"

/* What a recipe may need of CPU time, with much to spare for a slow machine and a sanitizer: no test here
 * looks at a clock on the wall. */
static const double MOST_CPU_S = 20;

static double used_s(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

/* ---- what would not end by itself ---- */

/* Reads "--@ LINE TEXT", with * for any line, from the file's first line. */
static void read_expectation(const char *path, int *line, char *part, size_t capacity)
{
    struct buffer text = {0};
    struct error error;
    assert_int_equal(file_read(path, &text, &error), STATUS_OK);
    const char *mark = strstr(text.data, "--@ ");
    assert_non_null(mark);
    *line = mark[4] == '*' ? -1 : atoi(mark + 4);
    const char *from = strchr(mark + 4, ' ') + 1;
    snprintf(part, capacity, "%.*s", (int)strcspn(from, "\n"), from);
    buffer_free(&text);
}

static void check_hostile(const char *name)
{
    char path[FILE_PATH_BYTES], part[128];
    struct recipe recipe;
    struct error error;
    int line;
    file_join(path, RECIPES "/hostile", name);
    read_expectation(path, &line, part, sizeof part);
    double start = used_s();
    enum status status = load(path, NULL, NULL, &recipe, &error);
    double took = used_s() - start;
    /* On a slow machine the time may end it before the limit that is expected; the line is told in any case.
     */
    bool by_clock = strstr(error.message, "still running") != NULL && error.line > 0;
    bool as_expected = strstr(error.message, part) != NULL && (line < 0 || error.line == line);
    if (status != STATUS_RECIPE || strcmp(error.file, path) != 0 || !(as_expected || by_clock) ||
        took > MOST_CPU_S)
        fail_msg("%s: status %d after %.1f s: %s:%d: %s", name, (int)status, took, error.file, error.line,
                 error.message);
    recipe_free(&recipe);
}

static void hostile_recipes_end_with_a_sentence(void **state)
{
    (void)state;
    char **names = file_list(RECIPES "/hostile", ".lua");
    assert_non_null(names);
    for (size_t i = 0; names[i] != NULL; i++)
        check_hostile(names[i]);
    file_free_names(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hostile_recipes_end_with_a_sentence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
