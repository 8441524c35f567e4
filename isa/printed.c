#include "isa/printed.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "isa/mc.h"
#include "isa/object.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SAMPLE: numbers are its multiples, which every field of an instruction can hold. */
enum { MOST_TOKENS = 24, SAMPLE = 64, MOST_NUMBERS = 4, NAME_BYTES = 32, FAR = 8192, VARIANTS = 6 };

/* The samples for names in braces: numbers, upper registers, or distant branch targets. Some numbers are
 * printed as another instruction or alias (ldur, mv, seqz), and a branch beyond its reach as two. If the
 * second source of an x86 vector instruction is one of the upper registers, assemblers exchange both
 * sources. */
enum variant { VARIANT_SAMPLE, VARIANT_ZERO, VARIANT_ONE, VARIANT_NEGATIVE, VARIANT_FAR, VARIANT_UPPER };

enum token_kind { TOKEN_WORD, TOKEN_REGISTER, TOKEN_NUMBER };

/* The part of a named number that an instruction holds: all of it, some bits, or one of the shifted summands
 * whose sum it is (struct number_part). */
enum token_part { PART_WHOLE, PART_BITS, PART_ADDS };

struct token {
    enum token_kind kind;
    bool named;
    enum token_part part;
    unsigned char name;  /* its number, if named */
    unsigned char shift; /* of PART_BITS and PART_ADDS */
    short index;         /* a register's in the ISA's table */
    unsigned short bits; /* width of the part that the name denotes; 0: all of it */
    unsigned short length;
    const char *text;
    int64_t number;
};

/* One printed form of a statement. */
struct form_of_statement {
    struct token tokens[MOST_TOKENS];
    size_t count;        /* 0: there is none */
    size_t instructions; /* that it is printed as */
};

struct statement {
    bool constant; /* {register=number}: the number of instructions depends on the number */
    unsigned char name;
    struct form_of_statement *forms[VARIANTS];
    const char *samples[2][PRINTED_NAMES]; /* sample registers of its names; [1]: of VARIANT_UPPER */
    enum token_part parts[MOST_NUMBERS];   /* of its named numbers, in the order of their samples */
    unsigned char shifts[MOST_NUMBERS], numbers[MOST_NUMBERS];
    size_t number_count;
};

struct printed_row {
    const char *text;
    unsigned width;
    bool vectors;
    struct statement *statements;
    size_t count;
};

/* ---- reading ---- */

static bool is_word(char at)
{
    return isalnum((unsigned char)at) || at == '_' || at == '.';
}

/* Reads a word that may be a register's name; then the word ends before a dot ("v3.2d"). Returns its
 * length. */
static size_t read_word(const struct isa *isa, const char *text, bool marked, struct token *token)
{
    size_t length = 0;
    while (is_word(text[length]))
        length++;
    size_t whole = 0;
    while (whole < length && text[whole] != '.')
        whole++;
    bool may = marked || isa->register_prefix[0] == '\0';
    const struct register_name *found = may && whole > 0 ? isa_register(isa, text, whole) : NULL;
    *token = (struct token){.kind = TOKEN_WORD, .text = text, .length = (unsigned short)length};
    if (found == NULL)
        return length;
    *token = (struct token){.kind = TOKEN_REGISTER,
                            .index = (short)(found - isa->registers),
                            .bits = (unsigned short)isa_register_bits(found, text, whole),
                            .text = text,
                            .length = (unsigned short)whole};
    return whole;
}

