#include "runner/instruction/instruction_roles.h"

#include "base/random.h"

#include <ctype.h>
#include <fenv.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values of operands ---- */

enum { WORD_BYTES = 32 };

/* Reads "rax=100 other=7 keep" up to the line's end. */
static void read_row(const struct template *texts, const char *line, struct insn_values *values)
{
    char word[2 * WORD_BYTES];
    int used = 0;
    for (; *line != '\n' && sscanf(line, " %63[^ \n]%n", word, &used) == 1; line += used) {
        char *equals = strchr(word, '=');
        struct register_use use;
        if (equals == NULL) {
            values->keep = values->keep || strcmp(word, "keep") == 0;
            continue;
        }
        uint64_t value = strtoull(equals + 1, NULL, 0);
        if (strncmp(word, "other=", strlen("other=")) == 0) {
            values->other = value;
        } else if (isdigit((unsigned char)word[0]) && values->own_count < INSN_OWN_VALUES) {
            values->own[values->own_count].place = (unsigned)strtoul(word, NULL, 10);
            values->own[values->own_count++].value = value;
        } else if (texts->isa->text_rules->read_register(word, (size_t)(equals - word), &use) &&
                   values->own_count < INSN_OWN_VALUES) {
            values->own[values->own_count].use = use;
            values->own[values->own_count++].value = value;
        }
    }
}

unsigned insn_values_read(const struct template *texts, const struct insn *insn,
                          struct insn_values values[INSN_VALUES_MOST])
{
    const char *line = template_section(texts, "values");
    char found[WORD_BYTES] = "";
    unsigned count = 0;
    for (; line != NULL && *line != '\0'; line = probe_next_line(line)) {
        char pattern[WORD_BYTES];
        char label[INSN_LABEL_BYTES];
        int used = 0;
        if (line[0] == '#' || sscanf(line, "%31s %31s%n", pattern, label, &used) != 2)
            continue;
        bool fits = found[0] == '\0' ? fnmatch(pattern, insn->mnemonic, 0) == 0 : strcmp(found, pattern) == 0;
        if (!fits || count == INSN_VALUES_MOST)
            continue;
        memcpy(found, pattern, sizeof found);
        values[count] = (struct insn_values){0};
        if (strcmp(label, "-") != 0)
            memcpy(values[count].label, label, sizeof label);
        read_row(texts, line + used, &values[count++]);
    }
    if (count == 0)
        values[count++] = (struct insn_values){0};
    return count;
}

void insn_values_set(const struct insn_values *values, const struct insn *insn, unsigned index,
                     const struct register_use *use, struct insn_state *state)
{
    const struct insn_slot *slot = &insn->slots[index];
    uint64_t value = values->other;
    for (unsigned i = 0; i < values->own_count; i++) {
        const struct register_use *own = &values->own[i].use;
        const unsigned place = values->own[i].place;
        if (own->kind != 0 ? slot->fixed && own->kind == slot->use.kind && own->number == slot->use.number
                           : place < insn->token_count && insn->tokens[place].slot == index)
            value = values->own[i].value;
    }
    if (slot->base)
        value = (uintptr_t)INSN_MEMORY(state);
    else if (slot->index)
        value = 0;
    else if (slot->use.kind == 'k')
        value = UINT64_MAX;
    unsigned char *at = insn_register(&state->before, use);
    for (size_t i = 0; i < insn_register_bytes(use) / sizeof value; i++)
        memcpy(at + i * sizeof value, &value, sizeof value);
}

void insn_values_set_memory(const struct insn_values *values, struct insn_state *state)
{
    for (size_t i = 0; i < INSN_MEMORY_BYTES; i += sizeof values->other)
        memcpy(state->memory + i, &values->other, sizeof values->other);
}

enum {
    TRIALS = 16,
    TRIALS_SEED = 1,
    OPERAND_NEAR = 128,
    EQUAL_EVERY = 4,
    COMPLEMENT_EVERY = 8,
    COMPLEMENT_AT = 6
};
static const uint64_t EQUAL = UINT64_C(0x3f9000003f900000);

