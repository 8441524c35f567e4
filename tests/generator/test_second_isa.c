/* The generator makes programs for ISAs other than x86-64, real ones and those of tests/isa/toys/: text and
 * bytes agree with LLVM MC's, accesses beyond the reach of displacements get base registers or are refused,
 * and the executables run if qemu-user is present. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "generator/suite/manifest_read.h"
#include "generator/suite/program.h"
#include "isa/loop.h"
#include "isa/mc.h"
#include "isa/object.h"
#include "tests/isa/toys/a64/a64.h"
#include "tests/isa/toys/rv64/rv64.h"
#include "tests/skip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct toy *const toys[] = {&toy_a64, &toy_rv64};
enum { TOYS = sizeof toys / sizeof toys[0], COMMAND_BYTES = 512 };

/* Lines of one set of L1D lie 2 KiB apart in the first, and 4 KiB in the second, which has eight ways. */
#define MACHINE(size, ways)                                                                                  \
    "{\"name\":\"toy\",\"isa\":\"x86_64\",\"caches\":{\"L1I\":{\"size\":65536,\"ways\":4,\"line\":64},"      \
    "\"L1D\":"                                                                                               \
    "{\"size\":" size ",\"ways\":" ways                                                                      \
    ",\"line\":64,\"policy\":\"lru\"},\"L2\":{\"size\":1048576,\"ways\":16,"                                 \
    "\"line\":64,\"policy\":\"lru\"}}}"
static const char SMALL[] = MACHINE("4096", "2");
static const char LARGE[] = MACHINE("32768", "8");

static const char KERNEL[] = "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":0.5,\"L2\":0.5}},"
                             "{\"op\":\"add\",\"count\":3,\"dependents\":1},"
                             "{\"op\":\"branch\",\"accuracy\":0.8}],\"loop\":{\"units\":20}}";

struct scene {
    struct code_generator code_generator;
    struct machine machine;
    json_t *description, *kernel;
    struct program program;
};

static void open_scene(const struct toy *toy, const char *machine, struct scene *scene)
{
    char home[FILE_PATH_BYTES];
    struct error error = {0};
    memset(scene, 0, sizeof *scene);
    snprintf(home, sizeof home, "%s/tests/isa/toys/%s", TRAUMA_SOURCE_DIR, toy->home);
    struct template *templates = &scene->code_generator.templates;
    if (template_load(home, toy->isa, templates, &error) != STATUS_OK)
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    struct buffer start = {0};
    buffer_text(
        &start,
        ".set trauma_markers, 0; .set trauma_shares, 0; .set trauma_bound, 0; .set trauma_file_bytes, 0\n");
    buffer_text(&start, template_section(templates, "start"));
    enum status status = mc_assemble(toy->isa, start.data, "start.s", &scene->code_generator.start, &error);
    buffer_free(&start);
    if (status == STATUS_UNAVAILABLE)
        skip_because("%s", error.message);
    if (status != STATUS_OK)
        fail_msg("start.s:%d: %s", error.line, error.message);
    scene->description = json_parse(machine, strlen(machine), "machine", &error);
    assert_int_equal(machine_from_json(scene->description, "machine", &scene->machine, &error), STATUS_OK);
    scene->kernel = json_parse(KERNEL, strlen(KERNEL), "kernel", &error);
    assert_non_null(scene->kernel);
}

static enum status make(struct scene *scene, struct error *error)
{
    const struct plan_options options = {.seed = 1, .label = "toy"};
    return program_make_reference(&scene->code_generator, scene->kernel, &scene->machine, &options,
                                  &scene->program, error);
}

static void close_scene(struct scene *scene)
{
    program_free(&scene->program);
    buffer_free(&scene->code_generator.start);
    template_free(&scene->code_generator.templates);
    machine_free(&scene->machine);
    json_decref(scene->description);
    json_decref(scene->kernel);
}

