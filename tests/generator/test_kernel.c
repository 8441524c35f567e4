/* One reader for the kernels of processors and GPUs: what each accepts, and what a behaviour of each kind
 * holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "generator/kernel/kernel.h"

#include <string.h>

#define UNIT(text) "{\"unit\":[" text "]}"
#define LOAD(served) "{\"op\":\"load\",\"served\":{" served "}}"
#define ASM(fields) "{\"op\":\"asm\",\"text\":\"nop\"," fields "}"

static enum status read(const char *text, const char *isa, struct arena *arena, struct kernel *kernel,
                        struct error *error)
{
    json_t *document = json_parse(text, strlen(text), text, error);
    assert_non_null(document);
    memset(error, 0, sizeof *error);
    enum status status = kernel_from_json(document, isa_find(isa), arena, kernel, error);
    json_decref(document);
    return status;
}

/* Part of the refusal on each side; NULL: taken. */
static const struct {
    const char *text, *processor, *gpu;
} cases[] = {
    {UNIT(LOAD("\"L1\":0.5,\"L2\":0.5")), NULL, NULL},
    {UNIT(LOAD("\"L1\":0.5,\"MEM\":0.4")), "served", "served"},
    {UNIT(LOAD("\"L3\":1")), NULL, NULL}, /* whether there is one, the machine says */
    {UNIT(LOAD("\"SHARED\":1")), "shares of L1, L2, L3 and MEM", NULL},
    {UNIT(LOAD("\"L1\":1,\"SHARED\":0")), "shares of L1, L2, L3 and MEM", NULL},
    {UNIT(LOAD("\"L1\":2,\"L2\":-1")), "served", "served"},
    {UNIT("{\"op\":\"load\",\"working_set\":4096,\"width\":64}"), NULL, "width"},
    {UNIT("{\"op\":\"load\",\"working_set\":4096,\"width\":12}"), "width", "width"},
    {UNIT("{\"op\":\"load\",\"working_set\":4096,\"lane\":-4}"), "lane", "lane"},
    {UNIT("{\"op\":\"load\",\"working_set\":4096,\"stride\":\"even\"}"), "stride", "stride"},
    {UNIT("{\"op\":\"add\",\"dependents\":1}"), "before them", "before them"},
    {UNIT(LOAD("\"L1\":1") ",{\"op\":\"add\",\"dependents\":1}"), NULL, NULL},
    {UNIT(ASM("\"registers\":2")), NULL, NULL},
    {UNIT(ASM("\"registers\":[\"rax\"]")), NULL, "have no names"},
    {UNIT(ASM("\"registers\":2,\"memory\":64")), NULL, "asm.memory"},
    {UNIT("{\"op\":\"throttle\",\"duty\":0}"), "throttle.duty", "throttle.duty"},
    {"{\"unit\":[{\"op\":\"nop\"},{\"op\":\"nop\"}],\"phases\":[1,1]}", NULL, "phases"},
    {"{\"unit\":[{\"op\":\"nop\"}],\"loop\":{\"fill\":\"L1I\"}}", NULL, "loop.fill"},
    {"{\"unit\":[]}", "unit", "unit"},
};

static void both_sides_have_one_reader(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int gpu = 0; gpu <= 1; gpu++) {
            struct arena arena = {0};
            struct kernel kernel;
            struct error error;
            const char *wanted = gpu == 1 ? cases[i].gpu : cases[i].processor;
            enum status status = read(cases[i].text, gpu == 1 ? "ptx" : "x86_64", &arena, &kernel, &error);
            if (wanted == NULL ? status != STATUS_OK
                               : status != STATUS_RECIPE || strstr(error.message, wanted) == NULL)
                fail_msg("%s on a %s: %s", cases[i].text, gpu == 1 ? "GPU" : "processor",
                         status == STATUS_OK ? "taken" : error.message);
            arena_free(&arena);
        }
}

/* What the union holds is read for its own kind alone: neighbours that fill the same bytes change nothing. */
static void kinds_do_not_see_each_other(void **state)
{
    static const char text[] = UNIT("{\"op\":\"branch\",\"accuracy\":0.75,\"kind\":\"indirect\"}," ASM(
        "\"registers\":3,\"memory\":64,\"count\":2") ",{\"op\":\"throttle\",\"duty\":0.5},{\"op\":\"mul\","
                                                     "\"chain\":3},{\"op\":\"load\",\"working_set\":64}");
    struct arena arena = {0};
    struct kernel kernel;
    struct error error;
    (void)state;
    assert_int_equal(read(text, "x86_64", &arena, &kernel, &error), STATUS_OK);
    for (size_t i = 0; i < kernel.count; i++) {
        const struct behaviour *item = &kernel.items[i];
        assert_int_equal(behaviour_is_indirect(item), i == 0);
        assert_int_equal(behaviour_memory(item), i == 1 ? 64 : 0);
        assert_int_equal(behaviour_walks(item), i == 4);
        assert_false(behaviour_chases(item));
        assert_false(behaviour_can(item, ~0U)); /* no row yet */
        assert_true(behaviour_miss_rate(item) == 0);
    }
    assert_true(kernel_has(&kernel, BEHAVIOUR_THROTTLE));
    assert_false(kernel_has(&kernel, BEHAVIOUR_CODE));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_have_one_reader),
        cmocka_unit_test(kinds_do_not_see_each_other),
    };
    return cmocka_run_group_tests_name("generator/kernel", tests, NULL, NULL);
}