/* ---- faults ---- */

/* Only while guarded code runs, in the one thread that runs it. */
static sigjmp_buf after_fault;

static void leave(int number)
{
    siglongjmp(after_fault, number);
}

bool insn_run_guarded(const struct insn_code *code, const struct probe_code *made, uint64_t iterations,
                      struct insn_state *state, uint64_t *ticks, int *signal)
{
    if (code->runner != NULL)
        return code->runner->run(code->runner->context, made, iterations, ticks, signal);
    static const int faults[] = {SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGTRAP, SIGSYS};
    enum { FAULTS = sizeof faults / sizeof faults[0] };
    struct sigaction action = {.sa_handler = leave};
    struct sigaction before[FAULTS];
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < FAULTS; i++)
        sigaction(faults[i], &action, &before[i]);
    int number = sigsetjmp(after_fault, 1);
    if (number == 0)
        *ticks = insn_code_run(code, made, iterations, state);
    else
        (void)fesetenv(FE_DFL_ENV); /* the code had set its own modes */
    for (size_t i = 0; i < FAULTS; i++)
        sigaction(faults[i], &before[i], NULL);
    *signal = number;
    return number == 0;
}

/* ---- contents ---- */

static uint64_t random_word(struct random *random)
{
    uint64_t high = random_next(random);
    return high << 32 | random_next(random);
}

/* A word of one of several kinds: any bits, a small number, two small numbers of 32 bits, two near 1, or
 * bytes that are each a place in a register, as bextr's operand has them. */
static uint64_t random_content(struct random *random, char kind, unsigned trial)
{
    uint64_t word = random_word(random);
    if (kind == 'v' && trial % 2 == 1)
        return (word & UINT64_C(0x007fffff007fffff)) | UINT64_C(0x3f8000003f800000);
    if (kind == 'v' && trial % 4 == 2)
        return word & (trial % 8 == 2 ? UINT64_C(0xf) : UINT64_C(0x0000000f0000000f)); /* as shifts count */
    if (kind == 'r' && trial % 5 == 3)
        return word & UINT64_C(0x1f1f1f1f1f1f1f1f);
    if (kind == 'r' && trial % 3 == 1)
        return word & 0xffff;
    return kind == 'r' && trial % 3 == 2 ? word & 0xffffffff : word;
}

struct trial {
    const struct insn *insn;
    const struct insn_values *values;
    const struct register_use *uses; /* of the slots */
    const struct insn_code *code;
    uint64_t flags; /* those that conditions read */
    const struct probe_code *made;
    struct insn_state *state;
    struct random random;
    unsigned number;
    bool near; /* contents are the measured values with some low bits changed: others may fault */
};

static void set_slot(struct trial *trial, unsigned index, bool changed)
{
    const struct insn_slot *slot = &trial->insn->slots[index];
    unsigned char *at = insn_register(&trial->state->before, &trial->uses[index]);
    if (slot->base || slot->index || trial->near)
        insn_values_set(trial->values, trial->insn, index, &trial->uses[index], trial->state);
    if (slot->base || slot->index)
        return;
    for (size_t i = 0; i < insn_register_bytes(&slot->use) / sizeof(uint64_t); i++) {
        const char kind = slot->use.kind == 'w' ? 'v' : slot->use.kind;
        uint64_t word = random_content(&trial->random, kind, trial->number);
        bool all = trial->number % (2 * EQUAL_EVERY) == 0; /* or only those that a comparison may imply */
        if (!changed && trial->number % EQUAL_EVERY == 0 && (all || slot->fixed))
            word = EQUAL; /* for comparisons and conditions that random contents never satisfy */
        if (!changed && trial->number % COMPLEMENT_EVERY == COMPLEMENT_AT && slot->use.kind == 'r')
            word = index % 2 == 0 ? EQUAL : ~EQUAL; /* they add up to ones alone: a carry in is a carry out */
        uint64_t old;
        memcpy(&old, at + i * sizeof old, sizeof old);
        word = trial->near ? old + (changed ? 1 + word % 15 : word % 4) : word;
        memcpy(at + i * sizeof word, &word, sizeof word);
    }
}