static void programs_are_what_mc_makes_of_their_text(void **state)
{
    (void)state;
    for (size_t t = 0; t < TOYS; t++) {
        struct scene scene;
        struct error error = {0};
        struct buffer object = {0};
        struct object_part ours;
        struct object_part theirs;
        struct loop_count count;
        open_scene(toys[t], SMALL, &scene);
        if (make(&scene, &error) != STATUS_OK)
            fail_msg("%s: %s", toys[t]->isa->name, error.message);
        const struct buffer *text = &scene.program.source;
        if (mc_assemble(toys[t]->isa, text->data, "program.s", &object, &error) != STATUS_OK)
            fail_msg("%s, line %d: %s", toys[t]->isa->name, error.line, error.message);
        const struct buffer *own = &scene.program.object;
        assert_int_equal(object_section(own->data, own->size, ".text", &ours, &error), STATUS_OK);
        assert_int_equal(object_section(object.data, object.size, ".text", &theirs, &error), STATUS_OK);
        assert_int_equal(ours.size, theirs.size);
        assert_memory_equal(ours.bytes, theirs.bytes, ours.size);
        /* its loop is counted from its bytes as the plan has it */
        if (loop_inspect(toys[t]->isa, own->data, own->size, NULL, &count, &error) != STATUS_OK)
            fail_msg("%s: %s", toys[t]->isa->name, error.message);
        assert_int_equal(count.body, (unsigned)scene.program.manifest->instructions);
        Elf64_Ehdr header;
        memcpy(&header, scene.program.executable.data, sizeof header);
        assert_int_equal(header.e_machine, toys[t]->isa->elf_machine);
        assert_int_equal(header.e_flags, toys[t]->isa->elf_flags);
        buffer_free(&object);
        close_scene(&scene);
    }
}

static void programs_run(void **state)
{
    (void)state;
    unsigned run = 0;
    for (size_t t = 0; t < TOYS; t++) {
        struct scene scene;
        struct error error = {0};
        char path[] = "/tmp/trauma-toy-XXXXXX";
        char command[COMMAND_BYTES];
        open_scene(toys[t], SMALL, &scene);
        assert_int_equal(make(&scene, &error), STATUS_OK);
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        close(fd);
        const struct buffer *file = &scene.program.executable;
        assert_int_equal(file_write(path, file->data, file->size, true, &error), STATUS_OK);
        snprintf(command, sizeof command, "command -v %s >/dev/null || exit 77; exec %s %s", toys[t]->qemu,
                 toys[t]->qemu, path);
        int status = system(command); /* NOLINT(concurrency-mt-unsafe): one thread */
        remove(path);
        close_scene(&scene);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            continue;
        if (status != 0)
            fail_msg("the program of %s ended with status %x", toys[t]->isa->name, (unsigned)status);
        run++;
    }
    if (run == 0)
        skip_because("no qemu-user is installed");
}

/* RISC-V's displacements reach 2 KiB, AArch64's 32 KiB: lines of one set, a way apart, are farther. */
static void what_is_out_of_reach_has_a_base_register_or_is_refused(void **state)
{
    (void)state;
    static const struct {
        const struct toy *toy;
        const char *machine, *text; /* in the source */
        const char *message;        /* of a refusal; NULL: made */
    } cases[] = {{&toy_rv64, SMALL, "add t5, t5, a1", NULL},
                 {&toy_rv64, LARGE, NULL, "rv64 has"},
                 {&toy_a64, SMALL, NULL, NULL},
                 {&toy_a64, LARGE, "add x17, x1, x17", NULL}};
    static const char said[] = "registers hold addresses beyond the reach of displacements";
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        struct error error = {0};
        open_scene(cases[i].toy, cases[i].machine, &scene);
        enum status status = make(&scene, &error);
        assert_int_equal(status, cases[i].message == NULL ? STATUS_OK : STATUS_RECIPE);
        if (status != STATUS_OK && strstr(error.message, cases[i].message) == NULL)
            fail_msg("%s", error.message);
        if (status == STATUS_OK) {
            const char *source = scene.program.source.data;
            assert_int_equal(strstr(source, said) != NULL, cases[i].text != NULL);
            assert_true(cases[i].text == NULL || strstr(source, cases[i].text) != NULL);
        }
        close_scene(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_what_mc_makes_of_their_text),
        cmocka_unit_test(programs_run),
        cmocka_unit_test(what_is_out_of_reach_has_a_base_register_or_is_refused),
    };
    return cmocka_run_group_tests_name("generator/second_isa", tests, NULL, NULL);
}
