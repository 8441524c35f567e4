/* The loops of templates/<isa>/probe.s: every text assembles, and every rate is that of an operation
 * available to recipes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/paths.h"
#include "isa/mc.h"
#include "isa/object.h"
#include "isa/template.h"
#include "runner/probe/code.h"
#include "runner/probe/family.h"
#include "runner/process/child_start.h"
#include "tests/skip.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORD_BYTES = 32, TEXT_BYTES = 160, LEAST_RATES = 10 };

struct scene {
    struct template texts, rows;
};

static void open_scene(const struct isa *isa, struct scene *scene)
{
    char home[FILE_PATH_BYTES];
    struct error error;
    assert_int_equal(paths_home(home, &error), STATUS_OK);
    assert_int_equal(template_load_texts(home, isa, isa->probe, &scene->texts, &error), STATUS_OK);
    assert_int_equal(template_load(home, isa, &scene->rows, &error), STATUS_OK);
}

static void close_scene(struct scene *scene)
{
    template_free(&scene->texts);
    template_free(&scene->rows);
}

/* A row of rates with its first register, between its sections. */
static void check_rate(const struct scene *scene, const char *name, const char *const sections[3],
                       const char *text)
{
    char plain[WORD_BYTES];
    char one[WORD_BYTES];
    struct buffer source = {0};
    struct buffer object = {0};
    struct error error;
    const char *registers = template_section(&scene->texts, sections[0]);
    assert_non_null(registers);
    assert_int_equal(sscanf(registers, "%31s", one), 1);
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, "@"), name);
    if (template_form(&scene->rows, plain) == NULL)
        fail_msg("rate %s is of no operation", name);
    const struct binding binding = {"register", one};
    for (int i = 1; i <= 2; i++) {
        const char *section = template_section(&scene->texts, sections[i]);
        if (strcmp(sections[i], "-") != 0 && section == NULL)
            fail_msg("rate %s names section %s, which is not there", name, sections[i]);
        if (section != NULL)
            buffer_printf(&source, "%s\n", section);
    }
    assert_int_equal(template_expand(&scene->texts, text, &binding, 1, &source, &error), STATUS_OK);
    buffer_text(&source, "\n");
    if (mc_assemble(scene->texts.isa, source.data, name, &object, &error) != STATUS_OK)
        fail_msg("rate %s: %s", name, error.message);
    buffer_free(&source);
    buffer_free(&object);
}

static void rates_are_of_operations_and_assemble(void **state)
{
    (void)state;
    for (size_t i = 0; isa_table[i] != NULL; i++) {
        unsigned count = 0;
        struct scene scene;
        if (isa_table[i]->probe == NULL)
            continue;
        open_scene(isa_table[i], &scene);
        const char *line = template_section(&scene.texts, "rates");
        assert_non_null(line);
        for (; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
            char words[4][WORD_BYTES];
            char text[TEXT_BYTES];
            if (line[0] == '#' || line[0] == '\n')
                continue;
            if (sscanf(line, "%31s %31s %31s %31s %159[^\n]", words[0], words[1], words[2], words[3], text) !=
                5)
                fail_msg("a row of rates is not NAME REGISTERS BEFORE AFTER TEXT: %.80s", line);
            const char *const sections[] = {words[1], words[2], words[3]};
            check_rate(&scene, words[0], sections, text);
            count++;
        }
        assert_true(count >= LEAST_RATES);
        close_scene(&scene);
    }
}

/* Of the present processor: what is run, with every access that it may have. */
static void loops_can_be_made(void **state)
{
    (void)state;
    static const char *const bodies[] = {"clock", "chase", "nop", "adds", "branch", "call"};
    static const unsigned widths[] = {8, 16, 32, 64};
    struct template texts;
    struct error error;
    if (probe_texts_open(&texts, &error) == STATUS_UNAVAILABLE)
        skip_because("%s", error.message);
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        const struct probe_loop loop = {.body = bodies[i], .repeat = 3};
        struct probe_code code = {0};
        if (probe_code_make(&texts, &loop, &code, &error) != STATUS_OK)
            fail_msg("%s: %s", bodies[i], error.message);
        probe_code_free(&code);
    }
    struct machine machine = {.document = json_pack("{s:[s, s]}", "features", "avx", "avx512f")};
    const struct probe_request request = {.machine = &machine};
    struct probe probe = {.request = &request, .texts = texts};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        struct probe_access access;
        if (!probe_access_find(&probe, widths[i], &access))
            continue; /* not every ISA has all widths */
        for (int store = 0; store < 2; store++) {
            const struct probe_loop loop = {.before = "walk.before",
                                            .text = store ? access.store : access.load,
                                            .repeat = 4,
                                            .step = widths[i],
                                            .after = "walk.after"};
            struct probe_code code = {0};
            if (probe_code_make(&texts, &loop, &code, &error) != STATUS_OK)
                fail_msg("access of %u bytes: %s", widths[i], error.message);
            probe_code_free(&code);
        }
    }
    json_decref(machine.document);
    template_free(&texts);
}

