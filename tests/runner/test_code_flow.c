/* The source "bytes" holds what runs against its manifest: unchanged programs of several kernels on all
 * processors' ISAs are taken, and none of those in whose loop an instruction has one other register.
 * TRAUMA_CASES sets how many mutants each program has, TRAUMA_SEED varies them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/random.h"
#include "generator/recipe/recipe.h"
#include "generator/suite/program.h"
#include "isa/mc.h"
#include "isa/object.h"
#include "runner/sources/source.h"
#include "tests/given_manifest.h"
#include "tests/trials.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_CASES = TRIALS_JUDGED ? 16 : 4, TEXT_BYTES = 200, TRIES = 400 };

static const char *const machines[] = {"skylake-sp", "neoverse-n1", "spacemit-x60", "zen5", "neoverse-v1"};

static const char *const kernels[] = {
    "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":0.5,\"L2\":0.5},\"count\":1},{\"op\":\"add\",\"count\":3,"
    "\"dependents\":1},{\"op\":\"fma\",\"count\":2,\"chain\":4},{\"op\":\"store\",\"served\":{\"L1\":1},"
    "\"count\":1},{\"op\":\"branch\",\"count\":1,\"accuracy\":0.9}]}",
    "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1},\"count\":1},{\"op\":\"add\",\"count\":2},"
    "{\"op\":\"mul\",\"count\":3},{\"op\":\"load\",\"served\":{\"L1\":0.9,\"L2\":0.1},\"address\":\"chase\","
    "\"count\":1}],\"phases\":[2,2]}",
    "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":0.8,\"L2\":0.2},\"address\":\"chase\",\"count\":2},{"
    "\"op\":\"add\","
    "\"count\":2,\"dependents\":1},{\"op\":\"load\",\"served\":{\"L1\":0.8,\"L2\":0.2},\"count\":2},{\"op\":"
    "\"add\","
    "\"count\":2,\"dependents\":1}]}",
    "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":0.7,\"L2\":0.3},\"address\":\"chase\",\"count\":1},"
    "{\"op\":\"add\",\"count\":2,\"dependents\":1},{\"op\":\"xor\",\"count\":1,\"chain\":2}]}",
    "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":0.95,\"L2\":0.03,\"MEM\":0.02},\"count\":3},"
    "{\"op\":\"sub\",\"count\":3,\"dependents\":2},{\"op\":\"div\",\"count\":1}]}",
    "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":0.5,\"L2\":0.5},\"count\":2},{\"op\":\"add\",\"count\":4,"
    "\"data\":{\"toggle\":0.25}},{\"op\":\"store\",\"served\":{\"L1\":1},\"count\":1,\"data\":\"loaded\"},"
    "{\"op\":\"shift\",\"count\":2,\"chain\":2},{\"op\":\"branch\",\"count\":1,\"accuracy\":0.8,"
    "\"kind\":\"indirect\"}]}",
    "{\"unit\":[{\"op\":\"load\",\"shared\":\"a\",\"count\":1,\"width\":8},{\"op\":\"atomic\",\"atomic\":"
    "\"cas\","
    "\"shared\":\"b\",\"count\":1,\"width\":8},{\"op\":\"store\",\"shared\":\"b\",\"offset\":64,\"count\":1,"
    "\"width\":8},{\"op\":\"xor\",\"count\":2,\"dependents\":1}],\"shared\":[\"a\",\"b\"]}",
    "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1},\"width\":32,\"count\":1},{\"op\":\"fma\",\"width\":"
    "32,"
    "\"count\":3,\"dependents\":1},{\"op\":\"fsqrt\",\"count\":1,\"chain\":3}]}",
    "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1},\"width\":64,\"count\":1},{\"op\":\"xor\",\"width\":"
    "64,"
    "\"count\":3,\"dependents\":1},{\"op\":\"fmul\",\"width\":64,\"count\":2}]}",
    "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1},\"width\":16,\"count\":1},"
    "{\"op\":\"fadd\",\"width\":16,\"count\":3,\"dependents\":1},{\"op\":\"mul\",\"count\":2,\"chain\":3}]}",
    "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1},\"leads\":true,\"count\":1},{\"op\":\"add\",\"count\":"
    "2},"
    "{\"op\":\"load\",\"served\":{\"L1\":0.5,\"L2\":0.5},\"address\":\"led\",\"leads\":true,\"width\":4,"
    "\"count\":2},"
    "{\"op\":\"add\",\"count\":2,\"dependents\":1},{\"op\":\"load\",\"served\":{\"L1\":0.9,\"L2\":0.1},"
    "\"address\":"
    "\"led\",\"count\":3},{\"op\":\"store\",\"served\":{\"L1\":1},\"count\":1,\"data\":\"loaded\"}]}",
    "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1},\"leads\":true,\"count\":2,\"data\":{\"words\":"
    "[\"0x00000000000000f5\",\"0x0000000000000fea\"]}},{\"op\":\"load\",\"served\":{\"L1\":1},\"address\":"
    "\"led\","
    "\"leads\":true,\"width\":4,\"count\":3,\"data\":{\"toggle\":0.25}},{\"op\":\"load\",\"served\":{\"L1\":"
    "0.8,\"L2\":0.2},"
    "\"address\":\"led\",\"behind\":4,\"count\":10,\"data\":{\"words\":[\"0x00000000000000f5\","
    "\"0x0000000000000fea\"]}},"
    "{\"op\":\"load\",\"served\":{\"L1\":1},\"address\":\"led\",\"behind\":4,\"width\":4,\"count\":4},"
    "{\"op\":\"branch\",\"count\":2,\"accuracy\":0.9,\"test\":\"shared\"},{\"op\":\"add\",\"count\":17},"
    "{\"op\":\"mul\",\"count\":3,\"chain\":2},{\"op\":\"store\",\"served\":{\"L1\":1},\"count\":2}]}",
};

static void report(const char *machine, size_t kernel, const struct error *error)
{
    print_message("%s, kernel %zu: %s\n", machine, kernel, error->message);
}

static enum status judge(const struct machine *machine, const struct program *program, struct error *error)
{
    const struct test_program test_program = {.manifest = program->manifest,
                                              .executable = program->executable.data,
                                              .executable_size = program->executable.size,
                                              .object = program->object.data,
                                              .object_size = program->object.size,
                                              .machine = machine,
                                              .cpu = -1};
    struct observations seen = {0};
    memset(error, 0, sizeof *error);
    enum status status = counter_bytes.observe(&test_program, &seen, error);
    const struct observation *toggles = observations_find(&seen, "data.toggle_rate", "bytes");
    /* Another word of an operation's data is no other flow, but another rate. */
    if (status == STATUS_OK && toggles != NULL &&
        fabs(toggles->value - rates_get(&program->manifest->expected, "data.toggle_rate", toggles->value)) >
            1e-9)
        status = error_set(error, STATUS_FAILED, "data.toggle_rate is %g", toggles->value);
    observations_free(&seen);
    return status;
}

