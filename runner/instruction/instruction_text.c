#include "runner/instruction/instruction_text.h"

#include "isa/mc.h"
#include "isa/object.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTION_NAME_BYTES = 16, VEX_VECTORS = 16, WHOLE_VECTOR = 512 };

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

/* The text while its placeholders are replaced, and what they stand for. */
struct reading {
    const struct template *texts;
    const struct text_rules *rules;
    bool intel;
    bool named[INSN_TOKENS]; /* {r0}, {r1}, ... */
    struct register_use stands[INSN_TOKENS];
    char names[INSN_TOKENS][INSN_NAME_BYTES];
    unsigned stand_count;
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

/* The register for {r0}, {x1}, {y2}, {z3}, {k1} or {r0:32}; false if it is none of these. */
static bool find_stand_in(struct reading *reading, const char *inside, size_t length,
                          struct register_use *use)
{
    static const struct {
        char letter;
        const char *pool;
        unsigned bits;
    } rows[] = {{'r', "pool.r", 64},
                {'x', "pool.v", 128},
                {'y', "pool.v", 256},
                {'z', "pool.v", 512},
                {'k', "pool.k", 64}};
    char *end;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].letter != inside[0] || length < 2 || !isdigit((unsigned char)inside[1]))
            continue;
        unsigned long number = strtoul(inside + 1, &end, 10);
        if (!insn_pool(reading->texts, rows[i].pool, (unsigned)number, use))
            return false;
        use->bits = *end == ':' ? (unsigned)strtoul(end + 1, &end, 10) : rows[i].bits;
        return end == inside + length;
    }
    return false;
}

static void remember(struct reading *reading, const struct register_use *use, const char *name, size_t length)
{
    for (unsigned i = 0; i < reading->stand_count; i++)
        if (reading->stands[i].kind == use->kind && reading->stands[i].number == use->number)
            return;
    if (reading->stand_count == INSN_TOKENS)
        return;
    reading->stands[reading->stand_count] = *use;
    snprintf(reading->names[reading->stand_count++], INSN_NAME_BYTES, "{%.*s}", (int)strcspn(name, ":}"),
             name);
    (void)length;
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

/* Appends the text with {r0} and {memory} replaced. */
static enum status fill(struct reading *reading, const char *text, struct buffer *output, struct error *error)
{
    const struct isa *isa = reading->texts->isa;
    char name[SECTION_NAME_BYTES];
    for (const char *at = text; *at != '\0';) {
        size_t length = at[0] == '{' ? strcspn(at, "}") : 0;
        struct register_use use;
        if (length == 0 || at[length] != '}') {
            buffer_append(output, at++, 1);
            continue;
        }
        bool memory = strncmp(at, "{memory}", length + 1) == 0 || strncmp(at, "{m}", length + 1) == 0;
        bool known = memory ? insn_pool(reading->texts, "pool.memory", 0, &use)
                            : find_stand_in(reading, at + 1, length - 1, &use);
        if (!known && !memory && strchr("rxyzk", at[1]) != NULL && isdigit((unsigned char)at[2]))
            return error_set(error, STATUS_USAGE,
                             "there is no %.*s: expected {r0} to {r12}, {x0} to {x15}, "
                             "{y0}, {z0}, {k1} to {k7} or {r0:32}",
                             (int)length + 1, at);
        bool mask = known && use.kind == 'k' && !begins_operand(text, at);
        bool stands = known && !mask;
        use.bits = memory ? 64 : use.bits;
        if (stands && !reading->rules->write_register(&use, name))
            return error_set(error, STATUS_USAGE, "%.*s has no such width", (int)length + 1, at);
        if (stands && memory)
            buffer_printf(output, reading->intel ? "[%s%s]" : "(%s%s)",
                          reading->intel ? "" : isa->register_prefix, name);
        else if (stands)
            buffer_printf(output, "%s%s", reading->intel ? "" : isa->register_prefix, name);
        else if (mask && !reading->intel)
            buffer_printf(output, "{%s%.*s}", isa->register_prefix, (int)length - 1, at + 1);
        else
            buffer_append(output, at, length + 1);
        if (stands)
            remember(reading, &use, at + 1, length - 1);
        at += length + 1;
    }
    return STATUS_OK;
}

/* Nothing but one instruction: the assembler would take directives and labels, too. */
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
        return error_set(error, STATUS_USAGE, "a label is no instruction");
    return STATUS_OK;
}

