/* Instructions of AArch64 and RISC-V: texts, and operands found by execution, and the loops that show a
 * core's structures, in programs of theirs under qemu-user. The code is what a machine of that kind would
 * run; its times mean nothing here, and only have to be there. */
#include "base/files/paths.h"
#include "generator/machine/machine.h"
#include "isa/mc.h"
#include "isa/object.h"
#include "runner/instruction/instruction_forms.h"
#include "runner/instruction/instruction_time.h"
#include "tests/skip.h"

#include <elf.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHARED_BYTES = 0x10000, HEADER_WORDS = 2, TEXT_AT = 0x10000, SHARED_FD = 3 };
static const uintptr_t SHARED_AT = 0x300000000000;

/* ---- a program of the other processor that runs what it is given ---- */

/* Maps descriptor 3 where the test has it, then for ever: reads two words, iterations and bytes of code,
 * reads the code, runs it, writes its ticks. */
static const char aarch64_guest[] = "    .text\n"
                                    "    movz x0, #0x3000, lsl #32\n"
                                    "    mov x1, #0x10000\n"
                                    "    mov x2, #3\n"
                                    "    mov x3, #0x11\n"
                                    "    mov x4, #3\n"
                                    "    mov x5, #0\n"
                                    "    mov x8, #222\n"
                                    "    svc #0\n"
                                    "    mov x0, #0\n"
                                    "    mov x1, #0x10000\n"
                                    "    mov x2, #7\n"
                                    "    mov x3, #0x22\n"
                                    "    mov x4, #-1\n"
                                    "    mov x5, #0\n"
                                    "    mov x8, #222\n"
                                    "    svc #0\n"
                                    "    mov x19, x0\n"
                                    "    sub sp, sp, #32\n"
                                    "1:  mov x20, sp\n"
                                    "    mov x21, #16\n"
                                    "    bl 2f\n"
                                    "    mov x20, x19\n"
                                    "    ldr x21, [sp, #8]\n"
                                    "    bl 2f\n"
                                    "    ldr x0, [sp]\n"
                                    "    movz x1, #0x3000, lsl #32\n"
                                    "    str x19, [sp, #24]\n"
                                    "    blr x19\n"
                                    "    ldr x19, [sp, #24]\n"
                                    "    str x0, [sp]\n"
                                    "    mov x0, #1\n"
                                    "    mov x1, sp\n"
                                    "    mov x2, #8\n"
                                    "    mov x8, #64\n"
                                    "    svc #0\n"
                                    "    b 1b\n"
                                    "2:  mov x0, #0\n"
                                    "    mov x1, x20\n"
                                    "    mov x2, x21\n"
                                    "    mov x8, #63\n"
                                    "    svc #0\n"
                                    "    cmp x0, #0\n"
                                    "    b.le 3f\n"
                                    "    add x20, x20, x0\n"
                                    "    subs x21, x21, x0\n"
                                    "    b.ne 2b\n"
                                    "    ret\n"
                                    "3:  mov x0, #0\n"
                                    "    mov x8, #93\n"
                                    "    svc #0\n";
static const char riscv64_guest[] = "    .text\n"
                                    "    .option norvc\n"
                                    "    li a0, 0x300000000000\n"
                                    "    li a1, 0x10000\n"
                                    "    li a2, 3\n"
                                    "    li a3, 0x11\n"
                                    "    li a4, 3\n"
                                    "    li a5, 0\n"
                                    "    li a7, 222\n"
                                    "    ecall\n"
                                    "    li a0, 0\n"
                                    "    li a1, 0x10000\n"
                                    "    li a2, 7\n"
                                    "    li a3, 0x22\n"
                                    "    li a4, -1\n"
                                    "    li a5, 0\n"
                                    "    li a7, 222\n"
                                    "    ecall\n"
                                    "    mv s1, a0\n"
                                    "    addi sp, sp, -32\n"
                                    "1:  mv s2, sp\n"
                                    "    li s3, 16\n"
                                    "    jal 2f\n"
                                    "    mv s2, s1\n"
                                    "    ld s3, 8(sp)\n"
                                    "    jal 2f\n"
                                    "    fence.i\n"
                                    "    ld a0, 0(sp)\n"
                                    "    li a1, 0x300000000000\n"
                                    "    sd s1, 24(sp)\n"
                                    "    jalr s1\n"
                                    "    ld s1, 24(sp)\n"
                                    "    sd a0, 0(sp)\n"
                                    "    li a0, 1\n"
                                    "    mv a1, sp\n"
                                    "    li a2, 8\n"
                                    "    li a7, 64\n"
                                    "    ecall\n"
                                    "    j 1b\n"
                                    "2:  li a0, 0\n"
                                    "    mv a1, s2\n"
                                    "    mv a2, s3\n"
                                    "    li a7, 63\n"
                                    "    ecall\n"
                                    "    blez a0, 3f\n"
                                    "    add s2, s2, a0\n"
                                    "    sub s3, s3, a0\n"
                                    "    bnez s3, 2b\n"
                                    "    ret\n"
                                    "3:  li a0, 0\n"
                                    "    li a7, 93\n"
                                    "    ecall\n";