/* Commas, blanks and marks of immediates separate tokens. The first token is the mnemonic. */
static size_t read_tokens(const struct isa *isa, const char *text, struct token tokens[MOST_TOKENS])
{
    size_t count = 0;
    while (count < MOST_TOKENS) {
        text += strspn(text, " \t\n,$#");
        if (*text == '\0')
            break;
        struct token *token = &tokens[count];
        bool marked = isa->register_prefix[0] != '\0' && *text == isa->register_prefix[0];
        char *end = NULL;
        if (count == 0) {
            size_t length = strcspn(text, " \t\n");
            *token = (struct token){.kind = TOKEN_WORD, .text = text, .length = (unsigned short)length};
            text += length;
        } else if (isdigit((unsigned char)*text) || (*text == '-' && isdigit((unsigned char)text[1]))) {
            *token = (struct token){.kind = TOKEN_NUMBER,
                                    .number = *text == '-' ? strtoll(text, &end, 0)
                                                           : (int64_t)strtoull(text, &end, 0)};
            text = end;
        } else if (marked || is_word(*text)) {
            text += marked;
            size_t length = read_word(isa, text, marked, token);
            text += length == 0 ? 1 : length;
        } else {
            *token = (struct token){.kind = TOKEN_WORD, .text = text, .length = 1};
            text++;
        }
        count++;
    }
    return count;
}

/* ---- rows into statements ---- */

static bool is_among(const char *name, size_t length, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strlen(*names) == length && strncmp(*names, name, length) == 0)
            return true;
    return false;
}

/* Names that stand for numbers and for labels; all others stand for registers. */
static const char *const number_names[] = {
    "disp",   "hit_line", "step",        "until",      "from",       "limit",         "back", "period",
    "state",  "at",       "ahead",       "window",     "copy_step",  "copy_limit",    "past", "copy_share",
    "copies", "word",     "text_memory", "copy_start", "code_power", "anchor_offset", NULL};
static const char *const label_names[] = {"target", "loop_target", "twin_target", "again", NULL};

static unsigned char name_number(struct printed *printed, const char *name, size_t length)
{
    for (size_t i = 0; i < printed->name_count; i++)
        if (strlen(printed->names[i]) == length && strncmp(printed->names[i], name, length) == 0)
            return (unsigned char)i;
    if (printed->name_count == PRINTED_NAMES - 1)
        return PRINTED_NAMES - 1;
    char *copy = arena_alloc(&printed->arena, length + 1, 1);
    memcpy(copy, name, length);
    printed->names[printed->name_count] = copy;
    return (unsigned char)printed->name_count++;
}

static bool text_has_register(const struct isa *isa, const char *text, size_t size, const char *name)
{
    size_t prefix = strlen(isa->register_prefix), length = strlen(name);
    for (size_t i = 0; i + prefix + length <= size; i++)
        if (strncmp(text + i, isa->register_prefix, prefix) == 0 &&
            strncmp(text + i + prefix, name, length) == 0 && (i == 0 || !is_word(text[i - 1])) &&
            (i + prefix + length == size || !is_word(text[i + prefix + length])))
            return true;
    return false;
}

/* The pool with registers of the name's kind. */
static const struct pool *pool_of(const struct printed *printed, const struct printed_row *row,
                                  const char *name)
{
    static const char *const pairs[][2] = {
        {"base", "rotating"},   {"shared", "rotating"},    {"mine", "rotating"},  {"next", "rotating"},
        {"other_goal", "goal"}, {"back_goal", "rotating"}, {"way", "rotating"},   {"loop_way", "rotating"},
        {"mask", "rotating"},   {"spare", "rotating"},     {"turn", "rotating"},  {"copy", "rotating"},
        {"anchor", "rotating"}, {"copy_turn", "rotating"}, {"stored", "rotating"}};
    bool wide = row->width > 8 && (strcmp(name, "value") == 0 || strcmp(name, "stored") == 0);
    bool computes = row->vectors && (strcmp(name, "accumulator") == 0 || strcmp(name, "operand") == 0 ||
                                     strcmp(name, "stored") == 0);
    if (wide || computes)
        return template_pool(printed->templates, "vector");
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (strcmp(pairs[i][0], name) == 0)
            return template_pool(printed->templates, pairs[i][1]);
    return template_pool(printed->templates, name);
}

