/* Code from stencils against LLVM MC's: ten thousand random rows with random registers, numbers and labels,
 * byte for byte; what else a program's text may contain; and what is refused. TRAUMA_SEED varies the cases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/paths.h"
#include "base/random.h"
#include "isa/assemble.h"
#include "isa/mc.h"
#include "isa/object.h"
#include "isa/template.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 10000, BATCH = 500, MOST_NAMES = 8, VALUE_BYTES = 48 };

static const char *const scalars[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8",
                                      "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

/* The registers of a row: general ones, vector ones, or vector ones beside a general {value}. */
enum registers { GENERAL, VECTORS, VECTORS_OF_VALUE, REGISTERS };

/* Names that stand for a vector register where the row is of vectors. */
static const char *const either[] = {"accumulator", "operand", "value", "register", "from", "stored"};

struct scene {
    struct template templates;
    struct random random;
    enum registers *registers; /* [form_count] */
};

static bool is_among(const char *name, size_t length, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return true;
    return false;
}

static int64_t random_number(struct random *random)
{
    static const int64_t edges[] = {0, 1, 127, 128, 129, 255, 256, 4064, 8128, 8129, INT32_MAX};
    int64_t number;
    switch (random_below(random, 4)) {
    case 0:
        number = edges[random_below(random, sizeof edges / sizeof edges[0])];
        break;
    case 1:
        number = (int64_t)random_below(random, 200);
        break;
    case 2:
        number = (int64_t)(64 << random_below(random, 2)) * random_below(random, 130);
        break;
    default:
        number = (int64_t)random_below(random, INT32_MAX);
    }
    return random_below(random, 4) == 0 ? -number : number;
}

/* What a name in braces shall stand for; `lines` labels .L0 and up are there. */
static void choose(struct scene *scene, const char *name, size_t length, enum registers registers,
                   unsigned lines, char value[VALUE_BYTES])
{
    static const char *const numbers[] = {"disp", "hit_line"};
    static const char *const targets[] = {"target", "loop_target", "twin_target", "again"};
    struct random *random = &scene->random;
    if (is_among(name, length, numbers, 2))
        snprintf(value, VALUE_BYTES, "%" PRId64, random_number(random));
    else if (is_among(name, length, targets, 4))
        snprintf(value, VALUE_BYTES, ".L%u", random_below(random, lines));
    else if (is_among(name, length, (const char *const[]){"word"}, 1))
        snprintf(value, VALUE_BYTES, "0x%016" PRIx64,
                 ((uint64_t)random_next(random) << 32 | random_next(random)) >> random_below(random, 64));
    else if (!(registers == VECTORS_OF_VALUE && is_among(name, length, (const char *const[]){"value"}, 1)) &&
             registers != GENERAL && is_among(name, length, either, sizeof either / sizeof either[0]))
        snprintf(value, VALUE_BYTES, "%%xmm%u", random_below(random, 16));
    else
        snprintf(value, VALUE_BYTES, "%%%s",
                 scalars[random_below(random, sizeof scalars / sizeof scalars[0])]);
}

/* Appends the row with all its braces filled in. False when its registers have not the width that it wants.
 */
static bool append_row(struct scene *scene, const struct form *form, enum registers registers, unsigned lines,
                       struct buffer *text)
{
    struct binding bindings[MOST_NAMES];
    char names[MOST_NAMES][VALUE_BYTES];
    char values[MOST_NAMES][VALUE_BYTES];
    size_t count = 0;
    struct error error;
    for (const char *open = strchr(form->text, '{'); open != NULL; open = strchr(open + 1, '{')) {
        size_t length = strcspn(open + 1, ":}");
        size_t i = 0;
        while (i < count && (strncmp(names[i], open + 1, length) != 0 || names[i][length] != '\0'))
            i++;
        if (i < count)
            continue;
        assert_true(count < MOST_NAMES);
        snprintf(names[count], VALUE_BYTES, "%.*s", (int)length, open + 1);
        choose(scene, open + 1, length, registers, lines, values[count]);
        bindings[count] = (struct binding){names[count], values[count]};
        count++;
    }
    struct buffer row = {0};
    bool good = template_expand(&scene->templates, form->text, bindings, count, &row, &error) == STATUS_OK;
    const char *line = good ? row.data : "";
    for (const char *more; (more = strstr(line, "; ")) != NULL; line = more + 2)
        buffer_printf(text, "    %.*s\n", (int)(more - line), line);
    buffer_printf(text, "    %s\n", line);
    buffer_free(&row);
    return good;
}

