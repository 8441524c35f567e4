#include "generator/kernel/user_asm.h"

#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"
#include "generator/machine/shipped.h"
#include "isa/mc.h"
#include "isa/object.h"
#include "isa/text_rules.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_LINE = 250,
    MOST_PARENTHESES = 8,
    USER_ASM_WHY_BYTES = 400,
    USER_ASM_TRIED_BYTES = 512,
    USER_ASM_WORD_BYTES = 32
};

/* The placeholder for a text's memory. */
static const char MEMORY[] = "{memory}";

/* The placeholder for the last load's value: "{loaded}" or "{loaded:32}". */
static const char LOADED[] = "{loaded";

/* ---- whether a text may contain an instruction, from its disassembly ---- */

struct asm_context {
    const struct behaviour *item;
    const struct register_use *given; /* [item->registers + item->consumes] */
    const struct text_rules *rules;
    const struct machine *machine;
    struct user_asm *user_asm; /* receives the features that the instructions need */
};

/* ---- registers ---- */

static bool has_register(const struct asm_context *context, const struct register_use *use)
{
    for (unsigned i = 0; i < context->item->registers + context->item->consumes; i++) {
        const struct register_use *given = &context->given[i];
        if (given->kind == use->kind && given->number == use->number)
            return use->kind == 'r' || use->bits <= given->bits;
    }
    return false;
}

/* Why the text may not use the register. */
static bool refuse_register(const struct asm_context *context, const char *name, size_t length, char *why,
                            size_t capacity)
{
    struct register_use use;
    char whole[8];
    if (!context->rules->read_register(name, length, &use)) {
        snprintf(why, capacity, "no text may use %.*s", (int)length, name);
        return false;
    }
    use.bits = use.kind == 'v' ? use.bits : 64;
    (void)context->rules->write_register(&use, whole);
    for (const struct fixed_register *fixed = context->rules->fixed; fixed->name != NULL; fixed++) {
        if (strcmp(fixed->name, whole) == 0) {
            snprintf(why, capacity, "it uses %s, which %s", whole, fixed->use);
            return false;
        }
    }
    snprintf(why, capacity,
             "it uses %s, which is not in asm.registers: expected a number of registers, used as {r0}, {r1} "
             "and so on, or "
             "names, such as { \"%s\" }",
             whole, whole);
    return false;
}

/* A name without prefix. */
static bool check_name(const struct asm_context *context, const char *name, size_t length, char *why,
                       size_t capacity)
{
    struct register_use use;
    if (context->rules->read_register(name, length, &use) && has_register(context, &use))
        return true;
    return refuse_register(context, name, length, why, capacity);
}

static bool check_names(const struct asm_context *context, const struct text_instruction *instruction,
                        char *why, size_t capacity)
{
    for (unsigned i = 0; i < instruction->name_count; i++)
        if (!check_name(context, instruction->names[i], strlen(instruction->names[i]), why, capacity))
            return false;
    return true;
}

/* ---- memory ---- */

/* The address's distance from the text's memory. */
static int64_t offset_of(const struct asm_context *context, const struct text_instruction *instruction)
{
    return instruction->displacement - (instruction->bare ? 0 : (int64_t)context->rules->farthest);
}

/* True if the access, or an address without access, stays within the text's own bytes. */
static bool is_inside(const struct asm_context *context, const struct text_instruction *instruction)
{
    uint64_t memory = context->item->memory;
    int64_t offset = offset_of(context, instruction);
    return offset >= 0 && (uint64_t)offset <= memory && instruction->bytes <= memory - (uint64_t)offset;
}

