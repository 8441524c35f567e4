/* PTX programs judged without a GPU: by ptxas and nvdisasm if present, and by scripts in their place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "isa/sass/sass.h"
#include "runner/sources/bytes/ptxas.h"
#include "runner/sources/source.h"

#include "tests/given_manifest.h"
#include "tests/skip.h"
#include "tests/tree.h"

#include <stdlib.h>
#include <string.h>

#define STREAM(level, cache, per_pass)                                                                       \
    "{\"op\":\"load\",\"level\":\"" level "\",\"cache\":\"" cache "\",\"width\":8,\"per_pass\":" per_pass "}"
#define STREAMS STREAM("L2", "cg", "2") "," STREAM("SHARED", "", "1")

/* One judging. */
struct judged {
    enum status status;
    struct error error;
    struct observations seen;
};

static void read_program(const char *program, struct buffer *source)
{
    char path[FILE_PATH_BYTES];
    assert_int_equal(file_read(file_join(path, "tests/golden/sass", program), source, NULL), STATUS_OK);
}

static struct judged judge(const char *program, const char *arch, const char *streams)
{
    char text[1024];
    struct judged judged = {.status = STATUS_OK};
    struct buffer source = {0};
    read_program(program, &source);
    snprintf(text, sizeof text,
             "{\"target\":\"ptx\",\"arch\":\"%s\",\"entry\":\"trauma_kernel\",\"streams\":[%s],"
             "\"targets\":{\"mix.load\":0.25,\"mix.fmul\":0.25}}",
             arch, streams);
    json_t *manifest = json_loads(text, 0, NULL);
    assert_non_null(manifest);
    const struct machine machine = {.isa = "ptx"};
    const struct test_program test_program = {.manifest = given_manifest(manifest),
                                              .executable = source.data,
                                              .executable_size = source.size,
                                              .machine = &machine};
    judged.status = counter_bytes.observe(&test_program, &judged.seen, &judged.error);
    json_decref(manifest);
    buffer_free(&source);
    return judged;
}

static void expect(struct judged judged, enum status status, const char *part)
{
    if (judged.status != status || (part != NULL && strstr(judged.error.message, part) == NULL))
        fail_msg("%d \"%s\": expected %d and \"%s\"", judged.status,
                 judged.status == STATUS_OK ? "" : judged.error.message, status, part == NULL ? "" : part);
    observations_free(&judged.seen);
}

/* ---- scripts in the tools' place ---- */

/* PATH is the tree alone, with what a script needs. */
static void put_tool(const struct tree *tree, const char *name, const char *script)
{
    char path[FILE_PATH_BYTES];
    assert_int_equal(file_write(tree_path(tree, name, path), script, strlen(script), true, NULL), STATUS_OK);
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", tree->root);
    setenv("PATH", path, 1);
}

/* The output file is the last argument. */
#define PTXAS(words, end)                                                                                    \
    "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'Cuda compilation tools, release 1.2, V1.2.3'; exit 0; }\n" \
    "for last; do :; done\necho cubin > \"$last\"\ncat >&2 <<'E'\n" words "E\nexit " end "\n"
#define INFO(spills)                                                                                         \
    "ptxas info    : Compiling entry function 'trauma_kernel' for 'sm_90'\n    0 bytes stack frame, " spills \
    " bytes spill stores, 0 bytes spill loads\nptxas info    : Used 22 registers, used 1 barriers, 4096 "    \
    "bytes smem\n"
#define NVDISASM(name) "#!/bin/sh\ncat tests/golden/sass/" name "\n"

static double value_of(const struct observations *list, const char *metric)
{
    const struct observation *found = observations_find(list, metric, "bytes");
    return found == NULL ? -1 : found->value;
}

