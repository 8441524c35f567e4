/* Programs that need what a processor lacks: they are not started, and their sources report it and continue.
 * The processor's features are given, so that the test is the same on every host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/text/text_set.h"
#include "runner/evidence/evidence.h"
#include "runner/measure/process_group.h"
#include "tests/given_manifest.h"

#include <string.h>

/* An ELF file by its first bytes alone: to start it would fail otherwise. */
static const char EXECUTABLE[] = "\177ELF";

struct parts {
    json_t *manifest;
    struct text_set features;
    struct machine machine;
    struct test_program test_program;
};

static void open_parts(struct parts *parts, const char *needs, const char *const *has)
{
    struct error error;
    memset(parts, 0, sizeof *parts);
    static const char description[] = "{\"name\": \"toy\", \"isa\": \"x86_64\", \"caches\": {\"L1I\": "
                                      "{\"size\": 8192, \"ways\": 4, \"line\": 32}, "
                                      "\"L1D\": {\"size\": 8192, \"ways\": 2, \"line\": 32}, \"L2\": "
                                      "{\"size\": 262144, \"ways\": 4, \"line\": 32}}}";
    json_t *document = json_parse(description, sizeof description - 1, "machine", &error);
    assert_int_equal(machine_from_json(document, "machine", &parts->machine, &error), STATUS_OK);
    json_decref(document);
    parts->manifest = json_parse(needs, strlen(needs), "manifest", &error);
    assert_non_null(parts->manifest);
    for (; *has != NULL; has++)
        text_set_add(&parts->features, *has);
    parts->test_program = (struct test_program){.benchmark = "b",
                                                .point = "p",
                                                .manifest = given_manifest(parts->manifest),
                                                .executable = EXECUTABLE,
                                                .executable_size = sizeof EXECUTABLE,
                                                .machine = &parts->machine,
                                                .cpu = -1,
                                                .cpu_features = &parts->features};
}

static void close_parts(struct parts *parts)
{
    json_decref(parts->manifest);
    text_set_free(&parts->features);
    machine_free(&parts->machine);
}

static void what_is_lacking_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *needs, *has[3], *part; /* part: of the message; NULL when all is there */
    } cases[] = {
        {"{\"features\": [\"avx512f\"]}", {"sse2", "avx2"}, "needs avx512f, which this processor"},
        {"{\"features\": [\"avx\", \"fma\"]}", {"avx"}, "needs fma"},
        {"{\"features\": [\"avx\", \"fma\"]}", {"fma", "avx"}, NULL},
        {"{\"features\": []}", {NULL}, NULL},
        {"{}", {NULL}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct parts parts;
        struct error error = {0};
        open_parts(&parts, cases[i].needs, cases[i].has);
        enum status status = test_program_check_features(&parts.test_program, &error);
        assert_int_equal(status, cases[i].part == NULL ? STATUS_OK : STATUS_UNAVAILABLE);
        if (cases[i].part != NULL && strstr(error.message, cases[i].part) == NULL)
            fail_msg("\"%s\" has no \"%s\"", error.message, cases[i].part);
        close_parts(&parts);
    }
}

static void such_a_program_is_not_started(void **state)
{
    (void)state;
    struct parts parts;
    struct error error = {0};
    uint64_t ticks = 0;
    open_parts(&parts, "{\"features\": [\"avx512f\"]}", (const char *const[]){"sse2", NULL});
    assert_int_equal(process_group_run_program(&parts.test_program, 1, 1, &ticks, &error),
                     STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "avx512f"));
    close_parts(&parts);
}

static void sources_say_so_and_go_on(void **state)
{
    (void)state;
    static const struct {
        const char *needs, *has[3], *note;
    } cases[] = {
        {"{\"features\": [\"avx2\"]}", {"sse2"}, "cachegrind: the program needs avx2, which this processor"},
        {"{\"features\": [\"avx512f\"]}",
         {"sse2", "avx512f"},
         "cachegrind: valgrind does not support avx512f"},
        {"{\"features\": [\"fma4\"]}", {"sse2", "fma4"}, "cachegrind: valgrind does not support fma4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct parts parts;
        struct error error = {0};
        struct evidence evidence;
        open_parts(&parts, cases[i].needs, cases[i].has);
        assert_int_equal(evidence_gather(&parts.test_program, "cachegrind", &evidence, &error), STATUS_OK);
        if (strstr(evidence.unseen, "not installed") == NULL &&
            strstr(evidence.unseen, cases[i].note) == NULL)
            fail_msg("\"%s\" has no \"%s\"", evidence.unseen, cases[i].note);
        assert_int_equal(evidence.observations.count, 0);
        evidence_free(&evidence);
        close_parts(&parts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_lacking_is_named),
        cmocka_unit_test(such_a_program_is_not_started),
        cmocka_unit_test(sources_say_so_and_go_on),
    };
    return cmocka_run_group_tests_name("runner/features", tests, NULL, NULL);
}
