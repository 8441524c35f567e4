#include "runner/instruction/instruction_text.h"

#include "isa/mc.h"
#include "isa/object.h"
#include "runner/probe/code.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SECTION_NAME_BYTES = 16, PREFIX_BYTES = 8, ROW_BYTES = 80, WHOLE_VECTOR = 512, LEAST_VECTOR = 128 };
static const char LEAST_LOAD[] = "load.v.128";

static const char HIGH_POOL[] = "pool.v.high"; /* of vectors that only wide forms reach */

/* The farthest displacement of a memory operand that the operand's memory has. */
static const int64_t DISPLACEMENT_MOST = 1024;

bool insn_pool(const struct template *texts, const char *section, unsigned n, struct register_use *use)
{
    const char *at = template_section(texts, section);
    for (; at != NULL; n--) {
        at += strspn(at, " \n");
        size_t length = strcspn(at, " \n");
        if (length == 0)
            return false;
        if (n == 0)
            return texts->isa->text_rules->read_register(at, length, use);
        at += length;
    }
    return false;
}

/* ---- the user's text ---- */

/* The text while its placeholders are replaced, and the registers that replace them. */
struct insn_reading {
    const struct template *texts;
    const struct text_rules *rules;
    bool intel;
    bool named[INSN_TOKENS]; /* {r0}, {r1}, ... */
    struct register_use replaced[INSN_TOKENS];
    char names[INSN_TOKENS][INSN_NAME_BYTES];
    unsigned replaced_count;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* AT&T's has a mark before each register and number; Intel's names registers bare, and addresses in [ ]. */
static bool is_intel(const char *text, const struct text_rules *rules)
{
    if (strpbrk(text, "%$(") != NULL)
        return false;
    if (strchr(text, '[') != NULL)
        return true;
    for (const char *at = text; *at != '\0';) {
        size_t length = 0;
        struct register_use use;
        while (is_word(at[length]))
            length++;
        bool braced = at > text && at[-1] == '{';
        if (length > 0 && !braced && at > text && rules->read_register(at, length, &use))
            return true;
        at += length > 0 ? length : 1;
    }
    return false;
}

/* A register in braces, from a row of the section "names": with "q pool.v 128 q", {q0} is written as q and
 * the number of the pool's first register. */
struct stand_in {
    struct register_use use;
    char prefix[PREFIX_BYTES]; /* "": by its kind and bits */
};

/* The register for {r0}, {x1} or {r0:32}; false if there is none. */
static bool find_stand_in(struct insn_reading *reading, const char *inside, size_t length,
                          struct stand_in *found)
{
    const char *line = template_section(reading->texts, "names");
    for (; line != NULL && *line != '\0'; line = probe_next_line(line)) {
        char letter, *end;
        char pool[SECTION_NAME_BYTES];
        unsigned bits;
        char row[ROW_BYTES];
        snprintf(row, sizeof row, "%.*s", (int)strcspn(line, "\n"), line);
        found->prefix[0] = '\0';
        if (sscanf(row, "%c %15s %u %7s", &letter, pool, &bits, found->prefix) < 3)
            continue;
        if (letter != inside[0] || length < 2 || !isdigit((unsigned char)inside[1]))
            continue;
        unsigned long number = strtoul(inside + 1, &end, 10);
        if (!insn_pool(reading->texts, pool, (unsigned)number, &found->use))
            return false;
        found->use.bits = *end == ':' ? (unsigned)strtoul(end + 1, &end, 10) : bits;
        return end == inside + length;
    }
    return false;
}

/* "{r0} to {r12}, {x0} to {x15}" */
static void describe_stand_ins(const struct template *texts, char *output, size_t size)
{
    const char *line = template_section(texts, "names");
    size_t used = 0;
    output[0] = '\0';
    for (; line != NULL && *line != '\0'; line = probe_next_line(line)) {
        char letter;
        char pool[SECTION_NAME_BYTES];
        struct register_use use;
        unsigned count = 0;
        if (sscanf(line, "%c %15s", &letter, pool) != 2)
            continue;
        while (insn_pool(texts, pool, count, &use))
            count++;
        int wrote = snprintf(output + used, size - used, "%s{%c0} to {%c%u}", used > 0 ? ", " : "", letter,
                             letter, count - 1);
        used += wrote > 0 && (size_t)wrote < size - used ? (size_t)wrote : 0;
    }
}

/* True if a row of the section "names" has this letter; other braces are part of the syntax. */
static bool is_stand_in(const struct template *texts, const char *brace)
{
    const char *line = template_section(texts, "names");
    for (; line != NULL && *line != '\0'; line = probe_next_line(line))
        if (line[0] == brace[1] && isdigit((unsigned char)brace[2]))
            return true;
    return false;
}

static bool is_same(const struct register_use *a, const struct register_use *b)
{
    return a->kind == b->kind && a->number == b->number;
}

static void remember(struct insn_reading *reading, const struct register_use *use, const char *name)
{
    for (unsigned i = 0; i < reading->replaced_count; i++)
        if (is_same(&reading->replaced[i], use))
            return;
    if (reading->replaced_count == INSN_TOKENS)
        return;
    reading->replaced[reading->replaced_count] = *use;
    snprintf(reading->names[reading->replaced_count++], INSN_NAME_BYTES, "{%.*s}", (int)strcspn(name, ":}"),
             name);
}

/* {k1} after an operand is its mask in Intel's syntax, and no operand. */
static bool begins_operand(const char *text, const char *brace)
{
    const char *at = brace;
    while (at > text && strchr(" \t", at[-1]) != NULL)
        at--;
    if (at == text || at[-1] == ',')
        return true;
    for (; at > text; at--)
        if (!is_word(at[-1]))
            return false;
    return true; /* after the mnemonic */
}

static enum status refuse_stand_in(const struct insn_reading *reading, const char *text, size_t length,
                                   struct error *error)
{
    char known[ROW_BYTES * 3];
    describe_stand_ins(reading->texts, known, sizeof known);
    return error_set(error, STATUS_USAGE, "there is no %.*s: expected %s, or {r0:32}", (int)length, text,
                     known);
}

/* Appends the text with {r0} and {memory} replaced. */
static enum status fill(struct insn_reading *reading, const char *text, struct buffer *output,
                        struct error *error)
{
    const struct isa *isa = reading->texts->isa;
    char name[SECTION_NAME_BYTES];
    for (const char *at = text; *at != '\0';) {
        size_t length = at[0] == '{' && at[1] != '{' ? strcspn(at, "}") : 0; /* "{{v0}.16b}": a list */
        struct stand_in found = {0};
        if (length == 0 || at[length] != '}') {
            buffer_append(output, at++, 1);
            continue;
        }
        bool memory = strncmp(at, "{memory}", length + 1) == 0 || strncmp(at, "{m}", length + 1) == 0;
        bool known = memory ? insn_pool(reading->texts, "pool.memory", 0, &found.use)
                            : find_stand_in(reading, at + 1, length - 1, &found);
        if (!known && !memory && is_stand_in(reading->texts, at))
            return refuse_stand_in(reading, at, length + 1, error);
        struct register_use use = found.use;
        bool mask = known && use.kind == 'k' && !begins_operand(text, at);
        bool replaced = known && !mask;
        use.bits = memory ? 64 : use.bits;
        if (replaced && found.prefix[0] != '\0')
            snprintf(name, sizeof name, "%s%u", found.prefix, use.number);
        else if (replaced && !reading->rules->write_register(&use, name))
            return error_set(error, STATUS_USAGE, "%.*s has no such width", (int)length + 1, at);
        if (replaced && memory && reading->intel)
            buffer_printf(output, "[%s]", name);
        else if (replaced && memory)
            isa_write_address(isa, 0, name, output);
        else if (replaced)
            buffer_printf(output, "%s%s", reading->intel ? "" : isa->register_prefix, name);
        else if (mask && !reading->intel)
            buffer_printf(output, "{%s%.*s}", isa->register_prefix, (int)length - 1, at + 1);
        else
            buffer_append(output, at, length + 1);
        if (replaced)
            remember(reading, &use, at + 1);
        at += length + 1;
    }
    return STATUS_OK;
}

/* Accepts one instruction only: the assembler would also accept directives and labels. */
static enum status check_form(const char *text, struct error *error)
{
    if (!isalpha((unsigned char)text[0]) && text[0] != '{')
        return error_set(error, STATUS_USAGE, "expected an instruction, which begins with its name");
    if (strpbrk(text, ";\n\"'\\@=") != NULL)
        return error_set(error, STATUS_USAGE, "expected one instruction, found '%c' in it",
                         *strpbrk(text, ";\n\"'\\@="));
    size_t name = 0;
    while (is_word(text[name]) || text[name] == '.')
        name++;
    if (text[name] == ':')
        return error_set(error, STATUS_USAGE, "a label is not an instruction");
    return STATUS_OK;
}

/* ---- the assembler's reading of it ---- */

struct lines {
    const char *comment; /* how one begins */
    char first[INSN_TEXT_BYTES];
    unsigned count;
};

static void take_line(uint64_t offset, size_t length, const char *text, void *context)
{
    struct lines *lines = context;
    (void)offset;
    (void)length;
    if (lines->count++ == 0) {
        const char *comment = strstr(text, lines->comment);
        size_t line = strcspn(text, "\n");
        line = comment != NULL && (size_t)(comment - text) < line ? (size_t)(comment - text) : line;
        snprintf(lines->first, sizeof lines->first, "%.*s", (int)line, text);
        for (char *c = lines->first; *c != '\0'; c++)
            *c = *c == '\t' ? ' ' : *c;
        size_t end = strlen(lines->first);
        while (end > 0 && lines->first[end - 1] == ' ')
            lines->first[--end] = '\0';
    }
}

static enum status refuse_text(bool intel, const char *text, const struct error *complaint,
                               struct error *error)
{
    error_set(error, STATUS_USAGE, "the assembler refuses it: %s", complaint->message);
    if (strchr(text, ' ') == NULL)
        error_hint(error, "operands follow the name: '%.20s {r0}, {r1}'", text);
    else if (intel)
        error_hint(error, "it was read in Intel's syntax, as it names a register without %%: %s", text);
    return STATUS_USAGE;
}

/* Assembles one line and disassembles it in both syntaxes; *bytes receives its encoding. */
static enum status assemble(const struct isa *isa, bool intel, const char *text, struct lines *plain,
                            struct lines *sized, struct buffer *bytes, struct error *error)
{
    struct buffer source = {0};
    struct buffer object = {0};
    struct object_part code = {0};
    struct object_part relocations;
    struct error complaint;
    *plain = *sized = (struct lines){.comment = isa->syntax.comment};
    buffer_printf(&source, "    .text\n%s    %s\n", intel ? "    .intel_syntax noprefix\n" : "", text);
    enum status status = mc_assemble(isa, source.data, "", &object, &complaint);
    if (status == STATUS_FAILED)
        status = refuse_text(intel, text, &complaint, error);
    else if (status != STATUS_OK)
        *error = complaint;
    if (status == STATUS_OK)
        status = object_section(object.data, object.size, ".text", &code, error);
    if (status == STATUS_OK &&
        object_section(object.data, object.size, ".rela.text", &relocations, NULL) == STATUS_OK)
        status = error_set(error, STATUS_USAGE, "it names a symbol: expected registers, numbers and memory");
    if (status == STATUS_OK)
        status = mc_disassemble(isa, code.bytes, code.size, take_line, plain, error);
    if (status == STATUS_OK)
        status = mc_disassemble_sized(isa, code.bytes, code.size, take_line, sized, NULL);
    if (status == STATUS_OK && plain->count != 1)
        status = error_set(error, STATUS_USAGE,
                           plain->count == 0     ? "it has no code"
                           : isa->prefix == NULL ? "it is more than one instruction"
                                                 : "a prefix other than lock cannot be measured");
    if (status == STATUS_OK)
        buffer_append(bytes, code.bytes, code.size);
    buffer_free(&object);
    buffer_free(&source);
    return status;
}

/* ---- operands ---- */

static enum status refuse_shared(const struct insn_slot *slot, struct error *error)
{
    return error_set(error, STATUS_USAGE,
                     "its address shares %s with another operand: expected a register of its own",
                     slot->name);
}

static enum status add_slot(const struct insn_reading *reading, const struct register_use *use,
                            struct insn *insn, unsigned *index, struct error *error)
{
    for (unsigned i = 0; i < insn->slot_count; i++) {
        struct insn_slot *slot = &insn->slots[i];
        if (!is_same(&slot->use, use))
            continue;
        slot->use.bits = use->bits > slot->use.bits ? use->bits : slot->use.bits;
        *index = i;
        return STATUS_OK;
    }
    if (insn->slot_count == INSN_SLOTS)
        return error_set(error, STATUS_USAGE, "it uses more than %d registers", INSN_SLOTS);
    struct insn_slot *slot = &insn->slots[ *index = insn->slot_count++];
    *slot = (struct insn_slot){.use = *use};
    for (unsigned i = 0; i < reading->replaced_count; i++)
        if (is_same(&reading->replaced[i], use))
            memcpy(slot->name, reading->names[i], sizeof slot->name);
    if (slot->name[0] == '\0')
        (void)reading->rules->write_register(use, slot->name);
    return STATUS_OK;
}

static enum status add_token(const struct insn_reading *reading, const char *at, size_t mark, size_t length,
                             const struct register_use *use, struct insn *insn, struct error *error)
{
    if (insn->token_count == INSN_TOKENS)
        return error_set(error, STATUS_USAGE, "it names more than %d registers", INSN_TOKENS);
    struct insn_token *token = &insn->tokens[insn->token_count++];
    *token = (struct insn_token){(size_t)(at - insn->text), mark + length, 0, use->bits, *use};
    unsigned before = insn->slot_count;
    enum status status = add_slot(reading, use, insn, &token->slot, error);
    if (status != STATUS_OK)
        return status;
    struct insn_slot *slot = &insn->slots[token->slot];
    if (insn->slot_count > before && slot->name[0] != '{') /* "ah", which is no register of its own */
        snprintf(slot->name, sizeof slot->name, "%.*s", (int)length, at + mark);
    return STATUS_OK;
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (is_word(at[length]))
        length++;
    return length;
}

static bool has_word(const char *list, const char *word, size_t length)
{
    for (const char *at = list; at != NULL && (at = strstr(at, word)) != NULL; at++)
        if (strcspn(at, " \n") == length && (at == list || strchr(" \n", at[-1]) != NULL))
            return true;
    return false;
}

/* Without a mark before registers, other words are conditions, shifts and the like, or registers that are
 * always 0. */
static enum status read_bare_tokens(const struct insn_reading *reading, struct insn *insn,
                                    struct error *error)
{
    const char *constants = template_section(reading->texts, "constants");
    enum status status = STATUS_OK;
    const char *at = insn->text + strcspn(insn->text, " ");
    while (status == STATUS_OK && *at != '\0') {
        char word[INSN_NAME_BYTES];
        struct register_use use;
        bool number = *at == '#' || isdigit((unsigned char)*at) || *at == '.';
        size_t length = word_length(at + (number && !isdigit((unsigned char)*at)));
        if (number || length == 0) {
            at += length > 0 ? length : 1;
            continue;
        }
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (!has_word(constants, word, length) && reading->rules->read_register(at, length, &use))
            status = add_token(reading, at, 0, length, &use, insn, error);
        at += length;
    }
    return status;
}

/* Finds the registers that the text names. */
static enum status read_tokens(const struct insn_reading *reading, struct insn *insn, struct error *error)
{
    size_t mark = strlen(insn->isa->register_prefix);
    if (mark == 0)
        return read_bare_tokens(reading, insn, error);
    for (const char *at = insn->text; (at = strstr(at, insn->isa->register_prefix)) != NULL;) {
        size_t length = word_length(at + mark);
        struct register_use use;
        if (!reading->rules->read_register(at + mark, length, &use))
            return error_set(error, STATUS_USAGE, "it names %.*s, which cannot be measured",
                             (int)(mark + length), at);
        enum status status = add_token(reading, at, mark, length, &use, insn, error);
        if (status != STATUS_OK)
            return status;
        at += mark + length;
    }
    return STATUS_OK;
}

static bool is_in_pool(const struct template *texts, const char *pool, const struct register_use *use)
{
    struct register_use one;
    for (unsigned n = 0; insn_pool(texts, pool, n, &one); n++)
        if (is_same(&one, use))
            return true;
    return false;
}

const char *insn_pool_of(const struct insn *insn, unsigned slot)
{
    const struct register_use *use = &insn->slots[slot].use;
    return use->kind == 'r'                          ? "pool.r"
           : use->kind == 'k'                        ? "pool.k"
           : use->kind == 'w'                        ? "pool.w"
           : is_in_pool(insn->texts, HIGH_POOL, use) ? HIGH_POOL
                                                     : "pool.v";
}

/* The first register of the pool that belongs to no slot and is not used yet. */
static bool find_free(const struct insn *insn, const struct template *texts, const char *pool,
                      const struct register_use *uses, unsigned used, struct register_use *free)
{
    for (unsigned n = 0; insn_pool(texts, pool, n, free); n++) {
        bool taken = false;
        for (unsigned j = 0; j < insn->slot_count; j++)
            taken = taken || is_same(&insn->slots[j].use, free) || (j < used && is_same(&uses[j], free));
        if (!taken)
            return true;
    }
    return false;
}

/* Gives an address a register of its own if the text also has it elsewhere: "(%rax), %rax" is measured as
 * "(%rbp), %rax", as a chain ties the one to the other anyway. */
static enum status separate_token(const struct insn_reading *reading, struct insn *insn,
                                  struct insn_token *token, struct error *error)
{
    const struct insn_slot *shared = &insn->slots[token->slot];
    bool alone = true;
    for (unsigned i = 0; i < insn->token_count; i++)
        alone = alone && (&insn->tokens[i] == token || insn->tokens[i].slot != token->slot);
    if (alone)
        return STATUS_OK;
    struct register_use own;
    char name[INSN_NAME_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)sizeof name - 1, shared->name);
    if (!find_free(insn, reading->texts, insn_pool_of(insn, token->slot), NULL, 0, &own))
        return refuse_shared(shared, error);
    own.bits = token->bits;
    enum status status = add_slot(reading, &own, insn, &token->slot, error);
    if (status == STATUS_OK)
        memcpy(insn->slots[token->slot].name, name, sizeof name);
    return status;
}

