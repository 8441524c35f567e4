/* A recipe's own assembly: what is refused with which message, and the result of the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/paths.h"
#include "base/json.h"
#include "generator/plan/plan_forms.h"
#include "generator/plan/plan_make.h"
#include "generator/plan/plan_rates.h"

#include <stdlib.h>
#include <string.h>

static const char MACHINE[] =
    "{\"name\":\"toy\",\"isa\":\"x86_64\",\"caches\":{\"L1I\":{\"size\":32768,\"ways\":4,\"line\":64},"
    "\"L1D\":{"
    "\"size\":4096,\"ways\":2,\"line\":64,\"policy\":\"lru\"},\"L2\":{\"size\":65536,\"ways\":8,\"line\":64,"
    "\"policy\":\"lru\"}},\"features\":[\"sse2\",\"avx\",\"popcnt\"]}";

struct scene {
    struct template templates;
    struct machine machine;
    struct arena arena;
    struct kernel kernel;
    struct plan plan;
    struct error error;
};

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    char home[FILE_PATH_BYTES];
    *state = scene;
    json_t *machine = json_parse(MACHINE, strlen(MACHINE), "machine", &scene->error);
    enum status status = machine_from_json(machine, "machine", &scene->machine, &scene->error);
    json_decref(machine);
    if (status == STATUS_OK)
        status = paths_home(home, &scene->error);
    if (status == STATUS_OK)
        status = template_load(home, &isa_x86_64, &scene->templates, &scene->error);
    return (int)status;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    template_free(&scene->templates);
    machine_free(&scene->machine);
    free(scene);
    return 0;
}

static void forget(struct scene *scene)
{
    plan_free(&scene->plan);
    arena_free(&scene->arena);
}

/* A plan for a load, the text and what follows it. fields: of the text's JSON form. */
static enum status make(struct scene *scene, const char *fields, const char *more)
{
    const struct plan_options options = {.seed = 1, .label = "text"};
    struct buffer text = {0};
    buffer_printf(&text,
                  "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":0.5,\"L2\":0.5}},{\"op\":\"asm\",\"file\":"
                  "\"r.lua\",\"line\":7,%s}%s],\"loop\":{\"units\":20}}",
                  fields, more);
    json_t *kernel = json_parse(text.data, text.size, fields, &scene->error);
    if (kernel == NULL)
        fail_msg("%s", scene->error.message);
    memset(&scene->error, 0, sizeof scene->error);
    enum status status = kernel_from_json(kernel, &isa_x86_64, &scene->arena, &scene->kernel, &scene->error);
    if (status == STATUS_OK)
        status = operations_resolve(&scene->kernel, &scene->machine, &scene->templates, &scene->error);
    if (status == STATUS_OK)
        status = plan_make(&scene->kernel, &scene->machine, &scene->templates, &options, &scene->plan,
                           &scene->error);
    json_decref(kernel);
    buffer_free(&text);
    return status;
}

#define ADDS ",{\"op\":\"add\",\"count\":3,\"dependents\":1}"
#define TEXT(text) "\"text\":\"" text "\""
#define WITH(text, count) TEXT(text) ",\"registers\":" count
#define MEMORY(text) TEXT(text) ",\"registers\":2,\"memory\":64"

