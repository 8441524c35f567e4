/* The standalone executable's data before the loop begins: it is stopped at the kernel's first instruction,
 * and its memory is compared with the manifest, word by word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "generator/recipe/recipe.h"
#include "generator/suite/manifest_read.h"
#include "generator/suite/program.h"
#include "isa/object.h"
#include "tests/given_manifest.h"
#include "tests/skip.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static void make(const char *load, struct machine *machine, struct program *program)
{
    struct error error = {0};
    struct code_generator code_generator;
    json_t *item = json_loads(load, 0, NULL);
    json_t *point = json_pack("{s:s, s:s, s:{}, s:s, s:{s:[o], s:{s:i}}}", "benchmark", "b", "point", "p",
                              "parameters", "target", "x86_64", "kernel", "unit", item, "loop", "units", 40);
    assert_int_equal(recipe_load_machine(TRAUMA_SOURCE_DIR "/recipes/machines/odd-24k.lua", machine, &error),
                     STATUS_OK);
    assert_int_equal(code_generator_open("x86_64", &code_generator, &error), STATUS_OK);
    assert_int_equal(program_make(&code_generator, given_point(point), machine, 1, program, &error),
                     STATUS_OK);
    code_generator_close(&code_generator);
    json_decref(point);
}

/* Starts the program and stops it at trauma_kernel. -1 where tracing is not allowed. */
static pid_t stop_at_kernel(const struct program *program)
{
    uint64_t kernel;
    int status;
    char name[] = "program";
    char *const arguments[] = {name, NULL};
    char *const environment[] = {NULL};
    const struct buffer *image = &program->executable;
    assert_int_equal(object_symbol(image->data, image->size, "trauma_kernel", &kernel, NULL), STATUS_OK);
    int fd = memfd_create("program", MFD_CLOEXEC);
    assert_int_equal(write(fd, image->data, image->size), image->size);
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(77);
        fexecve(fd, arguments, environment);
        _exit(1);
    }
    close(fd);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        return -1;
    assert_true(WIFSTOPPED(status));
    long word = ptrace(PTRACE_PEEKTEXT, child, (void *)kernel, NULL);
    assert_int_equal(ptrace(PTRACE_POKETEXT, child, (void *)kernel, (void *)((word & ~0xffL) | 0xcc)), 0);
    assert_int_equal(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
    return child;
}

/* What the manifest says of the word: the last run that has it. */
static uint64_t wanted_word(const json_t *region, uint64_t offset, uint64_t data)
{
    const json_t *runs = json_object_get(region, "runs");
    for (size_t i = json_array_size(runs); i-- > 0;) {
        const json_t *run = json_array_get(runs, i);
        uint64_t start = (uint64_t)json_number_or(run, "offset", 0);
        uint64_t step = (uint64_t)json_number_or(run, "step", 0);
        uint64_t count = (uint64_t)json_number_or(run, "count", 0);
        uint64_t past = offset - start;
        bool in_run = offset >= start && (step == 0 ? past == 0 : past % step == 0 && past / step < count);
        const char *word = json_string_or(run, "word", "");
        if (in_run && count > 0)
            return word[0] == 'a' ? data : strtoull(word, NULL, 16); /* "address of the data" */
    }
    return 0;
}

static void compare_memory(const char *load)
{
    struct machine machine;
    struct program program;
    make(load, &machine, &program);
    pid_t child = stop_at_kernel(&program);
    if (child < 0) {
        program_free(&program);
        machine_free(&machine);
        skip_because("ptrace is not allowed here");
    }
    struct user_regs_struct registers;
    assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &registers), 0);
    json_t *manifest = written_manifest(program.manifest);
    const json_t *data = json_object_get(manifest, "data");
    assert_int_equal(registers.rsi % (uint64_t)json_number_or(data, "align", 0), 0);
    const json_t *region = json_array_get(json_object_get(data, "regions"), 0);
    uint64_t bytes = (uint64_t)json_number_or(data, "bytes", 0);
    assert_true(bytes > 0);
    for (uint64_t offset = 0; offset < bytes; offset += 8) {
        errno = 0;
        uint64_t word = (uint64_t)ptrace(PTRACE_PEEKDATA, child, (void *)(registers.rsi + offset), NULL);
        assert_int_equal(errno, 0);
        if (word != wanted_word(region, offset, registers.rsi))
            fail_msg("the word at %llu is %llx", (unsigned long long)offset, (unsigned long long)word);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    json_decref(manifest);
    program_free(&program);
    machine_free(&machine);
}

static void words_that_change(void **state)
{
    (void)state;
    compare_memory("{\"op\":\"load\",\"served\":{\"L1\":0.5,\"L2\":0.5},\"data\":{\"toggle\":0.3}}");
}

static void one_word(void **state)
{
    (void)state;
    compare_memory("{\"op\":\"load\",\"served\":{\"L1\":0.5,\"L2\":0.5},\"data\":{\"word\":\"0xa5a5\"}}");
}

static void addresses_of_a_chase(void **state)
{
    (void)state;
    compare_memory("{\"op\":\"load\",\"served\":{\"L1\":0.5,\"L2\":0.5},\"address\":\"chase\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_change),
        cmocka_unit_test(one_word),
        cmocka_unit_test(addresses_of_a_chase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
