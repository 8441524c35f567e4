#include "generator/emit/user_asm.h"

#include "generator/emit/user_asm_check.h"
#include "isa/mc.h"
#include "isa/object.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 250, MOST_PARENTHESES = 8, USER_ASM_WHY_BYTES = 320 };

static const char MEMORY[] = USER_ASM_MEMORY;

/* ---- instructions of the text ---- */

/* One instruction's place in the text. */
struct piece {
    const char *start;
    size_t length;
    unsigned line; /* of the text, from 1 */
};

static enum status wrong_piece(const struct piece *piece, struct error *error, const char *why)
{
    return error_set(error, STATUS_RECIPE, "line %u of asm's text, '%.*s': %s", piece->line,
                     (int)(piece->length > 60 ? 60 : piece->length), piece->start, why);
}

static enum status check_piece(const struct text_rules *rules, const struct piece *piece, struct error *error)
{
    static const char allowed[] = " \t%$,()+-*{}:._";
    unsigned parentheses = 0;
    if (piece->length > LONGEST_LINE)
        return wrong_piece(piece, error, "an instruction of more than 250 characters");
    if (piece->start[0] == '.')
        return wrong_piece(piece, error, "a directive; asm takes instructions alone");
    if (!isalpha((unsigned char)piece->start[0]) && piece->start[0] != '{')
        return wrong_piece(piece, error, "expected an instruction, which begins with its name");
    for (size_t i = 0; i < piece->length; i++) {
        char c = piece->start[i];
        parentheses += c == '(';
        if (!isalnum((unsigned char)c) && strchr(allowed, c) == NULL)
            return wrong_piece(piece, error,
                               "asm takes letters, digits, blanks and %$,()+-*{}:._ with ; or a line's end "
                               "after each instruction");
    }
    size_t name = 0;
    while (name < piece->length && (isalnum((unsigned char)piece->start[name]) || piece->start[name] == '_'))
        name++;
    if (name < piece->length && piece->start[name] == ':')
        return wrong_piece(piece, error, "a label; asm takes instructions alone, one after the other");
    if (rules->is_prefix(piece->start, name))
        return wrong_piece(piece, error, "prefixes are not taken; xchg with memory locks by itself");
    return parentheses > MOST_PARENTHESES ? wrong_piece(piece, error, "more than 8 parentheses") : STATUS_OK;
}

/* Cuts the next instruction off *text; a length of 0 at the end. */
static struct piece next_piece(const char **text, unsigned *line)
{
    static const char ends[] = ";\n";
    while (**text != '\0' && strchr(" \t;\n", **text) != NULL)
        *line += *(*text)++ == '\n';
    struct piece piece = {*text, strcspn(*text, ends), *line};
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

static enum status append_register(const struct filling *filling, const struct piece *piece,
                                   const char *inside, struct buffer *line)
{
    char *end;
    char name[8];
    unsigned long index = strtoul(inside + 1, &end, 10);
    char why[160];
    if (index >= filling->item->registers) {
        snprintf(why, sizeof why, "{r%lu} is none of its registers: asm.registers gives it %u, from {r0} on",
                 index, filling->item->registers);
        return wrong_piece(piece, filling->error, why);
    }
    struct register_use use = filling->given[index];
    if (*end == ':')
        use.bits = (unsigned)strtoul(end + 1, &end, 10);
    if (*end != '}' || !filling->isa->text_rules->write_register(&use, name)) {
        snprintf(why, sizeof why, "{r%lu} has no such width", index);
        return wrong_piece(piece, filling->error, why);
    }
    buffer_printf(line, "%s%s", filling->isa->register_prefix, name);
    return STATUS_OK;
}

/* Where the operand begins that holds `at`: behind a comma, or behind the instruction's name. */
static const char *operand_of(const struct piece *piece, const char *at)
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

/* An operand is {memory}, alone or behind numbers that are added to it: what its place is times something,
 * or what has it beside another address, is none that can be known. */
static enum status check_sum(const struct filling *filling, const struct piece *piece, const char *at)
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
                 : wrong_piece(
                       piece, filling->error,
                       "a number joins {memory} with a sign, such as 8+{memory}, and nothing else does");
}

/* {r0} and {r0:32} become registers; {memory} stays; other braces are the assembler's own. */
static enum status fill(const struct filling *filling, const struct piece *piece, struct buffer *line)
{
    const char *end = piece->start + piece->length;
    for (const char *at = piece->start; at < end;) {
        const char *close = memchr(at, '}', (size_t)(end - at));
        if (at[0] == '{' && at[1] == 'r' && isdigit((unsigned char)at[2]) && close != NULL) {
            enum status status = append_register(filling, piece, at + 1, line);
            if (status != STATUS_OK)
                return status;
            at = close + 1;
            continue;
        }
        if (strncmp(at, MEMORY, strlen(MEMORY)) == 0 && filling->item->memory == 0)
            return wrong_piece(piece, filling->error,
                               "{memory} is for a text that has some: memory = 64 gives it 64 bytes");
        if (strncmp(at, MEMORY, strlen(MEMORY)) == 0) {
            enum status status = check_sum(filling, piece, at);
            if (status != STATUS_OK)
                return status;
        }
        buffer_append(line, at++, 1);
    }
    return STATUS_OK;
}