/* A register for a name that neither the statement's text nor another of its names uses. */
static const char *sample_of(struct printed *printed, const struct printed_row *row,
                             struct statement *statement, unsigned char name, const char *text, size_t size,
                             enum variant variant)
{
    const char **samples = statement->samples[variant == VARIANT_UPPER];
    const struct pool *pool = pool_of(printed, row, printed->names[name]);
    const struct pool *others = template_pool(printed->templates, "accumulator");
    bool upper = variant == VARIANT_UPPER && strcmp(printed->names[name], "accumulator") != 0;
    if (samples[name] != NULL)
        return samples[name];
    for (int p = 0; p < 2; p++) {
        const struct pool *from = p == 0 ? pool : others;
        for (unsigned i = 0; from != NULL && i < from->count; i++) {
            const char *one = from->registers[upper ? from->count - 1 - i : i];
            bool taken = text_has_register(printed->templates->isa, text, size, one);
            for (size_t k = 0; k < PRINTED_NAMES && !taken; k++)
                taken = samples[k] != NULL && strcmp(samples[k], one) == 0;
            if (!taken)
                return samples[name] = one;
        }
    }
    return samples[name] = "";
}

static void append_register(const struct isa *isa, const char *name, unsigned bits, struct buffer *source)
{
    const struct register_name *found = isa_register(isa, name, strlen(name));
    const char *part = found == NULL ? NULL : isa_register_part(found, bits);
    buffer_printf(source, "%s%s", isa->register_prefix, part != NULL ? part : name);
}

static int64_t sample_number(enum variant variant, size_t index)
{
    return variant == VARIANT_ZERO       ? 0
           : variant == VARIANT_ONE      ? 1
           : variant == VARIANT_NEGATIVE ? -8
                                         : SAMPLE * ((int64_t)index + 1);
}

/* rest: the text after the name in the braces. */
static void record_number(const struct isa *isa, struct statement *statement, unsigned char name,
                          const char *rest, size_t length)
{
    size_t index = statement->number_count++;
    statement->numbers[index] = name;
    statement->parts[index] = length == 0 ? PART_WHOLE : rest[0] == '[' ? PART_BITS : PART_ADDS;
    statement->shifts[index] = rest[0] == '[' ? (unsigned char)strtoul(rest + 1, NULL, 10) : 0;
    for (const struct number_part *part = isa->parts; part != NULL && part->name != NULL; part++)
        if (rest[0] == ':' && strlen(part->name) == length - 1 &&
            strncmp(part->name, rest + 1, length - 1) == 0)
            statement->shifts[index] = (unsigned char)part->shift;
}

/* Appends the sample for "{name}", "{name:32}", "{name[16:12]}" or "{name:high}". */
static void append_name(struct printed *printed, const struct printed_row *row, struct statement *statement,
                        const char *text, size_t size, const char *at, size_t length, enum variant variant,
                        const char *label, struct buffer *source)
{
    size_t bare = strcspn(at, ":[}");
    unsigned bits = at[bare] == ':' ? (unsigned)strtoul(at + bare + 1, NULL, 10) : 0;
    if (bare == strlen("far") && strncmp(at, "far", bare) == 0)
        return; /* it only selects an encoding */
    if (is_among(at, bare, label_names)) {
        buffer_text(source, variant == VARIANT_FAR ? "trauma_far" : label);
        return;
    }
    bool number = is_among(at, bare, number_names) || at[bare] == '[' || (at[bare] == ':' && bits == 0);
    unsigned char name = name_number(printed, at, bare);
    if (!number) {
        append_register(printed->templates->isa,
                        sample_of(printed, row, statement, name, text, size, variant), bits, source);
        return;
    }
    if (variant == VARIANT_SAMPLE && statement->number_count < MOST_NUMBERS)
        record_number(printed->templates->isa, statement, name, at + bare, length - bare);
    buffer_printf(source, "%" PRId64, sample_number(variant, statement->number_count - 1));
}

