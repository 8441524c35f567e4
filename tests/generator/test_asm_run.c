/* Accepted asm{} of x86-64 affects nothing but its own. texts/ lists all forms of all instructions in LLVM's
 * tables: accepted ones are executed in generated programs, and registers, stack, data and the bytes around
 * {memory} stay unchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "generator/kernel/user_asm.h"
#include "generator/machine/processor_x86.h"
#include "generator/suite/manifest_read.h"
#include "generator/suite/program.h"
#include "isa/object.h"
#include "tests/given_manifest.h"
#include "tests/skip.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char TAKEN[] = TRAUMA_SOURCE_DIR "/tests/generator/texts/taken.txt";
static const char REFUSED[] = TRAUMA_SOURCE_DIR "/tests/generator/texts/refused.txt";

/* What all texts here are given. */
static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "r9", "zmm1", "zmm2", "xmm0", "k1", "k2"};
enum { NAMES = sizeof names / sizeof names[0], MEMORY = 64, TEXTS_MOST = 8192 };

static const char MACHINE[] =
    "{\"name\":\"toy\",\"isa\":\"x86_64\",\"caches\":{\"L1I\":{\"size\":32768,\"ways\":4,\"line\":64},"
    "\"L1D\":{\"size\":4096,\"ways\":2,\"line\":64,\"policy\":\"lru\"},\"L2\":{\"size\":65536,\"ways\":8,"
    "\"line\":64,\"policy\":\"lru\"}}}";

struct scene {
    struct code_generator code_generator;
    const char *given_here[NAMES]; /* as names, and no wider than this processor's registers */
    unsigned given_count;
    struct machine machine; /* says nothing of features: all are taken */
    struct register_use given[NAMES];
    struct buffer file;
    char *lines[TEXTS_MOST];
    size_t count;
};

static void read_lines(struct scene *scene, const char *path)
{
    struct error error = {0};
    scene->count = 0;
    buffer_free(&scene->file);
    assert_int_equal(file_read(path, &scene->file, &error), STATUS_OK);
    for (char *at = scene->file.data; at != NULL && *at != '\0';) {
        char *end = strchr(at, '\n');
        if (end != NULL)
            *end++ = '\0';
        assert_true(scene->count < TEXTS_MOST);
        scene->lines[scene->count++] = at;
        at = end;
    }
    assert_true(scene->count > 0);
}

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    struct error error = {0};
    *state = scene;
    json_t *machine = json_parse(MACHINE, strlen(MACHINE), "machine", &error);
    enum status status = machine_from_json(machine, "machine", &scene->machine, &error);
    json_decref(machine);
    if (status == STATUS_OK)
        status = code_generator_open("x86_64", &scene->code_generator, &error);
    for (unsigned i = 0; i < NAMES; i++)
        (void)isa_x86_64.text_rules->read_register(names[i], strlen(names[i]), &scene->given[i]);
    return (int)status;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    code_generator_close(&scene->code_generator);
    machine_free(&scene->machine);
    buffer_free(&scene->file);
    free(scene);
    return 0;
}

static enum status look_at(struct scene *scene, const char *text, struct user_asm_features *features,
                           struct error *error)
{
    struct behaviour item = {.text = text, .registers = NAMES, .memory = MEMORY};
    struct arena arena = {0};
    struct user_asm made;
    memset(error, 0, sizeof *error);
    enum status status = user_asm_make(&item, scene->given, &scene->code_generator.templates, &scene->machine,
                                       &arena, &made, error);
    *features = made.features;
    arena_free(&arena);
    return status;
}

static void what_is_not_known_is_refused(void **state)
{
    struct scene *scene = *state;
    struct user_asm_features features;
    struct error error;
    read_lines(scene, REFUSED);
    for (size_t i = 0; i < scene->count; i++)
        if (look_at(scene, scene->lines[i], &features, &error) != STATUS_RECIPE)
            fail_msg("%s is taken", scene->lines[i]);
}

/* ---- a program's surroundings ---- */

#if defined(__x86_64__)

enum { STATE_BYTES = 16384, XMM0 = 160, MXCSR = 24, HEADER = 512, HEADER_BYTES = 64, STATUS_FLAGS = 0x3f };

/* guarded_call's; its layout is the assembly's. */
struct frame {
    uint64_t kernel, iterations, data, mask; /* 0, 8, 16, 24 */
    uint64_t stack_before, stack_after;      /* 32, 40 */
    uint64_t kept[6];                        /* 48: rbx rbp r12 r13 r14 r15 */
    uint64_t flags, base;                    /* 96, 104: rsi */
    void *before, *after;                    /* 112, 120 */
    uint64_t below[32];                      /* 128: of the caller's stack, afterwards */
};

