/* Damaged kernels in JSON, as a suite's manifest may hold them, and damaged templates: each ends with a
 * program or with a status and a sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "base/paths.h"
#include "generator/program.h"
#include "tests/mutate.h"

#include <stdio.h>

static const char KERNEL[] =
    "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":0.5,\"L2\":0.5},\"order\":\"shuffled\",\"address\":"
    "\"chase\","
    "\"width\":8,\"count\":1},{\"op\":\"asm\",\"count\":1,\"text\":\"addq {r0}, {r1}; nop\",\"registers\":2,"
    "\"memory\":64},{\"op\":\"add\",\"count\":3,\"dependents\":1,\"chain\":0},{\"op\":\"branch\",\"count\":1,"
    "\"accuracy\":0.9,\"kind\":\"indirect\"},{\"op\":\"branch\",\"count\":1,\"accuracy\":0.75,\"taken\":0.5}]"
    ","
    "\"loop\":{\"units\":8}}";

static const char MACHINE[] =
    "{\"name\":\"toy\",\"isa\":\"x86_64\",\"caches\":{\"L1I\":{\"size\":32768,\"ways\":4,\"line\":64},"
    "\"L1D\":{"
    "\"size\":4096,\"ways\":2,\"line\":64,\"policy\":\"lru\"},\"L2\":{\"size\":65536,\"ways\":8,\"line\":64,"
    "\"policy\":\"lru\"}},\"features\":[\"sse2\",\"avx\",\"avx512f\"]}";

struct scene {
    struct workshop workshop;
    struct machine machine;
    json_t *kernel;
    unsigned good, bad;
};

static int set_up(void **state)
{
    struct error error;
    struct scene *scene = calloc(1, sizeof *scene);
    *state = scene;
    json_t *machine = json_parse(MACHINE, strlen(MACHINE), "machine", &error);
    scene->kernel = json_parse(KERNEL, strlen(KERNEL), "kernel", &error);
    enum status status = machine_from_json(machine, "machine", &scene->machine, &error);
    json_decref(machine);
    return scene->kernel == NULL || status != STATUS_OK ||
           workshop_open("x86_64", &scene->workshop, &error) != STATUS_OK;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    workshop_close(&scene->workshop);
    machine_free(&scene->machine);
    json_decref(scene->kernel);
    free(scene);
    return 0;
}

static void make(struct scene *scene, const struct workshop *workshop, const json_t *kernel)
{
    const struct plan_options options = {.seed = 1, .label = "fuzz"};
    struct program program;
    struct error error = {0};
    enum status status =
        program_make_reference(workshop, kernel, &scene->machine, &options, &program, &error);
    assert_true(status == STATUS_OK || error.message[0] != '\0');
    scene->good += status == STATUS_OK;
    scene->bad += status != STATUS_OK;
    program_free(&program);
}

static void damaged_kernels_are_told(void **state)
{
    struct scene *scene = *state;
    struct random random = mutate_start("kernels");
    struct buffer whole = {0};
    buffer_text(&whole, KERNEL);
    make(scene, &scene->workshop, scene->kernel);
    assert_int_equal(scene->good, 1);
    for (struct mutate_span span = mutate_begin(mutate_seconds()); mutate_more(&span);) {
        struct buffer damaged = mutate(&random, &whole);
        json_t *kernel = json_loadb(damaged.data, damaged.size, JSON_ALLOW_NUL, NULL);
        if (kernel != NULL)
            make(scene, &scene->workshop, kernel);
        json_decref(kernel);
        buffer_free(&damaged);
    }
    buffer_free(&whole);
    assert_true(scene->bad > 10 && scene->good > 1);
    print_message("%u kernels made, %u refused\n", scene->good, scene->bad);
}

/* LLVM's assembler reads these: it must not end the process either. */
static const char TEXTS[] = "addq {r0}, {r1}; movq 8+{memory}, {r0}\nleaq 16({r0},{r1},4), {r1}; movl $-5, "
                            "{r0:32}; imulq $3, {r0}, {r1}\n"
                            "vaddpd %ymm1, %ymm2, %ymm3; vaddpd %zmm1, %zmm2, %zmm3 {%k1}{z}; {evex} vpaddd "
                            "(%rsi){1to16}, %zmm1, %zmm2;"
                            "vgatherdpd %ymm1, (%rsi,%xmm2,8), %ymm3; lock xaddq {r0}, {memory}; rep movsb; "
                            "jmp *{r1}; shldq $5, {r0}, {r1};"
                            "cmpxchg16b {memory}; vcvtpd2ps {rn-sae}, %zmm1, %ymm2; movabsq "
                            "$0x123456789abcdef, {r1}; data16; pushw $7";