static bool check_inside(const struct asm_context *context, const struct text_instruction *instruction,
                         char *why, size_t capacity)
{
    int64_t offset = offset_of(context, instruction);
    if (is_inside(context, instruction)) {
        if (instruction->memory == TEXT_ADDRESS_ALONE || instruction->align == 0 ||
            offset % instruction->align == 0)
            return true;
        snprintf(why, capacity,
                 "it faults unless its address is a multiple of %u: expected %" PRId64 "+{memory}, or a move "
                 "that takes any address",
                 instruction->align, offset / instruction->align * instruction->align);
        return false;
    }
    if (instruction->memory == TEXT_ACCESS)
        snprintf(why, capacity,
                 "its %u bytes from byte %" PRId64 " on are not all within the %" PRIu64
                 " bytes of {memory}: expected a smaller number before {memory}, or memory = %" PRId64,
                 instruction->bytes, offset, context->item->memory,
                 offset < 0 ? (int64_t)instruction->bytes : offset + instruction->bytes);
    else
        snprintf(why, capacity, "its address is outside the %" PRIu64 " bytes of {memory}",
                 context->item->memory);
    return false;
}

/* Checks an address. {memory} is the only valid one: no other register of a text holds an address. */
static bool check_memory(const struct asm_context *context, const char *line,
                         const struct text_instruction *instruction, char *why, size_t capacity)
{
    bool named = strstr(line, MEMORY) != NULL;
    if (named && instruction->based)
        return check_inside(context, instruction, why, capacity);
    if (instruction->memory == TEXT_ACCESS && context->item->memory == 0) {
        snprintf(why, capacity,
                 "it uses memory: memory = 64 gives the text 64 bytes at {memory}, and cache rates are then "
                 "not promised");
        return false;
    }
    if (instruction->memory == TEXT_ACCESS || named || instruction->based) {
        snprintf(
            why, capacity,
            "its address is [%.60s]: expected {memory} or 8+{memory}, the only addresses that a text has",
            instruction->address);
        return false;
    }
    return true;
}

/* ---- features ---- */

/* True if the machine has it or lists no features. */
static bool has_feature(const struct machine *machine, const char *name)
{
    return !machine_lists_features(machine) || machine_has(machine, name);
}

static void add_feature(struct user_asm_features *features, const char *name)
{
    for (unsigned i = 0; i < features->count; i++)
        if (strcmp(features->names[i], name) == 0)
            return;
    if (features->count < USER_ASM_FEATURES)
        features->names[features->count++] = name;
}

static void write_lack(const struct machine *machine, const char *name, char *why, size_t capacity)
{
    char shipped[SHIPPED_TEXT_BYTES];
    snprintf(why, capacity, "it needs %s, which the machine %s lacks; %s", name, machine->name,
             shipped_with(machine->isa, name, shipped));
}

static bool check_feature(const struct asm_context *context, const char *name, char *why, size_t capacity)
{
    add_feature(&context->user_asm->features, name);
    if (has_feature(context->machine, name))
        return true;
    write_lack(context->machine, name, why, capacity);
    return false;
}

static bool check_features(const struct asm_context *context, const struct text_instruction *instruction,
                           char *why, size_t capacity)
{
    for (unsigned i = 0; i < instruction->feature_count; i++)
        if (!check_feature(context, instruction->features[i], why, capacity))
            return false;
    return true;
}

/* True if the instruction uses only the text's registers and memory, and the machine has the features that it
 * needs; otherwise *why receives the reason, as a continuation of the instruction's text. line: from the
 * recipe, with registers filled in; text and bytes: as for understand(). */
static bool check_instruction(const struct asm_context *context, const char *line, const char *text,
                              const uint8_t *bytes, size_t size, char *why, size_t capacity)
{
    struct text_instruction instruction;
    context->rules->understand(text, bytes, size, &instruction);
    if (instruction.refusal[0] != '\0') {
        snprintf(why, capacity, "%s", instruction.refusal);
        return false;
    }
    context->user_asm->bare = context->user_asm->bare || instruction.bare;
    return check_memory(context, line, &instruction, why, capacity) &&
           check_names(context, &instruction, why, capacity) &&
           check_features(context, &instruction, why, capacity);
}

/* ---- instructions of the text ---- */

/* One instruction's place in the text. */
struct text_piece {
    const char *start;
    size_t length;
    unsigned line; /* of the text, from 1 */
};

static enum status wrong_piece(const struct text_piece *piece, struct error *error, const char *why)
{
    return error_set(error, STATUS_RECIPE, "line %u of asm's text, '%.*s': %s", piece->line,
                     (int)(piece->length > 60 ? 60 : piece->length), piece->start, why);
}

