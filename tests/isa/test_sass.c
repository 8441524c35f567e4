/* PTX lines, and nvdisasm's output for their machine code: texts in tests/golden/sass/, written by nvdisasm
 * 13.5 from the output of ptxas 13.0 for the .ptx beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/file.h"
#include "isa/sass/ptx_lines.h"
#include "isa/sass/sass.h"

#include <string.h>

static void read_golden(const char *name, struct buffer *text)
{
    char path[FILE_PATH_BYTES];
    struct error error;
    if (file_read(file_join(path, "tests/golden/sass", name), text, &error) != STATUS_OK)
        fail_msg("%s", error.message);
}

static void read_lines(const char *text, struct ptx_lines *lines)
{
    struct error error;
    if (ptx_lines_read(text, strlen(text), lines, &error) != STATUS_OK)
        fail_msg("%s", error.message);
}

static void test_lines_of_a_program(void **state)
{
    (void)state;
    struct buffer text = {0};
    struct ptx_lines lines;
    read_golden("loop.ptx", &text);
    read_lines(text.data, &lines);
    assert_int_equal(lines.loop, 30);
    assert_int_equal(lines.units_end, 39);
    assert_int_equal(lines.loop_end, 43);
    assert_string_equal(lines.lines[30].opcode, "ld.global.cg.u64");
    assert_string_equal(lines.lines[33].opcode, "ld.volatile.shared.u64"); /* behind a comment of two lines */
    assert_string_equal(lines.lines[43].opcode, "bra");                    /* behind its predicate */
    assert_true(lines.lines[43].loops);
    assert_false(lines.lines[27].loops);
    assert_int_equal(lines.lines[38].statements, 0);
    ptx_lines_free(&lines);
    buffer_free(&text);
}