static const struct {
    const char *fields;
    const char *part; /* of the sentence */
} refusals[] = {
    /* what LLVM MC says, at the text's line */
    {TEXT("frobnicate"), "line 1 of asm's text, 'frobnicate': invalid instruction mnemonic"},
    {WITH("nop; nop\\n  nop\\naddq {r0}", "1"), "line 3 of asm's text, 'addq {r0}': too few operands"},
    {WITH("movq $0xffffffffffffffffffffffff, {r0}", "1"), "out of range"},
    /* nothing but instructions */
    {TEXT(""), "no instruction"},
    {TEXT(" ; \\n ;"), "no instruction"},
    {TEXT(".rept 1000000000; nop; .endr"), "a directive"},
    {TEXT("nop\\n.section .data"), "line 2 of asm's text, '.section .data': a directive"},
    {TEXT("here: nop"), "a label"},
    {TEXT("x = 5"), "asm takes letters"},
    {TEXT("nop # why"), "asm takes letters"},
    {TEXT("nop /* why"), "asm takes letters"},
    {TEXT("1: nop"), "begins with its name"},
    {WITH("movq $(((((((((1))))))))), {r0}", "1"), "more than 8 parentheses"},
    {WITH("movq $here, {r0}", "1"), "names a symbol"},
    {TEXT("data16"), "prefixes are not accepted"},
    {WITH("data16 addq {r0}, {r0}", "1"), "prefixes are not accepted"},
    {WITH("rep addq {r0}, {r0}", "1"), "prefixes are not accepted"},
    {WITH("rex64 addq {r0}, {r0}", "1"), "prefixes are not accepted"},
    {WITH("cs addq {r0}, {r0}", "1"), "prefixes are not accepted"},
    {WITH("lock addq {r0}, {r0}", "1"), "prefixes are not accepted"},
    {TEXT("rep stosq"), "prefixes are not accepted"},
    /* one after the other */
    {TEXT("jmp here"), "it leaves the text"},
    {TEXT("jne 4"), "it leaves the text"},
    {WITH("jmpq *{r0}", "1"), "it leaves the text"},
    {TEXT("call 4"), "it leaves the text"},
    {TEXT("retq"), "it leaves the text"},
    {TEXT("loop 4"), "it leaves the text"},
    {TEXT("syscall"), "it leaves the text"},
    {TEXT("int3"), "it leaves the text"},
    {TEXT("int $128"), "it leaves the text"},
    {TEXT("ud2"), "it leaves the text"},
    /* what others rely on */
    {WITH("pushq {r0}", "1"), "it moves the stack"},
    {TEXT("popfq"), "it moves the stack"},
    {TEXT("std"), "a state of the processor"},
    {TEXT("vzeroupper"), "a state of the processor"},
    {TEXT("fld1"), "x87"},
    {TEXT("hlt"), "only an operating system"},
    {WITH("movq %cr0, {r0}", "1"), "no text may use cr0"},
    {MEMORY("movq %fs:(%rsi), {r0}"), "its address is in a segment"},
    /* registers */
    {TEXT("incq %rax"), "it uses rax, which is not in asm.registers"},
    {TEXT("incl %eax"), "it uses rax"},
    {TEXT("incb %ah"), "it uses rax"},
    {TEXT("incq %rdi"), "it uses rdi, which counts the passes"},
    {TEXT("incl %esi"), "it uses rsi, which holds the data's address"},
    {TEXT("movq $1, %rsp"), "it uses rsp, which is the caller's stack"},
    {WITH("mulq {r0}", "1"), "it uses rax"},
    {WITH("divq {r0}", "[\"r9\",\"rax\"]"), "it uses rdx"},
    {WITH("imulq {r0}", "1"), "it uses rax"},
    {TEXT("cltq"), "it uses rax"},
    {TEXT("cpuid"), "it uses rax"},
    {TEXT("rdtsc"), "it uses rax"},
    {WITH("cmpxchgq {r0}, {r1}", "2"), "it uses rax"},
    {WITH("shlq %cl, {r0}", "1"), "it uses rcx"},
    {WITH("paddq %xmm0, {r0}", "[\"xmm1\"]"), "it uses xmm0"},
    {WITH("vaddpd {r0:256}, {r0:256}, {r0:256}", "[\"xmm1\"]"), "it uses ymm1"},
    {WITH("incq {r1}", "1"), "{r1} is none of its registers"},
    {WITH("incq {r0:24}", "1"), "{r0} has no such width"},
    {WITH("incq {r0:128}", "1"), "{r0} has no such width"},
    {WITH("nop", "[\"rax\", \"eax\"]"), "eax is the same register as rax: expected each register once"},
    {WITH("nop", "[\"xmm3\", \"xmm4\", \"xmm3\"]"), "xmm3 is the same register as xmm3"},
    {WITH("nop", "[\"rdi\"]"), "rdi cannot be given: it counts the passes"},
    {WITH("nop", "[\"esp\"]"), "esp cannot be given: it is the caller's stack"},
    {WITH("nop", "[\"r16\"]"), "r16 is not a general, vector or mask register"},
    {WITH("nop", "[\"xmm32\"]"), "xmm32 is not a general"},
    {WITH("nop", "[\"xmm01\"]"), "xmm01 is not a general"},
    {WITH("nop", "[\"k8\"]"), "k8 is not a general"},
    {WITH("nop", "12"), "asm.registers is 12: this kernel can give 6"},
    /* memory */
    {WITH("movq {memory}, {r0}", "1"), "{memory} is for a text with memory"},
    {WITH("movq ({r0}), {r0}", "1"), "it uses memory"},
    {TEXT("prefetcht0 (%rsi)"), "it uses memory"},
    {MEMORY("movq 4096, {r0}"), "its address is [4096]: expected {memory} or 8+{memory}"},
    {MEMORY("movq 64+{memory}, {r0}"),
     "its 8 bytes from byte 64 on are not all within the 64 bytes of {memory}"},
    {MEMORY("movq 57+{memory}, {r0}"), "expected a smaller number before {memory}, or memory = 65"},
    {MEMORY("movb 64+{memory}, {r0:8}"), "its 1 bytes from byte 64 on are not all within"},
    {MEMORY("movq -1+{memory}, {r0}"),
     "its 8 bytes from byte -1 on are not all within the 64 bytes of {memory}"},
    {MEMORY("leaq 65+{memory}, {r0}"), "its address is outside the 64 bytes of {memory}"},
    {TEXT("vmovups %zmm1, 1+{memory}") ",\"registers\":[\"zmm1\"],\"memory\":64",
     "its 64 bytes from byte 1 on"},
    {TEXT("vmovups %ymm1, 33+{memory}") ",\"registers\":[\"ymm1\"],\"memory\":64",
     "its 32 bytes from byte 33 on"},
    {TEXT("movaps 8+{memory}, %xmm1") ",\"registers\":[\"xmm1\"],\"memory\":64",
     "it faults unless its address is a multiple of 16: expected 0+{memory}"},
    {TEXT("paddd 24+{memory}, %xmm1") ",\"registers\":[\"xmm1\"],\"memory\":64", "expected 16+{memory}"},
    {MEMORY("movq 8{memory}, {r0}"), "only a signed number can join {memory}, such as 8+{memory}"},
    {MEMORY("movq 2*{memory}, {r0}"), "only a signed number can join {memory}"},
    {MEMORY("movq 0x7ff00000+0*{memory}, {r0}"), "only a signed number can join {memory}"},
    {MEMORY("movq 64-{memory}, {r0}"), "only a signed number can join {memory}"},
    {MEMORY("movq -+{memory}, {r0}"), "its address is [rsi - 2146435072]"},
    {MEMORY("movq {memory}+{memory}, {r0}"), "only a signed number can join {memory}"},
    {MEMORY("movq {memory}({r0}), {r0}"), "only a signed number can join {memory}"},
    {MEMORY("movq %gs:{memory}, {r0}"), "only a signed number can join {memory}"},
    {MEMORY("movq 0x7ff00000(%rsi), {r0}"), "its address is [rsi + 2146435072]: expected {memory}"},
    {MEMORY("movq 0x7ff00000(%esi), {r0}"), "its address is [esi + 2146435072]"},
    {MEMORY("movq (%rsi), {r0}"), "its address is [rsi]"},
    {MEMORY("movq {r0}, ({r0})"), "its address is [r"},
    {MEMORY("mov {r0},({r0})"), "expected {memory} or 8+{memory}, the only addresses that a text has"},
    {MEMORY("movq {r0}, -8(%rsp)"), "its address is [rsp - 8]"},
    {MEMORY("movq 8(%rip), {r0}"), "its address is [rip + 8]"},
    {MEMORY("movq foo(%rip), {r0}"), "its address is [rip]"},
    {MEMORY("leaq 8(%rip), {r0}"), "no text may use rip"},
    {MEMORY("leaq 0x7ff00000(%rsi), {r0}"), "its address is [rsi + 2146435072]"},
    {MEMORY("btsq {r0}, {memory}"), "selects a bit anywhere in memory"},
    {MEMORY("leaq {memory}, %rsi"), "it uses rsi, which holds the data's address"},
    {TEXT("xlatb") ",\"registers\":[\"rax\",\"rbx\"],\"memory\":64",
     "an implicit register holds its address"},
    {TEXT("clzero") ",\"registers\":[\"rax\"],\"memory\":64", "an implicit register holds its address"},
    {TEXT("clzero") ",\"registers\":[\"rax\"]", "and a text has only {memory}"},
    {TEXT("xsave {memory}") ",\"registers\":[\"rax\",\"rdx\"],\"memory\":64",
     "the size of its memory depends"},
    {MEMORY("fxsave {memory}"), "the size of its memory depends"},
    {MEMORY("vldmxcsr {memory}"), "a state of the processor"},
    {TEXT("maskmovdqu %xmm1, %xmm2") ",\"registers\":[\"xmm1\",\"xmm2\"],\"memory\":64",
     "implicit register holds"},
    {TEXT("vpgatherdd %zmm1, {memory}") ",\"memory\":64", "invalid operand"},
    {TEXT("vpgatherdd (%rax,%ymm2,4), %ymm1{%k1}") ",\"registers\":[\"ymm1\",\"ymm2\",\"k1\",\"rax\"],"
                                                   "\"memory\":64",
     "its address is [rax + 4*ymm2]: expected {memory}"},
    {MEMORY("enterq $8, $0"), "invalid instruction mnemonic"},
    {MEMORY("enter $8, $0"), "it moves the stack"},
    {MEMORY("movdir64b {memory}, {r0}"), "an implicit register holds its address"},
    {TEXT("serialize"), "serialize is not among the instructions whose reads and writes are known"},
    {TEXT("rdpru"), "rdpru is not among the instructions"},
    {WITH("{nf} addq {r0}, {r0}", "1"), "is not among the instructions"},
    {WITH("addq {r0}, {r0}, {r0}", "1"), "add in this form is not among the instructions"},
    {MEMORY("stosq"), "string instructions"},
    {MEMORY("movsq"), "string instructions"},
    /* features */
    {WITH("pshufb {r0}, {r0}", "[\"xmm1\"]"), "it needs ssse3, which the machine toy lacks"},
    {WITH("vpaddd {r0}, {r0}, {r0}", "[\"zmm1\"]"), "it needs avx512f"},
    {WITH("vaddpd {r0}, {r0}, {r0}", "[\"xmm17\"]"), "it needs avx512f"},
    {WITH("pdepq {r0}, {r0}, {r0}", "1"), "it needs bmi2"},
    {WITH("vfmadd231pd {r0}, {r0}, {r0}", "[\"ymm1\"]"), "it needs fma"},
    {WITH("vpermq $1, {r0}, {r0}", "[\"ymm1\"]"), "it needs avx2"},
};