static bool mc_takes(struct scene *scene, const struct form *form, enum registers registers)
{
    struct buffer text = {0};
    struct buffer object = {0};
    buffer_text(&text, ".L0:\n");
    bool good = append_row(scene, form, registers, 1, &text) &&
                mc_assemble(&isa_x86_64, text.data, "row", &object, NULL) == STATUS_OK;
    buffer_free(&text);
    buffer_free(&object);
    return good;
}

static int open_scene(void **state)
{
    char home[FILE_PATH_BYTES];
    struct error error;
    const char *seed = getenv("TRAUMA_SEED");
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->random = random_start(seed == NULL ? 1 : strtoull(seed, NULL, 10), "stencils");
    assert_int_equal(paths_home(home, &error), STATUS_OK);
    assert_int_equal(template_load(home, &isa_x86_64, &scene->templates, &error), STATUS_OK);
    scene->registers = calloc(scene->templates.form_count, sizeof *scene->registers);
    assert_non_null(scene->registers);
    for (size_t i = 0; i < scene->templates.form_count; i++)
        while (scene->registers[i] + 1 < REGISTERS &&
               !mc_takes(scene, &scene->templates.forms[i], scene->registers[i]))
            scene->registers[i]++;
    *state = scene;
    return 0;
}

static int close_scene(void **state)
{
    struct scene *scene = *state;
    template_free(&scene->templates);
    free(scene->registers);
    free(scene);
    return 0;
}

/* Both assemblers' code of the text; a difference fails with the line that it begins in. */
static void compare(struct scene *scene, const struct buffer *text)
{
    struct error error = {0};
    struct buffer object = {0};
    struct object_part wanted;
    if (assemble_text(scene->templates.assembly, text, "text", &error) != STATUS_OK)
        fail_msg("stencils, line %d: %s", error.line, error.message);
    if (mc_assemble(&isa_x86_64, text->data, "text", &object, &error) != STATUS_OK)
        fail_msg("MC, line %d: %s", error.line, error.message);
    assert_int_equal(object_section(object.data, object.size, ".text", &wanted, &error), STATUS_OK);
    struct assembly_bytes found = assembly_section(scene->templates.assembly, ".text");
    if (found.size != wanted.size || memcmp(found.bytes, wanted.bytes, wanted.size) != 0) {
        size_t at = 0;
        while (at < found.size && at < wanted.size && found.bytes[at] == wanted.bytes[at])
            at++;
        fail_msg("%zu bytes, expected %zu; they differ from byte %zu on of\n%.4000s", found.size, wanted.size,
                 at, text->data);
    }
    buffer_free(&object);
}

static void random_rows_are_what_mc_makes_of_them(void **state)
{
    struct scene *scene = *state;
    for (unsigned done = 0; done < ROWS; done += BATCH) {
        struct buffer text = {0};
        buffer_text(&text, "    .text\n");
        for (unsigned i = 0; i < BATCH; i++) {
            size_t form = random_below(&scene->random, (unsigned)scene->templates.form_count);
            buffer_printf(&text, ".L%u:\n", i);
            assert_true(
                append_row(scene, &scene->templates.forms[form], scene->registers[form], BATCH, &text));
        }
        compare(scene, &text);
        buffer_free(&text);
    }
}

/* Jumps over everything near the edge of a short one, so that one that grows pushes others over it. */
static void jumps_are_as_short_as_they_can_be(void **state)
{
    struct scene *scene = *state;
    for (unsigned round = 0; round < 60; round++) {
        struct buffer text = {0};
        unsigned lines = 40 + random_below(&scene->random, 60);
        for (unsigned i = 0; i < lines; i++) {
            unsigned target = random_below(&scene->random, lines);
            if (random_below(&scene->random, 6) == 0)
                buffer_printf(&text, "    .p2align %u, 0xcc\n", random_below(&scene->random, 6));
            buffer_printf(&text, ".L%u:\n    %s .L%u\n    .skip %u, 0xcc\n", i,
                          random_below(&scene->random, 2) == 0 ? "jmp" : "jnz", target,
                          random_below(&scene->random, 4));
        }
        compare(scene, &text);
        buffer_free(&text);
    }
}