static void test_mix_by_script(void **state)
{
    put_tool(*state, "ptxas", PTXAS(INFO("0"), "0"));
    put_tool(*state, "nvdisasm", NVDISASM("loop.sm_90.txt"));
    struct judged judged = judge("loop.ptx", "sm_90", STREAMS);
    /* Seven statements of units, one that advances, three that close. */
    assert_int_equal(judged.status, STATUS_OK);
    assert_float_equal(value_of(&judged.seen, "body.share"), 7 / 11.0, 1e-12);
    assert_float_equal(value_of(&judged.seen, "mix.load"), 3 / 11.0, 1e-12);
    assert_float_equal(value_of(&judged.seen, "mix.fma"), 1 / 11.0, 1e-12);
    assert_float_equal(value_of(&judged.seen, "mix.fmul"), 0, 0);  /* promised, and not there */
    assert_float_equal(value_of(&judged.seen, "mix.fdiv"), -1, 0); /* of which nothing was said */
    assert_float_equal(observations_counted(&judged.seen, "sass.LDG.E.64.STRONG.GPU")->interval.value, 2, 0);
    expect(judged, STATUS_OK, NULL);
}

static void test_accesses_not_as_promised(void **state)
{
    put_tool(*state, "ptxas", PTXAS(INFO("0"), "0"));
    put_tool(*state, "nvdisasm", NVDISASM("hoisted.sm_90.txt"));
    expect(judge("hoisted.ptx", "sm_90", STREAMS), STATUS_FAILED,
           "makes 0 loads of 8 bytes in shared memory; the manifest states 1");
    put_tool(*state, "nvdisasm", NVDISASM("loop.sm_90.txt"));
    expect(judge("loop.ptx", "sm_90", STREAM("L1", "ca", "2") "," STREAM("SHARED", "", "1")), STATUS_FAILED,
           "makes 0 loads of 8 bytes in global memory, operator ca; the manifest states 2");
    expect(judge("loop.ptx", "sm_90", STREAM("L2", "cg", "2")), STATUS_FAILED, "the manifest states 0");
}

/* A side's stream reads where its next chunk is: at the end of each chunk and of the pass. */
static void test_hops_from_chunk_to_chunk(void **state)
{
#define SIDED(per_pass, hop)                                                                                 \
    "{\"op\":\"load\",\"level\":\"L2\",\"cache\":\"cg\",\"width\":8,\"side\":\"near\",\"hop\":" hop          \
    ",\"chase\":false,\"per_pass\":" per_pass "}," STREAM("SHARED", "", "1")
    put_tool(*state, "ptxas", PTXAS(INFO("0"), "0"));
    put_tool(*state, "nvdisasm", NVDISASM("loop.sm_90.txt"));
    expect(judge("loop.ptx", "sm_90", SIDED("1", "2")), STATUS_OK, NULL);
    expect(judge("loop.ptx", "sm_90", SIDED("2", "2")), STATUS_FAILED, "operator cg; the manifest states 3");
    expect(judge("loop.ptx", "sm_90", SIDED("5", "2")), STATUS_FAILED, "the manifest states 8");
}

/* Statements that became one: nothing fails, and it is said. */
static void test_statements_without_code(void **state)
{
    put_tool(*state, "ptxas", PTXAS(INFO("0"), "0"));
    put_tool(*state, "nvdisasm", NVDISASM("loop.sm_90.txt"));
    struct judged judged = judge("loop.ptx", "sm_90", STREAMS);
    assert_int_equal(judged.seen.warnings.count, 0);
    expect(judged, STATUS_OK, NULL);
    put_tool(*state, "nvdisasm", "#!/bin/sh\nsed 's/line 34$/line 33/' tests/golden/sass/loop.sm_90.txt\n");
    judged = judge("loop.ptx", "sm_90", STREAMS);
    assert_int_equal(judged.seen.warnings.count, 1);
    assert_non_null(strstr(judged.seen.warnings.items[0].what,
                           "no machine code for 1 of the loop's statements, the first in line 34"));
    expect(judged, STATUS_OK, NULL);
}