static void what_is_refused_is_told(void **state)
{
    struct scene *scene = *state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        enum status status = make(scene, refusals[i].fields, ADDS);
        if (status != STATUS_RECIPE || strstr(scene->error.message, refusals[i].part) == NULL)
            fail_msg("%s\ngave %d \"%s\"\nexpected \"%s\"", refusals[i].fields, (int)status,
                     scene->error.message, refusals[i].part);
        if (scene->error.line != 7 || strcmp(scene->error.file, "r.lua") != 0)
            fail_msg("%s\nblames %s:%d", refusals[i].fields, scene->error.file, scene->error.line);
        forget(scene);
    }
}

static const struct {
    const char *fields;
    unsigned instructions, bytes;
} texts[] = {
    {TEXT("nop"), 1, 1},
    {WITH("addq {r0}, {r1}; popcntq {r0}, {r1}\\n\\tleaq 8({r0},{r1}), {r2}", "3"), 3, 3 + 5 + 5},
    {WITH("addb {r0:8}, {r0:8}; addl {r0:32}, {r1:32}; addw {r0:16}, {r1:16}", "2"), 3, 3 + 3 + 4},
    {WITH("mulq {r2}; cqto; idivq {r2}", "[\"rax\",\"rdx\",\"r9\"]"), 3, 3 + 2 + 3},
    {WITH("vaddpd {r0}, %ymm2, {r1}; vaddpd {r0:128}, {r0:128}, {r0:128}", "[\"ymm1\",\"ymm2\"]"), 2, 8},
    {WITH("sete {r0:8}; adcq $1, {r0}; pause; lfence; mfence", "1"), 5, 4 + 4 + 2 + 3 + 3},
    {MEMORY("movq {memory}, {r0}; movq {r0}, 56+{memory}; movb 63+{memory}, {r1:8}; prefetcht0 "
            "63+{memory}"),
     4, 3 * 7 + 7},
    {MEMORY("leaq 64+{memory}, {r0}; nopl 63+{memory}; addq {r0}, 8 + 0x10+{memory}; btsq $200, {memory}; "
            "xaddq {r1}, "
            "56+{memory}"),
     5, 7 + 7 + 7 + 9 + 8},
    {TEXT("{vex3} vaddps 32+{memory}, %ymm1, %ymm1; vmovups %ymm1, {memory}; vmovaps %ymm1, "
          "32+{memory}") ",\"registers\":[\"ymm1\"],\"memory\":64",
     3, 9 + 8 + 8},
    {TEXT("movaps 48+{memory}, %xmm1; movups 5+{memory}, %xmm1") ",\"registers\":[\"xmm1\"],"
                                                                 "\"memory\":64",
     2, 7 + 7},
};