/* ---- mutants ---- */

struct register_place {
    size_t at, length;
    int index;
    unsigned bits;
};

static const char *view_of(const struct isa *isa, int index, unsigned bits)
{
    const struct register_name *found = &isa->registers[index];
    for (const struct register_view *view = found->views; bits != 0 && view->bits != 0; view++)
        if (view->bits == bits)
            return view->name;
    return bits == 0 ? found->whole : NULL;
}

/* The registers that the instruction names, as the ISA writes them. */
static size_t find_registers(const struct isa *isa, const char *text, struct register_place places[8])
{
    size_t count = 0, prefix = strlen(isa->register_prefix);
    const char *at = text + strcspn(text, " \t");
    while (*at != '\0' && count < 8) {
        bool begins = strncmp(at, isa->register_prefix, prefix) == 0 && isalpha((unsigned char)at[prefix]) &&
                      !isalnum((unsigned char)at[-1]);
        size_t length = 0;
        while (begins && isalnum((unsigned char)at[prefix + length]))
            length++;
        const struct register_name *found = begins ? isa_register(isa, at + prefix, length) : NULL;
        if (found != NULL) {
            struct register_place *place = &places[count++];
            *place = (struct register_place){(size_t)(at + prefix - text), length,
                                             (int)(found - isa->registers), 0};
            for (const struct register_view *view = found->views; view->bits != 0; view++)
                if (strlen(view->name) == length && strncmp(view->name, at + prefix, length) == 0 &&
                    place->bits == 0)
                    place->bits = view->bits;
        }
        at += begins ? prefix + length : 1;
    }
    return count;
}