/* Finds the displacement in "8(%rax,%rcx,4)" or in "[x1, #8]". */
static enum status read_displacement(struct insn *insn, size_t open, size_t close, struct error *error)
{
    const struct syntax *syntax = &insn->isa->syntax;
    size_t begin = open;
    size_t end = open;
    if (syntax->displacement_inside) {
        const char *comma = strchr(insn->text + open, ',');
        size_t at = comma == NULL ? close : (size_t)(comma - insn->text);
        begin = end = close;
        if (at < close) {
            const char *number = comma + 1 + strspn(comma + 1, " ");
            insn->rigid = *number != syntax->immediate; /* an index instead */
            begin = insn->rigid ? close : at;
            insn->displacement = insn->rigid ? 0 : strtoll(number + 1, NULL, 0);
        }
    } else {
        while (begin > 0 && (is_word(insn->text[begin - 1]) || insn->text[begin - 1] == '-'))
            begin--;
        insn->displacement = end > begin ? strtoll(insn->text + begin, NULL, 0) : 0;
        if (insn->text[begin] == '%' || (begin > 0 && insn->text[begin - 1] == ':'))
            return error_set(error, STATUS_USAGE, "its address is in a segment");
    }
    insn->displacement_at = begin;
    insn->displacement_length = end - begin;
    return STATUS_OK;
}