static void what_is_taken_is_measured(void **state)
{
    struct scene *scene = *state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (make(scene, texts[i].fields, ADDS) != STATUS_OK)
            fail_msg("%s: %s", texts[i].fields, scene->error.message);
        const struct form *form = &scene->plan.texts.items[1].form;
        if (form->instructions != texts[i].instructions || form->bytes != texts[i].bytes)
            fail_msg("%s: %u instructions in %u bytes", texts[i].fields, form->instructions, form->bytes);
        assert_int_equal(plan_instructions(&scene->templates, &scene->plan, "asm"),
                         20 * texts[i].instructions);
        forget(scene);
    }
}

/* Whatever a text with memory does to caches is nobody's promise; branches and mixes stay promised. */
static void memory_takes_promises_back(void **state)
{
    struct scene *scene = *state;
    static const char branches[] = ",{\"op\":\"branch\",\"accuracy\":0.9}";
    assert_int_equal(make(scene, WITH("incq {r0}", "1"), branches), STATUS_OK);
    assert_true(rates_get(&scene->plan.rates.targets, "l1d.miss_rate", -1) == 0.5);
    uint64_t bytes = scene->plan.memory.bytes;
    forget(scene);
    assert_int_equal(make(scene, MEMORY("movq {r0}, {memory}"), branches), STATUS_OK);
    assert_true(rates_get(&scene->plan.rates.targets, "l1d.miss_rate", -1) == -1);
    assert_true(rates_get(&scene->plan.rates.targets, "served.L2", -1) == -1);
    assert_true(rates_get(&scene->plan.rates.expected, "l1d.miss_rate", -1) == -1);
    assert_true(rates_get(&scene->plan.rates.targets, "branch.miss_rate", -1) > 0);
    assert_true(scene->plan.texts.memory[1] >= bytes);
    assert_true(scene->plan.texts.memory[1] + 64 + 64 <= scene->plan.memory.bytes);
    forget(scene);
}