/* The length of a reference to a local label ("9f", ".Lx"); 0: there is none. */
static size_t local_label(const char *at)
{
    size_t length = 0;
    if (strncmp(at, ".L", 2) == 0) {
        length = 2;
        while (is_word(at[length]))
            length++;
        return length;
    }
    bool numbered = isdigit((unsigned char)at[0]) && (at[1] == 'f' || at[1] == 'b') && !is_word(at[2]);
    return numbered ? 2 : 0;
}

static void append_statement(struct printed *printed, const struct printed_row *row,
                             struct statement *statement, const char *text, size_t size, enum variant variant,
                             size_t symbol, struct buffer *source)
{
    char label[NAME_BYTES];
    snprintf(label, sizeof label, "printed_%zu", symbol);
    buffer_printf(source, "%s:\n    ", label);
    for (size_t i = 0; i < size;) {
        size_t local = i > 0 && !is_word(text[i - 1]) ? local_label(text + i) : 0;
        size_t loop =
            strncmp(text + i, "trauma_loop", strlen("trauma_loop")) == 0 ? strlen("trauma_loop") : 0;
        if (text[i] == '{') {
            size_t length = strcspn(text + i, "}");
            append_name(printed, row, statement, text, size, text + i + 1, length - 1, variant, label,
                        source);
            i += length + 1;
        } else if (local > 0) {
            buffer_text(source, variant == VARIANT_FAR ? "trauma_far" : label);
            i += local;
        } else if (variant == VARIANT_FAR && loop > 0) {
            buffer_text(source, "trauma_far");
            i += loop;
        } else {
            buffer_append(source, text + i++, 1);
        }
    }
    buffer_text(source, "\n");
}

/* The next statement from *at on, without its comment and blanks; NULL at the end. Skips labels and
 * directives. */
static const char *next_statement(const struct isa *isa, const char **at, size_t *size)
{
    while (**at != '\0') {
        const char *from = *at + strspn(*at, " \t\n;");
        size_t length = strcspn(from, ";\n");
        char line[256];
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line - 1 ? length : sizeof line - 1), from);
        const char *comment = strstr(line, isa->syntax.comment);
        *at = from + length;
        size_t kept = comment != NULL ? (size_t)(comment - line) : strlen(line);
        size_t label = strcspn(line, " \t:{");
        if (label < kept && line[label] == ':' && label + 1 < kept) { /* "2:  bnez a0, 1b" */
            size_t skip = label + 1 + strspn(line + label + 1, " \t");
            from += skip;
            kept = kept > skip ? kept - skip : 0;
        } else if (label < kept && line[label] == ':') {
            continue;
        }
        while (kept > 0 && strchr(" \t", from[kept - 1]) != NULL)
            kept--;
        if (kept == 0 || from[0] == '.' || strncmp(from, "{twin}", 6) == 0)
            continue;
        *size = kept;
        return from;
    }
    return NULL;
}

size_t printed_add(struct printed *printed, const char *text, unsigned width, bool vectors)
{
    for (size_t i = 0; i < printed->count; i++)
        if (text != NULL && printed->rows[i].text != NULL && strcmp(printed->rows[i].text, text) == 0)
            return i;
    struct printed_row row = {.width = width, .vectors = vectors};
    const struct isa *isa = printed->templates->isa;
    row.text = text == NULL ? "" : arena_strdup(&printed->arena, text);
    size_t size;
    for (const char *at = row.text, *from; (from = next_statement(isa, &at, &size)) != NULL;)
        row.count++;
    row.statements = arena_alloc(&printed->arena, row.count + 1, sizeof *row.statements);
    printed->rows = memory_next(printed->rows, printed->count, sizeof *printed->rows);
    printed->rows[printed->count] = row;
    return printed->count++;
}

/* ---- assembling the rows ---- */

/* All forms of all statements, and where each begins in the assembled code. */
struct making {
    struct printed *printed;
    struct form_of_statement **forms; /* [count] */
    struct statement **owners;
    enum variant *variants;
    uint64_t *offsets;
    size_t count;
    size_t at; /* the form that is being disassembled */
};