void guarded_call(struct frame *frame);
void save_state(void *state, uint64_t mask);

__asm__(".text\n"
        "save_state:\n"
        "    movq %rsi, %rax\n    movq %rsi, %rdx\n    shrq $32, %rdx\n    xsave64 (%rdi)\n    ret\n"
        "guarded_call:\n"
        "    pushq %rbx\n    pushq %rbp\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    pushq %rdi\n    movq %rdi, %r8\n"
        "    movl $32, %ecx\n1:  pushq %rcx\n    decl %ecx\n    jnz 1b\n" /* 1 is on top */
        "    movq %rsp, 32(%r8)\n"
        "    movq 112(%r8), %rdi\n    movq 24(%r8), %rax\n    movq %rax, %rdx\n    shrq $32, %rdx\n"
        "    xrstor64 (%rdi)\n"
        "    movq $0x1b1, %rbx\n    movq $0x1b2, %rbp\n    movq $0x112, %r12\n    movq $0x113, %r13\n"
        "    movq $0x114, %r14\n    movq $0x115, %r15\n"
        "    movq 8(%r8), %rdi\n    movq 16(%r8), %rsi\n    callq *(%r8)\n"
        "    movq 256(%rsp), %r8\n" /* behind the 32 words, where rdi was put */
        "    movq %rsp, 40(%r8)\n    movq %rbx, 48(%r8)\n    movq %rbp, 56(%r8)\n    movq %r12, 64(%r8)\n"
        "    movq %r13, 72(%r8)\n    movq %r14, 80(%r8)\n    movq %r15, 88(%r8)\n    movq %rsi, 104(%r8)\n"
        "    pushfq\n    popq 96(%r8)\n    cld\n"
        "    movq 120(%r8), %rdi\n    movq 24(%r8), %rax\n    movq %rax, %rdx\n    shrq $32, %rdx\n"
        "    xsave64 (%rdi)\n"
        "    xorl %ecx, %ecx\n2:  movq (%rsp,%rcx,8), %rax\n    movq %rax, 128(%r8,%rcx,8)\n    incl %ecx\n"
        "    cmpl $32, %ecx\n    jnz 2b\n"
        "    addq $264, %rsp\n    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbp\n"
        "    popq %rbx\n    ret\n");

/* Where the parts of the state are that XSAVE writes: vectors' upper halves, masks, vectors of 512 bits. */
struct parts {
    uint64_t mask;
    uint32_t upper, masks, halves; /* 0: there is none */
};

static uint32_t part_at(const struct cpuid *cpuid, uint32_t part)
{
    return (cpuid->xcr0 >> part & 1) != 0 ? cpuid->read(cpuid->context, 0xd, part).ebx : 0;
}

static struct parts parts_of(const struct cpuid *cpuid)
{
    return (struct parts){cpuid->xcr0 & 0xe7, part_at(cpuid, 2), part_at(cpuid, 5), part_at(cpuid, 6)};
}

/* What the texts' own registers are, as bytes that need not agree: vectors 0 to 2, k1 and k2. */
static void forget_own(const struct parts *parts, unsigned char *state)
{
    memset(state + HEADER, 0, HEADER_BYTES);
    state[MXCSR] &= (unsigned char)~STATUS_FLAGS;
    memset(state + XMM0, 0, 3 * 16);
    if (parts->upper != 0)
        memset(state + parts->upper, 0, 3 * 16);
    if (parts->masks != 0)
        memset(state + parts->masks + 8, 0, 2 * 8);
    if (parts->halves != 0)
        memset(state + parts->halves, 0, 3 * 32);
}

static void fill(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(i * 41 + 13);
}

static unsigned char *new_state(const struct parts *parts)
{
    unsigned char *state = aligned_alloc(64, STATE_BYTES);
    memset(state, 0, STATE_BYTES);
    save_state(state, parts->mask);
    fill(state + XMM0, 16 * 16);
    if (parts->upper != 0)
        fill(state + parts->upper, 16 * 16);
    if (parts->masks != 0)
        fill(state + parts->masks, 8 * 8);
    if (parts->halves != 0)
        fill(state + parts->halves, 16 * 32 + 16 * 64);
    memcpy(state + HEADER, &parts->mask, sizeof parts->mask);
    return state;
}