/* The words around the operand. */
static void set_memory(struct trial *trial, unsigned char *memory, bool changed)
{
    if (trial->near)
        insn_values_set_memory(trial->values, trial->state);
    unsigned char *from = INSN_MEMORY(trial->state) + trial->insn->displacement;
    for (unsigned char *at = from; at < from + OPERAND_NEAR; at += sizeof(uint64_t)) {
        uint64_t word =
            random_content(&trial->random, trial->insn->memory_bytes > 8 ? 'v' : 'r', trial->number);
        uint64_t old;
        memcpy(&old, at, sizeof old);
        if (!changed && trial->number % EQUAL_EVERY == 0)
            word = EQUAL;
        word = trial->near ? old + (changed ? 1 + word % 15 : 0) : word;
        memcpy(at, &word, sizeof word);
    }
    memcpy(memory, from, OPERAND_NEAR);
}

static void set_flags(struct trial *trial)
{
    trial->state->before.flags = random_word(&trial->random) & trial->flags;
}

/* The operand's content in these registers, and its size. */
static const void *content(const struct trial *trial, struct insn_registers *registers, unsigned index,
                           size_t *size)
{
    const struct register_use *use = &trial->uses[index];
    *size = use->kind == 'v' ? use->bits / 8 : insn_register_bytes(use);
    return insn_register(registers, use);
}

/* ---- trials ---- */

/* The state after an execution. */
struct left {
    struct insn_registers registers;
    unsigned char memory[OPERAND_NEAR];
};

/* Executes it; the memory is as before afterwards. False with the signal after a fault. */
static bool execute(const struct trial *trial, const unsigned char *memory, struct left *left, int *signal)
{
    uint64_t ticks;
    unsigned char *at = INSN_MEMORY(trial->state) + trial->insn->displacement;
    memcpy(at, memory, OPERAND_NEAR);
    bool good = insn_run_guarded(trial->code, trial->made, 1, trial->state, &ticks, signal);
    left->registers = trial->state->after;
    memcpy(left->memory, at, OPERAND_NEAR);
    memcpy(at, memory, OPERAND_NEAR);
    return good;
}

static bool differs(const struct trial *trial, struct left *a, struct left *b, unsigned operand)
{
    size_t size;
    if (operand == INSN_FLAGS)
        return ((a->registers.flags ^ b->registers.flags) & trial->flags) != 0;
    if (operand == INSN_MEMORY_OPERAND)
        return memcmp(a->memory, b->memory, trial->insn->memory_bytes) != 0;
    const void *one = content(trial, &a->registers, operand, &size);
    return memcmp(one, content(trial, &b->registers, operand, &size), size) != 0;
}

static bool is_operand(const struct trial *trial, unsigned operand)
{
    const struct insn *insn = trial->insn;
    if (operand == INSN_MEMORY_OPERAND)
        return insn->memory;
    return (operand == INSN_FLAGS && trial->flags != 0) ||
           (operand < insn->slot_count && !insn->slots[operand].base && !insn->slots[operand].index);
}

static void note_written(const struct trial *trial, struct left *before, struct left *after,
                         struct insn_roles *roles)
{
    for (unsigned i = 0; i < INSN_OPERANDS; i++)
        if (is_operand(trial, i))
            roles->written[i] = roles->written[i] || differs(trial, before, after, i);
    roles->flags_written |= (before->registers.flags ^ after->registers.flags) & trial->flags;
}