static enum status check_piece(const struct text_rules *rules, const struct text_piece *piece,
                               struct error *error)
{
    char why[160];
    unsigned parentheses = 0;
    if (piece->length > LONGEST_LINE)
        return wrong_piece(piece, error, "an instruction of more than 250 characters");
    if (piece->start[0] == '.')
        return wrong_piece(piece, error, "a directive; asm takes only instructions");
    if (!isalpha((unsigned char)piece->start[0]) && piece->start[0] != '{')
        return wrong_piece(piece, error, "expected an instruction, which begins with its name");
    for (size_t i = 0; i < piece->length; i++) {
        char c = piece->start[i];
        parentheses += c == '(';
        if (isalnum((unsigned char)c) || c == ' ' || c == '\t' || strchr(rules->marks, c) != NULL)
            continue;
        snprintf(why, sizeof why,
                 "asm takes letters, digits, blanks and %s with ; or a line's end after each instruction",
                 rules->marks);
        return wrong_piece(piece, error, why);
    }
    size_t name = 0;
    while (name < piece->length && (isalnum((unsigned char)piece->start[name]) || piece->start[name] == '_'))
        name++;
    if (name < piece->length && piece->start[name] == ':')
        return wrong_piece(piece, error, "a label; asm takes only instructions, run in sequence");
    if (rules->is_prefix != NULL && rules->is_prefix(piece->start, name))
        return wrong_piece(piece, error, "prefixes are not accepted; xchg with memory locks by itself");
    return parentheses > MOST_PARENTHESES ? wrong_piece(piece, error, "more than 8 parentheses") : STATUS_OK;
}

/* Cuts the next instruction off *text; a length of 0 at the end. */
static struct text_piece next_piece(const char **text, unsigned *line)
{
    static const char ends[] = ";\n";
    while (**text != '\0' && strchr(" \t;\n", **text) != NULL)
        *line += *(*text)++ == '\n';
    struct text_piece piece = {*text, strcspn(*text, ends), *line};
    *text += piece.length;
    while (piece.length > 0 && strchr(" \t", piece.start[piece.length - 1]) != NULL)
        piece.length--;
    return piece;
}

/* ---- registers in place of braces ---- */

struct filling {
    const struct behaviour *item;
    const struct register_use *given;
    const struct isa *isa;
    struct error *error;
};

static enum status append_register(const struct filling *filling, const struct text_piece *piece,
                                   const char *at, struct buffer *line)
{
    bool loaded = strncmp(at, LOADED, strlen(LOADED)) == 0;
    char *end = (char *)at + strlen(LOADED);
    char name[8];
    unsigned long index = loaded ? filling->item->registers : strtoul(at + 2, &end, 10);
    char why[160];
    if (!loaded && index >= filling->item->registers) {
        snprintf(why, sizeof why, "{r%lu} is none of its registers: asm.registers = %u, counted from {r0}",
                 index, filling->item->registers);
        return wrong_piece(piece, filling->error, why);
    }
    struct register_use use = filling->given[index];
    if (*end == ':')
        use.bits = (unsigned)strtoul(end + 1, &end, 10);
    if (*end != '}' || !filling->isa->text_rules->write_register(&use, name)) {
        snprintf(why, sizeof why, "%.*s} has no such width", (int)strcspn(at, ":}"), at);
        return wrong_piece(piece, filling->error, why);
    }
    buffer_printf(line, "%s%s", filling->isa->register_prefix, name);
    return STATUS_OK;
}

/* The start of the operand that contains `at`: after a comma, or after the instruction's name. */
static const char *operand_of(const struct text_piece *piece, const char *at)
{
    const char *start = piece->start;
    for (const char *comma = at; comma > piece->start; comma--)
        if (comma[-1] == ',')
            return comma;
    for (bool braces = true; braces && start < at;) { /* "{vex3} vaddpd" */
        braces = *start == '{';
        while (start < at && strchr(" \t", *start) == NULL)
            start++;
        while (start < at && strchr(" \t", *start) != NULL)
            start++;
    }
    return start;
}

/* Checks that the operand is {memory}, alone or after numbers added to it: with a factor, or in another
 * address, its value would be unknown. */