/* The memory operand: "8(%rax,%rcx,4)". */
static enum status read_memory(const struct insn_reading *reading, const struct text_instruction *known,
                               struct insn *insn, struct error *error)
{
    const struct syntax *syntax = &insn->isa->syntax;
    const char *found = strrchr(insn->text, syntax->open);
    if (known->memory == TEXT_NO_MEMORY)
        return STATUS_OK;
    if (found == NULL)
        return error_set(error, STATUS_USAGE, "its address is a number: expected a register, as in {memory}");
    size_t open = (size_t)(found - insn->text);
    const char *last = strchr(found, syntax->close);
    size_t close = last == NULL ? strlen(insn->text) : (size_t)(last - insn->text);
    enum status status = read_displacement(insn, open, close, error);
    if (status != STATUS_OK)
        return status;
    insn->memory = known->memory == TEXT_ACCESS;
    insn->memory_bytes = known->bytes < WHOLE_VECTOR / 8 ? known->bytes : WHOLE_VECTOR / 8;
    insn->rigid = insn->rigid || known->bare;
    if (!insn->memory)
        return STATUS_OK; /* lea's registers are ordinary operands */
    if (insn->displacement > DISPLACEMENT_MOST || insn->displacement < -DISPLACEMENT_MOST)
        return error_set(error, STATUS_USAGE, "its displacement is %" PRId64 ": expected at most %" PRId64,
                         insn->displacement, DISPLACEMENT_MOST);
    bool based = false;
    for (unsigned i = 0; i < insn->token_count; i++) {
        struct insn_token *token = &insn->tokens[i];
        if (token->start < open || token->start > close)
            continue;
        bool first = token->start == open + 1;
        status = separate_token(reading, insn, token, error);
        if (status != STATUS_OK)
            return status;
        insn->slots[token->slot].base = first;
        insn->slots[token->slot].index = !first;
        based = based || first;
    }
    return based ? STATUS_OK
                 : error_set(error, STATUS_USAGE,
                             "its address has no base register: expected one, as in {memory}");
}