/* The instruction with another register, as bytes of the same length; false if there are none such. LLVM
 * takes some register of vectors as an index, and makes the bytes of another. */
static bool mutate(const struct isa *isa, const char *text, size_t length, struct random *random,
                   unsigned char *bytes, char changed[TEXT_BYTES])
{
    struct register_place places[8];
    size_t count = find_registers(isa, text, places);
    if (count == 0)
        return false;
    const struct register_place *place = &places[random_below(random, (uint32_t)count)];
    int other = (int)random_below(random, (uint32_t)isa->register_count);
    const char *name = view_of(isa, other, place->bits);
    if (name == NULL || other == place->index)
        return false;
    snprintf(changed, TEXT_BYTES, "%.*s%s%s", (int)place->at, text, name, text + place->at + place->length);
    char source[TEXT_BYTES + 64];
    snprintf(source, sizeof source, "    .text\n    %s\n", changed);
    struct buffer object = {0};
    struct object_part part;
    bool good = mc_assemble(isa, source, "mutant", &object, NULL) == STATUS_OK &&
                object_section(object.data, object.size, ".text", &part, NULL) == STATUS_OK &&
                part.size == length;
    if (good)
        memcpy(bytes, part.bytes, length);
    buffer_free(&object);
    return good;
}

struct instruction_place {
    uint64_t offset;
    size_t length;
    char text[TEXT_BYTES];
};

struct loop_places {
    struct instruction_place *items;
    size_t count;
    uint64_t from;
};

static void keep(uint64_t offset, size_t length, const char *text, void *context)
{
    struct loop_places *places = context;
    places->items = memory_next(places->items, places->count, sizeof *places->items);
    struct instruction_place *place = &places->items[places->count++];
    *place = (struct instruction_place){.offset = places->from + offset, .length = length};
    snprintf(place->text, sizeof place->text, "%s", text + strspn(text, " \t"));
}

/* All instructions of the loop, its close and its twin. */
static void find_loop(const struct isa *isa, const struct program *program, struct loop_places *places)
{
    struct object_part text;
    uint64_t loop = 0, end = 0;
    struct error error = {0};
    assert_int_equal(object_section(program->object.data, program->object.size, ".text", &text, &error),
                     STATUS_OK);
    assert_int_equal(object_symbol(program->object.data, program->object.size, "trauma_loop", &loop, &error),
                     STATUS_OK);
    assert_int_equal(
        object_symbol(program->object.data, program->object.size, "trauma_loop_end", &end, &error),
        STATUS_OK);
    places->from = loop;
    assert_int_equal(mc_disassemble(isa, text.bytes + loop, end - loop, keep, places, &error), STATUS_OK);
    uint64_t size = end - loop;
    if (object_symbol(program->object.data, program->object.size, "trauma_twin", &places->from, NULL) ==
        STATUS_OK)
        assert_int_equal(mc_disassemble(isa, text.bytes + places->from, size, keep, places, &error),
                         STATUS_OK);
}

/* The code in the object or the executable. */
static unsigned char *code_of(struct buffer *file, bool executable)
{
    struct object_part text;
    struct error error = {0};
    uint64_t kernel = 0;
    assert_int_equal(object_section(file->data, file->size, ".text", &text, &error), STATUS_OK);
    assert_int_equal(object_symbol(file->data, file->size, "trauma_kernel", &kernel, &error), STATUS_OK);
    uint64_t at = executable ? kernel - text.address : 0;
    return (unsigned char *)file->data + (text.bytes - (const unsigned char *)file->data) + at;
}

struct tally {
    unsigned mutants, survivors;
};