static void test_complaints_by_script(void **state)
{
    put_tool(*state, "nvdisasm", NVDISASM("loop.sm_90.txt"));
    put_tool(*state, "ptxas",
             PTXAS("ptxas /proc/1/fd/3, line 31; error   : Unknown modifier '.zz'\n", "255"));
    expect(judge("loop.ptx", "sm_90", STREAMS), STATUS_FAILED,
           "ptxas rejects line 31 of program.ptx for sm_90: Unknown modifier '.zz'");
    /* Spills outside the loop disturb nothing there; where that is not seen they may be in it. */
    put_tool(*state, "ptxas", PTXAS(INFO("16"), "0"));
    struct judged spilled = judge("loop.ptx", "sm_90", STREAMS);
    assert_int_equal(spilled.seen.warnings.count, 1);
    expect(spilled, STATUS_OK, NULL);
    put_tool(*state, "nvdisasm",
             "#!/bin/sh\nsed 's/ FFMA .*/ LDL R13, [R1] ;/' tests/golden/sass/loop.sm_90.txt\n");
    expect(judge("loop.ptx", "sm_90", STREAMS), STATUS_FAILED,
           "makes 1 loads of 4 bytes in local memory, operator ca; the manifest states 0");
    put_tool(*state, "nvdisasm", "#!/bin/sh\nexit 1\n");
    put_tool(*state, "cuobjdump", "#!/bin/sh\nexit 1\n");
    expect(judge("loop.ptx", "sm_90", STREAMS), STATUS_UNAVAILABLE,
           "16 bytes stored to and 0 loaded from local memory, perhaps in the loop");
    put_tool(*state, "ptxas", PTXAS("killed\n", "1"));
    expect(judge("loop.ptx", "sm_9000", STREAMS), STATUS_UNAVAILABLE, NULL);
}

static void test_no_disassembler(void **state)
{
    char tool[PTXAS_TOOL_BYTES];
    put_tool(*state, "ptxas", PTXAS(INFO("0"), "0"));
    if (ptxas_find_tool("nvdisasm", 0, tool) || ptxas_find_tool("cuobjdump", 0, tool))
        skip_because("%s is installed, which the test is without", tool);
    expect(judge("loop.ptx", "sm_90", STREAMS), STATUS_UNAVAILABLE,
           "ptxas 1.2.3 accepts it for sm_90 (22 registers, none in local memory), but the loop's machine "
           "code was "
           "not inspected: neither nvdisasm nor cuobjdump");
}

/* ---- what ptxas writes ---- */