/* The code of structures, wherever an ISA has it: each filler between two loads, calls in one another, chains
 * in turn. */
static void check_structures(const struct template *texts)
{
    static const char *const fillers[] = {"reorder_buffer",    "load_queue",       "store_queue",
                                          "registers.integer", "registers.vector", "branches",
                                          "scheduler.integer", "scheduler.load"};
    struct buffer text = {0};
    struct buffer object = {0};
    struct error error;
    const struct binding bindings[] = {
        {"register", ""}, {"vector", ""}, {"here", "depth_1"}, {"next", "depth_1"}, {"offset", "8"}};
    const char *words = template_section(texts, "window.words");
    assert_non_null(words);
    char name[WORD_BYTES];
    char vector[WORD_BYTES];
    assert_int_equal(sscanf(words, "%31s", name), 1);
    assert_int_equal(sscanf(template_section(texts, "vectors"), "%31s", vector), 1);
    buffer_printf(&text, "1:\n%s\n%s\n%s\n", template_section(texts, "window.before"),
                  template_section(texts, "window.first"), template_section(texts, "window.second"));
    buffer_printf(&text, "%s\n%s\n", template_section(texts, "window.first.waits"),
                  template_section(texts, "window.second.waits"));
    for (size_t i = 0; i < sizeof fillers / sizeof fillers[0] + 4; i++) {
        static const char *const others[] = {"stack.enter", "stack.inner", "stack.last", "parallel"};
        char section[TEXT_BYTES];
        struct binding bound[5];
        size_t plain = sizeof fillers / sizeof fillers[0];
        memcpy(bound, bindings, sizeof bound);
        bound[0].value = name;
        bound[1].value = vector;
        snprintf(section, sizeof section, "%s%s", i < plain ? "window." : "",
                 i < plain ? fillers[i] : others[i - plain]);
        const char *found = template_section(texts, section);
        if (found == NULL)
            fail_msg("templates/%s has no section %s", texts->isa->name, section);
        if (strcmp(section, "stack.last") == 0)
            bound[2].value = "depth_2";
        if (template_expand(texts, found, bound, 5, &text, &error) != STATUS_OK)
            fail_msg("%s: %s", section, error.message);
        buffer_text(&text, "\n");
    }
    if (mc_assemble(texts->isa, text.data, "structures", &object, &error) != STATUS_OK)
        fail_msg("structures of %s: %s", texts->isa->name, error.message);
    buffer_free(&text);
    buffer_free(&object);
}

static void structures_assemble(void **state)
{
    (void)state;
    for (size_t i = 0; isa_table[i] != NULL; i++) {
        struct scene scene;
        if (isa_table[i]->probe == NULL)
            continue;
        open_scene(isa_table[i], &scene);
        check_structures(&scene.texts);
        close_scene(&scene);
    }
}

/* A chain of zeros takes time, and leaves the words as they were. */
static void a_loop_runs_and_keeps_its_words(void **state)
{
    (void)state;
    static const struct probe_loop chain = {.body = "clock", .repeat = 100};
    struct template texts;
    struct error error;
    struct probe_code code = {0};
    if (probe_texts_open(&texts, &error) == STATUS_UNAVAILABLE)
        skip_because("%s", error.message);
    assert_int_equal(probe_code_make(&texts, &chain, &code, &error), STATUS_OK);
    struct probe_words words = {.first = 5, .second = 2, .third = 7, .fourth = 11};
    uint64_t ticks = probe_code_run(&code, 1000, &words);
    assert_true(ticks > 0);
    assert_int_equal(words.first, 5 + 2 * 100 * 1000);
    assert_int_equal(words.second, 2);
    assert_int_equal(words.third, 7);
    assert_int_equal(words.fourth, 11);
    probe_code_free(&code);
    template_free(&texts);
}