/* The registers that it uses without naming them, or beside naming them, as mul does rax: those are listed
 * more often than the text has them. */
static enum status add_implicit(const struct insn_reading *reading, const struct text_instruction *known,
                                struct insn *insn, struct error *error)
{
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < known->name_count; i++) {
        struct register_use use, other;
        unsigned index, listed = 0, written = 0;
        if (!reading->rules->read_register(known->names[i], strlen(known->names[i]), &use)) {
            if (insn->isa->register_prefix[0] == '\0') /* the stack's, for instance */
                return error_set(error, STATUS_USAGE, "it names %s, which cannot be measured",
                                 known->names[i]);
            continue;
        }
        for (unsigned j = 0; j < known->name_count; j++)
            listed += reading->rules->read_register(known->names[j], strlen(known->names[j]), &other) &&
                      is_same(&other, &use);
        for (unsigned j = 0; j < insn->token_count; j++)
            written += is_same(&insn->tokens[j].written, &use);
        if (listed <= written)
            continue;
        status = add_slot(reading, &use, insn, &index, error);
        if (status != STATUS_OK)
            return status;
        struct insn_slot *slot = &insn->slots[index];
        slot->fixed = true;
        slot->implicit = written == 0;
        if (slot->base || slot->index)
            return refuse_shared(slot, error);
    }
    return status;
}