void user_asm_write(const char *line, uint64_t offset, const struct isa *isa, struct buffer *output)
{
    for (const char *at; (at = strstr(line, MEMORY)) != NULL; line = at + strlen(MEMORY)) {
        buffer_append(output, line, (size_t)(at - line));
        isa_write_address(isa, offset, isa->text_rules->address, output);
    }
    buffer_text(output, line);
}

static enum status cut(const struct filling *filling, struct arena *arena, struct user_asm *user_asm,
                       struct piece *pieces)
{
    const char *text = filling->item->text;
    unsigned line = 1;
    user_asm->lines = arena_alloc(arena, USER_ASM_INSTRUCTIONS, sizeof *user_asm->lines);
    for (;;) {
        struct piece piece = next_piece(&text, &line);
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

/* ---- what the assembler makes of them ---- */

/* The text twice, as one instance of it may follow another: a prefix at its end would swallow what comes
 * next. */
static enum status assemble(const struct user_asm *user_asm, const struct piece *pieces,
                            const struct isa *isa, struct buffer *object, struct error *error)
{
    struct buffer source = {0};
    for (unsigned i = 0; i < 2 * user_asm->line_count; i++) {
        user_asm_write(user_asm->lines[i % user_asm->line_count], isa->text_rules->farthest, isa, &source);
        buffer_text(&source, "\n");
    }
    struct error complaint = {0};
    enum status status = mc_assemble(isa, source.data, "asm", object, &complaint);
    buffer_free(&source);
    if (status == STATUS_FAILED && complaint.line >= 1 && complaint.line <= (int)user_asm->line_count)
        return wrong_piece(&pieces[complaint.line - 1], error, complaint.message);
    if (status == STATUS_FAILED)
        return error_set(error, STATUS_RECIPE, "asm's text: %s", complaint.message);
    if (status != STATUS_OK && error != NULL)
        *error = complaint;
    return status;
}

struct visit {
    const struct user_asm_context *context;
    const struct user_asm *user_asm;
    const struct piece *pieces;
    const uint8_t *bytes;
    unsigned count;      /* instructions so far */
    uint64_t half;       /* bytes of as many instructions as the text has */
    struct buffer names; /* what the disassembler calls them */
    enum status status;
    struct error *error;
};

static void visit_name(uint64_t offset, size_t length, const char *text, void *context)
{
    struct visit *visit = context;
    unsigned index = visit->count++;
    visit->half = index + 1 == visit->user_asm->line_count ? offset + length : visit->half;
    if (index < visit->user_asm->line_count)
        buffer_printf(&visit->names, "%s%.*s", index == 0 ? "" : "; ", (int)strcspn(text, ";#"), text);
}

static void visit_instruction(uint64_t offset, size_t length, const char *text, void *context)
{
    struct visit *visit = context;
    unsigned index = visit->count++;
    char why[USER_ASM_WHY_BYTES];
    if (visit->status == STATUS_OK && index < visit->user_asm->line_count &&
        !user_asm_check(visit->context, visit->user_asm->lines[index], text, visit->bytes + offset, length,
                        why, sizeof why))
        visit->status = wrong_piece(&visit->pieces[index], visit->error, why);
}

/* Each piece is one instruction: there are as many as the text has, twice. */
static enum status check_count(const struct visit *visit, const struct object_part *code)
{
    if (visit->count == 2 * visit->user_asm->line_count && 2 * visit->half == code->size)
        return STATUS_OK;
    return error_set(visit->error, STATUS_RECIPE,
                     "asm's text has a prefix that stands alone: expected whole instructions, %u of them",
                     visit->user_asm->line_count);
}

/* Looks at each instruction. */
static enum status inspect(const struct filling *filling, const struct machine *machine,
                           const struct buffer *object, const struct piece *pieces, struct arena *arena,
                           struct user_asm *user_asm)
{
    const struct isa *isa = filling->isa;
    struct object_part code;
    struct object_part relocations;
    struct error *error = filling->error;
    enum status status = object_section(object->data, object->size, ".text", &code, error);
    if (status != STATUS_OK)
        return status;
    struct user_asm_context context = {filling->item, filling->given, isa->text_rules, machine,
                                       &user_asm->features};
    struct visit visit = {.context = &context,
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
                      "asm's text names a symbol, and no program has any: expected registers, numbers and "
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

enum status user_asm_make(const struct behaviour *item, const struct register_use *given,
                          const struct template *templates, const struct machine *machine,
                          struct arena *arena, struct user_asm *user_asm, struct error *error)
{
    memset(user_asm, 0, sizeof *user_asm);
    struct filling filling = {item, given, templates->isa, error};
    struct buffer object = {0};
    enum status status = STATUS_OK;
    struct piece *pieces = arena_alloc(arena, USER_ASM_INSTRUCTIONS, sizeof *pieces);
    status = cut(&filling, arena, user_asm, pieces);
    if (status == STATUS_OK)
        status = assemble(user_asm, pieces, templates->isa, &object, error);
    if (status == STATUS_OK)
        status = inspect(&filling, machine, &object, pieces, arena, user_asm);
    buffer_free(&object);
    if (status == STATUS_RECIPE && item->line > 0 && item->file != NULL)
        error_at(error, item->file, item->line);
    return status;
}