/* Both files, the executable alone, and the object alone. */
static void try_mutant(const struct machine *machine, size_t kernel, struct program *program,
                       const struct instruction_place *place, const unsigned char *bytes, const char *changed,
                       struct tally *tally)
{
    struct error error;
    for (int which = 0; which < 3; which++) {
        unsigned char *codes[2] = {code_of(&program->object, false) + place->offset,
                                   code_of(&program->executable, true) + place->offset};
        unsigned char before[2][16];
        for (int f = 0; f < 2; f++) {
            memcpy(before[f], codes[f], place->length);
            if (which == 0 || which == f + 1)
                memcpy(codes[f], bytes, place->length);
        }
        enum status status = judge(machine, program, &error);
        tally->mutants++;
        if (status != STATUS_FAILED) {
            tally->survivors++;
            print_message("%s, kernel %zu: '%s' at 0x%" PRIx64 " in place of '%s' is taken (%s)\n",
                          machine->name, kernel, changed, place->offset, place->text, error.message);
        } else if (getenv("TRAUMA_CASES") != NULL) {
            print_message("%s: '%s' for '%s' at 0x%" PRIx64 ": %s\n", machine->name, changed, place->text,
                          place->offset, error.message);
        }
        for (int f = 0; f < 2; f++)
            memcpy(codes[f], before[f], place->length);
        if (which == 0 && tally->mutants % 16 != 1)
            break; /* that the files are compared takes few */
    }
}

static void no_mutant_survives(void **state)
{
    struct random random = random_start(
        getenv("TRAUMA_SEED") == NULL ? 1 : strtoull(getenv("TRAUMA_SEED"), NULL, 10), "mutants");
    unsigned cases = getenv("TRAUMA_CASES") == NULL ? USUAL_CASES : (unsigned)atoi(getenv("TRAUMA_CASES"));
    struct tally all = {0};
    (void)state;
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        struct machine machine;
        struct code_generator generator;
        struct error error = {0};
        char path[256];
        snprintf(path, sizeof path, "%s/recipes/machines/%s.lua", TRAUMA_SOURCE_DIR, machines[m]);
        if (recipe_load_machine(path, &machine, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        const struct isa *isa = isa_find(machine.isa);
        assert_int_equal(code_generator_open(machine.isa, &generator, &error), STATUS_OK);
        for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
            struct program program;
            struct loop_places places = {0};
            struct tally tally = {0};
            json_t *kernel = json_parse(kernels[k], strlen(kernels[k]), "kernel", &error);
            json_t *point = json_pack("{s:s,s:s,s:{},s:s,s:o}", "benchmark", "flow", "point", "default",
                                      "parameters", "target", machine.isa, "kernel", kernel);
            enum status status = program_make(&generator, given_point(point), &machine, 1, &program, &error);
            if (status == STATUS_RECIPE &&
                strstr(error.message, "width") != NULL) { /* it lacks such vectors */
                json_decref(point);
                program_free(&program);
                continue;
            }
            if (status != STATUS_OK) {
                report(machines[m], k, &error);
                fail();
            }
            if (judge(&machine, &program, &error) != STATUS_OK) {
                report(machines[m], k, &error);
                fail();
            }
            find_loop(isa, &program, &places);
            for (unsigned c = 0, tries = 0; c < cases && tries < TRIES * cases; tries++) {
                const struct instruction_place *place =
                    &places.items[random_below(&random, (uint32_t)places.count)];
                unsigned char bytes[16];
                char changed[TEXT_BYTES];
                bool filler =
                    isa->filler != NULL && strncmp(place->text, isa->filler, strlen(isa->filler)) == 0;
                if (filler || place->length > sizeof bytes || /* what fills a gap never runs */

                    !mutate(isa, place->text, place->length, &random, bytes, changed) ||
                    memcmp(bytes, code_of(&program.object, false) + place->offset, place->length) == 0)
                    continue;
                try_mutant(&machine, k, &program, place, bytes, changed, &tally);
                c++;
            }
            all.mutants += tally.mutants;
            all.survivors += tally.survivors;
            free(places.items);
            json_decref(point);
            program_free(&program);
        }
        code_generator_close(&generator);
        machine_free(&machine);
    }
    print_message("%u mutants, %u survivors\n", all.mutants, all.survivors);
    assert_true(all.mutants > 0);
    assert_int_equal(all.survivors, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_mutant_survives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