/* ---- on processors that are not here ---- */

/* Calls a loop and goes on after it: {high} and {low} are the halves of the words' address. The first
 * instruction of a program jumps over its second, a return. */
static const struct emulated {
    const char *isa, *qemu, *begin, *call, *end;
} emulated[] = {
    {"aarch64", "qemu-aarch64", "    b 78f\n    ret\n78:\n",
     "    movz x1, #0x%x\n    movk x1, #0x%x, lsl #16\n    mov x0, #3\n    bl 77f\n    b 76f\n77:\n",
     "    mov x0, #0\n    mov x8, #93\n    svc #0\n"},
    {"riscv64", "qemu-riscv64", "    .option norvc\n    j 78f\n    ret\n78:\n",
     "    li a1, 0x%x\n    li t0, 0x%x\n    slli t0, t0, 16\n    add a1, a1, t0\n    li a0, 3\n    jal ra, "
     "77f\n    j 76f\n77:\n",
     "    li a0, 0\n    li a7, 93\n    ecall\n"},
};

/* A program's parts, in bytes from its start. */
enum {
    IMAGE_BASE = 0x400000,
    IMAGE_CODE = 0x1000,
    IMAGE_WORDS = 0x20000,
    IMAGE_DATA = 0x22000,
    IMAGE_BYTES = 0x30000,
    LOOPS_MOST = 64,
    WALK_BYTES = 1024
};

struct image {
    const struct emulated *emulated;
    const struct template *texts;
    struct buffer text;
    struct probe_words words[LOOPS_MOST];
    unsigned count;
};

static void add_loop(struct image *image, const struct probe_loop *loop, bool calls)
{
    struct error error;
    unsigned address = IMAGE_BASE + IMAGE_WORDS + image->count * (unsigned)sizeof image->words[0];
    assert_true(image->count < LOOPS_MOST);
    image->words[image->count++] =
        (struct probe_words){.first = IMAGE_BASE + (calls ? IMAGE_CODE + 4 : IMAGE_DATA),
                             .second = 0,
                             .third = WALK_BYTES,
                             .fourth = 1};
    /* The format is of the table above, and has two numbers. */
    char call[256];
    const char *at = strstr(image->emulated->call, "0x%x");
    snprintf(call, sizeof call, "%.*s0x%x", (int)(at - image->emulated->call), image->emulated->call,
             address & 0xffff);
    const char *rest = strstr(at + 4, "0x%x");
    buffer_printf(&image->text, "%s%.*s0x%x%s", call, (int)(rest - at - 4), at + 4, address >> 16, rest + 4);
    if (probe_code_write(image->texts, loop, &image->text, &error) != STATUS_OK)
        fail_msg("%s: %s", image->emulated->isa, error.message);
    buffer_text(&image->text, "76:\n");
}

static void add_rates(struct image *image)
{
    const char *line = template_section(image->texts, "rates");
    for (; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        char words[4][WORD_BYTES], text[TEXT_BYTES], one[WORD_BYTES];
        struct buffer body = {0};
        struct error error;
        if (sscanf(line, "%31s %31s %31s %31s %159[^\n]", words[0], words[1], words[2], words[3], text) !=
                5 ||
            line[0] == '#' || strchr(words[0], '@') != NULL)
            continue;
        assert_int_equal(sscanf(template_section(image->texts, words[1]), "%31s", one), 1);
        const struct binding binding = {"register", one};
        assert_int_equal(template_expand(image->texts, text, &binding, 1, &body, &error), STATUS_OK);
        add_loop(image,
                 &(struct probe_loop){.before = words[2][0] == '-' ? NULL : words[2],
                                      .text = body.data,
                                      .after = words[3][0] == '-' ? NULL : words[3],
                                      .repeat = 2},
                 false);
        buffer_free(&body);
    }
}

static void add_accesses(struct image *image)
{
    struct machine machine = {.document = json_pack("{s:[]}", "features")};
    const struct probe_request request = {.machine = &machine};
    struct probe probe = {.request = &request, .texts = *image->texts};
    for (unsigned width = 8; width <= 64; width *= 2) {
        struct probe_access access;
        for (int store = 0; store < 2 && probe_access_find(&probe, width, &access); store++)
            add_loop(image,
                     &(struct probe_loop){.before = "walk.before",
                                          .text = store ? access.store : access.load,
                                          .repeat = 4,
                                          .step = width,
                                          .after = "walk.after"},
                     false);
    }
    json_decref(machine.document);
}