static enum status check_sum(const struct filling *filling, const struct text_piece *piece, const char *at)
{
    static const char sum[] = " \t0123456789abcdefABCDEFxX+-";
    const char *start = operand_of(piece, at);
    const char *behind = at + strlen(MEMORY);
    const char *last = at;
    while (last > start && strchr(" \t", last[-1]) != NULL)
        last--;
    bool added = last == start || last[-1] == '+';
    for (const char *c = start; c < last; c++)
        added = added && strchr(sum, *c) != NULL;
    if (behind < piece->start + piece->length && strchr(" \t,{", *behind) == NULL)
        added = false;
    if (memmem(behind, (size_t)(piece->start + piece->length - behind), MEMORY, strlen(MEMORY)) != NULL)
        added = false;
    return added ? STATUS_OK
                 : wrong_piece(piece, filling->error,
                               "only a signed number can join {memory}, such as 8+{memory}");
}

static bool names_register(const char *at)
{
    size_t length = strlen(LOADED);
    return (strncmp(at, LOADED, length) == 0 && (at[length] == '}' || at[length] == ':')) ||
           (at[0] == '{' && at[1] == 'r' && isdigit((unsigned char)at[2]));
}

/* {r0}, {r0:32} and {loaded} become registers; {memory} stays; other braces are the assembler's own. */
static enum status fill(const struct filling *filling, const struct text_piece *piece, struct buffer *line)
{
    const char *end = piece->start + piece->length;
    for (const char *at = piece->start; at < end;) {
        const char *close = memchr(at, '}', (size_t)(end - at));
        if (names_register(at) && close != NULL) {
            enum status status = append_register(filling, piece, at, line);
            if (status != STATUS_OK)
                return status;
            at = close + 1;
            continue;
        }
        if (strncmp(at, MEMORY, strlen(MEMORY)) == 0 && filling->item->memory == 0)
            return wrong_piece(piece, filling->error,
                               "{memory} is for a text with memory: memory = 64 gives it 64 bytes");
        if (strncmp(at, MEMORY, strlen(MEMORY)) == 0) {
            enum status status = check_sum(filling, piece, at);
            if (status != STATUS_OK)
                return status;
        }
        buffer_append(line, at++, 1);
    }
    return STATUS_OK;
}

/* The start of the numbers that are added to the placeholder at `at`; *sum: their sum. */
static const char *sum_before(const char *line, const char *at, int64_t *sum)
{
    const char *start = at;
    while (start > line && strchr("0123456789abcdefABCDEFxX+- \t", start[-1]) != NULL)
        start--;
    *sum = 0;
    for (const char *number = start; number < at;) {
        char *end;
        number += strspn(number, " \t");
        bool negative = *number == '-';
        number += *number == '-' || *number == '+';
        int64_t value = strtoll(number, &end, 0);
        if (end == number)
            break;
        *sum += negative ? -value : value;
        number = end;
    }
    return start + strspn(start, " \t");
}

void user_asm_write(const char *line, uint64_t offset, const struct isa *isa, struct buffer *output)
{
    for (const char *at; (at = strstr(line, MEMORY)) != NULL; line = at + strlen(MEMORY)) {
        int64_t sum = 0;
        const char *numbers = isa->syntax.displacement_inside ? sum_before(line, at, &sum) : at;
        buffer_append(output, line, (size_t)(numbers - line));
        isa_write_address(isa, offset + (uint64_t)sum, isa->text_rules->address, output);
    }
    buffer_text(output, line);
}