/* What a child says of a program: the text of the first thing that is not as it was, or "". */
static const char *differs(const struct frame *frame, const struct parts *parts, const unsigned char *data,
                           const unsigned char *copy, size_t bytes, size_t memory)
{
    static const uint64_t kept[] = {0x1b1, 0x1b2, 0x112, 0x113, 0x114, 0x115};
    forget_own(parts, frame->before);
    forget_own(parts, frame->after);
    if (frame->stack_before != frame->stack_after)
        return "the stack pointer";
    for (uint64_t i = 0; i < 32; i++)
        if (frame->below[i] != i + 1)
            return "the caller's stack";
    if (memcmp(kept, frame->kept, sizeof kept) != 0)
        return "a register that a function keeps";
    if (frame->base != frame->data)
        return "the data's address";
    if ((frame->flags & 0x40500) != 0)
        return "direction, trap or alignment flag";
    if (memcmp(frame->before, frame->after, STATE_BYTES) != 0)
        return "another vector or mask register, or the control of floating point";
    if (memcmp(data, copy, memory) != 0)
        return "the data before {memory}";
    if (memcmp(data + memory + MEMORY, copy + memory + MEMORY, bytes - memory - MEMORY) != 0)
        return "the data behind {memory}";
    return "";
}

/* Runs the code with its data before a page that nobody may touch: {memory} ends there. */
static void run_child(const struct object_part *code, size_t memory, const struct parts *parts, int out)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
        signal(deadly[i], SIG_DFL); /* cmocka catches them to go on, which is the parent's */
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t pages = (memory + MEMORY + page - 1) / page * page;
    size_t code_pages = (code->size + page - 1) / page * page;
    unsigned char *mapped = mmap(NULL, pages + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *text = mmap(NULL, code_pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED || text == MAP_FAILED ||
        mprotect(mapped + page, pages, PROT_READ | PROT_WRITE) != 0)
        _exit(3);
    memcpy(text, code->bytes, code->size);
    if (mprotect(text, code_pages, PROT_READ | PROT_EXEC) != 0)
        _exit(77);
    fill(mapped + page, pages);
    unsigned char *copy = malloc(pages);
    memcpy(copy, mapped + page, pages);
    unsigned char *end = mapped + page + pages;
    struct frame frame = {.kernel = (uintptr_t)text,
                          .iterations = 3,
                          .data = (uintptr_t)(end - MEMORY - memory),
                          .mask = parts->mask,
                          .before = new_state(parts),
                          .after = new_state(parts)};
    guarded_call(&frame);
    const char *why = differs(&frame, parts, mapped + page, copy, pages, pages - MEMORY);
    (void)!write(out, why, strlen(why));
    _exit(why[0] != '\0');
}

enum { WHY_BYTES = 128 };

/* The text's program, from source to what it leaves: *why gets what it changed. False where this machine runs
 * no code of one's own. */
static bool run_text(struct scene *scene, const struct parts *parts, const char *text, char why[WHY_BYTES])
{
    struct error error = {0};
    struct program program = {0};
    struct object_part code, relocations;
    uint64_t kernel = 1;
    json_t *given = json_array();
    for (unsigned i = 0; i < scene->given_count; i++)
        json_array_append_new(given, json_string(scene->given_here[i]));
    json_t *point = json_pack("{s:s, s:s, s:{}, s:s, s:{s:[{s:s, s:{s:i}}, {s:s, s:s, s:o, s:i}], s:{s:i}}}",
                              "benchmark", "b", "point", "p", "parameters", "target", "x86_64", "kernel",
                              "unit", "op", "load", "served", "L1", 1, "op", "asm", "text", text, "registers",
                              given, "memory", MEMORY, "loop", "units", 2);
    assert_non_null(point);
    if (program_make(&scene->code_generator, given_point(point), &scene->machine, 1, &program, &error) !=
        STATUS_OK)
        fail_msg("%.80s...: %s", text, error.message);
    const struct buffer *object = &program.object;
    assert_int_equal(object_section(object->data, object->size, ".text", &code, NULL), STATUS_OK);
    assert_int_not_equal(object_section(object->data, object->size, ".rela.text", &relocations, NULL),
                         STATUS_OK);
    assert_int_equal(object_symbol(object->data, object->size, "trauma_kernel", &kernel, NULL), STATUS_OK);
    assert_int_equal(kernel, 0);
    /* {memory} is the last of the data but for a line: place_texts */
    size_t bytes = (size_t)program.manifest->data.bytes;
    size_t memory = bytes - 3 * MEMORY;
    int pipes[2], status = 0;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0)
        run_child(&code, memory, parts, pipes[1]);
    close(pipes[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    memset(why, 0, WHY_BYTES);
    (void)!read(pipes[0], why, WHY_BYTES - 1);
    close(pipes[0]);
    if (WIFSIGNALED(status))
        snprintf(why, WHY_BYTES, "signal %d", WTERMSIG(status));
    program_free(&program);
    json_decref(point);
    return WIFSIGNALED(status) || WEXITSTATUS(status) != 77;
}

/* Runs lines together; where they change what is not theirs, each alone, to tell which one it is. */
static bool run_lines(struct scene *scene, const struct parts *parts, char *text)
{
    char why[WHY_BYTES], together[WHY_BYTES];
    bool runs = run_text(scene, parts, text, together);
    for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); together[0] != '\0' && line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        run_text(scene, parts, line, why);
        if (why[0] != '\0')
            fail_msg("%s: %s", line, why);
    }
    if (together[0] != '\0')
        fail_msg("%s, by several lines up to %s", together, text);
    return runs;
}