static void find_offset(const char *name, uint64_t value, void *context)
{
    struct making *making = context;
    if (strncmp(name, "printed_", strlen("printed_")) != 0)
        return;
    size_t index = strtoul(name + strlen("printed_"), NULL, 10);
    if (index < making->count)
        making->offsets[index] = value;
}

/* Gives each token that is a sample the name for which the sample stands. */
static void name_tokens(struct printed *printed, const struct statement *statement, enum variant variant,
                        struct form_of_statement *form)
{
    const struct isa *isa = printed->templates->isa;
    const char *const *samples = statement->samples[variant == VARIANT_UPPER];
    size_t numbers = 0;
    for (size_t i = 1; i < form->count; i++) {
        struct token *token = &form->tokens[i];
        for (size_t n = 0; token->kind == TOKEN_REGISTER && n < PRINTED_NAMES; n++)
            if (samples[n] != NULL && strcmp(samples[n], isa->registers[token->index].whole) == 0) {
                token->named = true;
                token->name = (unsigned char)n;
            }
        int64_t sample = sample_number(variant, numbers);
        if (token->kind != TOKEN_NUMBER || numbers == statement->number_count ||
            (token->number != sample && token->number != -sample))
            continue; /* "-{back}" */
        token->named = true;
        token->name = statement->numbers[numbers];
        token->part = statement->parts[numbers];
        token->shift = statement->shifts[numbers];
        numbers++;
    }
}

/* Appends the tokens of a printed instruction to its form. A prefix is printed separately, but belongs to the
 * next instruction. */
static void take_printed(uint64_t offset, size_t length, const char *text, void *context)
{
    struct making *making = context;
    const struct isa *isa = making->printed->templates->isa;
    (void)length;
    while (making->at + 1 < making->count && making->offsets[making->at + 1] <= offset)
        making->at++;
    struct form_of_statement *form = making->forms[making->at];
    struct token tokens[MOST_TOKENS];
    size_t count = read_tokens(isa, text, tokens);
    form->instructions += count > 1 || isa->prefix == NULL || strlen(isa->prefix) != tokens[0].length ||
                          strncmp(isa->prefix, tokens[0].text, tokens[0].length) != 0;
    for (size_t i = 0; i < count && form->count < MOST_TOKENS; i++) {
        struct token *token = &form->tokens[form->count++];
        *token = tokens[i];
        if (token->kind == TOKEN_WORD) {
            char *copy = arena_alloc(&making->printed->arena, (size_t)token->length + 1, 1);
            memcpy(copy, token->text, token->length);
            token->text = copy;
        }
    }
}

static void append_form(struct making *making, struct printed_row *row, struct statement *statement,
                        const char *text, size_t size, enum variant variant, struct buffer *source)
{
    size_t count = making->count;
    making->forms = memory_next(making->forms, count, sizeof(struct form_of_statement *));
    making->owners = memory_next(making->owners, count, sizeof(struct statement *));
    making->variants = memory_next(making->variants, count, sizeof *making->variants);
    making->forms[count] = statement->forms[variant] =
        arena_alloc(&making->printed->arena, 1, sizeof(struct form_of_statement));
    making->owners[count] = statement;
    making->variants[count] = variant;
    append_statement(making->printed, row, statement, text, size, variant, count, source);
    making->count++;
}