struct guest {
    const struct isa *isa;
    const char *text, *emulator;
    const char *cpu; /* with all that the forms need */
    char path[64];   /* of its program */
    int memory;      /* shared with it */
    int to, from;
    pid_t pid;
};

static void write_program(struct guest *guest)
{
    struct buffer object = {0};
    struct object_part part;
    struct error error;
    if (mc_assemble(guest->isa, guest->text, "guest", &object, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(object_section(object.data, object.size, ".text", &part, &error), STATUS_OK);
    Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_EXEC,
                       .e_machine = (Elf64_Half)guest->isa->elf_machine,
                       .e_version = EV_CURRENT,
                       .e_entry = TEXT_AT + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
                       .e_phoff = sizeof(Elf64_Ehdr),
                       .e_flags = guest->isa->elf_flags,
                       .e_ehsize = sizeof(Elf64_Ehdr),
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = 1};
    Elf64_Phdr segment = {.p_type = PT_LOAD,
                          .p_flags = PF_R | PF_X,
                          .p_vaddr = TEXT_AT,
                          .p_paddr = TEXT_AT,
                          .p_filesz = sizeof head + sizeof segment + part.size,
                          .p_memsz = sizeof head + sizeof segment + part.size,
                          .p_align = TEXT_AT};
    snprintf(guest->path, sizeof guest->path, "/tmp/trauma-guest-XXXXXX");
    int fd = mkstemp(guest->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, &head, sizeof head), sizeof head);
    assert_int_equal(write(fd, &segment, sizeof segment), sizeof segment);
    assert_int_equal(write(fd, part.bytes, part.size), part.size);
    assert_int_equal(fchmod(fd, 0700), 0);
    close(fd);
    buffer_free(&object);
}