/* Texts that name nothing get registers of their own, which no role has. */
static void registers_are_apart(void **state)
{
    struct scene *scene = *state;
    const char *more =
        ",{\"op\":\"asm\",\"text\":\"nop\",\"registers\":[\"rcx\",\"r8\"]},{\"op\":\"asm\",\"text\":"
        "\"nop\",\"registers\":1}" ADDS;
    assert_int_equal(make(scene, WITH("nop", "2"), more), STATUS_OK);
    const struct registers *registers = &scene->plan.registers;
    bool seen[16] = {false};
    for (unsigned item = 1; item <= 3; item++) {
        for (unsigned i = 0; i < scene->kernel.items[item].registers; i++) {
            const struct register_use *use = &registers->given[item][i];
            char name[8];
            assert_false(seen[use->number]);
            seen[use->number] = true;
            assert_true(isa_x86_64.text_rules->write_register(use, name));
            for (size_t p = 0; p < registers->pool_count; p++)
                for (unsigned r = 0; r < registers->pools[p].count; r++)
                    assert_string_not_equal(registers->pools[p].registers[r], name);
        }
    }
    assert_int_not_equal(registers_pool(registers, "value")->count, 0);
    forget(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_refused_is_told),
        cmocka_unit_test(what_is_taken_is_measured),
        cmocka_unit_test(memory_takes_promises_back),
        cmocka_unit_test(registers_are_apart),
    };
    return cmocka_run_group_tests_name("generator/user_asm", tests, set_up, tear_down);
}