static enum status cut(const struct filling *filling, struct arena *arena, struct user_asm *user_asm,
                       struct text_piece *pieces)
{
    const char *text = filling->item->text;
    unsigned line = 1;
    user_asm->lines = arena_alloc(arena, USER_ASM_INSTRUCTIONS, sizeof *user_asm->lines);
    for (;;) {
        struct text_piece piece = next_piece(&text, &line);
        if (piece.length == 0)
            break;
        struct buffer filled = {0};
        if (user_asm->line_count == USER_ASM_INSTRUCTIONS)
            return wrong_piece(&piece, filling->error, "more than 256 instructions");
        enum status status = check_piece(filling->isa->text_rules, &piece, filling->error);
        if (status == STATUS_OK)
            status = fill(filling, &piece, &filled);
        if (status == STATUS_OK) {
            pieces[user_asm->line_count] = piece;
            user_asm->lines[user_asm->line_count++] = arena_strdup(arena, filled.data);
        }
        buffer_free(&filled);
        if (status != STATUS_OK)
            return status;
    }
    if (user_asm->line_count == 0)
        return error_set(filling->error, STATUS_RECIPE, "asm's text has no instruction");
    return STATUS_OK;
}

/* ---- assembly ---- */

/* LLVM's features that the text has so far. LLVM's complaints name those that it lacks. */
struct tried {
    char features[USER_ASM_TRIED_BYTES]; /* "+sve,+lse" */
};

static bool is_tried(const struct tried *tried, const char *llvm)
{
    char word[USER_ASM_WORD_BYTES + 2];
    snprintf(word, sizeof word, "+%s,", llvm);
    return strstr(tried->features, word) != NULL;
}

/* Cuts the next of the features off a complaint: "sve2 or sme", "'Zbb' (Basic Bit-Manipulation) or 'Zbkb'
 * (...)". */
static bool next_required(const char **text, char word[USER_ASM_WORD_BYTES])
{
    bool quoted = strchr(*text, '\'') != NULL;
    const char *at = quoted ? strchr(*text, '\'') + 1 : *text + strspn(*text, " ");
    size_t length = strcspn(at, quoted ? "'" : " ");
    if (length == 0 || length >= USER_ASM_WORD_BYTES)
        return false;
    for (size_t i = 0; i < length; i++)
        word[i] = (char)tolower((unsigned char)at[i]);
    word[length] = '\0';
    *text = at + length + quoted;
    *text += !quoted && strncmp(*text, " or ", 4) == 0 ? 4 : 0;
    return true;
}

/* The machine file's name for LLVM's feature: one that the machine has, else the first; NULL: there is none.
 */
static const struct extension *extension_of(const struct isa *isa, const struct machine *machine,
                                            const char *llvm)
{
    const struct extension *first = NULL;
    for (const struct extension *row = isa->extensions; row != NULL && row->feature != NULL; row++) {
        if (strcmp(row->llvm, llvm) != 0)
            continue;
        if (has_feature(machine, row->feature))
            return row;
        first = first == NULL ? row : first;
    }
    return first;
}

/* Handles "instruction requires: sve2 or sme": true if it added one of them to the text's features; otherwise
 * *why states what is missing and which machine has it. */
static bool add_required(const struct isa *isa, const struct machine *machine, const char *complaint,
                         struct user_asm *user_asm, struct tried *tried, char why[USER_ASM_WHY_BYTES])
{
    static const char start[] = "instruction requires";
    const char *list = strstr(complaint, start);
    const struct extension *lacking = NULL;
    char first[USER_ASM_WORD_BYTES] = "";
    char word[USER_ASM_WORD_BYTES];
    snprintf(why, USER_ASM_WHY_BYTES, "%.*s", USER_ASM_WHY_BYTES - 1, complaint);
    list = list == NULL ? NULL : strchr(list, ':');
    list = isa->extensions == NULL ? NULL : list;
    for (list = list == NULL ? NULL : list + 1; list != NULL && next_required(&list, word);) {
        const struct extension *extension = extension_of(isa, machine, word);
        if (first[0] == '\0')
            snprintf(first, sizeof first, "%s", word);
        if (extension == NULL || is_tried(tried, word))
            continue;
        if (has_feature(machine, extension->feature)) {
            size_t used = strlen(tried->features);
            snprintf(tried->features + used, sizeof tried->features - used, "+%s,", word);
            add_feature(&user_asm->features, extension->feature);
            return true;
        }
        lacking = lacking == NULL ? extension : lacking;
    }
    if (lacking != NULL)
        write_lack(machine, lacking->feature, why, USER_ASM_WHY_BYTES);
    else if (first[0] != '\0')
        snprintf(why, USER_ASM_WHY_BYTES,
                 "it needs LLVM's feature %s, and no text may have its instructions: their reads and writes "
                 "are unknown",
                 first);
    return false;
}