static void append_row(struct making *making, struct printed_row *row, struct buffer *source)
{
    struct printed *printed = making->printed;
    const struct isa *isa = printed->templates->isa;
    const char *at = row->text, *text;
    size_t size = 0;
    for (size_t i = 0; (text = next_statement(isa, &at, &size)) != NULL; i++) {
        struct statement *statement = &row->statements[i];
        const char *equals = memchr(text, '=', size);
        if (text[0] == '{' && equals != NULL) {
            statement->constant = true;
            statement->name = name_number(printed, text + 1, (size_t)(equals - text) - 1);
            continue;
        }
        append_form(making, row, statement, text, size, VARIANT_SAMPLE, source);
        const char *disp = memmem(text, size, "{disp}", strlen("{disp}"));
        if (statement->number_count > 0)
            append_form(making, row, statement, text, size, VARIANT_ZERO, source);
        if (isa->parts != NULL && statement->number_count == 1 && strstr(row->text, "sltiu") != NULL)
            append_form(making, row, statement, text, size, VARIANT_ONE, source);
        if (disp != NULL && isa_reaches(isa, row->width == 0 ? 8 : row->width, -8))
            append_form(making, row, statement, text, size, VARIANT_NEGATIVE, source);
        if (isa->sized_syntax && row->vectors)
            append_form(making, row, statement, text, size, VARIANT_UPPER, source);
        if (!printed->near && isa->branch_reach > 0 && isa->branch_reach < FAR && text[0] == 'b')
            append_form(making, row, statement, text, size, VARIANT_FAR, source);
    }
}

enum status printed_make(struct printed *printed, struct error *error)
{
    const struct isa *isa = printed->templates->isa;
    struct making making = {.printed = printed};
    struct buffer source = {0}, object = {0};
    struct object_part text = {0};
    for (const struct extension *e = isa->extensions; e != NULL && e->feature != NULL; e++)
        buffer_printf(&source, "    %s\n", e->directive);
    buffer_text(&source, "    .text\ntrauma_loop:\n");
    for (size_t i = 0; i < printed->count; i++)
        append_row(&making, &printed->rows[i], &source);
    making.offsets = memory_zeroed(making.count + 1, sizeof *making.offsets);
    buffer_printf(&source, "printed_%zu:\n    .skip %d\ntrauma_copies:\ntrauma_far:\n    .skip 8\n",
                  making.count, FAR);
    making.count++; /* the end */
    enum status status = mc_assemble(isa, source.data, "the templates' rows", &object, error);
    if (status == STATUS_OK)
        status = object_section(object.data, object.size, ".text", &text, error);
    if (status == STATUS_OK)
        status = object_symbols(object.data, object.size, find_offset, &making, error);
    making.count--;
    if (status == STATUS_OK && making.offsets[making.count] <= text.size)
        status = mc_disassemble(isa, text.bytes, making.offsets[making.count], take_printed, &making, error);
    for (size_t i = 0; status == STATUS_OK && i < making.count; i++)
        name_tokens(printed, making.owners[i], making.variants[i], making.forms[i]);
    free(making.forms);
    free(making.owners);
    free(making.variants);
    free(making.offsets);
    buffer_free(&source);
    buffer_free(&object);
    return status;
}

/* ---- comparing ---- */

static bool set_register(struct printed_match *match, unsigned char name, int index)
{
    if (match->registers[name] < 0)
        match->registers[name] = index;
    return match->registers[name] == index;
}

/* False if the name already stands for another number in the same row. */
static bool set_number(const struct token *token, int64_t number, struct printed_match *match)
{
    int64_t *all = &match->numbers[token->name];
    bool known = match->has_number[token->name];
    match->has_number[token->name] = true;
    if (token->part == PART_WHOLE && known)
        return *all == number;
    int64_t shifted = (int64_t)((uint64_t)number << token->shift);
    *all += token->part == PART_ADDS && token->shift >= 12 ? (int32_t)shifted : shifted;
    return true;
}

static bool same_word(const struct token *a, const struct token *b)
{
    return a->length == b->length && strncmp(a->text, b->text, a->length) == 0;
}

/* True if the tokens are the form's; fills in what its names stand for. Registers without a name must be
 * equal; numbers_are_equal compares numbers without one. */
static bool form_is(const struct form_of_statement *form, const struct token *tokens, size_t count,
                    struct printed_match *match)
{
    struct printed_match tried = *match;
    if (form == NULL || form->count == 0 || form->count != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct token *wanted = &form->tokens[i], *found = &tokens[i];
        if (wanted->kind != found->kind)
            return false;
        if (wanted->kind == TOKEN_WORD && !same_word(wanted, found))
            return false;
        if (wanted->kind == TOKEN_REGISTER &&
            (wanted->bits != found->bits || (wanted->named ? !set_register(&tried, wanted->name, found->index)
                                                           : wanted->index != found->index)))
            return false;
        if (wanted->kind == TOKEN_NUMBER && wanted->named && !set_number(wanted, found->number, &tried))
            return false;
    }
    *match = tried;
    return true;
}