static void start(struct guest *guest)
{
    int there[2], back[2];
    assert_int_equal(pipe(there), 0);
    assert_int_equal(pipe(back), 0);
    guest->pid = fork();
    if (guest->pid == 0) {
        int memory = dup(guest->memory); /* not one of the first four */
        int in = fcntl(there[0], F_DUPFD, SHARED_FD + 1);
        int out = fcntl(back[1], F_DUPFD, SHARED_FD + 1);
        dup2(memory, SHARED_FD);
        dup2(in, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        for (int fd = SHARED_FD + 1; fd < 256; fd++)
            close(fd);
        setenv("QEMU_CPU", guest->cpu, 1);
        execlp(guest->emulator, guest->emulator, guest->path, (char *)NULL);
        _exit(127);
    }
    close(there[0]);
    close(back[1]);
    guest->to = there[1];
    guest->from = back[0];
}

/* Returns the signal that ended it; 0: none. */
static int end(struct guest *guest)
{
    int status = 0;
    if (guest->pid == 0)
        return 0;
    close(guest->to);
    close(guest->from);
    waitpid(guest->pid, &status, 0);
    guest->pid = 0;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static bool run(void *context, const struct probe_code *made, uint64_t iterations, uint64_t *ticks,
                int *signal)
{
    struct guest *guest = context;
    if (guest->pid == 0)
        start(guest);
    const uint64_t header[HEADER_WORDS] = {iterations, made->size};
    *ticks = 0;
    if (write(guest->to, header, sizeof header) == (ssize_t)sizeof header &&
        write(guest->to, made->bytes, made->size) == (ssize_t)made->size &&
        read(guest->from, ticks, sizeof *ticks) == (ssize_t)sizeof *ticks)
        return true;
    *signal = end(guest);
    *ticks = 1;
    return false;
}

/* ---- what is measured in it ---- */

struct place {
    struct guest guest;
    struct machine machine;
    struct insn_runner runner;
    struct template texts;
    struct insn_bench *bench;
};

static bool is_installed(const char *program)
{
    char command[64];
    snprintf(command, sizeof command, "command -v %s >/dev/null", program);
    return system(command) == 0;
}

static void open_place(struct place *place, const struct isa *isa, const char *text, const char *emulator,
                       const char *cpu)
{
    struct error error;
    memset(place, 0, sizeof *place);
    if (!is_installed(emulator))
        skip_because("%s is not installed", emulator);
    place->guest = (struct guest){.isa = isa, .text = text, .emulator = emulator, .cpu = cpu};
    place->guest.memory = memfd_create("state", 0);
    assert_true(place->guest.memory >= 0);
    assert_int_equal(ftruncate(place->guest.memory, SHARED_BYTES), 0);
    void *at = mmap((void *)SHARED_AT, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
                    place->guest.memory, 0);
    if (at == MAP_FAILED)
        skip_because("%s", "the address that the guest shares is taken in this process");
    write_program(&place->guest);
    (void)signal(SIGPIPE, SIG_IGN);
    place->runner = (struct insn_runner){isa, at, run, &place->guest};
    assert_int_equal(insn_texts_open(isa, &place->texts, &error), STATUS_OK);
    place->bench = insn_bench_open(&place->machine, &place->runner, &error);
    if (place->bench == NULL)
        fail_msg("%s", error.message);
}

/* After a failure too: the next test has the same addresses. */
static void close_place(struct place *place)
{
    if (place->bench == NULL)
        return;
    insn_bench_close(place->bench);
    place->bench = NULL;
    template_free(&place->texts);
    (void)end(&place->guest);
    unlink(place->guest.path);
    close(place->guest.memory);
    munmap((void *)SHARED_AT, SHARED_BYTES);
}

/* dependences: "x1>x0 x2>x0", all of them. */
static void assert_depends(const struct place *place, const char *text, const char *dependences)
{
    struct insn_times times;
    struct error error;
    struct buffer found = {0};
    if (insn_measure(place->bench, text, &times, &error) != STATUS_OK)
        fail_msg("%s: %s", text, error.message);
    buffer_text(&found, "");
    for (unsigned to = 0; to < INSN_OPERANDS; to++)
        for (unsigned from = 0; from < INSN_OPERANDS; from++)
            if (times.roles.depends[to][from])
                buffer_printf(&found, "%s%s>%s", found.size == 0 ? "" : " ",
                              insn_operand_name(&times.insn, from), insn_operand_name(&times.insn, to));
    if (strcmp(found.data, dependences) != 0)
        fail_msg("%s: '%s' instead of '%s'", text, found.data, dependences);
    buffer_free(&found);
    assert_true(times.rate_count > 0);
    assert_true(times.rates[0].per_cycle.value > 0);
    for (unsigned i = 0; i < times.latency_count; i++)
        assert_true(times.latencies[i].cycles.value >= 0 && isfinite(times.latencies[i].cycles.high));
}

static void assert_read(const struct place *place, const char *given, const char *wanted)
{
    struct insn insn;
    struct error error;
    struct register_use uses[INSN_SLOTS];
    struct buffer text = {0};
    if (insn_read(given, &place->texts, &insn, &error) != STATUS_OK)
        fail_msg("%s: %s", given, error.message);
    for (unsigned i = 0; i < insn.slot_count; i++)
        uses[i] = insn.slots[i].use;
    insn_write(&insn, uses, 0, &text);
    assert_string_equal(text.data, wanted);
    buffer_free(&text);
}

static void assert_refused(const struct place *place, const char *given, const char *why)
{
    struct insn_times times;
    struct error error;
    assert_int_not_equal(insn_measure(place->bench, given, &times, &error), STATUS_OK);
    if (strstr(error.message, why) == NULL)
        fail_msg("%s: '%s' instead of '%s'", given, error.message, why);
}

/* Forms that ship for this processor assemble and run without a fault; and have a result, but for those that
 * only do nothing. One in several, as all take a minute; TRAUMA_FORMS=all runs them all. */
static void assert_forms_run(const struct place *place, size_t least)
{
    struct text_set forms = {0};
    struct error error;
    enum { EVERY = 7 };
    size_t wrong = 0, ran = 0;
    assert_int_equal(insn_forms_read(place->guest.isa, &forms, &error), STATUS_OK);
    assert_true(forms.count >= least);
    const char *all = getenv("TRAUMA_FORMS");
    const size_t step = all != NULL && strcmp(all, "all") == 0 ? 1 : EVERY;
    for (size_t i = 0; i < forms.count; i += step, ran++) {
        struct insn insn;
        struct insn_values values[INSN_VALUES_MOST];
        struct insn_roles roles;
        struct insn_code code = {
            .texts = &place->texts, .runner = &place->runner, .wide = true, .full = true};
        enum status status = insn_read(forms.texts[i], &place->texts, &insn, &error);
        if (status == STATUS_OK) {
            (void)insn_values_read(&place->texts, &insn, values);
            status = insn_roles_find(&insn, &values[0], &code, place->runner.state, &roles, &error);
        }
        bool written = false;
        for (unsigned j = 0; status == STATUS_OK && j < INSN_OPERANDS; j++)
            written = written || roles.written[j];
        if (status == STATUS_OK && !written && strcmp(forms.texts[i], "nop") != 0)
            status = error_set(&error, STATUS_FAILED, "it changes nothing");
        if (status != STATUS_OK && strncmp(forms.texts[i], "vfcvt.rtz.", strlen("vfcvt.rtz.")) == 0)
            status = STATUS_OK; /* QEMU 7.2 ends by an assertion of its own, decode_save_opc */
        if (status != STATUS_OK)
            print_error("%s: %s\n", forms.texts[i], error.message);
        wrong += status != STATUS_OK;
        insn_code_free(&code);
    }
    print_message("%zu of %zu forms ran, %zu wrong\n", ran, forms.count, wrong);
    text_set_free(&forms);
    assert_int_equal(wrong, 0);
}

/* ---- loops that show structures ---- */

enum { DATA_AT = 0x8000, NAME_BYTES = 24 };

/* Runs a loop of a probe's texts a few times; its words are in the memory that the guest shares. */
static void assert_loop_runs(struct place *place, const struct template *texts, const struct probe_loop *loop,
                             const char *what, size_t size)
{
    struct buffer text = {0};
    struct probe_code code = {0};
    struct error error;
    struct probe_words *words = (struct probe_words *)(void *)place->runner.state;
    uintptr_t *data = (uintptr_t *)(SHARED_AT + DATA_AT);
    for (size_t i = 0; i < 64; i++)
        data[i] = (uintptr_t)data; /* each place leads to the first, as does that */
    const struct probe_words before = {(uintptr_t)data, (uintptr_t)data, (uintptr_t)(data + 1), 0};
    *words = before;
    if (probe_code_write(texts, loop, &text, &error) != STATUS_OK ||
        probe_code_assemble(texts->isa, text.data, what, &code, &error) != STATUS_OK)
        fail_msg("%s of %zu: %s", what, size, error.message);
    uint64_t ticks;
    int ended = 0;
    if (!run(&place->guest, &code, 3, &ticks, &ended))
        fail_msg("%s of %zu ended by signal %d (%s)", what, size, ended, strsignal(ended));
    if (words->first != before.first || words->second != before.second || words->third != before.third)
        fail_msg("%s of %zu leads elsewhere", what, size);
    probe_code_free(&code);
    buffer_free(&text);
}

static void add_section(const struct template *texts, const char *name, const struct binding *bindings,
                        size_t count, struct buffer *text)
{
    struct error error;
    const char *section = template_section(texts, name);
    if (section == NULL)
        fail_msg("templates/%s has no section %s", texts->isa->name, name);
    if (template_expand(texts, section, bindings, count, text, &error) != STATUS_OK)
        fail_msg("%s: %s", name, error.message);
    buffer_text(text, "\n");
}

/* Two loads with so many of the section's instructions behind each. */
static void assert_window_runs(struct place *place, const struct template *texts, const char *name,
                               size_t size)
{
    static const char *const halves[] = {"window.first", "window.second"};
    char section[64], waits[64], word[NAME_BYTES];
    struct buffer text = {0};
    snprintf(section, sizeof section, "window.%s", name);
    const char *filler = template_section(texts, section);
    assert_non_null(filler);
    const char *pool =
        template_section(texts, strstr(filler, "{vector}") != NULL ? "vectors" : "window.words");
    for (size_t half = 0; half < 2; half++) {
        const char *next = pool;
        int used;
        add_section(texts, halves[half], NULL, 0, &text);
        snprintf(waits, sizeof waits, "%s.waits", halves[half]);
        if (strstr(name, "scheduler") != NULL)
            add_section(texts, waits, NULL, 0, &text);
        for (size_t i = 0; i < size; i++) {
            if (sscanf(next, "%23s%n", word, &used) != 1)
                assert_int_equal(sscanf(next = pool, "%23s%n", word, &used), 1);
            next += used;
            const struct binding bindings[] = {{"register", word}, {"vector", word}};
            add_section(texts, section, bindings, 2, &text);
        }
    }
    const struct probe_loop loop = {.before = "window.before", .text = text.data, .repeat = 1};
    assert_loop_runs(place, texts, &loop, section, size);
    buffer_free(&text);
}

/* Functions that call one another so deep. */
static void assert_calls_run(struct place *place, const struct template *texts, size_t depth)
{
    struct buffer text = {0};
    for (size_t i = 0; i <= depth; i++) {
        char here[NAME_BYTES], next[NAME_BYTES];
        snprintf(here, sizeof here, "depth_%zu", i);
        snprintf(next, sizeof next, "depth_%zu", i + 1);
        const struct binding bindings[] = {{"here", here}, {"next", next}};
        add_section(texts,
                    i == 0      ? "stack.enter"
                    : i < depth ? "stack.inner"
                                : "stack.last",
                    bindings, 2, &text);
    }
    const struct probe_loop loop = {.text = text.data, .repeat = 1};
    assert_loop_runs(place, texts, &loop, "stack", depth);
    buffer_free(&text);
}

static void assert_structures_run(struct place *place)
{
    static const struct {
        const char *name;
        size_t most; /* as in structures.c */
    } windows[] = {{"reorder_buffer", 1100},   {"load_queue", 420},       {"store_queue", 260},
                   {"registers.integer", 640}, {"registers.vector", 640}, {"scheduler.integer", 400},
                   {"scheduler.load", 300},    {"branches", 400}};
    static const unsigned chains[] = {1, 48};
    char home[FILE_PATH_BYTES];
    struct template texts;
    struct error error;
    assert_int_equal(paths_home(home, &error), STATUS_OK);
    assert_int_equal(template_load_texts(home, place->guest.isa, place->guest.isa->probe, &texts, &error),
                     STATUS_OK);
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        assert_window_runs(place, &texts, windows[i].name, 8);
        assert_window_runs(place, &texts, windows[i].name, windows[i].most);
    }
    assert_calls_run(place, &texts, 2);
    assert_calls_run(place, &texts, 96);
    for (size_t i = 0; i < 2; i++) {
        const struct probe_loop loop = {.body = "parallel", .repeat = chains[i], .step = sizeof(void *)};
        assert_loop_runs(place, &texts, &loop, "parallel", chains[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        const struct probe_loop loop = {.body = i == 0 ? "chase" : "nop", .repeat = 96};
        assert_loop_runs(place, &texts, &loop, loop.body, 96);
    }
    template_free(&texts);
}

static void aarch64_under_qemu(void **state)
{
    (void)state;
    struct place place;
    open_place(&place, &isa_aarch64, aarch64_guest, "qemu-aarch64", "max");
    assert_read(&place, "mul {r0}, {r1}, {r2}", "mul x0, x1, x2");
    assert_read(&place, "MUL X20, X21, X22", "mul x20, x21, x22");
    assert_read(&place, "add {w0}, {w1}, {w2}", "add w0, w1, w2");
    assert_read(&place, "fmla {v0}.4s, {v1}.4s, {v2}.4s", "fmla v0.4s, v1.4s, v2.4s");
    assert_read(&place, "fadd {d0}, {d1}, {d2}", "fadd d0, d1, d2");
    assert_read(&place, "ldr {r0}, {memory}", "ldr x0, [x26]");
    assert_read(&place, "ldr {q0}, {memory}", "ldr q0, [x26]");
    assert_read(&place, "ldr x1, [x2, #16]", "ldr x1, [x2, #16]");
    assert_depends(&place, "mul {r0}, {r1}, {r2}", "{r1}>{r0} {r2}>{r0}");
    assert_depends(&place, "madd x4, x5, x6, x7", "x5>x4 x6>x4 x7>x4");
    assert_depends(&place, "udiv x4, x5, x6", "x5>x4 x6>x4");
    assert_depends(&place, "adds x4, x5, x6", "x5>x4 x6>x4 x5>flags x6>flags");
    assert_depends(&place, "csel x4, x5, x6, eq", "x5>x4 x6>x4 flags>x4");
    assert_depends(&place, "cmp x4, #3", "x4>flags");
    assert_depends(&place, "movk x4, #3, lsl #16", "x4>x4");
    assert_depends(&place, "fmla v9.2d, v1.2d, v2.2d", "v9>v9 v1>v9 v2>v9");
    assert_depends(&place, "fsqrt d1, d2", "d2>d1");
    assert_depends(&place, "fmov x1, d2", "d2>x1");
    assert_depends(&place, "ldr x1, [x2]", "memory>x1");
    assert_depends(&place, "ldr q1, [x2, #32]", "memory>q1");
    assert_depends(&place, "ldr x1, [x2, x3, lsl #3]", "memory>x1");
    assert_depends(&place, "str x1, [x2]", "x1>memory");
    assert_depends(&place, "nop", "");
    assert_refused(&place, "b 0", "reads and writes are known");
    assert_refused(&place, "add sp, sp, #16", "sp");
    assert_refused(&place, "ldr x0, [x1], #8", "changes its address register");
    assert_refused(&place, "add {y0}, {r1}, {r2}", "assembler");
    assert_refused(&place, "add {r40}, {r1}, {r2}", "{r0} to {r25}");
    assert_refused(&place, "ldadd x1, x2, [x3]", "needs atomics");
    assert_refused(&place, "add z0.d, z1.d, z2.d", "needs sve");
    assert_forms_run(&place, 400);
    assert_structures_run(&place);
    close_place(&place);
}

static void riscv64_under_qemu(void **state)
{
    (void)state;
    struct place place;
    open_place(&place, &isa_riscv64, riscv64_guest, "qemu-riscv64",
               "rv64,v=true,vext_spec=v1.0,zba=true,zbb=true,zbc=true,zbs=true");
    assert_read(&place, "mul {r0}, {r1}, {r2}", "mul a0, a1, a2");
    assert_read(&place, "fmadd.d {f0}, {f1}, {f2}, {f3}", "fmadd.d fa0, fa1, fa2, fa3");
    assert_read(&place, "ld {r0}, {memory}", "ld a0, 0(s11)");
    assert_read(&place, "ld t0, -8(t1)", "ld t0, -8(t1)");
    assert_depends(&place, "mul {r0}, {r1}, {r2}", "{r1}>{r0} {r2}>{r0}");
    assert_depends(&place, "addi a0, a1, 5", "a1>a0");
    assert_depends(&place, "add s0, s0, ra", "s0>s0 ra>s0");
    assert_depends(&place, "slt t0, zero, t1", "t1>t0");
    assert_depends(&place, "div t0, t1, t2", "t1>t0 t2>t0");
    assert_depends(&place, "fadd.d ft0, ft1, ft2", "ft1>ft0 ft2>ft0");
    assert_depends(&place, "fsqrt.d ft0, ft1", "ft1>ft0");
    assert_depends(&place, "fmv.x.d a0, fa1", "fa1>a0");
    assert_depends(&place, "fcvt.d.l fa1, a0", "a0>fa1");
    assert_depends(&place, "ld t0, 8(t1)", "memory>t0");
    assert_depends(&place, "sd t0, 8(t1)", "t0>memory");
    assert_depends(&place, "fld fa0, (a1)", "memory>fa0");
    assert_refused(&place, "beqz a0, 8", "leaves the loop");
    assert_refused(&place, "amoadd.d a0, a1, (a2)", "share");
    assert_refused(&place, "clmul a0, a1, a2", "needs zbc");
    assert_forms_run(&place, 150);
    assert_structures_run(&place);
    close_place(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aarch64_under_qemu),
        cmocka_unit_test(riscv64_under_qemu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