static bool is_bare(const struct text_rules *rules, const char *line)
{
    return rules->is_bare != NULL && rules->is_bare(line);
}

/* Reports a line that the assembler or the machine refuses. */
static enum status blame(const char *line, const struct text_piece *piece, const struct isa *isa,
                         char why[USER_ASM_WHY_BYTES], struct error *error)
{
    static const char lead[] = "it needs";
    size_t used = strlen(why);
    if (strstr(line, MEMORY) != NULL && is_bare(isa->text_rules, line) &&
        strncmp(why, lead, strlen(lead)) != 0)
        snprintf(why + used, USER_ASM_WHY_BYTES - used,
                 "; its address takes no displacement: expected {memory} alone");
    enum status status = wrong_piece(piece, error, why);
    if (isa->sized_syntax && strchr(line, ',') != NULL && strpbrk(line, "%$") == NULL)
        error_hint(error, "a text is in AT&T syntax, sources first: movq %%rbx, %%rax; addq $1, {r0}");
    return status;
}

/* Assembles the text twice, because instances may follow each other: a prefix at the end would swallow what
 * follows. Fills in the features that it needs. */
static enum status assemble(struct user_asm *user_asm, const struct text_piece *pieces, const struct isa *isa,
                            const struct machine *machine, struct buffer *object, struct error *error)
{
    struct buffer source = {0};
    struct tried tried = {""};
    char why[USER_ASM_WHY_BYTES];
    for (unsigned i = 0; i < 2 * user_asm->line_count; i++) {
        const char *line = user_asm->lines[i % user_asm->line_count];
        user_asm_write(line, is_bare(isa->text_rules, line) ? 0 : isa->text_rules->farthest, isa, &source);
        buffer_text(&source, "\n");
    }
    snprintf(tried.features, sizeof tried.features, "%s%s",
             isa->extensions == NULL      ? ""
             : isa->base_features == NULL ? ""
                                          : isa->base_features,
             isa->base_features == NULL ? "" : ",");
    struct error complaint = {0};
    enum status status;
    for (;;) {
        status = mc_assemble_with(isa, isa->extensions == NULL ? isa->features : tried.features, source.data,
                                  "asm", object, &complaint);
        if (status != STATUS_FAILED || !add_required(isa, machine, complaint.message, user_asm, &tried, why))
            break;
    }
    buffer_free(&source);
    if (status == STATUS_FAILED && complaint.line >= 1 && complaint.line <= (int)user_asm->line_count)
        return blame(user_asm->lines[complaint.line - 1], &pieces[complaint.line - 1], isa, why, error);
    if (status == STATUS_FAILED)
        return error_set(error, STATUS_RECIPE, "asm's text: %s", complaint.message);
    if (status != STATUS_OK && error != NULL)
        *error = complaint;
    return status;
}

struct text_visit {
    const struct asm_context *context;
    const struct user_asm *user_asm;
    const struct text_piece *pieces;
    const uint8_t *bytes;
    unsigned count;      /* instructions so far */
    uint64_t half;       /* bytes of the text's first copy */
    struct buffer names; /* their mnemonics from the disassembler */
    enum status status;
    struct error *error;
};

static void visit_name(uint64_t offset, size_t length, const char *text, void *context)
{
    struct text_visit *visit = context;
    unsigned index = visit->count++;
    visit->half = index + 1 == visit->user_asm->line_count ? offset + length : visit->half;
    if (index < visit->user_asm->line_count)
        buffer_printf(&visit->names, "%s%.*s", index == 0 ? "" : "; ", (int)strcspn(text, ";#"), text);
}

static void visit_instruction(uint64_t offset, size_t length, const char *text, void *context)
{
    struct text_visit *visit = context;
    unsigned index = visit->count++;
    char why[USER_ASM_WHY_BYTES];
    if (visit->status == STATUS_OK && index < visit->user_asm->line_count &&
        !check_instruction(visit->context, visit->user_asm->lines[index], text, visit->bytes + offset, length,
                           why, sizeof why))
        visit->status = wrong_piece(&visit->pieces[index], visit->error, why);
}