enum status insn_assign(const struct insn *insn, const struct template *texts,
                        struct register_use uses[INSN_SLOTS], struct error *error)
{
    for (unsigned i = 0; i < insn->slot_count; i++) {
        const struct insn_slot *slot = &insn->slots[i];
        const char *pool = insn_pool_of(insn, i);
        uses[i] = slot->use;
        if (template_section(texts, pool) == NULL)
            return error_set(error, STATUS_USAGE, "it uses %s: such registers cannot be measured on %s",
                             slot->name, insn->isa->name);
        if (is_in_pool(texts, pool, &slot->use))
            continue;
        if (slot->fixed)
            return error_set(error, STATUS_USAGE, "it uses %s, which the loop around it needs", slot->name);
        if (!find_free(insn, texts, pool, uses, i, &uses[i]))
            return error_set(error, STATUS_USAGE, "it uses more registers than a loop leaves free");
        uses[i].bits = slot->use.bits;
    }
    for (unsigned i = 0; i < insn->slot_count; i++)
        if (uses[i].kind == 'v' && is_in_pool(texts, HIGH_POOL, &uses[i]))
            uses[i].bits = WHOLE_VECTOR; /* which no move of fewer bits reaches */
        else if (uses[i].kind == 'v' && uses[i].bits < LEAST_VECTOR &&
                 template_section(texts, LEAST_LOAD) != NULL)
            uses[i].bits = LEAST_VECTOR; /* no move has fewer */
    return STATUS_OK;
}