/* ---- what the assembler makes of it ---- */

struct lines {
    char first[INSN_TEXT_BYTES];
    unsigned count;
};

static void take_line(uint64_t offset, size_t length, const char *text, void *context)
{
    struct lines *lines = context;
    (void)offset;
    (void)length;
    if (lines->count++ == 0) {
        snprintf(lines->first, sizeof lines->first, "%.*s", (int)strcspn(text, "#\n"), text);
        for (char *c = lines->first; *c != '\0'; c++)
            *c = *c == '\t' ? ' ' : *c;
        size_t end = strlen(lines->first);
        while (end > 0 && lines->first[end - 1] == ' ')
            lines->first[--end] = '\0';
    }
}

static enum status refuse_text(const char *text, const struct error *complaint, struct error *error)
{
    error_set(error, STATUS_USAGE, "the assembler says: %s", complaint->message);
    if (strchr(text, ' ') == NULL)
        error_hint(error, "operands follow the name: '%.20s {r0}, {r1}' or '%.20s rax, rbx'", text, text);
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
    *plain = (struct lines){0};
    *sized = (struct lines){0};
    buffer_printf(&source, "    .text\n%s    %s\n", intel ? "    .intel_syntax noprefix\n" : "", text);
    enum status status = mc_assemble(isa, source.data, "", &object, &complaint);
    if (status == STATUS_FAILED)
        status = refuse_text(text, &complaint, error);
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
        status =
            error_set(error, STATUS_USAGE,
                      plain->count == 0 ? "it has no code" : "a prefix other than lock cannot be measured");
    if (status == STATUS_OK)
        buffer_append(bytes, code.bytes, code.size);
    buffer_free(&object);
    buffer_free(&source);
    return status;
}

/* ---- operands ---- */

static bool is_same(const struct register_use *a, const struct register_use *b)
{
    return a->kind == b->kind && a->number == b->number;
}

static enum status share_refused(const struct insn_slot *slot, struct error *error)
{
    return error_set(error, STATUS_USAGE,
                     "its address shares %s with another operand: expected a register of its own",
                     slot->name);
}

static enum status add_slot(const struct reading *reading, const struct register_use *use, struct insn *insn,
                            unsigned *index, struct error *error)
{
    for (unsigned i = 0; i < insn->slot_count; i++) {
        struct insn_slot *slot = &insn->slots[i];
        if (slot->use.kind != use->kind || slot->use.number != use->number)
            continue;
        slot->use.bits = use->bits > slot->use.bits ? use->bits : slot->use.bits;
        *index = i;
        return STATUS_OK;
    }
    if (insn->slot_count == INSN_SLOTS)
        return error_set(error, STATUS_USAGE, "it uses more than %d registers", INSN_SLOTS);
    struct insn_slot *slot = &insn->slots[ *index = insn->slot_count++];
    *slot = (struct insn_slot){.use = *use};
    for (unsigned i = 0; i < reading->stand_count; i++)
        if (reading->stands[i].kind == use->kind && reading->stands[i].number == use->number)
            memcpy(slot->name, reading->names[i], sizeof slot->name);
    if (slot->name[0] == '\0')
        (void)reading->rules->write_register(use, slot->name);
    return STATUS_OK;
}

/* Finds the registers that the text names. */
static enum status read_tokens(const struct reading *reading, struct insn *insn, struct error *error)
{
    size_t mark = strlen(insn->isa->register_prefix);
    for (const char *at = insn->text; (at = strstr(at, insn->isa->register_prefix)) != NULL;) {
        size_t length = 0;
        struct register_use use;
        while (is_word(at[mark + length]))
            length++;
        if (!reading->rules->read_register(at + mark, length, &use))
            return error_set(error, STATUS_USAGE, "it names %.*s, which cannot be measured",
                             (int)(mark + length), at);
        if (insn->token_count == INSN_TOKENS)
            return error_set(error, STATUS_USAGE, "it names more than %d registers", INSN_TOKENS);
        struct insn_token *token = &insn->tokens[insn->token_count++];
        *token = (struct insn_token){(size_t)(at - insn->text), mark + length, 0, use.bits, use};
        unsigned before = insn->slot_count;
        enum status status = add_slot(reading, &use, insn, &token->slot, error);
        if (status != STATUS_OK)
            return status;
        struct insn_slot *slot = &insn->slots[token->slot];
        if (insn->slot_count > before && slot->name[0] != '{') /* "ah", which is no register of its own */
            snprintf(slot->name, sizeof slot->name, "%.*s", (int)length, at + mark);
        at += mark + length;
    }
    return STATUS_OK;
}

