/* Indirect branches are placed so that no two share a table entry by their address' low bits, in the loop and
 * its twin, whatever the unit; and the gaps between them contain no instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/random.h"
#include "generator/suite/manifest_read.h"
#include "generator/suite/program.h"
#include "isa/loop.h"
#include "isa/mc.h"
#include "isa/object.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 512, MOST = 1024, CASES = 60 };

static const char MACHINE[] =
    "{\"name\":\"toy\",\"isa\":\"x86_64\",\"caches\":{\"L1I\":{\"size\":65536,\"ways\":4,\"line\":64},"
    "\"L1D\":{"
    "\"size\":4096,\"ways\":2,\"line\":64,\"policy\":\"lru\"},\"L2\":{\"size\":65536,\"ways\":8,\"line\":64,"
    "\"policy\":\"lru\"}}}";

struct jumps {
    uint64_t offsets[MOST];
    unsigned count;
};

static void visit(uint64_t offset, size_t length, const char *text, void *context)
{
    struct jumps *jumps = context;
    (void)length;
    if (strncmp(text, "jmpq\t*", 6) == 0 && jumps->count < MOST)
        jumps->offsets[jumps->count++] = offset;
}

/* The jumps through registers in the object's code from one symbol to another, or to the end. */
static struct jumps find_jumps(const struct buffer *object, const char *from, const char *to)
{
    struct jumps jumps = {.count = 0};
    struct object_part text;
    struct error error;
    uint64_t start;
    uint64_t end;
    assert_int_equal(object_section(object->data, object->size, ".text", &text, &error), STATUS_OK);
    assert_int_equal(object_symbol(object->data, object->size, from, &start, &error), STATUS_OK);
    end = text.size;
    if (to != NULL)
        assert_int_equal(object_symbol(object->data, object->size, to, &end, &error), STATUS_OK);
    assert_int_equal(mc_disassemble(&isa_x86_64, text.bytes + start, end - start, visit, &jumps, &error),
                     STATUS_OK);
    for (unsigned i = 0; i < jumps.count; i++)
        jumps.offsets[i] += start;
    return jumps;
}

static void require_apart(const struct buffer *object, unsigned wanted)
{
    struct jumps loop = find_jumps(object, "trauma_loop", "trauma_loop_end");
    struct jumps twin = find_jumps(object, "trauma_twin", NULL);
    bool used[ENTRIES] = {false};
    assert_int_equal(loop.count, wanted);
    assert_int_equal(twin.count, wanted);
    for (unsigned i = 0; i < loop.count; i++) {
        assert_false(used[loop.offsets[i] % ENTRIES]);
        used[loop.offsets[i] % ENTRIES] = true;
        assert_int_equal(loop.offsets[i] % ENTRIES, twin.offsets[i] % ENTRIES);
    }
}

static void write_kernel(struct random *random, struct buffer *text)
{
    buffer_printf(text, "{\"unit\":[{\"op\":\"nop\",\"count\":%u},{\"op\":\"add\",\"count\":%u},",
                  1 + random_below(random, 16), 1 + random_below(random, 8));
    if (random_below(random, 3) == 0)
        buffer_printf(text, "{\"op\":\"branch\",\"accuracy\":%.3f},",
                      0.5 + random_below(random, 501) / 1000.0);
    buffer_printf(text,
                  "{\"op\":\"branch\",\"accuracy\":%.3f,\"kind\":\"indirect\",\"count\":%u}],\"loop\":{",
                  0.5 + random_below(random, 501) / 1000.0, 1 + random_below(random, 2));
    if (random_below(random, 2) == 0)
        buffer_printf(text, "\"units\":%u", 20 + random_below(random, 150));
    buffer_text(text, "}}");
}

/* What the plan and the bytes make of instructions is the same: gaps are none. */
static void require_count(const struct program *program)
{
    struct loop_count count;
    assert_int_equal(
        loop_inspect(&isa_x86_64, program->object.data, program->object.size, NULL, &count, NULL), STATUS_OK);
    assert_int_equal(count.body, (unsigned)program->manifest->instructions);
}

static void indirect_branches_are_apart(void **state)
{
    (void)state;
    struct error error;
    struct code_generator code_generator;
    struct machine machine;
    json_t *description = json_parse(MACHINE, strlen(MACHINE), "machine", &error);
    assert_int_equal(machine_from_json(description, "machine", &machine, &error), STATUS_OK);
    assert_int_equal(code_generator_open("x86_64", &code_generator, &error), STATUS_OK);
    struct random random = random_start(1, "gaps");
    unsigned made = 0;
    for (unsigned i = 0; i < CASES; i++) {
        const struct plan_options options = {.seed = i, .label = "gaps"};
        struct buffer text = {0};
        struct program program;
        write_kernel(&random, &text);
        json_t *kernel = json_parse(text.data, text.size, "kernel", &error);
        assert_non_null(kernel);
        enum status status =
            program_make_reference(&code_generator, kernel, &machine, &options, &program, &error);
        if (status == STATUS_OK) {
            made++;
            const char *line = strstr(program.source.data, " of them indirect");
            assert_non_null(line);
            while (line[-1] != ' ')
                line--;
            require_apart(&program.object, (unsigned)strtoul(line, NULL, 10));
            require_count(&program);
        }
        program_free(&program);
        json_decref(kernel);
        buffer_free(&text);
    }
    assert_true(made > CASES / 2);
    code_generator_close(&code_generator);
    machine_free(&machine);
    json_decref(description);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(indirect_branches_are_apart)};
    return cmocka_run_group_tests_name("generator/gaps", tests, NULL, NULL);
}