/* A program saves and sets what it is given: without AVX-512 there is neither zmm1 nor k1. */
static void give_registers(struct scene *scene, bool wide)
{
    scene->given_count = 0;
    for (unsigned i = 0; i < NAMES; i++) {
        if (!wide && names[i][0] == 'k')
            continue;
        const char *narrow = strcmp(names[i], "zmm1") == 0 ? "ymm1" : "ymm2";
        scene->given_here[scene->given_count++] = !wide && names[i][0] == 'z' ? narrow : names[i];
    }
}

static bool host_has(const struct text_set *host, const struct user_asm_features *features)
{
    for (unsigned i = 0; i < features->count; i++) {
        if (text_set_find(host, features->names[i]) == host->count)
            return false;
    }
    return true;
}

/* What divides divides 1 by 1 or -1; what takes a number out of rcx takes 0. */
static const char *before(const char *text)
{
    const char *divides = "movl $1, %eax; movl $0, %edx; movl $1, %ecx; movq $-1, 56+{memory}; ";
    if (strncmp(text, "div", 3) == 0 || strncmp(text, "idiv", 4) == 0)
        return divides;
    return strncmp(text, "xgetbv", 6) == 0 ? "movl $0, %ecx; " : "";
}

/* The text with its memory as far behind as it is taken, so that what is more than it says meets the guard:
 * at the last byte its refusal tells how many there are. */
static void at_the_end(struct scene *scene, const char *text, struct buffer *output)
{
    const char *place = strstr(text, "{memory}");
    unsigned bytes = 1;
    for (bool last = place == NULL; !last;) {
        struct user_asm_features features;
        struct error error;
        buffer_free(output);
        buffer_printf(output, "%.*s%u+%s", (int)(place - text), text, MEMORY - bytes, place);
        last = look_at(scene, output->data, &features, &error) == STATUS_OK;
        const char *told = strstr(error.message, "': its ");
        if (!last &&
            (bytes > 1 || told == NULL || sscanf(told, "': its %u bytes", &bytes) != 1 || bytes > MEMORY))
            fail_msg("%s", error.message);
    }
    if (place == NULL)
        buffer_text(output, text);
}

static void what_is_taken_leaves_the_rest_alone(void **state)
{
    struct scene *scene = *state;
    struct cpuid cpuid;
    struct buffer batch = {0};
    unsigned lines = 0, ran = 0;
    assert_true(cpuid_of_host(&cpuid));
    struct text_set host = {0};
    cpuid_features(&cpuid, &host);
    give_registers(scene, text_set_find(&host, "avx512f") < host.count);
    struct parts parts = parts_of(&cpuid);
    bool runs = parts.mask != 0;
    read_lines(scene, TAKEN);
    for (size_t i = 0; i < scene->count; i++) {
        struct user_asm_features features;
        struct error error;
        if (look_at(scene, scene->lines[i], &features, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        if (runs && host_has(&host, &features)) {
            struct buffer text = {0};
            at_the_end(scene, scene->lines[i], &text);
            buffer_printf(&batch, "%s%s\n", before(scene->lines[i]), text.data);
            buffer_free(&text);
            lines++;
            ran++;
        }
        if (lines > 0 && (lines == 100 || batch.size > 7000 || i + 1 == scene->count)) {
            runs = run_lines(scene, &parts, batch.data);
            buffer_free(&batch);
            lines = 0;
        }
    }
    buffer_free(&batch);
    text_set_free(&host);
    printf("%u of %zu instructions were run; this processor lacks the others\n", ran, scene->count);
    if (!runs)
        skip_because("programs of this processor do not run here");
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_known_is_refused),
#if defined(__x86_64__)
        cmocka_unit_test(what_is_taken_leaves_the_rest_alone),
#endif
    };
    return cmocka_run_group_tests_name("generator/asm_run", tests, set_up, tear_down);
}