/* A register that the encoding fixes, as %cl of a shift: with another one the text has no encoding, or
 * disassembles to another text. */
static void find_fixed(struct insn *insn, const struct template *texts)
{
    for (unsigned i = 0; i < insn->slot_count; i++) {
        struct register_use uses[INSN_SLOTS];
        struct lines plain, sized;
        struct buffer text = {0};
        struct buffer bytes = {0};
        struct error unused;
        if (insn->slots[i].fixed)
            continue;
        for (unsigned j = 0; j < insn->slot_count; j++)
            uses[j] = insn->slots[j].use;
        (void)find_free(insn, texts, insn_pool_of(insn, i), uses, 0, &uses[i]); /* there are enough */
        insn_write(insn, uses, 0, &text);
        const char *bare = text.data + (insn->lock ? strlen(insn->isa->prefix) + 1 : 0);
        insn->slots[i].fixed =
            assemble(insn->isa, false, bare, &plain, &sized, &bytes, &unused) != STATUS_OK ||
            strcmp(plain.first, bare) != 0;
        buffer_free(&bytes);
        buffer_free(&text);
    }
}

/* ---- all of it ---- */

static enum status understand(struct insn_reading *reading, const struct lines *plain,
                              const struct lines *sized, const struct buffer *bytes, struct insn *insn,
                              struct error *error)
{
    struct text_instruction known;
    reading->rules->understand(sized->count > 0 ? sized->first : plain->first, (const uint8_t *)bytes->data,
                               bytes->size, &known);
    if (known.refusal[0] != '\0')
        return error_set(error, STATUS_USAGE, "%s", known.refusal);
    memcpy(insn->text, plain->first, sizeof insn->text);
    snprintf(insn->mnemonic, sizeof insn->mnemonic, "%.*s", (int)strcspn(insn->text, " "), insn->text);
    insn->size = (unsigned)bytes->size;
    insn->feature_count = known.feature_count;
    memcpy(insn->features, known.features, sizeof insn->features);
    enum status status = read_tokens(reading, insn, error);
    if (status == STATUS_OK)
        status = read_memory(reading, &known, insn, error);
    if (status == STATUS_OK)
        status = add_implicit(reading, &known, insn, error);
    if (status == STATUS_OK)
        find_fixed(insn, reading->texts);
    return status;
}