/* One execution, repeated with each operand changed. */
static bool try_all(struct trial *trial, struct insn_roles *roles, int *signal)
{
    unsigned char memory[OPERAND_NEAR];
    struct left first, again, other, before;
    int unused;
    for (unsigned i = 0; i < trial->insn->slot_count; i++)
        set_slot(trial, i, false);
    set_memory(trial, memory, false);
    set_flags(trial);
    if (!execute(trial, memory, &first, signal))
        return false;
    before.registers = trial->state->before;
    memcpy(before.memory, memory, sizeof memory);
    const bool repeatable = execute(trial, memory, &again, &unused);
    for (unsigned i = 0; i < INSN_OPERANDS; i++) {
        if (!is_operand(trial, i))
            continue;
        roles->random[i] = roles->random[i] || !repeatable || differs(trial, &first, &again, i);
    }
    note_written(trial, &before, &first, roles);
    for (unsigned i = 0; i < INSN_OPERANDS; i++) {
        unsigned char changed[OPERAND_NEAR];
        struct insn_registers kept = trial->state->before;
        if (!is_operand(trial, i))
            continue;
        memcpy(changed, memory, sizeof changed);
        if (i == INSN_FLAGS)
            set_flags(trial);
        else if (i == INSN_MEMORY_OPERAND)
            set_memory(trial, changed, true);
        else
            set_slot(trial, i, true);
        before.registers = trial->state->before;
        memcpy(before.memory, changed, sizeof changed);
        bool whole = execute(trial, changed, &other, &unused);
        trial->state->before = kept;
        if (whole)
            note_written(trial, &before, &other, roles);
        if (whole)
            roles->flags_by[i] |= (first.registers.flags ^ other.registers.flags) & trial->flags;
        for (unsigned j = 0; j < INSN_OPERANDS; j++)
            if (is_operand(trial, j) && (!whole || differs(trial, &first, &other, j)))
                roles->depends[j][i] = true;
    }
    return true;
}

/* A flag that the instruction does not change is no result, and an operand that is not written depends on
 * nothing. */
static void settle(struct insn_roles *roles)
{
    for (unsigned i = 0; i < INSN_OPERANDS; i++) {
        roles->flags_by[i] &= roles->flags_written;
        roles->depends[INSN_FLAGS][i] = roles->depends[INSN_FLAGS][i] && roles->flags_by[i] != 0;
        for (unsigned j = 0; j < INSN_OPERANDS; j++)
            roles->depends[i][j] = roles->depends[i][j] && roles->written[i] && !roles->random[i];
    }
}

bool insn_reads(const struct insn_roles *roles, unsigned operand)
{
    bool read = false;
    for (unsigned i = 0; i < INSN_OPERANDS; i++)
        read = read || roles->depends[i][operand];
    return read;
}

enum status insn_roles_find(const struct insn *insn, const struct insn_values *values, struct insn_code *code,
                            struct insn_state *state, struct insn_roles *roles, struct error *error)
{
    static const struct insn_make once = {.flags = true, .save = true};
    struct register_use uses[INSN_SLOTS];
    struct probe_code made = {0};
    struct trial trial = {.insn = insn,
                          .values = values,
                          .uses = uses,
                          .code = code,
                          .flags = insn_flags(code->texts),
                          .made = &made,
                          .state = state,
                          .random = random_start(TRIALS_SEED, insn->text)};
    int signal = 0;
    memset(roles, 0, sizeof *roles);
    insn_code_free(code);
    enum status status = insn_assign(insn, code->texts, uses, error);
    for (unsigned i = 0; i < insn->slot_count; i++)
        insn_code_use(code, &uses[i]);
    insn_write(insn, uses, 0, &code->body);
    buffer_text(&code->body, "\n");
    if (status == STATUS_OK)
        status = insn_code_make(code, &once, &made, error);
    for (unsigned i = 0; status == STATUS_OK && i < TRIALS; i++) {
        trial.number = i;
        if (try_all(&trial, roles, &signal))
            continue;
        trial.near = true; /* from now on */
        if (!try_all(&trial, roles, &signal))
            status = error_set(error, STATUS_FAILED, "it ended by signal %d (%s)", signal, strsignal(signal));
    }
    probe_code_free(&made);
    settle(roles);
    return status;
}
