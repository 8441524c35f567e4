/* Single instructions: texts in each syntax, operands found by execution, and times. */
#include "generator/machine/detect.h"
#include "runner/instruction/instruction_time.h"
#include "tests/skip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct place {
    struct machine machine;
    struct template texts;
    struct insn_bench *bench;
    char why[1024];
};

static int prepare(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    struct error error;
    if (place == NULL)
        return 1;
    *state = place;
    if (insn_texts_open(NULL, &place->texts, &error) != STATUS_OK ||
        detect_machine(&place->machine, &error) != STATUS_OK)
        snprintf(place->why, sizeof place->why, "%s", error.message);
    else if ((place->bench = insn_bench_open(&place->machine, NULL, &error)) == NULL)
        snprintf(place->why, sizeof place->why, "%s", error.message);
    return 0;
}

static int clean(void **state)
{
    struct place *place = *state;
    if (place->bench != NULL)
        insn_bench_close(place->bench);
    template_free(&place->texts);
    machine_free(&place->machine);
    free(place);
    return 0;
}

/* ---- texts ---- */

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

static void syntaxes_read_the_same(void **state)
{
    const struct place *place = *state;
    if (place->bench == NULL)
        skip_because("%s", place->why);
    assert_read(place, "imulq %rbx, %rax", "imulq %rbx, %rax");
    assert_read(place, "imul rax, rbx", "imulq %rbx, %rax");
    assert_read(place, "  imul   {r0}, {r1}  ", "imulq %r8, %r9");
    assert_read(place, "addl {r0:32}, {r1:32}", "addl %r8d, %r9d");
    assert_read(place, "vpmulld {y0}, {y1}, {y2}", "vpmulld %ymm0, %ymm1, %ymm2");
    assert_read(place, "vpmulld ymm2, ymm1, ymm0", "vpmulld %ymm0, %ymm1, %ymm2");
    assert_read(place, "add qword ptr [rax+8], 1", "addq $1, 8(%rax)");
    assert_read(place, "lock xadd %rax, (%rbx)", "lock xaddq %rax, (%rbx)");
    assert_read(place, "lock add dword ptr [rbx], eax", "lock addl %eax, (%rbx)");
    assert_read(place, "movq {memory}, {r0}", "movq (%rbp), %r8");
    assert_read(place, "mov %ah, %bl", "movb %ah, %bl");
    assert_read(place, "VPMULLD YMM2, YMM1, YMM0", "vpmulld %ymm0, %ymm1, %ymm2");
    assert_read(place, "movq (%rax), %rax", "movq (%r8), %rax");
    assert_read(place, "vpaddd %xmm20, %xmm21, %xmm22", "vpaddd %xmm20, %xmm21, %xmm22");
    assert_read(place, "mov rax, [rax+rax*8+16]", "movq 16(%r8,%r9,8), %rax");
    assert_read(place, "vaddps {z0}, {z1}, {z2} {k1}", "vaddps %zmm0, %zmm1, %zmm2 {%k1}");
    assert_read(place, "vaddps zmm2 {k1}, zmm1, zmm0", "vaddps %zmm0, %zmm1, %zmm2 {%k1}");
    assert_read(place, "nop", "nop");
}

static void assert_refused(const struct place *place, const char *given, const char *why)
{
    struct insn insn;
    struct error error;
    assert_int_equal(insn_read(given, &place->texts, &insn, &error), STATUS_USAGE);
    if (strstr(error.message, why) == NULL)
        fail_msg("%s: '%s' instead of '%s'", given, error.message, why);
}

static void what_is_no_instruction_is_refused(void **state)
{
    const struct place *place = *state;
    if (place->bench == NULL)
        skip_because("%s", place->why);
    assert_refused(place, "imulx {r0}", "invalid instruction mnemonic");
    assert_refused(place, "imul", "assembler refuses it");
    assert_refused(place, "hlt", "only an operating system");
    assert_refused(place, "jmp 0", "");
    assert_refused(place, "pushq %rax", "stack");
    assert_refused(place, "rep movsb", "");
    assert_refused(place, "addq $1, %rax; addq $1, %rbx", "one instruction");
    assert_refused(place, ".byte 1", "begins with its name");
    assert_refused(place, "here: nop", "label");
    assert_refused(place, "movq here(%rip), %rax", "");
    assert_refused(place, "movq %fs:0, %rax", "");
    assert_refused(place, "movq 5000(%rax), %rbx", "at most 1024");
    assert_refused(place, "lock cmpxchgq %rbx, (%rax)", "a register of its own");
    assert_refused(place, "movq {r77}, %rax", "there is no {r77}");
}

static const struct insn_slot *slot_named(const struct insn *insn, const char *name)
{
    for (unsigned i = 0; i < insn->slot_count; i++)
        if (strcmp(insn->slots[i].name, name) == 0)
            return &insn->slots[i];
    fail_msg("no operand %s of %s", name, insn->text);
    return NULL;
}