/* Checks that each piece is one instruction, so that the two copies have twice as many as the text has
 * pieces. */
static enum status check_count(const struct text_visit *visit, const struct object_part *code)
{
    if (visit->count == 2 * visit->user_asm->line_count && 2 * visit->half == code->size)
        return STATUS_OK;
    return error_set(visit->error, STATUS_RECIPE,
                     "asm's text has a prefix that stands alone: expected whole instructions, %u of them",
                     visit->user_asm->line_count);
}

/* Checks each instruction. */
static enum status inspect(const struct filling *filling, const struct machine *machine,
                           const struct buffer *object, const struct text_piece *pieces, struct arena *arena,
                           struct user_asm *user_asm)
{
    const struct isa *isa = filling->isa;
    struct object_part code;
    struct object_part relocations;
    struct error *error = filling->error;
    enum status status = object_section(object->data, object->size, ".text", &code, error);
    if (status != STATUS_OK)
        return status;
    struct asm_context context = {filling->item, filling->given, isa->text_rules, machine, user_asm};
    struct text_visit visit = {.context = &context,
                               .user_asm = user_asm,
                               .pieces = pieces,
                               .bytes = code.bytes,
                               .status = STATUS_OK,
                               .error = error};
    status = mc_disassemble(isa, code.bytes, code.size, visit_name, &visit, error);
    visit.count = 0;
    if (status == STATUS_OK)
        status = mc_disassemble_sized(isa, code.bytes, code.size, visit_instruction, &visit, error);
    if (status == STATUS_OK)
        status = visit.status;
    if (status == STATUS_OK &&
        object_section(object->data, object->size, ".rela.text", &relocations, NULL) == STATUS_OK)
        status =
            error_set(error, STATUS_RECIPE,
                      "asm's text names a symbol, but programs have none: expected registers, numbers and "
                      "{memory}");
    if (status == STATUS_OK)
        status = check_count(&visit, &code);
    if (status == STATUS_OK)
        user_asm->form = (struct form){.name = "asm",
                                       .bytes = (unsigned)visit.half,
                                       .mnemonic = "",
                                       .text = arena_strdup(arena, visit.names.data),
                                       .instructions = user_asm->line_count};
    buffer_free(&visit.names);
    return status;
}

/* Adds the copy of the loaded value, which precedes the text, to its form. */
static enum status add_copy(const struct template *templates, struct arena *arena, struct user_asm *user_asm,
                            struct error *error)
{
    const struct form *copy = template_form(templates, USER_ASM_COPY);
    struct form *form = &user_asm->form;
    if (copy == NULL)
        return error_set(error, STATUS_RECIPE, "the templates of %s have no row %s: expected no {loaded}",
                         templates->isa->name, USER_ASM_COPY);
    struct buffer text = {0};
    buffer_printf(&text, "%s; %s", copy->text, form->text);
    form->text = arena_strdup(arena, text.data);
    form->bytes += copy->bytes;
    form->instructions += copy->instructions;
    buffer_free(&text);
    return STATUS_OK;
}

enum status user_asm_make(const struct behaviour *item, const struct register_use *given,
                          const struct template *templates, const struct machine *machine,
                          struct arena *arena, struct user_asm *user_asm, struct error *error)
{
    memset(user_asm, 0, sizeof *user_asm);
    struct filling filling = {item, given, templates->isa, error};
    struct buffer object = {0};
    enum status status = STATUS_OK;
    struct text_piece *pieces = arena_alloc(arena, USER_ASM_INSTRUCTIONS, sizeof *pieces);
    status = cut(&filling, arena, user_asm, pieces);
    if (status == STATUS_OK)
        status = assemble(user_asm, pieces, templates->isa, machine, &object, error);
    if (status == STATUS_OK)
        status = inspect(&filling, machine, &object, pieces, arena, user_asm);
    if (status == STATUS_OK && item->consumes)
        status = add_copy(templates, arena, user_asm, error);
    buffer_free(&object);
    return status == STATUS_RECIPE ? behaviour_at_recipe(item, error) : status;
}