const char *insn_pool_of(const struct insn *insn, unsigned slot)
{
    const struct register_use *use = &insn->slots[slot].use;
    return use->kind == 'r'             ? "pool.r"
           : use->kind == 'k'           ? "pool.k"
           : use->number >= VEX_VECTORS ? "pool.v.high"
                                        : "pool.v";
}

/* The first register of the pool that is none of the slots' and not used yet. */
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

/* The register of an address is one of its own, even if the text has it elsewhere, too: "(%rax), %rax" is
 * measured as "(%rbp), %rax", as a chain ties the one to the other anyway. */
static enum status part_token(const struct reading *reading, struct insn *insn, struct insn_token *token,
                              struct error *error)
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
        return share_refused(shared, error);
    own.bits = token->bits;
    enum status status = add_slot(reading, &own, insn, &token->slot, error);
    if (status == STATUS_OK)
        memcpy(insn->slots[token->slot].name, name, sizeof name);
    return status;
}

/* The memory operand: "8(%rax,%rcx,4)". */
static enum status read_memory(const struct reading *reading, const struct text_instruction *known,
                               struct insn *insn, struct error *error)
{
    const char *open = strchr(insn->text, insn->isa->syntax.open);
    if (known->memory == TEXT_NO_MEMORY)
        return STATUS_OK;
    if (open == NULL)
        return error_set(error, STATUS_USAGE, "its address is a number: expected a register, as in (%%rax)");
    size_t begin = (size_t)(open - insn->text);
    size_t end = begin;
    while (begin > 0 && (is_word(insn->text[begin - 1]) || insn->text[begin - 1] == '-'))
        begin--;
    insn->displacement_at = begin;
    insn->displacement_length = end - begin;
    insn->displacement = end > begin ? strtoll(insn->text + begin, NULL, 0) : 0;
    size_t close = end + strcspn(open, ")");
    if (insn->text[begin] == '%' || (begin > 0 && insn->text[begin - 1] == ':'))
        return error_set(error, STATUS_USAGE, "its address is in a segment");
    insn->memory = known->memory == TEXT_ACCESS;
    insn->memory_bytes = known->bytes;
    if (!insn->memory)
        return STATUS_OK; /* lea's registers are operands as any others */
    if (insn->displacement > DISPLACEMENT_MOST || insn->displacement < -DISPLACEMENT_MOST)
        return error_set(error, STATUS_USAGE, "its displacement is %" PRId64 ": expected at most %" PRId64,
                         insn->displacement, DISPLACEMENT_MOST);
    bool based = false;
    for (unsigned i = 0; i < insn->token_count; i++) {
        struct insn_token *token = &insn->tokens[i];
        if (token->start < end || token->start > close)
            continue;
        bool first = token->start == end + 1;
        enum status status = part_token(reading, insn, token, error);
        if (status != STATUS_OK)
            return status;
        insn->slots[token->slot].base = first;
        insn->slots[token->slot].index = !first;
        based = based || first;
    }
    return based ? STATUS_OK
                 : error_set(error, STATUS_USAGE,
                             "its address has no base register: expected one, as in (%%rax)");
}

/* The registers that it uses without naming them, or beside naming them, as mul does rax: those are listed
 * more often than the text has them. */
static enum status add_implicit(const struct reading *reading, const struct text_instruction *known,
                                struct insn *insn, struct error *error)
{
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < known->name_count; i++) {
        struct register_use use, other;
        unsigned index, listed = 0, written = 0;
        if (!reading->rules->read_register(known->names[i], strlen(known->names[i]), &use))
            continue;
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
            return share_refused(slot, error);
    }
    return status;
}

static bool is_in_pool(const struct template *texts, const char *pool, const struct register_use *use)
{
    struct register_use one;
    for (unsigned n = 0; insn_pool(texts, pool, n, &one); n++)
        if (is_same(&one, use))
            return true;
    return false;
}