static void registers_of_the_encoding_stay(void **state)
{
    const struct place *place = *state;
    struct insn insn;
    struct error error;
    if (place->bench == NULL)
        skip_because("%s", place->why);
    assert_int_equal(insn_read("shlq %cl, %rax", &place->texts, &insn, &error), STATUS_OK);
    assert_true(slot_named(&insn, "cl")->fixed);
    assert_false(slot_named(&insn, "rax")->fixed);
    assert_int_equal(insn_read("div {r0}", &place->texts, &insn, &error), STATUS_OK);
    assert_true(slot_named(&insn, "rax")->implicit);
    assert_true(slot_named(&insn, "rdx")->fixed);
    assert_false(slot_named(&insn, "{r0}")->fixed);
    assert_int_equal(insn_read("movq 8(%rax,%rcx,4), %rbx", &place->texts, &insn, &error), STATUS_OK);
    assert_true(insn.memory);
    assert_int_equal(insn.memory_bytes, 8);
    assert_true(slot_named(&insn, "rax")->base);
    assert_true(slot_named(&insn, "rcx")->index);
}

/* ---- operands ---- */

/* dependences: "rbx>rax rax>rax", all of them, those of flags left out. */
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
            if (times.roles.depends[to][from] && to != INSN_FLAGS)
                buffer_printf(&found, "%s%s>%s", found.size == 0 ? "" : " ",
                              insn_operand_name(&times.insn, from), insn_operand_name(&times.insn, to));
    if (strcmp(found.data, dependences) != 0)
        fail_msg("%s: '%s' instead of '%s'", text, found.data, dependences);
    buffer_free(&found);
}

static void operands_are_found_by_execution(void **state)
{
    const struct place *place = *state;
    if (place->bench == NULL)
        skip_because("%s", place->why);
    assert_depends(place, "addq %rbx, %rax", "rbx>rax rax>rax");
    assert_depends(place, "movq %rbx, %rax", "rbx>rax");
    assert_depends(place, "movb %bl, %al", "bl>al al>al");
    assert_depends(place, "xorl %eax, %eax", "");
    assert_depends(place, "cmpq %rbx, %rax", "");
    assert_depends(place, "xchgq %rbx, %rcx", "rcx>rbx rbx>rcx");
    assert_depends(place, "cmovzq %rbx, %rax", "rbx>rax rax>rax flags>rax");
    assert_depends(place, "setc %al", "al>al flags>al");
    assert_depends(place, "mulq %rbx", "rbx>rax rax>rax rbx>rdx rax>rdx");
    assert_depends(place, "mulq %rax", "rax>rax rax>rdx");
    assert_depends(place, "lock cmpxchgq %rbx, (%rcx)", "memory>rax rbx>memory rax>memory memory>memory");
    assert_depends(place, "psllq %xmm1, %xmm2", "xmm1>xmm2 xmm2>xmm2");
    assert_depends(place, "divq %rbx", "rbx>rax rax>rax rdx>rax rbx>rdx rax>rdx rdx>rdx");
    assert_depends(place, "idivb %bl", "bl>rax rax>rax");
    assert_depends(place, "pcmpeqd %xmm1, %xmm2", "xmm1>xmm2 xmm2>xmm2");
    assert_depends(place, "sqrtsd %xmm1, %xmm2", "xmm1>xmm2 xmm2>xmm2");
    assert_depends(place, "movq %rbx, (%rcx)", "rbx>memory");
    assert_depends(place, "addq (%rcx), %rbx", "rbx>rbx memory>rbx");
    assert_depends(place, "addq %rbx, (%rcx)", "rbx>memory memory>memory");
    assert_depends(place, "movq (%rax), %rax", "memory>rax");
    assert_depends(place, "addb %ah, %bl", "ah>bl bl>bl");
    assert_depends(place, "bextrq %rax, %rbx, %rcx", "rax>rcx rbx>rcx");
    assert_depends(place, "rdtsc", "");
}

static void a_flag_left_alone_is_no_result(void **state)
{
    const struct place *place = *state;
    struct insn_times times;
    struct error error;
    if (place->bench == NULL)
        skip_because("%s", place->why);
    assert_int_equal(insn_measure(place->bench, "incq %rax", &times, &error), STATUS_OK);
    assert_false(times.roles.depends[INSN_FLAGS][INSN_FLAGS]);
    assert_true(times.roles.depends[INSN_FLAGS][0]);
    assert_int_equal(times.roles.flags_written & 1, 0);
    assert_int_equal(insn_measure(place->bench, "adcq %rbx, %rax", &times, &error), STATUS_OK);
    assert_true(times.roles.depends[INSN_FLAGS][INSN_FLAGS]);
    assert_int_equal(insn_measure(place->bench, "adoxq %rbx, %rax", &times, &error), STATUS_OK);
    assert_true(times.roles.depends[INSN_FLAGS][INSN_FLAGS]); /* a carry through a sum of ones alone */
}