static void whatever_programs_hold_is_assembled_alike(void **state)
{
    static const char *const texts[] = {
        "trauma_kernel:\n  shlq $1, %rax\n  shlq $2, %rax\n  shlq $63, %rax\n",
        "  addl $0xffffffff, %eax\n  addl $0xffffff00, %ecx\n  addq $-128, %r9\n  addq $128, %r9\n  addw "
        "$300, %ax\n",
        "  movq $0x7fffffff, %rax\n  movq $0x80000000, %rax\n  movabsq $5, %rax\n  movabsq $-1, %r15\n",
        "  vpternlogd $255, %zmm1, %zmm2, %zmm3\n  vinsertf128 $1, %xmm1, %ymm2, %ymm3\n",
        "  vmovaps 64(%rsi), %zmm20{%k1}{z}\n  vmovaps 65(%rsi), %zmm20\n  vaddps 4(%rsi){1to16}, %zmm1, "
        "%zmm2\n",
        "trauma_copies:\n  leaq trauma_copies+4096(%rip), %rax\n  leaq trauma_copies-16(%rip), %rax\n",
        "  jz 1f\n1:\n  jnz 1b\n  jmp 1f\n  .skip 200, 0xcc\n1:\n  {disp32} jnz 1b\n  {disp32} jmp 1f\n1: "
        "nop\n",
        "trauma_code:\n  nop\n  .org trauma_code + 777, 0xcc\n  nop\n  .quad 1, -2, 0xffffffffffffffff\n  "
        ".long 7\n",
        "  movl $5, 8(%rsi,%rdi,4)\n  movq %fs:16, %rax\n  lock incq 640(%rsi)\n  repne jmpq *%r14 # a "
        "comment\n",
        "  movq (%rbp), %rax\n  movq (%r13), %rax\n  movq 0(%r13,%r12,8), %rax\n  movq -0x80(%rsp), %rax\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct buffer text = {0};
        buffer_text(&text, texts[i]);
        compare(*state, &text);
        buffer_free(&text);
    }
}

static void what_is_no_program_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *text, *part;
        int line;
    } cases[] = {
        {"  nop\n  addq %nonsense, %rax\n", "addq %nonsense", 0},
        {"  nop\n  jmp .Lnowhere\n", ".Lnowhere", 0},
        {"  nop\n  .fancy 5\n", ".fancy", 2},
        {"1: nop\n.La: nop\n.La: nop\n", ".La is defined twice", 3},
        {"  .p2align 99\n", ".p2align", 1},
        {"  .quad\n", ".quad", 1},
        {"trauma_x:\n  .skip 100\n  .org trauma_x + 5\n", ".org moves backwards", 0},
        {"  .skip 99999999999999999999\n", ".skip", 1},
    };
    struct scene *scene = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buffer text = {0};
        struct error error = {0};
        buffer_text(&text, cases[i].text);
        assert_int_equal(assemble_text(scene->templates.assembly, &text, "text", &error), STATUS_FAILED);
        if (strstr(error.message, cases[i].part) == NULL || error.line != cases[i].line)
            fail_msg("'%s' was refused in line %d with: %s", cases[i].text, error.line, error.message);
        buffer_free(&text);
    }
}

static void an_object_has_the_symbols_of_the_text(void **state)
{
    struct scene *scene = *state;
    struct buffer text = {0};
    struct buffer object = {0};
    struct error error;
    struct object_part part;
    uint64_t value;
    buffer_text(
        &text,
        "    .globl trauma_kernel\n    .type trauma_kernel, @function\ntrauma_kernel:\n    nop\n"
        "trauma_loop:\n    retq\n.Llocal:\n    .size trauma_kernel, . - trauma_kernel\n"
        "    .section .rodata\n    .p2align 3\ntrauma_layout:\n    .quad trauma_loop - trauma_kernel\n");
    assert_int_equal(assemble_text(scene->templates.assembly, &text, "text", &error), STATUS_OK);
    assembly_object(scene->templates.assembly, &isa_x86_64, &object);
    assert_int_equal(object_symbol(object.data, object.size, "trauma_loop", &value, &error), STATUS_OK);
    assert_int_equal(value, 1);
    assert_int_equal(object_symbol(object.data, object.size, ".Llocal", &value, &error), STATUS_FAILED);
    assert_int_equal(object_section(object.data, object.size, ".rodata", &part, &error), STATUS_OK);
    assert_int_equal(part.size, 8);
    assert_int_equal(part.bytes[0], 1);
    buffer_free(&text);
    buffer_free(&object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_rows_are_what_mc_makes_of_them),
        cmocka_unit_test(jumps_are_as_short_as_they_can_be),
        cmocka_unit_test(whatever_programs_hold_is_assembled_alike),
        cmocka_unit_test(what_is_no_program_is_refused_with_its_line),
        cmocka_unit_test(an_object_has_the_symbols_of_the_text),
    };
    return cmocka_run_group_tests_name("isa/stencils", tests, open_scene, close_scene);
}