static bool numbers_are_equal(const struct form_of_statement *form, const struct token *tokens)
{
    for (size_t i = 1; i < form->count; i++)
        if (form->tokens[i].kind == TOKEN_NUMBER && !form->tokens[i].named &&
            form->tokens[i].number != tokens[i].number)
            return false;
    return true;
}

/* True for an instruction whose number depends on its own address, such as a branch's. */
static bool is_relative(const char *text)
{
    static const char *const names[] = {"j", "b", "cb", "tb", "call", "adr", "auipc", "repne"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0 && strncmp(text, "bic", 3) != 0)
            return true;
    return strstr(text, "(%rip)") != NULL;
}

/* Applies one of the instructions that load a number into the register; false if it is none. first: it is the
 * first of them. */
static bool apply_constant(const struct token *tokens, size_t count, bool first, int index, int64_t *value)
{
    enum effect { SETS, SETS_UPPER, SETS_PART, ADDS, ADDS_32, SHIFTS };
    static const struct {
        const char *name;
        bool starts;
        enum effect effect;
    } names[] = {{"mov", true, SETS},        {"li", true, SETS},    {"lui", true, SETS_UPPER},
                 {"movk", false, SETS_PART}, {"addi", false, ADDS}, {"addiw", false, ADDS_32},
                 {"slli", false, SHIFTS}};
    size_t row = 0;
    const struct token *number = NULL;
    for (size_t i = 1; i < count; i++) {
        if (tokens[i].kind == TOKEN_REGISTER && tokens[i].index != index)
            return false;
        number = tokens[i].kind == TOKEN_NUMBER && number == NULL ? &tokens[i] : number;
    }
    while (row < sizeof names / sizeof names[0] &&
           (strlen(names[row].name) != tokens[0].length ||
            strncmp(names[row].name, tokens[0].text, tokens[0].length) != 0))
        row++;
    if (number == NULL || count < 3 || row == sizeof names / sizeof names[0] || names[row].starts != first)
        return false;
    uint64_t old = (uint64_t)*value, n = (uint64_t)number->number;
    unsigned shift = count > 4 ? (unsigned)tokens[count - 1].number & 63 : 0; /* movk's "lsl #16" */
    switch (names[row].effect) {
    case SETS:
        old = n;
        break;
    case SETS_UPPER:
        old = (uint64_t)(int64_t)(int32_t)(uint32_t)(n << 12);
        break;
    case SETS_PART:
        old = (old & ~(UINT64_C(0xffff) << shift)) | n << shift;
        break;
    case ADDS:
        old += n;
        break;
    case ADDS_32:
        old = (uint64_t)(int64_t)(int32_t)(uint32_t)(old + n);
        break;
    case SHIFTS:
        old <<= n & 63;
        break;
    }
    *value = (int64_t)old;
    return true;
}

/* How many instructions from the first on load a number into the register. */
static size_t take_constant(const struct isa *isa, const struct printed_instruction *instructions,
                            size_t count, unsigned char name, struct printed_match *match)
{
    struct token tokens[MOST_TOKENS];
    size_t taken = 0;
    int64_t value = 0;
    for (; taken < count; taken++) {
        size_t read = read_tokens(isa, instructions[taken].text, tokens);
        int index = read > 1 && tokens[1].kind == TOKEN_REGISTER ? tokens[1].index : -1;
        if (index < 0 || (taken > 0 && index != match->registers[name]))
            break;
        if (!apply_constant(tokens, read, taken == 0, index, &value) || !set_register(match, name, index))
            break;
    }
    match->numbers[name] = value;
    return taken;
}