static void a_fault_is_an_error(void **state)
{
    const struct place *place = *state;
    struct insn_times times;
    struct error error;
    if (place->bench == NULL)
        skip_because("%s", place->why);
    assert_int_equal(insn_measure(place->bench, "lock addq %rbx, %rax", &times, &error), STATUS_FAILED);
    assert_non_null(strstr(error.message, "signal 4"));
    assert_int_equal(insn_measure(place->bench, "movaps 8(%rax), %xmm1", &times, &error), STATUS_FAILED);
    assert_non_null(strstr(error.message, "signal 11"));
    assert_int_equal(insn_measure(place->bench, "addq %rbx, %rax", &times, &error), STATUS_OK);
}

/* ---- times ---- */

/* Cycles from one operand to another. False, with the reason, if others disturbed all of several attempts. */
static bool measure(const struct place *place, const char *text, const char *from, const char *to, double low,
                    double high)
{
    enum { ATTEMPTS = 5 };
    struct insn_times times;
    struct error error;
    double best = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
        assert_int_equal(insn_measure(place->bench, text, &times, &error), STATUS_OK);
        for (unsigned j = 0; j < times.latency_count; j++) {
            const struct insn_latency *latency = &times.latencies[j];
            if (strcmp(insn_operand_name(&times.insn, latency->from), from) != 0 ||
                strcmp(insn_operand_name(&times.insn, latency->to), to) != 0)
                continue;
            best = latency->cycles.value;
            if (best >= low && best <= high)
                return true;
        }
    }
    assert_true(best > 0); /* the pair exists */
    /* Only the time depends on the machine: a wrong chain would be off by whole cycles on a quiet one too. */
    printf("%s: %s to %s takes %.2f cycles here, expected %.2f to %.2f\n", text, from, to, best, low, high);
    return false;
}

/* Additions and exclusive ors take a cycle on every processor with this instruction set, and loads several.
 */
static void times_are_those_of_chains(void **state)
{
    const struct place *place = *state;
    if (place->bench == NULL)
        skip_because("%s", place->why);
    bool good = measure(place, "addq %rbx, %rax", "rax", "rax", 0.9, 1.15);
    good = measure(place, "xorq %rbx, %rax", "rbx", "rax", 0.9, 1.15) && good;
    good = measure(place, "imulq %rbx, %rax", "rbx", "rax", 2.7, 5.2) && good;
    good = measure(place, "movq (%rax), %rbx", "memory", "rbx", 2.8, 7) && good;
    good = measure(place, "cmpq %rbx, %rax", "rbx", "flags", 0.8, 1.3) && good;
    good = measure(place, "setc %al", "flags", "al", 0.8, 2.3) && good;
    /* Through a flag that the loop's own counting changes. */
    good = measure(place, "cmovzq %rbx, %rax", "flags", "rax", 0.8, 2.3) && good;
    good = measure(place, "adoxq %rbx, %rax", "flags", "rax", 0.8, 2.3) && good;
    if (!good)
        skip_because("%s", "the machine is too busy for times in cycles");
}

/* The root's operand is set anew between copies, by two instructions of logic between vectors, which take
 * longer than those between general registers on some cores: it is their own cycles that are taken away. */
static void ties_between_vectors_are_taken_away(void **state)
{
    const struct place *place = *state;
    struct insn_times times;
    struct error error;
    if (place->bench == NULL)
        skip_because("%s", place->why);
    assert_int_equal(insn_measure(place->bench, "sqrtpd %xmm1, %xmm2", &times, &error), STATUS_OK);
    assert_int_equal(times.latency_count, 1);
    const struct insn_latency *root = &times.latencies[0];
    struct insn_times logic;
    assert_int_equal(insn_measure(place->bench, "andps %xmm1, %xmm2", &logic, &error), STATUS_OK);
    double ties = root->whole - root->cycles.value;
    if (fabs(ties - 2 * logic.latencies[0].cycles.value) > 0.3)
        skip_because("the machine is too busy: ties of %.2f cycles, a logic of %.2f", ties,
                     logic.latencies[0].cycles.value);
}

static void a_division_waits_longer_for_more_bits(void **state)
{
    const struct place *place = *state;
    struct insn_times times;
    struct error error;
    if (place->bench == NULL)
        skip_because("%s", place->why);
    assert_int_equal(insn_measure(place->bench, "divq %rbx", &times, &error), STATUS_OK);
    assert_int_equal(times.rate_count, 2);
    assert_string_equal(times.rates[0].values, "fast:100/7");
    assert_string_equal(times.rates[1].values, "slow:2^124/2^62");
    assert_non_null(strstr(times.rates[0].remark, "rax, rdx"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syntaxes_read_the_same),
        cmocka_unit_test(what_is_no_instruction_is_refused),
        cmocka_unit_test(registers_of_the_encoding_stay),
        cmocka_unit_test(operands_are_found_by_execution),
        cmocka_unit_test(a_flag_left_alone_is_no_result),
        cmocka_unit_test(a_fault_is_an_error),
        cmocka_unit_test(times_are_those_of_chains),
        cmocka_unit_test(ties_between_vectors_are_taken_away),
        cmocka_unit_test(a_division_waits_longer_for_more_bits),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