/* An executable of one segment: the code, the loops' words, and data whose first word holds its own address.
 */
static void write_image(const struct image *image, const struct isa *isa, const char *path)
{
    unsigned char *bytes = calloc(1, IMAGE_BYTES);
    struct buffer object = {0};
    struct object_part part = {0};
    struct error error;
    assert_non_null(bytes);
    if (mc_assemble(isa, image->text.data, isa->probe, &object, &error) != STATUS_OK)
        fail_msg("%s:%d: %s", isa->name, error.line, error.message);
    assert_int_equal(object_section(object.data, object.size, ".text", &part, &error), STATUS_OK);
    assert_true(part.size <= IMAGE_WORDS - IMAGE_CODE);
    const Elf64_Ehdr head = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = (Elf64_Half)isa->elf_machine,
        .e_version = EV_CURRENT,
        .e_entry = IMAGE_BASE + IMAGE_CODE,
        .e_phoff = sizeof head,
        .e_flags = isa->elf_flags,
        .e_ehsize = sizeof head,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = 1};
    const Elf64_Phdr segment = {.p_type = PT_LOAD,
                                .p_flags = PF_R | PF_W | PF_X,
                                .p_vaddr = IMAGE_BASE,
                                .p_filesz = IMAGE_BYTES,
                                .p_memsz = IMAGE_BYTES,
                                .p_align = 0x1000};
    const uint64_t self = IMAGE_BASE + IMAGE_DATA;
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, &segment, sizeof segment);
    memcpy(bytes + IMAGE_CODE, part.bytes, part.size);
    memcpy(bytes + IMAGE_WORDS, image->words, sizeof image->words);
    memcpy(bytes + IMAGE_DATA, &self, sizeof self);
    assert_int_equal(file_write(path, bytes, IMAGE_BYTES, true, NULL), STATUS_OK);
    buffer_free(&object);
    free(bytes);
}

static void run_image(const struct emulated *row, const struct isa *isa)
{
    static const char *const bodies[] = {"clock", "chase", "nop", "adds", "branch", "call"};
    struct template texts;
    struct error error;
    char home[FILE_PATH_BYTES], folder[] = "/tmp/trauma-loops-XXXXXX", path[64], command[160];
    assert_int_equal(paths_home(home, &error), STATUS_OK);
    assert_int_equal(template_load_texts(home, isa, isa->probe, &texts, &error), STATUS_OK);
    struct image image = {.emulated = row, .texts = &texts};
    buffer_printf(&image.text, "    .text\n%s", row->begin);
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
        add_loop(&image, &(struct probe_loop){.body = bodies[i], .repeat = 3},
                 strcmp(bodies[i], "call") == 0);
    add_accesses(&image);
    add_rates(&image);
    buffer_text(&image.text, row->end);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/loops", folder);
    write_image(&image, isa, path);
    snprintf(command, sizeof command, "%s %s", row->qemu, path);
    if (system(command) != 0)
        fail_msg("the loops of %s did not end well under %s", row->isa, row->qemu);
    assert_int_equal(file_remove_tree(folder, NULL), STATUS_OK);
    buffer_free(&image.text);
    template_free(&texts);
}

/* Each loop runs for three iterations, one after the other, and the program ends. */
static void loops_run_under_emulation(void **state)
{
    (void)state;
    unsigned count = 0;
    for (size_t i = 0; i < sizeof emulated / sizeof emulated[0]; i++) {
        const struct isa *isa = isa_find(emulated[i].isa);
        if (isa == NULL || isa->probe == NULL || !child_program_exists(emulated[i].qemu))
            continue;
        run_image(&emulated[i], isa);
        count++;
    }
    if (count == 0)
        skip_because("no qemu-user runs another processor's loops here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_of_operations_and_assemble),
        cmocka_unit_test(loops_can_be_made),
        cmocka_unit_test(structures_assemble),
        cmocka_unit_test(a_loop_runs_and_keeps_its_words),
        cmocka_unit_test(loops_run_under_emulation),
    };
    return cmocka_run_group_tests_name("runner/probe_texts", tests, NULL, NULL);
}