/* True if the instructions begin with those of the form. */
static bool statement_is(const struct isa *isa, const struct form_of_statement *form,
                         const struct printed_instruction *instructions, size_t count,
                         struct printed_match *match)
{
    struct token tokens[2 * MOST_TOKENS];
    size_t read = 0;
    if (form == NULL || form->instructions == 0 || form->instructions > count)
        return false;
    for (size_t i = 0; i < form->instructions && read < MOST_TOKENS; i++)
        read += read_tokens(isa, instructions[i].text, tokens + read);
    return read == form->count && (is_relative(instructions[0].text) || numbers_are_equal(form, tokens)) &&
           form_is(form, tokens, read, match);
}

bool printed_is(const struct printed *printed, size_t row, const struct printed_instruction *instructions,
                size_t count, struct printed_match *match)
{
    const struct printed_row *wanted = &printed->rows[row];
    const struct isa *isa = printed->templates->isa;
    match->count = 0;
    memset(match->registers, -1, sizeof match->registers);
    memset(match->numbers, 0, sizeof match->numbers);
    memset(match->has_number, 0, sizeof match->has_number);
    for (size_t s = 0; s < wanted->count; s++) {
        const struct statement *statement = &wanted->statements[s];
        if (statement->constant) {
            size_t taken =
                take_constant(isa, instructions + match->count, count - match->count, statement->name, match);
            if (taken == 0)
                return false;
            match->count += taken;
            continue;
        }
        size_t taken = 0;
        for (int v = 0; v < VARIANTS && taken == 0; v++)
            if (statement_is(isa, statement->forms[v], instructions + match->count, count - match->count,
                             match)) {
                taken = statement->forms[v]->instructions;
                if (v == VARIANT_ONE && statement->number_count > 0 &&
                    !match->has_number[statement->numbers[0]]) /* the mnemonic implies it: seqz */
                    match->numbers[statement->numbers[0]] = 1;
            }
        if (taken == 0)
            return false;
        match->count += taken;
    }
    return wanted->count > 0;
}

const char *printed_text(const struct printed *printed, size_t row)
{
    return printed->rows[row].text;
}

size_t printed_name(const struct printed *printed, const char *name)
{
    for (size_t i = 0; i < printed->name_count; i++)
        if (strcmp(printed->names[i], name) == 0)
            return i;
    return PRINTED_NAMES;
}

bool printed_sets(const struct isa *isa, const char *text, int index)
{
    static const char *const readers[] = {"push", "cmp", "test", "tst", "b", "cb", "j", NULL};
    struct token tokens[MOST_TOKENS];
    size_t count = read_tokens(isa, text, tokens);
    for (const char *const *reader = readers; *reader != NULL; reader++)
        if (strncmp(text, *reader, strlen(*reader)) == 0)
            return false;
    if (isa->memory_use != NULL && isa->memory_use(text) == MEMORY_WRITTEN)
        return false;
    size_t at = isa->syntax.written_last ? count - 1 : 1;
    return count > 1 && tokens[at].kind == TOKEN_REGISTER && tokens[at].index == index;
}

bool printed_same(const struct isa *isa, const char *a, const char *b, bool numbers)
{
    struct token one[MOST_TOKENS], other[MOST_TOKENS];
    size_t count = read_tokens(isa, a, one);
    bool same = read_tokens(isa, b, other) == count;
    for (size_t i = 0; same && i < count; i++) {
        same = one[i].kind == other[i].kind;
        if (one[i].kind == TOKEN_WORD)
            same = same && same_word(&one[i], &other[i]);
        else if (one[i].kind == TOKEN_REGISTER)
            same = same && one[i].index == other[i].index && one[i].bits == other[i].bits;
        else
            same = same && (!numbers || is_relative(a) || one[i].number == other[i].number);
    }
    return same;
}

void printed_free(struct printed *printed)
{
    free(printed->rows);
    arena_free(&printed->arena);
    memset(printed, 0, sizeof *printed);
}