/* Some of its instructions, damaged: each alone has a chance to be one. */
static struct buffer cut_text(struct random *random, const struct buffer *whole)
{
    struct buffer text = {0};
    for (unsigned i = 1 + random_below(random, 3); i > 0; i--) {
        size_t at = random_below(random, (uint32_t)whole->size);
        while (at > 0 && whole->data[at - 1] != ';' && whole->data[at - 1] != '\n')
            at--;
        buffer_append(&text, whole->data + at, strcspn(whole->data + at, ";\n"));
        buffer_text(&text, ";");
    }
    if (random_below(random, 4) > 0)
        mutate_once(random, &text);
    return text;
}

static void damaged_texts_are_told(void **state)
{
    struct scene *scene = *state;
    struct random random = mutate_start("texts");
    struct buffer whole = {0};
    buffer_text(&whole, TEXTS);
    json_t *item = json_array_get(json_object_get(scene->kernel, "unit"), 1);
    json_object_set_new(item, "registers",
                        json_pack("[s,s,s,s,s,s]", "r9", "r10", "zmm1", "zmm2", "zmm3", "k1"));
    for (struct mutate_span span = mutate_begin(mutate_seconds()); mutate_more(&span);) {
        struct buffer text = cut_text(&random, &whole);
        if (json_object_set_new(item, "text", json_string(text.data)) == 0)
            make(scene, &scene->workshop, scene->kernel);
        buffer_free(&text);
    }
    buffer_free(&whole);
    assert_true(scene->bad > 10 && scene->good > 1);
    print_message("%u texts taken, %u refused\n", scene->good, scene->bad);
}

static const char *const parts[] = {"ops.txt", "kernel.s", "start.s"};
enum { PARTS = sizeof parts / sizeof parts[0] };

/* One of the three files is damaged; true when the rows are. */
static bool write_templates(const struct buffer whole[PARTS], const char *folder, struct random *random)
{
    unsigned which = random_below(random, PARTS + 1); /* the rows twice as often */
    for (unsigned i = 0; i < PARTS; i++) {
        char path[FILE_PATH_BYTES];
        struct buffer damaged = {0};
        if (i == which % PARTS)
            damaged = mutate(random, &whole[i]);
        else
            buffer_append(&damaged, whole[i].data, whole[i].size);
        assert_int_equal(
            file_write(file_join(path, folder, parts[i]), damaged.data, damaged.size, false, NULL),
            STATUS_OK);
        buffer_free(&damaged);
    }
    return which % PARTS == 0;
}

/* Rows go on to a program. Skeletons do not: LLVM ends the process at some wrong directives, and no user's
 * file has any. */
static void try_templates(struct scene *scene, const char *home, bool rows)
{
    struct workshop workshop = {.start = scene->workshop.start};
    struct error error = {0};
    enum status status = template_load(home, &isa_x86_64, &workshop.templates, &error);
    assert_true(status == STATUS_OK || error.message[0] != '\0');
    if (status == STATUS_OK && rows)
        make(scene, &workshop, scene->kernel);
    else
        scene->bad += status != STATUS_OK;
    template_free(&workshop.templates);
}

static void damaged_templates_are_told(void **state)
{
    struct scene *scene = *state;
    struct random random = mutate_start("templates");
    struct buffer whole[PARTS] = {{0}};
    char home[FILE_PATH_BYTES];
    char temporary[] = "/tmp/trauma-fuzz-XXXXXX";
    char folder[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    assert_int_equal(paths_home(home, NULL), STATUS_OK);
    assert_non_null(mkdtemp(temporary));
    file_join(folder, temporary, "templates/x86_64");
    assert_int_equal(file_make_folders(folder, NULL), STATUS_OK);
    for (unsigned i = 0; i < PARTS; i++) {
        char own[FILE_PATH_BYTES];
        file_join(path, file_join(own, home, "templates/x86_64"), parts[i]);
        assert_int_equal(file_read(path, &whole[i], NULL), STATUS_OK);
    }
    for (struct mutate_span span = mutate_begin(mutate_seconds()); mutate_more(&span);) {
        bool rows = write_templates(whole, folder, &random);
        try_templates(scene, temporary, rows);
    }
    for (unsigned i = 0; i < PARTS; i++)
        buffer_free(&whole[i]);
    assert_int_equal(file_remove_tree(temporary, NULL), STATUS_OK);
    assert_true(scene->bad > 5);
    print_message("templates: %u programs, %u refused\n", scene->good, scene->bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(damaged_kernels_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_texts_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_templates_are_told, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("generator/fuzz_kernels", tests, NULL, NULL);
}