enum status insn_assign(const struct insn *insn, const struct template *texts,
                        struct register_use uses[INSN_SLOTS], struct error *error)
{
    for (unsigned i = 0; i < insn->slot_count; i++) {
        const struct insn_slot *slot = &insn->slots[i];
        const char *pool = insn_pool_of(insn, i);
        uses[i] = slot->use;
        if (is_in_pool(texts, pool, &slot->use))
            continue;
        if (slot->fixed)
            return error_set(error, STATUS_USAGE, "it uses %s, which the loop around it needs", slot->name);
        if (!find_free(insn, texts, pool, uses, i, &uses[i]))
            return error_set(error, STATUS_USAGE, "it uses more registers than a loop can give it");
        uses[i].bits = slot->use.bits;
    }
    for (unsigned i = 0; i < insn->slot_count; i++)
        if (uses[i].kind == 'v' && uses[i].number >= VEX_VECTORS)
            uses[i].bits = WHOLE_VECTOR; /* which no move of fewer bits reaches */
    return STATUS_OK;
}

/* A register that the encoding has no choice of, as %cl of a shift: with another one the text has no
 * encoding, or it reads otherwise. */
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
        const char *bare = text.data + (insn->lock ? strlen("lock ") : 0);
        insn->slots[i].fixed =
            assemble(insn->isa, false, bare, &plain, &sized, &bytes, &unused) != STATUS_OK ||
            strcmp(plain.first, bare) != 0;
        buffer_free(&bytes);
        buffer_free(&text);
    }
}

/* ---- all of it ---- */

static enum status understand(struct reading *reading, const struct lines *plain, const struct lines *sized,
                              const struct buffer *bytes, struct insn *insn, struct error *error)
{
    struct text_instruction known;
    reading->rules->understand(sized->first, (const uint8_t *)bytes->data, bytes->size, &known);
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
    static const char lock[] = "lock";
    struct reading reading = {.texts = texts, .rules = texts->isa->text_rules};
    struct lines plain, sized;
    struct buffer filled = {0};
    struct buffer bytes = {0};
    memset(insn, 0, sizeof *insn);
    insn->isa = texts->isa;
    given += strspn(given, " \t");
    if (strncmp(given, lock, strlen(lock)) == 0 && strchr(" \t", given[strlen(lock)]) != NULL) {
        insn->lock = true;
        given += strlen(lock);
        given += strspn(given, " \t");
    }
    char lower[INSN_TEXT_BYTES];
    if (strlen(given) >= sizeof lower)
        return error_set(error, STATUS_USAGE, "an instruction of more than %d characters",
                         INSN_TEXT_BYTES - 1);
    for (size_t i = 0; i <= strlen(given); i++)
        lower[i] = (char)tolower((unsigned char)given[i]);
    given = lower;
    reading.intel = is_intel(given, reading.rules);
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

void insn_write(const struct insn *insn, const struct register_use *uses, int64_t further,
                struct buffer *output)
{
    size_t at = 0;
    bool moved = !insn->memory; /* the displacement has been written */
    buffer_text(output, insn->lock ? "lock " : "");
    for (unsigned i = 0; i <= insn->token_count; i++) {
        size_t next = i < insn->token_count ? insn->tokens[i].start : strlen(insn->text);
        if (!moved && insn->displacement_at < next) {
            buffer_append(output, insn->text + at, insn->displacement_at - at);
            if (insn->displacement + further != 0)
                buffer_printf(output, "%" PRId64, insn->displacement + further);
            at = insn->displacement_at + insn->displacement_length;
            moved = true;
        }
        buffer_append(output, insn->text + at, next - at);
        if (i == insn->token_count)
            break;
        struct register_use use = uses[insn->tokens[i].slot];
        char name[SECTION_NAME_BYTES] = "";
        use.bits = insn->tokens[i].bits;
        if (is_same(&use, &insn->tokens[i].written)) {
            buffer_append(output, insn->text + next,
                          insn->tokens[i].length); /* %ah too, which has no width */
        } else {
            (void)insn->isa->text_rules->write_register(&use, name);
            buffer_printf(output, "%s%s", insn->isa->register_prefix, name);
        }
        at = next + insn->tokens[i].length;
    }
}