enum status insn_read(const char *given, const struct template *texts, struct insn *insn, struct error *error)
{
    const char *prefix = texts->isa->prefix;
    struct insn_reading reading = {.texts = texts, .rules = texts->isa->text_rules};
    struct lines plain, sized;
    struct buffer filled = {0};
    struct buffer bytes = {0};
    memset(insn, 0, sizeof *insn);
    insn->isa = texts->isa;
    insn->texts = texts;
    given += strspn(given, " \t");
    if (prefix != NULL && strncasecmp(given, prefix, strlen(prefix)) == 0 &&
        strchr(" \t", given[strlen(prefix)]) != NULL) {
        insn->lock = true;
        given += strlen(prefix);
        given += strspn(given, " \t");
    }
    char lower[INSN_TEXT_BYTES];
    if (strlen(given) >= sizeof lower)
        return error_set(error, STATUS_USAGE, "an instruction of more than %d characters",
                         INSN_TEXT_BYTES - 1);
    for (size_t i = 0; i <= strlen(given); i++)
        lower[i] = (char)tolower((unsigned char)given[i]);
    given = lower;
    reading.intel = texts->isa->sized_syntax && is_intel(given, reading.rules);
    enum status status = check_form(given, error);
    if (status == STATUS_OK)
        status = fill(&reading, given, &filled, error);
    if (status == STATUS_OK)
        status = assemble(insn->isa, reading.intel, filled.data, &plain, &sized, &bytes, error);
    if (status == STATUS_OK)
        status = understand(&reading, &plain, &sized, &bytes, insn, error);
    insn->size += insn->lock;
    buffer_free(&bytes);
    buffer_free(&filled);
    return status;
}