static void expect_refused(const char *text, const char *part)
{
    struct ptx_lines lines;
    struct error error;
    assert_int_equal(ptx_lines_read(text, strlen(text), &lines, &error), STATUS_FAILED);
    if (strstr(error.message, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.message, part);
    ptx_lines_free(&lines);
}

static void test_lines_that_are_no_loop(void **state)
{
    (void)state;
    expect_refused("", "no loop from the label TRAUMA_LOOP");
    expect_refused("TRAUMA_LOOP:\nadd.u64 %a,%a,1;\n", "no loop from the label");
    expect_refused("TRAUMA_LOOP:\nadd.u64 %a,%a,1;\n@%p bra TRAUMA_LOOP;\n", "no label TRAUMA_ADVANCE");
    expect_refused("bra TRAUMA_LOOP;\nTRAUMA_LOOP:\nadd.u64 %a,%a,1;\n", "no loop from");
    expect_refused("TRAUMA_LOOP:\nadd.u64 %a,%a,1; add.u64 %b,%b,1;\nTRAUMA_CLOSE:\n@%p bra TRAUMA_LOOP;\n",
                   "line 2 of program.ptx holds 2 statements");
    expect_refused("TRAUMA_LOOP:\nadd.u64 %a,%a,1;\nTRAUMA_CLOSE:\n@%p bra TRAUMA_LOOPs;\n", "no loop from");
}

static struct sass read_sass(const char *name)
{
    struct sass sass;
    struct buffer text = {0};
    struct error error;
    read_golden(name, &text);
    if (sass_read(text.data, text.size, "trauma_kernel", &sass, &error) != STATUS_OK)
        fail_msg("%s: %s", name, error.message);
    buffer_free(&text);
    return sass;
}

/* Accesses of that kind between two instructions. */
static unsigned count(const struct sass *sass, size_t first, size_t last, const struct sass_access *wanted)
{
    unsigned number = 0;
    for (size_t i = first; i <= last; i++) {
        struct sass_access access;
        number += sass_access_of(sass->code[i].mnemonic, &access) && strcmp(access.op, wanted->op) == 0 &&
                  strcmp(access.space, wanted->space) == 0 && strcmp(access.cache, wanted->cache) == 0 &&
                  access.width == wanted->width;
    }
    return number;
}

static const struct sass_access from_l2 = {"load", "global", "cg", 8};
static const struct sass_access of_shared = {"load", "shared", "ca", 8};

static void test_loop_of_a_program(void **state)
{
    (void)state;
    static const char *const names[] = {"loop.sm_75.txt", "loop.sm_90.txt"};
    for (size_t i = 0; i < 2; i++) {
        struct sass sass = read_sass(names[i]);
        struct sass_loop loop;
        struct error error;
        assert_true(sass.has_lines);
        assert_int_equal(sass_find_loop(&sass, 30, 43, &loop, &error), STATUS_OK);
        assert_int_equal(count(&sass, loop.first, loop.last, &from_l2), 2);
        assert_int_equal(count(&sass, loop.first, loop.last, &of_shared), 1);
        sass_free(&sass);
    }
}

/* A plain load whose address does not change is made once, before the loop. */
static void test_a_load_that_left_the_loop(void **state)
{
    (void)state;
    struct sass sass = read_sass("hoisted.sm_90.txt");
    struct sass_loop loop;
    struct error error;
    assert_int_equal(sass_find_loop(&sass, 30, 43, &loop, &error), STATUS_OK);
    assert_int_equal(count(&sass, loop.first, loop.last, &of_shared), 0);
    assert_int_equal(count(&sass, 0, sass.count - 1, &of_shared), 1);
    sass_free(&sass);
}

static void expect_no_loop(const char *text, int first, int last, const char *part)
{
    struct sass sass;
    struct sass_loop loop;
    struct error error;
    assert_int_equal(sass_read(text, strlen(text), "k", &sass, &error), STATUS_OK);
    assert_int_equal(sass_find_loop(&sass, first, last, &loop, &error), STATUS_FAILED);
    if (strstr(error.message, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.message, part);
    sass_free(&sass);
}

#define CLOCK(at) "        /*" at "*/                   CS2R R2, SR_CLOCKLO ;\n"
#define LINE(number) "\t//## File \"x\", line " number "\n"
#define ADD(at) "        /*" at "*/                   IADD3 R2, R2, R2, RZ ;\n"
#define BACK(at, to) "        /*" at "*/               @P0 BRA `(" to ") ;\n"

static void test_loops_that_are_not_as_emitted(void **state)
{
    (void)state;
    expect_no_loop("k:\n" CLOCK("0000") LINE("7") ADD("0010") CLOCK("0020"), 7, 8,
                   "the measured loop is gone");
    expect_no_loop("k:\n" LINE("7") ".L_x_1:\n" ADD("0000") BACK("0010", ".L_x_1") CLOCK("0020"), 7, 8,
                   "the clock is not read both before and after");
    expect_no_loop("k:\n" CLOCK("0000") LINE("7") ".L_x_1:\n" ADD("0010")
                       BACK("0020", ".L_x_1") ".L_x_2:\n" ADD("0030") BACK("0040", ".L_x_2") CLOCK("0050"),
                   7, 8, "split the measured loop");
    /* What another function has is not the kernel's. */
    expect_no_loop("k:\n" CLOCK("0000") LINE("7") ADD("0010")
                       CLOCK("0020") "other:\n" LINE("7") ".L_x_1:\n" ADD("0030") BACK("0040", ".L_x_1"),
                   7, 8, "the measured loop is gone");
    struct sass sass;
    struct error error;
    assert_int_equal(sass_read("nvdisasm says nothing\n", 22, "k", &sass, &error), STATUS_FAILED);
    sass_free(&sass);
}

/* Votes around instructions of whole warps, and what is marked, are loops within the measured one. */
static void test_loops_within_the_loop(void **state)
{
    static const char text[] = "k:\n" CLOCK("0000") LINE("7") ".L_x_1:\n" ADD("0010") ".L_x_2:\n" ADD(
        "0020") "        /*0030*/               @P0 BRA.U.ANY `(.L_x_2) ;\n" LINE("8") BACK("0040", ".L_x_1")
        CLOCK("0050") LINE("7") ".L_x_3:\n" ADD("0060") BACK("0070", ".L_x_3");
    struct sass sass;
    struct sass_loop loop;
    struct error error;
    (void)state;
    assert_int_equal(sass_read(text, strlen(text), "k", &sass, &error), STATUS_OK);
    assert_int_equal(sass_find_loop(&sass, 7, 8, &loop, &error), STATUS_FAILED);
    sass.code[sass.count - 1].inner = true;
    assert_int_equal(sass_find_loop(&sass, 7, 8, &loop, &error), STATUS_OK);
    assert_int_equal(sass.code[loop.first].offset, 0x10);
    assert_int_equal(sass.code[loop.last].offset, 0x40);
    sass_free(&sass);
}

static void expect_access(const char *mnemonic, const char *op, const char *space, const char *cache,
                          unsigned width)
{
    struct sass_access access;
    assert_true(sass_access_of(mnemonic, &access));
    assert_string_equal(access.op, op);
    assert_string_equal(access.space, space);
    assert_string_equal(access.cache, cache);
    assert_int_equal(access.width, width);
}

static void test_mnemonics(void **state)
{
    (void)state;
    expect_access("LDG.E", "load", "global", "ca", 4);
    expect_access("LDG.E.SYS", "load", "global", "ca", 4); /* sm_75: no order at all */
    expect_access("LDG.E.128.STRONG.SM", "load", "global", "ca", 16);
    expect_access("LDG.E.64.STRONG.CTA", "load", "global", "ca", 8);
    expect_access("LDG.E.64.STRONG.GPU", "load", "global", "cg", 8);
    expect_access("LDG.E.STRONG.SYS", "load", "global", "cv", 4);
    expect_access("LDG.E.EF.SYS", "load", "global", "cs", 4);
    expect_access("LDG.E.LU", "load", "global", "lu", 4);
    expect_access("LDG.E.U8.CONSTANT", "load", "global", "nc", 1);
    expect_access("LDG.E.EL", "load", "global", "evict_last", 4);
    expect_access("LDGSTS.E", "asynchronous load", "global", "ca", 4);
    expect_access("LDGSTS.E.BYPASS.128", "asynchronous load", "global", "cg", 16);
    expect_access("UBLKCP.S.G", "bulk load", "global", "", 0);
    expect_access("LDG.E.NA.SYS", "load", "global", "no_allocate", 4);
    expect_access("STG.E.STRONG.SYS", "store", "global", "wt", 4);
    expect_access("STG.E.64", "store", "global", "wb", 8);
    expect_access("LDS.U16", "load", "shared", "ca", 2);
    expect_access("STL.64", "store", "local", "wb", 8);
    expect_access("ATOMG.E.ADD.64.STRONG.GPU", "atomic add", "global", "gpu", 8);
    expect_access("ATOMG.E.CAS.STRONG.SM", "atomic cas", "global", "cta", 4);
    expect_access("ATOMG.E.EXCH.STRONG.SYS", "atomic swap", "global", "sys", 4);
    expect_access("REDG.E.MAX.STRONG.CTA", "reduction max", "global", "cta", 4);
    expect_access("ATOMS.ADD", "atomic add", "shared", "", 4);
    expect_access("ATOM.E.ADD.STRONG.GPU", "atomic add", "generic", "gpu", 4);
    expect_access("UBLKCP.G.S", "bulk store", "global", "", 0);
    expect_access("RED.E.XOR.STRONG.GPU", "reduction", "global", "gpu", 4);
    struct sass_access access;
    assert_false(sass_access_of("LDC.64", &access)); /* parameters */
    assert_false(sass_access_of("IADD3", &access));
}

/* Neither many names, nor long ones, nor long lines are cut or left out. */
static void test_long_code_is_read_whole(void **state)
{
    (void)state;
    enum { LABELS = 5000, BLANKS = 2000 };
    struct buffer text = {0};
    struct sass sass;
    struct sass_loop loop;
    struct error error;
    char name[120];
    memset(name, 'y', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    buffer_text(&text, "k:\n" CLOCK("0000") LINE("7"));
    for (int i = 1; i <= LABELS; i++)
        buffer_printf(&text, ".L_%s_%d:\n        /*%04x*/  IADD3 R2, R2, R2, RZ ;\n", name, i, 16 * i);
    buffer_printf(&text,
                  "        /*%x*/  LDG.E.LTC128B.EF.128.ABCDEFGHIJKLMNOPQRSTUVW.STRONG.GPU R4, [R2] ;\n",
                  16 * (LABELS + 1));
    buffer_printf(&text, "        /*%x*/  ", 16 * (LABELS + 2));
    buffer_fill(&text, ' ', BLANKS);
    buffer_printf(&text, "@P0 BRA `(.L_%s_%d) ;\n        /*%x*/  CS2R R2, SR_CLOCKLO ;\n", name, LABELS - 1,
                  16 * (LABELS + 3));
    assert_int_equal(sass_read(text.data, text.size, "k", &sass, &error), STATUS_OK);
    assert_int_equal(sass.count, LABELS + 4);
    assert_int_equal(sass_find_loop(&sass, 7, 7, &loop, &error), STATUS_OK);
    assert_int_equal(sass.code[loop.first].offset, 16 * (LABELS - 1));
    expect_access(sass.code[LABELS + 1].mnemonic, "load", "global", "cg", 16);
    sass_free(&sass);
    buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_of_a_program),
        cmocka_unit_test(test_lines_that_are_no_loop),
        cmocka_unit_test(test_loop_of_a_program),
        cmocka_unit_test(test_a_load_that_left_the_loop),
        cmocka_unit_test(test_loops_that_are_not_as_emitted),
        cmocka_unit_test(test_loops_within_the_loop),
        cmocka_unit_test(test_mnemonics),
        cmocka_unit_test(test_long_code_is_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