static void test_blame(void **state)
{
    (void)state;
    static const struct {
        const char *said;
        enum status status;
        const char *part;
    } rows[] = {
        {"ptxas fatal   : Value 'sm_50' is not defined for option 'gpu-name'\n", STATUS_UNAVAILABLE,
         "'sm_50'"},
        {"ptxas v.ptx, line 1; fatal   : Unsupported .version 9.9; current version is '9.0'\n",
         STATUS_UNAVAILABLE, "9.9"},
        {"ptxas info    : 0 bytes gmem\nptxas w.ptx, line 34; error   : Feature 'x' requires .target sm_90\n"
         "ptxas fatal   : Ptx assembly aborted due to errors\n",
         STATUS_FAILED, "line 34 of program.ptx for sm_75: Feature 'x'"},
        {"ptxas error   : Entry function 'k' uses too much shared data (0x64000 bytes, 0xc000 max)\n",
         STATUS_FAILED, "too much shared data"},
        {"Segmentation fault\n", STATUS_UNAVAILABLE, "without a reason"},
        {"", STATUS_UNAVAILABLE, "without a reason"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct error error = {.code = STATUS_OK};
        assert_int_equal(ptxas_blame(rows[i].said, "sm_75", &error), rows[i].status);
        assert_non_null(strstr(error.message, rows[i].part));
    }
}

/* ---- the tools themselves ---- */

static void test_real_tools(void **state)
{
    (void)state;
    char tool[PTXAS_TOOL_BYTES];
    if (!ptxas_find_tool("ptxas", 0, tool))
        skip_because("no ptxas here");
    static const char *const arches[] = {"sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"};
    bool sees = ptxas_find_tool("nvdisasm", 0, tool);
    for (size_t i = 0; i < sizeof arches / sizeof arches[0]; i++) {
        struct judged judged = judge("loop.ptx", arches[i], STREAMS);
        if (judged.status == STATUS_UNAVAILABLE) {
            print_message("%s: %s\n", arches[i], judged.error.message);
            expect(judged, STATUS_UNAVAILABLE, NULL);
            continue;
        }
        assert_true(sees);
        expect(judged, STATUS_OK, NULL);
        expect(judge("hoisted.ptx", arches[i], STREAMS), STATUS_FAILED, "makes 0 loads of 8 bytes in shared");
    }
    expect(judge("loop.ptx", "sm_20", STREAMS), STATUS_UNAVAILABLE, "sm_20");
}

static struct sass read_alone(const struct buffer *source, const char *arch)
{
    struct ptxas_result made;
    struct error error;
    struct sass sass;
    struct buffer text = {0};
    assert_int_equal(ptxas_assemble(source->data, source->size, arch, &made, &error), STATUS_OK);
    assert_int_equal(ptxas_disassemble(&made.cubin, &text, &error), STATUS_OK);
    assert_int_equal(sass_read(text.data, text.size, "trauma_kernel", &sass, &error), STATUS_OK);
    ptxas_free(&made);
    buffer_free(&text);
    return sass;
}

static void expect_same(const struct sass *a, const struct sass *b)
{
    assert_int_equal(a->count, b->count);
    assert_true(a->has_lines && b->has_lines);
    for (size_t i = 0; i < a->count; i++) {
        const struct sass_instruction *one = &a->code[i], *other = &b->code[i];
        assert_string_equal(one->mnemonic, other->mnemonic);
        assert_true(one->offset == other->offset && one->target == other->target &&
                    one->line == other->line && one->never == other->never &&
                    one->reads_clock == other->reads_clock);
    }
}

static void expect_text_of(const struct test_program *test_program, const struct sass *alone)
{
    struct sass sass;
    struct error error;
    const struct ptxas_listing *made = test_program->prepared;
    assert_non_null(made);
    assert_int_equal(sass_read(made->text, made->size, made->kernel, &sass, &error), STATUS_OK);
    expect_same(alone, &sass);
    sass_free(&sass);
}

/* Programs that are disassembled together are each what they are alone, also beside one of another
 * architecture, one that ptxas refuses, and none. */
static void test_programs_together(void **state)
{
    (void)state;
    static const char *const arches[] = {"sm_75", "sm_86", "sm_90", "sm_100", "sm_121"};
    const struct machine machine = {.isa = "ptx"};
    char tool[PTXAS_TOOL_BYTES];
    struct buffer sources[2] = {{0}, {0}};
    if (!ptxas_find_tool("ptxas", 0, tool) || !ptxas_find_tool("nvdisasm", 0, tool))
        skip_because("no ptxas and nvdisasm here");
    read_program("loop.ptx", &sources[0]);
    read_program("hoisted.ptx", &sources[1]);
    for (size_t i = 0; i < sizeof arches / sizeof arches[0]; i++) {
        const char *const of[] = {arches[i], arches[i], arches[i], "sm_80", "sm_20"};
        struct sass alone[2] = {read_alone(&sources[0], arches[i]), read_alone(&sources[1], arches[i])};
        struct test_program programs[5], *list[6] = {NULL};
        for (size_t j = 0; j < 5; j++) {
            json_t *json = json_pack("{s:s, s:s}", "target", "ptx", "arch", of[j]);
            programs[j] = (struct test_program){.manifest = given_manifest(json),
                                                .executable = sources[j % 2].data,
                                                .executable_size = sources[j % 2].size,
                                                .machine = &machine};
            list[j] = &programs[j];
            json_decref(json);
        }
        counter_bytes.prepare(list, 6);
        for (size_t j = 0; j < 3; j++)
            expect_text_of(list[j], &alone[j % 2]);
        assert_true(list[3]->prepared != NULL && list[4]->prepared == NULL);
        for (size_t j = 0; j < 5; j++)
            free(list[j]->prepared);
        sass_free(&alone[0]);
        sass_free(&alone[1]);
    }
    buffer_free(&sources[0]);
    buffer_free(&sources[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blame),
        cmocka_unit_test(test_programs_together),
        cmocka_unit_test(test_real_tools), /* before the others, which change PATH */
        cmocka_unit_test_setup_teardown(test_mix_by_script, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(test_accesses_not_as_promised, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(test_hops_from_chunk_to_chunk, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(test_statements_without_code, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(test_complaints_by_script, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(test_no_disassembler, tree_make, tree_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