/* As the text names it: a vector of AArch64 has several names of the same width, "v3" and "q3". */
static void write_alike(const struct insn *insn, const struct insn_token *token,
                        const struct register_use *use, struct buffer *output)
{
    const struct text_rules *rules = insn->isa->text_rules;
    const char *text = insn->text + token->start + strlen(insn->isa->register_prefix);
    char name[SECTION_NAME_BYTES] = "";
    char usual[SECTION_NAME_BYTES] = "";
    struct register_use read;
    (void)rules->write_register(use, name);
    if (rules->write_register(&token->written, usual) && usual[0] != text[0]) {
        snprintf(usual, sizeof usual, "%c%u", text[0], use->number);
        if (rules->read_register(usual, strlen(usual), &read) && is_same(&read, use) &&
            read.bits == use->bits)
            memcpy(name, usual, sizeof name);
    }
    buffer_printf(output, "%s%s", insn->isa->register_prefix, name);
}

static void write_displacement(const struct insn *insn, int64_t displacement, struct buffer *output)
{
    if (displacement == 0 && insn->displacement_length == 0)
        return;
    if (insn->isa->syntax.displacement_inside)
        buffer_printf(output, ", %c%" PRId64, insn->isa->syntax.immediate, displacement);
    else
        buffer_printf(output, "%" PRId64, displacement);
}

void insn_write(const struct insn *insn, const struct register_use *uses, int64_t further,
                struct buffer *output)
{
    size_t at = 0;
    bool moved = !insn->memory || insn->rigid; /* the displacement has been written */
    if (insn->lock)
        buffer_printf(output, "%s ", insn->isa->prefix);
    for (unsigned i = 0; i <= insn->token_count; i++) {
        size_t next = i < insn->token_count ? insn->tokens[i].start : strlen(insn->text);
        if (!moved && insn->displacement_at < next) {
            buffer_append(output, insn->text + at, insn->displacement_at - at);
            write_displacement(insn, insn->displacement + further, output);
            at = insn->displacement_at + insn->displacement_length;
            moved = true;
        }
        buffer_append(output, insn->text + at, next - at);
        if (i == insn->token_count)
            break;
        struct register_use use = uses[insn->tokens[i].slot];
        use.bits = insn->tokens[i].bits;
        if (is_same(&use, &insn->tokens[i].written)) /* %ah too, which has no width */
            buffer_append(output, insn->text + next, insn->tokens[i].length);
        else
            write_alike(insn, &insn->tokens[i], &use, output);
        at = next + insn->tokens[i].length;
    }
}
