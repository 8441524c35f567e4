#include "sim/ptx/ptx_code.h"

#include "base/hash.h"
#include "base/memory.h"
#include "sim/number_bits.h"
#include "sim/ptx/ptx_flow.h"
#include "sim/ptx/warp_group.h"
#include "sim/ptx/warp_matrix.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUCKETS = 1024,
    MOST_DEPTH = 32,
    MOST_CODE = 1 << 20,
    MOST_REGISTERS = 1 << 16,
    MOST_BYTES = 1 << 20, /* of shared or constant memory */
    MOST_OPERANDS = 7,
    NONE = -1
};

enum symbol_kind { SYMBOL_REGISTER, SYMBOL_SHARED, SYMBOL_CONST, SYMBOL_PARAMETER };

struct symbol {
    const char *name;
    enum symbol_kind kind;
    unsigned depth;
    size_t value; /* register: its number; else the offset in its space, a parameter's in bytes */
    int next;     /* in its bucket */
};

struct label {
    const char *name;
    size_t at;
};

/* A branch whose label may come later. */
struct pending {
    size_t branch;
    const char *name;
};

struct constant {
    uint64_t bits;
    unsigned bytes;
    ptx_place place;
};

enum operand_kind {
    OPERAND_REGISTER,
    OPERAND_WHOLE,
    OPERAND_FLOAT,
    OPERAND_SPECIAL,
    OPERAND_SYMBOL,
    OPERAND_NOWHERE /* _: the result is discarded */
};

struct operand {
    enum operand_kind kind;
    size_t number;  /* of the register, or of the special register */
    uint64_t bits;  /* a number's, or the symbol's address */
    bool is_single; /* written as 0f... */
    double real;
    enum symbol_kind space;
};

/* The text between two commas: an operand, a vector in braces, or an address in brackets. */
struct written_operand {
    struct operand at[PTX_VECTOR];
    unsigned count;
    bool vector, address;
    bool has_base;
    int64_t offset;
};

struct reader {
    const char *at, *end;
    int line;
    struct ptx_program *program;
    struct error *error;
    struct symbol *symbols;
    size_t symbol_count;
    int buckets[BUCKETS];
    unsigned depth;
    struct label *labels;
    size_t label_count;
    struct pending *pending;
    size_t pending_count;
    struct constant *constants;
    size_t constant_count;
    /* of the current statement */
    int statement;
    const char *text;
    char name[PTX_NAME_BYTES];
    ptx_place guard;
    bool guard_not;
    struct written_operand operands[MOST_OPERANDS];
    unsigned operand_count;
};

/* ---- errors ---- */

__attribute__((format(printf, 3, 4))) static bool complain(struct reader *reader, enum status code,
                                                           const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    error_set(reader->error, code, "%s", what);
    error_at(reader->error, "program.ptx", reader->statement > 0 ? reader->statement : reader->line);
    return false;
}

#define WRONG(...) complain(reader, STATUS_FAILED, __VA_ARGS__)
#define UNSUPPORTED(...) complain(reader, STATUS_UNAVAILABLE, __VA_ARGS__)
#define NO_INSTRUCTION "the executor does not support the instruction %s"

/* ---- characters ---- */

static void skip_space(struct reader *reader)
{
    while (reader->at < reader->end) {
        if (isspace((unsigned char)*reader->at)) {
            reader->line += *reader->at == '\n';
            reader->at++;
        } else if (reader->end - reader->at >= 2 && strncmp(reader->at, "//", 2) == 0) {
            while (reader->at < reader->end && *reader->at != '\n')
                reader->at++;
        } else if (reader->end - reader->at >= 2 && strncmp(reader->at, "/*", 2) == 0) {
            while (reader->at < reader->end &&
                   !(reader->end - reader->at >= 2 && strncmp(reader->at, "*/", 2) == 0)) {
                reader->line += *reader->at == '\n';
                reader->at++;
            }
            reader->at += reader->end - reader->at < 2 ? reader->end - reader->at : 2;
        } else {
            return;
        }
    }
}

static char peek(struct reader *reader)
{
    skip_space(reader);
    return reader->at < reader->end ? *reader->at : '\0';
}

static bool take(struct reader *reader, char c)
{
    if (peek(reader) != c || c == '\0')
        return false;
    reader->at++;
    return true;
}

static bool expect(struct reader *reader, char c)
{
    return take(reader, c) ||
           WRONG("expected '%c' before '%.*s'", c,
                 (int)(reader->end - reader->at > 12 ? 12 : reader->end - reader->at), reader->at);
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* Reads a name into the arena; NULL if there is none. */
static const char *take_name(struct reader *reader)
{
    char c = peek(reader);
    const char *from = reader->at;
    if (!in_name(c) || isdigit((unsigned char)c))
        return NULL;
    while (reader->at < reader->end && in_name(*reader->at))
        reader->at++;
    size_t length = (size_t)(reader->at - from);
    char *name = arena_alloc(&reader->program->arena, length + 1, 1);
    memcpy(name, from, length);
    return name;
}

static bool take_whole(struct reader *reader, uint64_t *number)
{
    char text[32] = "";
    char *rest = NULL;
    size_t length = 0;
    bool minus = take(reader, '-');
    (void)peek(reader);
    while (reader->at < reader->end && in_name(*reader->at) && length + 1 < sizeof text)
        text[length++] = *reader->at++;
    if (length > 1 && text[length - 1] == 'U')
        text[length - 1] = '\0';
    errno = 0;
    *number = strtoull(text, &rest, 0);
    if (!isdigit((unsigned char)text[0]) || *rest != '\0' || errno != 0)
        return WRONG("'%s' is not a number", text);
    *number = minus ? 0 - *number : *number;
    return true;
}

static bool take_count(struct reader *reader, uint64_t most, uint64_t *number)
{
    return take_whole(reader, number) &&
           (*number <= most || WRONG("%llu is too many: expected at most %llu", (unsigned long long)*number,
                                     (unsigned long long)most));
}

/* ---- symbols ---- */

static unsigned bucket_of(const char *name)
{
    return (unsigned)(hash_name(name, strlen(name)) % BUCKETS);
}

static struct symbol *find_symbol(struct reader *reader, const char *name)
{
    for (int i = reader->buckets[bucket_of(name)]; i != NONE; i = reader->symbols[i].next)
        if (strcmp(reader->symbols[i].name, name) == 0)
            return &reader->symbols[i];
    return NULL;
}

static bool add_symbol(struct reader *reader, const char *name, enum symbol_kind kind, size_t value)
{
    const struct symbol *other = find_symbol(reader, name);
    if (other != NULL && other->depth == reader->depth)
        return WRONG("'%s' is declared twice", name);
    if (reader->symbol_count >= MOST_REGISTERS)
        return UNSUPPORTED("the text declares more than %d names", MOST_REGISTERS);
    int *bucket = &reader->buckets[bucket_of(name)];
    reader->symbols = memory_next(reader->symbols, reader->symbol_count, sizeof *reader->symbols);
    reader->symbols[reader->symbol_count] = (struct symbol){name, kind, reader->depth, value, *bucket};
    *bucket = (int)reader->symbol_count++;
    return true;
}

static void leave_scope(struct reader *reader)
{
    reader->depth--;
    while (reader->symbol_count > 0 && reader->symbols[reader->symbol_count - 1].depth > reader->depth) {
        const struct symbol *last = &reader->symbols[--reader->symbol_count];
        reader->buckets[bucket_of(last->name)] = last->next;
    }
}

/* ---- types ---- */

static bool type_named(const char *text, struct ptx_type *type)
{
    static const struct {
        const char *name;
        struct ptx_type type;
    } types[] = {{"pred", {'p', 4}}, {"u8", {'u', 1}},  {"s8", {'s', 1}},  {"b8", {'b', 1}},
                 {"u16", {'u', 2}},  {"s16", {'s', 2}}, {"b16", {'b', 2}}, {"u32", {'u', 4}},
                 {"s32", {'s', 4}},  {"b32", {'b', 4}}, {"f32", {'f', 4}}, {"u64", {'u', 8}},
                 {"s64", {'s', 8}},  {"b64", {'b', 8}}, {"f64", {'f', 8}}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(text, types[i].name) == 0) {
            *type = types[i].type;
            return true;
        }
    return false;
}

static bool take_type(struct reader *reader, struct ptx_type *type)
{
    if (!expect(reader, '.'))
        return false;
    const char *name = take_name(reader);
    return (name != NULL && type_named(name, type)) ||
           UNSUPPORTED("the executor does not support the type .%s", name == NULL ? "" : name);
}

/* ---- registers and constants ---- */

static size_t add_register(struct reader *reader, const char *name, struct ptx_type type)
{
    struct ptx_program *program = reader->program;
    program->registers = memory_next(program->registers, program->register_count, sizeof *program->registers);
    program->registers[program->register_count] = (struct ptx_register){.name = name, .type = type};
    return program->register_count++;
}

/* A register gets its place at its first use. */
static ptx_place place_of(struct reader *reader, size_t number)
{
    struct ptx_register *own = &reader->program->registers[number];
    if (!own->used) {
        own->used = true;
        own->place = (ptx_place)reader->program->register_bytes;
        reader->program->register_bytes += own->type.letter == 'p' ? 8
                                           : own->type.bytes < 4   ? 4 * PTX_LANES
                                                                   : own->type.bytes * PTX_LANES;
    }
    return own->place;
}

static ptx_place constant_of(struct reader *reader, uint64_t bits, unsigned bytes)
{
    struct ptx_program *program = reader->program;
    bits = bytes == 8 ? bits : bits & ((UINT64_C(1) << 8 * bytes) - 1);
    for (size_t i = 0; i < reader->constant_count; i++)
        if (reader->constants[i].bits == bits && reader->constants[i].bytes == bytes)
            return reader->constants[i].place;
    size_t at = program->constant_bytes;
    program->constant_bytes += (size_t)8 * PTX_LANES;
    program->constants = memory_resized(program->constants, program->constant_bytes, 1);
    for (unsigned i = 0; i < PTX_LANES; i++)
        memcpy(program->constants + at + (size_t)i * bytes, &bits, bytes); /* little endian, as PTX is */
    reader->constants = memory_next(reader->constants, reader->constant_count, sizeof *reader->constants);
    reader->constants[reader->constant_count++] = (struct constant){bits, bytes, ~(ptx_place)at};
    return ~(ptx_place)at;
}

/* ---- declarations ---- */

/* ".reg .b32 %a, %b<4>;" after .reg. */
static bool read_registers(struct reader *reader)
{
    struct ptx_type type = {0};
    if (!take_type(reader, &type))
        return false;
    if (type.letter != 'p' && type.bytes < 2)
        return UNSUPPORTED("the executor does not support registers of 8 bits");
    do {
        const char *name = take_name(reader);
        uint64_t count = 0;
        if (name == NULL)
            return WRONG("expected the name of a register");
        if (!take(reader, '<')) {
            if (!add_symbol(reader, name, SYMBOL_REGISTER, add_register(reader, name, type)))
                return false;
            continue;
        }
        if (!take_count(reader, MOST_REGISTERS, &count) || !expect(reader, '>'))
            return false;
        for (uint64_t i = 0; i < count; i++) {
            char *own = arena_alloc(&reader->program->arena, strlen(name) + 24, 1);
            snprintf(own, strlen(name) + 24, "%s%llu", name, (unsigned long long)i);
            if (!add_symbol(reader, own, SYMBOL_REGISTER, add_register(reader, own, type)))
                return false;
        }
    } while (take(reader, ','));
    return expect(reader, ';');
}

/* Reads "= {1, 2}", if it is there, into the bytes. */
static bool read_values(struct reader *reader, unsigned width, size_t count, unsigned char *bytes)
{
    size_t done = 0;
    if (!take(reader, '='))
        return true;
    bool list = take(reader, '{');
    do {
        uint64_t value;
        if (!take_whole(reader, &value))
            return false;
        if (done == count)
            return WRONG("there are more values than elements");
        memcpy(bytes + width * done++, &value, width);
    } while (list && take(reader, ','));
    return !list || expect(reader, '}');
}

/* ".shared .align 16 .b8 name[100];" and ".const ...", after the first word. */
static bool read_variable(struct reader *reader, enum symbol_kind kind)
{
    struct ptx_program *program = reader->program;
    size_t *used = kind == SYMBOL_SHARED ? &program->shared_bytes : &program->const_bytes;
    struct ptx_type type = {0};
    uint64_t align = 1, count = 1;
    while (peek(reader) == '.') {
        reader->at++;
        const char *word = take_name(reader);
        if (word != NULL && strcmp(word, "align") == 0) {
            if (!take_count(reader, 4096, &align))
                return false;
        } else if (word == NULL || !type_named(word, &type)) {
            return UNSUPPORTED("the executor does not support .%s in a declaration",
                               word == NULL ? "" : word);
        }
    }
    const char *name = take_name(reader);
    if (name == NULL || type.bytes == 0)
        return WRONG("expected a type and a name");
    if (take(reader, '[') && (!take_count(reader, MOST_BYTES, &count) || !expect(reader, ']')))
        return false;
    align = align < type.bytes ? type.bytes : align;
    *used = (*used + align - 1) / align * align;
    size_t size = type.bytes * count;
    if (*used + size > MOST_BYTES)
        return UNSUPPORTED("%s needs more than %d bytes", name, MOST_BYTES);
    if (!add_symbol(reader, name, kind, *used))
        return false;
    if (kind == SYMBOL_CONST) {
        program->const_data = memory_resized(program->const_data, *used + size + 8, 1);
        memset(program->const_data + *used, 0, size + 8);
        if (!read_values(reader, type.bytes, count, program->const_data + *used))
            return false;
    }
    *used += size;
    return expect(reader, ';');
}

/* "(.param .u64 name, ...)". */
static bool read_parameters(struct reader *reader)
{
    struct ptx_program *program = reader->program;
    if (!take(reader, '(') || take(reader, ')'))
        return true;
    size_t bytes = 0;
    do {
        struct ptx_type type = {0};
        const char *word = take(reader, '.') ? take_name(reader) : NULL;
        if (word == NULL || strcmp(word, "param") != 0)
            return WRONG("expected .param");
        while (peek(reader) == '.') { /* .ptr .global .align 8 */
            reader->at++;
            uint64_t align;
            word = take_name(reader);
            if (word != NULL && strcmp(word, "align") == 0 && !take_count(reader, 4096, &align))
                return false;
            if (word != NULL)
                (void)type_named(word, &type);
        }
        const char *name = take_name(reader);
        if (name == NULL || type.bytes == 0)
            return WRONG("expected a parameter's type and name");
        bytes = (bytes + type.bytes - 1) / type.bytes * type.bytes;
        program->parameters =
            memory_next(program->parameters, program->parameter_count, sizeof *program->parameters);
        program->parameters[program->parameter_count++] = type;
        if (!add_symbol(reader, name, SYMBOL_PARAMETER, bytes))
            return false;
        bytes += type.bytes;
    } while (take(reader, ','));
    return expect(reader, ')');
}

/* ---- operands ---- */

/* others: the value of .y and .z, which are constant, as grids have one dimension; PTX_SPECIALS: the register
 * has no parts. */
static const struct {
    const char *name;
    enum ptx_special special, others;
} specials[] = {
    {"%tid", PTX_TID_X, PTX_ZERO},
    {"%ntid", PTX_NTID_X, PTX_ONE},
    {"%ctaid", PTX_CTAID_X, PTX_ZERO},
    {"%nctaid", PTX_NCTAID_X, PTX_ONE},
    {"%cluster_ctaid", PTX_CLUSTER_RANK, PTX_ZERO},
    {"%cluster_nctaid", PTX_CLUSTER_BLOCKS, PTX_ONE},
    {"%clusterid", PTX_CLUSTER_NUMBER, PTX_ZERO},
    {"%nclusterid", PTX_CLUSTERS, PTX_ONE},
    {"%laneid", PTX_LANEID, PTX_SPECIALS},
    {"%warpid", PTX_WARPID, PTX_SPECIALS},
    {"%nwarpid", PTX_NWARPID, PTX_SPECIALS},
    {"%smid", PTX_SMID, PTX_SPECIALS},
    {"%nsmid", PTX_NSMID, PTX_SPECIALS},
    {"%gridid", PTX_ZERO, PTX_SPECIALS},
    {"%clock", PTX_CLOCK, PTX_SPECIALS},
    {"%clock64", PTX_CLOCK64, PTX_SPECIALS},
    {"%lanemask_eq", PTX_LANEMASK_EQ, PTX_SPECIALS},
    {"%lanemask_le", PTX_LANEMASK_LE, PTX_SPECIALS},
    {"%lanemask_lt", PTX_LANEMASK_LT, PTX_SPECIALS},
    {"%lanemask_ge", PTX_LANEMASK_GE, PTX_SPECIALS},
    {"%lanemask_gt", PTX_LANEMASK_GT, PTX_SPECIALS},
    {"%globaltimer", PTX_GLOBALTIMER, PTX_SPECIALS},
    {"%cluster_ctarank", PTX_CLUSTER_RANK, PTX_SPECIALS},
    {"%cluster_nctarank", PTX_CLUSTER_BLOCKS, PTX_SPECIALS},
};

static unsigned special_bytes(enum ptx_special special)
{
    return special == PTX_CLOCK64 || special == PTX_GLOBALTIMER ? 8 : 4;
}

/* Reads 0f3F800000, 0d... or 1.5; false if there is none. */
static bool take_float(struct reader *reader, struct operand *operand)
{
    char text[64];
    size_t length = 0;
    const char *at = reader->at;
    bool minus = at < reader->end && *at == '-';
    at += minus;
    while (at + length < reader->end && length + 1 < sizeof text &&
           (in_name(at[length]) || at[length] == '.' ||
            (length > 0 && (at[length] == '-' || at[length] == '+') &&
             (at[length - 1] == 'e' || at[length - 1] == 'E') && memchr(at, '.', length) != NULL))) {
        text[length] = at[length];
        length++;
    }
    text[length] = '\0';
    char *rest = NULL;
    bool coded = length == 10 && text[0] == '0' && tolower((unsigned char)text[1]) == 'f';
    bool wide = length == 18 && text[0] == '0' && tolower((unsigned char)text[1]) == 'd';
    *operand = (struct operand){.kind = OPERAND_FLOAT};
    if (coded || wide) {
        operand->bits = strtoull(text + 2, &rest, 16);
        operand->is_single = coded;
        if (minus)
            operand->bits ^= UINT64_C(1) << (coded ? 31 : 63);
        if (wide)
            operand->real = double_of(operand->bits);
    } else if (isdigit((unsigned char)text[0]) && strchr(text, '.') != NULL) {
        operand->real = strtod(text, &rest);
        operand->real = minus ? -operand->real : operand->real;
        operand->bits = bits_of_double(operand->real);
    }
    if (rest == NULL || *rest != '\0')
        return false;
    reader->at = at + length;
    return true;
}

static bool read_special(struct reader *reader, const char *name, struct operand *operand)
{
    char full[PTX_NAME_BYTES];
    bool part = reader->end - reader->at >= 2 && reader->at[0] == '.' && strchr("xyz", reader->at[1]) != NULL;
    snprintf(full, sizeof full, "%s%.*s", name, part ? 2 : 0, reader->at);
    if (strcmp(name, "WARP_SZ") == 0) {
        *operand = (struct operand){.kind = OPERAND_WHOLE, .bits = PTX_LANES};
        return true;
    }
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (strcmp(specials[i].name, name) == 0 && part == (specials[i].others != PTX_SPECIALS)) {
            bool other = part && reader->at[1] != 'x';
            reader->at += part ? 2 : 0;
            *operand = (struct operand){.kind = OPERAND_SPECIAL,
                                        .number = other ? specials[i].others : specials[i].special};
            return true;
        }
    if (name[0] == '%' && (strncmp(name, "%total_smem", 11) == 0 || strncmp(name, "%dynamic_smem", 13) == 0 ||
                           strncmp(name, "%envreg", 7) == 0 || strncmp(name, "%cluster", 8) == 0 ||
                           strncmp(name, "%pm", 3) == 0 || strcmp(name, "%clock_hi") == 0 ||
                           strncmp(name, "%globaltimer_", 13) == 0))
        return UNSUPPORTED("the executor does not support the special register %s", full);
    return WRONG("'%s' is not declared", name);
}

static bool read_operand(struct reader *reader, struct operand *operand)
{
    char c = peek(reader);
    if (isdigit((unsigned char)c) || c == '-') {
        if (take_float(reader, operand))
            return true;
        *operand = (struct operand){.kind = OPERAND_WHOLE};
        return take_whole(reader, &operand->bits);
    }
    const char *name = take_name(reader);
    if (name == NULL)
        return UNSUPPORTED("the executor does not support the operand '%c'", c);
    const struct symbol *symbol = find_symbol(reader, name);
    if (symbol == NULL && strcmp(name, "_") == 0) {
        *operand = (struct operand){.kind = OPERAND_NOWHERE};
        return true;
    }
    if (symbol == NULL)
        return read_special(reader, name, operand);
    *operand = symbol->kind == SYMBOL_REGISTER
                   ? (struct operand){.kind = OPERAND_REGISTER, .number = symbol->value}
                   : (struct operand){.kind = OPERAND_SYMBOL, .bits = symbol->value, .space = symbol->kind};
    return true;
}

/* "[%s0+16]", "[name]", "[16]". */
static bool read_address(struct reader *reader, struct written_operand *operands)
{
    uint64_t number = 0;
    operands->address = true;
    if (isdigit((unsigned char)peek(reader)) || peek(reader) == '-') {
        if (!take_whole(reader, &number))
            return false;
        operands->offset = (int64_t)number;
        return expect(reader, ']');
    }
    if (!read_operand(reader, &operands->at[0]))
        return false;
    if (operands->at[0].kind != OPERAND_REGISTER && operands->at[0].kind != OPERAND_SYMBOL)
        return WRONG("an address is a register or a variable, and a number");
    operands->has_base = true;
    operands->count = 1;
    bool plus = take(reader, '+');
    if (plus || peek(reader) == '-') {
        if (!take_whole(reader, &number))
            return false;
        operands->offset = (int64_t)number;
    }
    return expect(reader, ']');
}

static bool read_operands(struct reader *reader)
{
    reader->operand_count = 0;
    if (take(reader, ';'))
        return true;
    do {
        if (reader->operand_count == MOST_OPERANDS)
            return UNSUPPORTED("%s has more operands than the executor supports", reader->name);
        struct written_operand *own = &reader->operands[reader->operand_count++];
        *own = (struct written_operand){0};
        if (take(reader, '[')) {
            if (!read_address(reader, own))
                return false;
        } else if (take(reader, '{')) {
            own->vector = true;
            do {
                if (own->count == PTX_VECTOR)
                    return UNSUPPORTED("the executor does not support vectors of more than %d elements",
                                       PTX_VECTOR);
                if (!read_operand(reader, &own->at[own->count++]))
                    return false;
            } while (take(reader, ','));
            if (!expect(reader, '}'))
                return false;
        } else {
            own->count = 1;
            if (!read_operand(reader, &own->at[0]))
                return false;
        }
        if (peek(reader) == '|')
            return UNSUPPORTED("%s: the executor does not support a second result", reader->name);
    } while (take(reader, ','));
    return expect(reader, ';');
}

/* ---- instructions ---- */

static struct ptx_instruction *add(struct reader *reader, enum ptx_kind kind)
{
    struct ptx_program *program = reader->program;
    program->code = memory_next(program->code, program->count, sizeof *program->code);
    struct ptx_instruction *own = &program->code[program->count++];
    *own = (struct ptx_instruction){.kind = kind,
                                    .line = reader->statement,
                                    .guard = reader->guard,
                                    .guard_not = reader->guard_not,
                                    .count = 1,
                                    .name = "",
                                    .text = reader->text};
    return own;
}

/* Adds the instruction, which has all but its position and guard. */
static bool add_made(struct reader *reader, const struct ptx_instruction *made, const char *name)
{
    struct ptx_instruction *own = add(reader, made->kind);
    const struct ptx_instruction stated = *own;
    *own = *made;
    own->line = stated.line;
    own->guard = stated.guard;
    own->guard_not = stated.guard_not;
    own->text = stated.text;
    own->name = arena_strdup(&reader->program->arena, name);
    return true;
}

/* Finds the register that the operand names, which must have that size. */
static bool own_register(struct reader *reader, const struct operand *operand, unsigned bytes, bool predicate,
                         ptx_place *place)
{
    if (operand->kind != OPERAND_REGISTER)
        return WRONG("%s: expected a register", reader->name);
    const struct ptx_register *own = &reader->program->registers[operand->number];
    if (own->type.bytes != bytes || (own->type.letter == 'p') != predicate)
        return WRONG("%s: %s is a register of %s, expected %u bits%s", reader->name, own->name,
                     own->type.letter == 'p' ? "1 bit"
                     : own->type.bytes == 8  ? "64 bits"
                     : own->type.bytes == 4  ? "32 bits"
                                             : "16 bits",
                     predicate ? 1 : 8 * bytes, predicate ? ", a predicate" : "");
    *place = place_of(reader, operand->number);
    return true;
}

/* Adds an instruction that reads the special register into a new register. */
static bool read_into(struct reader *reader, enum ptx_special special, unsigned bytes, ptx_place *place)
{
    if (special_bytes(special) != bytes)
        return WRONG("%s: the special register has %u bits, expected %u", reader->name,
                     8 * special_bytes(special), 8 * bytes);
    size_t number = add_register(reader, "", (struct ptx_type){'b', bytes});
    struct ptx_instruction *own = add(reader, PTX_SPECIAL);
    own->guard = PTX_NO_GUARD;
    own->text = NULL;
    own->special = special;
    own->writes = true;
    own->result_bytes = bytes;
    own->result[0] = *place = place_of(reader, number);
    return true;
}

static bool number_of(struct reader *reader, const struct operand *operand, unsigned bytes, bool floating,
                      ptx_place *place)
{
    uint64_t bits = operand->bits;
    if (operand->kind == OPERAND_WHOLE && floating)
        return WRONG("%s: expected a floating-point number, such as 0f3F800000 or 1.0", reader->name);
    if (operand->kind == OPERAND_FLOAT && bytes == 4 && !operand->is_single)
        bits = bits_of_float((float)operand->real);
    else if (operand->kind == OPERAND_FLOAT && bytes == 8 && operand->is_single)
        bits = bits_of_double((double)float_of((uint32_t)bits));
    *place = constant_of(reader, bits, bytes);
    return true;
}

static bool source(struct reader *reader, const struct written_operand *operands, unsigned bytes,
                   bool predicate, bool floating, ptx_place *place)
{
    const struct operand *operand = &operands->at[0];
    if (operands->vector || operands->address)
        return WRONG("%s: expected a register or a number", reader->name);
    if (operand->kind == OPERAND_REGISTER)
        return own_register(reader, operand, bytes, predicate, place);
    if (predicate || operand->kind == OPERAND_NOWHERE)
        return WRONG("%s: expected a %s", reader->name, predicate ? "predicate" : "register or a number");
    if (operand->kind == OPERAND_SPECIAL)
        return read_into(reader, (enum ptx_special)operand->number, bytes, place);
    return number_of(reader, operand, bytes, floating, place);
}

static unsigned size_of(char size)
{
    return size == 'p' ? 4 : (unsigned)(size - '0');
}

/* False for operations whose type is not that of all their operands, such as slct. */
static bool takes_float(const char *name, char size, unsigned index)
{
    const char *type = strrchr(name, '.');
    bool lone = strncmp(name, "slct", 4) == 0;
    return type != NULL && type[1] == 'f' && size != 'p' && !lone && index < PTX_SOURCES;
}

static bool expect_operands(struct reader *reader, unsigned count)
{
    return reader->operand_count == count ||
           WRONG("%s has %u operands: expected %u", reader->name, reader->operand_count, count);
}

static bool read_operation(struct reader *reader)
{
    const struct ptx_operation_row *row = ptx_operation_find(reader->name);
    if (row == NULL)
        return UNSUPPORTED(NO_INSTRUCTION, reader->name);
    const char *sizes = row->operands + 2;
    bool predicate = row->operands[0] == 'p';
    unsigned count = (unsigned)strlen(sizes), bytes = size_of(row->operands[0]);
    struct ptx_instruction made = {.kind = PTX_OPERATE,
                                   .count = 1,
                                   .run = row->run,
                                   .divides = row->divides,
                                   .type = {predicate ? 'p' : 'b', bytes},
                                   .result_bytes = bytes,
                                   .writes = true,
                                   .sources = count,
                                   .source_bytes = count > 1 ? size_of(sizes[1]) : 0}; /* of a divisor */
    if (!expect_operands(reader, count + 1))
        return false;
    for (unsigned i = 0; i < count; i++)
        if (!source(reader, &reader->operands[1 + i], size_of(sizes[i]), sizes[i] == 'p',
                    takes_float(reader->name, sizes[i], i), &made.source[i]))
            return false;
    if (reader->operands[0].vector || reader->operands[0].address ||
        !own_register(reader, &reader->operands[0].at[0], bytes, predicate, &made.result[0]))
        return false;
    return add_made(reader, &made, row->name);
}

/* mov between a register and a vector of its parts. */
static bool read_vector_move(struct reader *reader)
{
    bool packs = reader->operands[1].vector;
    const struct written_operand *parts = &reader->operands[packs ? 1 : 0];
    const struct written_operand *whole = &reader->operands[packs ? 0 : 1];
    unsigned bytes = strcmp(reader->name, "mov.b64") == 0 ? 8 : strcmp(reader->name, "mov.b32") == 0 ? 4 : 0;
    if (bytes == 0 || whole->vector || (parts->count != 2 && parts->count != 4) || bytes / parts->count < 2)
        return UNSUPPORTED("the executor does not support this form of %s with a vector", reader->name);
    struct ptx_instruction made = {.kind = packs ? PTX_PACK : PTX_UNPACK,
                                   .writes = true,
                                   .count = parts->count,
                                   .type = {'b', bytes},
                                   .sources = packs ? parts->count : 1,
                                   .result_bytes = packs ? bytes : bytes / parts->count,
                                   .source_bytes = packs ? bytes / parts->count : bytes};
    if (!own_register(reader, &whole->at[0], bytes, false, packs ? &made.result[0] : &made.source[0]))
        return false;
    for (unsigned i = 0; i < parts->count; i++)
        if (!own_register(reader, &parts->at[i], bytes / parts->count, false,
                          packs ? &made.source[i] : &made.result[i]))
            return false;
    return add_made(reader, &made, reader->name);
}

/* The next word of a name that dots separate; NULL at its end. */
static const char *word_of(const char **at, char word[PTX_NAME_BYTES])
{
    if (**at == '\0')
        return NULL;
    size_t length = strcspn(*at, ".");
    snprintf(word, PTX_NAME_BYTES, "%.*s", (int)length, *at);
    *at += length + ((*at)[length] == '.');
    return word;
}

static bool is_one_of(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at++)
        if (at > words && at[-1] == ' ' && at[length] == ' ')
            return length > 0;
    return false;
}

/* cvt.rn.f32.u32 and so on. */
static bool read_conversion(struct reader *reader)
{
    struct ptx_type types[2] = {{0}};
    struct ptx_instruction made = {.kind = PTX_CONVERT, .count = 1, .writes = true, .sources = 1};
    unsigned count = 0;
    char word[PTX_NAME_BYTES];
    const char *at = reader->name + strlen("cvt.");
    while (word_of(&at, word) != NULL) {
        if (is_one_of(" rni rzi rmi rpi ", word))
            made.rounding = word[1] == 'n' ? 'i' : word[1];
        else if (strcmp(word, "rn") == 0)
            made.rounding = 'n';
        else if (strcmp(word, "sat") == 0)
            made.saturates = true;
        else if (count < 2 && type_named(word, &types[count]) && types[count].letter != 'p')
            count++;
        else
            return UNSUPPORTED("%s: the executor does not support .%s of a conversion", reader->name, word);
    }
    if (count != 2 || reader->operand_count != 2 || types[0].letter == 'b' || types[1].letter == 'b')
        return WRONG("%s is not a conversion", reader->name);
    const struct operand *to = &reader->operands[0].at[0], *from = &reader->operands[1].at[0];
    if (to->kind != OPERAND_REGISTER)
        return WRONG("%s: expected a register", reader->name);
    made.type = types[0];
    made.from = types[1];
    made.result_bytes = reader->program->registers[to->number].type.bytes;
    made.source_bytes = types[1].bytes;
    if (from->kind == OPERAND_REGISTER)
        made.source_bytes = reader->program->registers[from->number].type.bytes;
    else if (from->kind == OPERAND_SPECIAL)
        made.source_bytes = special_bytes((enum ptx_special)from->number);
    if (made.result_bytes < types[0].bytes || made.source_bytes < types[1].bytes)
        return WRONG("%s: a register is narrower than its type", reader->name);
    if (!source(reader, &reader->operands[1], made.source_bytes, false, types[1].letter == 'f',
                &made.source[0]) ||
        !own_register(reader, to, made.result_bytes, false, &made.result[0]))
        return false;
    return add_made(reader, &made, "cvt");
}

/* ---- memory ---- */

static const struct {
    const char *name;
    enum ptx_space space;
} spaces[] = {{"global", PTX_GLOBAL},           {"shared", PTX_SHARED}, {"shared::cta", PTX_SHARED},
              {"shared::cluster", PTX_CLUSTER}, {"const", PTX_CONST},   {"param", PTX_PARAM}};

static const struct {
    const char *name;
    enum ptx_atomic atomic;
} atomics[] = {{"add", PTX_ADD}, {"min", PTX_MIN},   {"max", PTX_MAX}, {"and", PTX_AND}, {"or", PTX_OR},
               {"xor", PTX_XOR}, {"exch", PTX_EXCH}, {"cas", PTX_CAS}, {"inc", PTX_INC}, {"dec", PTX_DEC}};

/* The words of ld, st, atom and red after the first. */
static bool read_memory_words(struct reader *reader, struct ptx_instruction *made)
{
    char word[PTX_NAME_BYTES];
    const char *at = reader->name + strcspn(reader->name, ".");
    bool has_space = false, has_atomic = made->kind != PTX_ATOMIC;
    at += *at == '.';
    made->cache = "";
    made->scope = "gpu";
    while (word_of(&at, word) != NULL) {
        size_t space = 0, atomic = 0;
        if (is_one_of(" cta cluster gpu sys ", word))
            made->scope = arena_strdup(&reader->program->arena, word);
        if (is_one_of(" ca cg cs lu cv nc wb wt L1::no_allocate L1::evict_last L1::evict_first ", word))
            made->cache = arena_strdup(&reader->program->arena, word);
        while (space < sizeof spaces / sizeof spaces[0] && strcmp(word, spaces[space].name) != 0)
            space++;
        while (atomic < sizeof atomics / sizeof atomics[0] && strcmp(word, atomics[atomic].name) != 0)
            atomic++;
        if (space < sizeof spaces / sizeof spaces[0]) {
            made->space = spaces[space].space;
            has_space = true;
        } else if (!has_atomic && atomic < sizeof atomics / sizeof atomics[0]) {
            made->atomic = atomics[atomic].atomic;
            has_atomic = true;
        } else if (strcmp(word, "v2") == 0 || strcmp(word, "v4") == 0) {
            made->count = (unsigned)(word[1] - '0');
        } else if (is_one_of(" cg cv volatile relaxed acquire release acq_rel ", word)) {
            made->past_l1 = true;
            made->is_volatile = is_one_of(" volatile relaxed acquire release acq_rel ", word);
        } else if (strcmp(word, "L1::no_allocate") == 0) {
            made->no_allocate = true;
        } else if (!is_one_of(" ca cs lu nc wb wt weak gpu cta cluster sys L1::evict_last L1::evict_first "
                              "L1::evict_normal L1::evict_unchanged L2::64B L2::128B L2::256B ",
                              word) &&
                   (made->type.bytes != 0 || !type_named(word, &made->type))) {
            return UNSUPPORTED("%s: the executor does not support .%s of an access", reader->name, word);
        }
    }
    if (!has_space)
        return UNSUPPORTED("%s: the executor does not support generic addresses; expected .global or .shared",
                           reader->name);
    reader->program->reads_cluster = reader->program->reads_cluster || made->space == PTX_CLUSTER;
    if (made->type.bytes == 0 || made->type.letter == 'p' || !has_atomic)
        return WRONG("%s: expected a type", reader->name);
    if (made->type.bytes * made->count > 16)
        return UNSUPPORTED("%s: the executor supports accesses of up to 16 bytes", reader->name);
    return true;
}

static bool read_base(struct reader *reader, const struct written_operand *operands, enum ptx_space space,
                      struct ptx_address *address)
{
    static const enum symbol_kind kinds[] = {SYMBOL_REGISTER, SYMBOL_SHARED, SYMBOL_CONST, SYMBOL_PARAMETER,
                                             SYMBOL_SHARED};
    if (!operands->address)
        return WRONG("%s: expected an address in brackets", reader->name);
    address->offset = operands->offset;
    if (!operands->has_base)
        return true;
    const struct operand *base = &operands->at[0];
    if (base->kind == OPERAND_SYMBOL) {
        if (base->space != kinds[space])
            return WRONG("%s: the variable is in another space", reader->name);
        address->offset += (int64_t)base->bits;
        return true;
    }
    address->has_base = true;
    address->bytes = reader->program->registers[base->number].type.bytes;
    if (address->bytes < 4 || (address->bytes == 4 && space == PTX_GLOBAL))
        return WRONG("%s: the address is too narrow", reader->name);
    return own_register(reader, base, address->bytes, false, &address->base);
}

/* Reads the elements of a load or a store: registers, or, in a store, numbers. */
static bool read_elements(struct reader *reader, const struct written_operand *operands,
                          struct ptx_instruction *made, bool stored)
{
    ptx_place *places = stored ? made->source : made->result;
    unsigned *bytes = stored ? &made->source_bytes : &made->result_bytes;
    if (operands->address || operands->count != made->count || operands->vector != (made->count > 1))
        return WRONG("%s: expected %u element%s", reader->name, made->count, made->count == 1 ? "" : "s");
    for (unsigned i = 0; i < operands->count; i++) {
        const struct written_operand one = {.at = {operands->at[i]}, .count = 1};
        unsigned own = made->type.bytes;
        if (one.at[0].kind == OPERAND_REGISTER)
            own = reader->program->registers[one.at[0].number].type.bytes;
        if (own < made->type.bytes || (i > 0 && own != *bytes))
            return WRONG("%s: a register is too narrow, or the elements differ", reader->name);
        *bytes = own;
        if (!stored && !own_register(reader, &one.at[0], own, false, &places[i]))
            return false;
        if (stored && !source(reader, &one, own, false, made->type.letter == 'f', &places[i]))
            return false;
    }
    return true;
}

/* cp.async.cg.shared.global [to], [from], 16 */
static bool read_copy(struct reader *reader)
{
    struct ptx_instruction made = {.kind = PTX_COPY, .type = {'b', 4}, .space = PTX_GLOBAL, .cache = ""};
    const struct written_operand *size = &reader->operands[2];
    const char *at = reader->name + strlen("cp.async.");
    char word[PTX_NAME_BYTES];
    bool from = false, to = false;
    while (word_of(&at, word) != NULL) {
        if (strcmp(word, "ca") == 0 || strcmp(word, "cg") == 0)
            made.cache = arena_strdup(&reader->program->arena, word);
        else if (strcmp(word, "global") == 0)
            from = true;
        else if (strcmp(word, "shared") == 0 || strcmp(word, "shared::cta") == 0)
            to = true;
        else
            return UNSUPPORTED("%s: the executor does not support .%s of an asynchronous copy", reader->name,
                               word);
    }
    if (made.cache[0] == '\0' || !from || !to)
        return WRONG("%s: expected .ca or .cg, .shared and .global", reader->name);
    if (reader->operand_count > 3)
        return UNSUPPORTED("%s: the executor does not support a fourth operand", reader->name);
    if (reader->operand_count != 3 || size->vector || size->address || size->at[0].kind != OPERAND_WHOLE)
        return WRONG("%s: expected two addresses and a number of bytes", reader->name);
    uint64_t bytes = size->at[0].bits;
    made.past_l1 = strcmp(made.cache, "cg") == 0;
    if (bytes != 16 && (made.past_l1 || (bytes != 4 && bytes != 8)))
        return WRONG("%s copies %llu bytes: expected %s", reader->name, (unsigned long long)bytes,
                     made.past_l1 ? "16" : "4, 8 or 16");
    made.count = (unsigned)bytes / made.type.bytes;
    if (!read_base(reader, &reader->operands[0], PTX_SHARED, &made.to) ||
        !read_base(reader, &reader->operands[1], PTX_GLOBAL, &made.address))
        return false;
    reader->program->copies = true;
    return add_made(reader, &made, reader->name);
}

/* ---- bulk copies and mbarriers ---- */

/* Reads the operand of that index, which must be a number. */
static bool whole_operand(struct reader *reader, unsigned index, uint64_t most, uint64_t *number)
{
    const struct written_operand *own = &reader->operands[index];
    if (index >= reader->operand_count || own->vector || own->address || own->at[0].kind != OPERAND_WHOLE ||
        own->at[0].bits > most)
        return WRONG("%s: expected a number of at most %llu as operand %u", reader->name,
                     (unsigned long long)most, index + 1);
    *number = own->at[0].bits;
    return true;
}

/* Reads the operand with the bytes of a bulk copy. */
static bool bulk_size(struct reader *reader, uint64_t *size)
{
    if (!whole_operand(reader, 2, UINT32_MAX, size))
        return false;
    return (*size > 0 && *size % 16 == 0) ||
           WRONG("%s copies %llu bytes: expected a multiple of 16", reader->name, (unsigned long long)*size);
}

/* cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [mbarrier] */
static bool read_bulk(struct reader *reader)
{
    static const char *const names[] = {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
                                        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"};
    struct ptx_instruction made = {
        .kind = PTX_BULK, .type = {'b', 4}, .count = 1, .space = PTX_GLOBAL, .past_l1 = true, .cache = ""};
    if (strcmp(reader->name, names[0]) != 0 && strcmp(reader->name, names[1]) != 0)
        return UNSUPPORTED("%s: of bulk copies the executor supports %s", reader->name, names[0]);
    if (!expect_operands(reader, 4) || !read_base(reader, &reader->operands[0], PTX_SHARED, &made.to) ||
        !read_base(reader, &reader->operands[1], PTX_GLOBAL, &made.address) ||
        !read_base(reader, &reader->operands[3], PTX_SHARED, &made.barrier) || !bulk_size(reader, &made.size))
        return false;
    reader->program->bulk = true;
    return add_made(reader, &made, reader->name);
}

/* cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes, and commits of and waits for groups of
 * such copies. The instruction's `to` is its source, in shared memory. */
static bool read_put(struct reader *reader)
{
    static const char name[] = "cp.async.bulk.global.shared::cta.bulk_group";
    struct ptx_instruction made = {
        .kind = PTX_PUT, .type = {'b', 4}, .count = 1, .space = PTX_GLOBAL, .past_l1 = true, .cache = ""};
    uint64_t groups = 0;
    bool commits = strcmp(reader->name, "cp.async.bulk.commit_group") == 0;
    reader->program->bulk = true;
    if (commits || strcmp(reader->name, "cp.async.bulk.wait_group") == 0) {
        if (!commits && !whole_operand(reader, 0, UINT_MAX - 1, &groups))
            return false;
        made.kind = commits ? PTX_PUT_COMMIT : PTX_PUT_WAIT;
        made.pending = (unsigned)groups;
        return add_made(reader, &made, reader->name);
    }
    if (strcmp(reader->name, name) != 0)
        return UNSUPPORTED("%s: of bulk copies to global memory the executor supports %s", reader->name,
                           name);
    return expect_operands(reader, 3) && read_base(reader, &reader->operands[0], PTX_GLOBAL, &made.address) &&
           read_base(reader, &reader->operands[1], PTX_SHARED, &made.to) && bulk_size(reader, &made.size) &&
           add_made(reader, &made, reader->name);
}

/* True if the name is that instruction of an mbarrier, with any supported space and type. */
static bool is_phase(const char *name, const char *word)
{
    static const char *const ends[] = {".shared::cta.b64", ".shared.b64"};
    size_t length = strlen(word);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (strncmp(name, word, length) == 0 && strcmp(name + length, ends[i]) == 0)
            return true;
    return false;
}

static bool phase_place(struct reader *reader, unsigned index, struct ptx_instruction *made)
{
    made->space = PTX_SHARED;
    return index < reader->operand_count
               ? read_base(reader, &reader->operands[index], PTX_SHARED, &made->address)
               : WRONG("%s: expected an address in brackets", reader->name);
}

static bool is_nowhere(const struct reader *reader)
{
    const struct written_operand *first = &reader->operands[0];
    return reader->operand_count > 0 && !first->address && !first->vector &&
           first->at[0].kind == OPERAND_NOWHERE;
}

/* mbarrier.try_wait.parity.shared::cta.b64 over, [mbarrier], parity. A parity that is a number becomes part
 * of the instruction's name. */
static bool read_phase_test(struct reader *reader)
{
    struct ptx_instruction made = {
        .kind = PTX_MBARRIER_TEST, .type = {'p', 4}, .count = 1, .result_bytes = 4};
    char name[PTX_NAME_BYTES + 16];
    snprintf(name, sizeof name, "%s", reader->name);
    if (!expect_operands(reader, 3))
        return false;
    const struct written_operand *parity = &reader->operands[2];
    bool number = !parity->address && !parity->vector && parity->at[0].kind == OPERAND_WHOLE;
    if (reader->operands[0].vector || reader->operands[0].address)
        return WRONG("%s: expected a predicate", reader->name);
    if (!own_register(reader, &reader->operands[0].at[0], 4, true, &made.result[0]) ||
        !phase_place(reader, 1, &made))
        return false;
    if (number && parity->at[0].bits > 1)
        return WRONG("%s: a parity is 0 or 1", reader->name);
    if (!number && !source(reader, parity, 4, false, false, &made.source[0]))
        return false;
    made.sources = number ? 0 : 1;
    made.source_bytes = 4;
    made.parity = number ? (unsigned)parity->at[0].bits : 0;
    made.writes = true;
    if (number)
        snprintf(name, sizeof name, "%s %u", reader->name, made.parity);
    return add_made(reader, &made, name);
}

static bool read_phase(struct reader *reader)
{
    const char *name = reader->name;
    uint64_t number = 1;
    struct ptx_instruction made = {.count = 1, .type = {'b', 8}};
    reader->program->bulk = true;
    if (is_phase(name, "mbarrier.try_wait.parity") || is_phase(name, "mbarrier.test_wait.parity"))
        return read_phase_test(reader);
    if (is_phase(name, "mbarrier.init")) {
        made.kind = PTX_MBARRIER_INIT;
        if (!phase_place(reader, 0, &made) || !whole_operand(reader, 1, (1 << 20) - 1, &number))
            return false;
        if (number == 0)
            return WRONG("%s: an mbarrier must expect at least one thread", name);
        made.expected = (unsigned)number;
        return add_made(reader, &made, name);
    }
    bool adds = is_phase(name, "mbarrier.arrive.expect_tx");
    if (!adds && !is_phase(name, "mbarrier.arrive"))
        return UNSUPPORTED(NO_INSTRUCTION, name);
    if (!is_nowhere(reader) || reader->operand_count != (adds ? 3U : 2U))
        return UNSUPPORTED("%s: the executor supports it with the result _ and without a number of threads",
                           name);
    made.kind = PTX_MBARRIER_ARRIVE;
    if (!phase_place(reader, 1, &made) || (adds && !whole_operand(reader, 2, (1 << 20) - 1, &made.size)))
        return false;
    return add_made(reader, &made, name);
}

/* A fence, which has an effect only on bulk copies. */
static bool read_fence(struct reader *reader)
{
    const char *name = reader->name;
    bool proxy = strcmp(name, "fence.proxy.async") == 0 || strcmp(name, "fence.proxy.async.shared::cta") == 0;
    bool init = strcmp(name, "fence.mbarrier_init.release.cluster") == 0;
    struct ptx_instruction *own = add(reader, proxy || init ? PTX_PROXY : PTX_NOTHING);
    own->name = proxy ? "fence.proxy.async" : init ? "fence.mbarrier_init" : "nothing";
    own->expected = proxy; /* 0: for mbarriers only */
    return true;
}

/* cp.async, and commits of and waits for groups of such copies. */
static bool read_async(struct reader *reader)
{
    const char *name = reader->name;
    bool all = strcmp(name, "cp.async.wait_all") == 0;
    char text[PTX_NAME_BYTES + 16];
    if (strcmp(name, "cp.async.commit_group") == 0 || all) {
        if (!expect_operands(reader, 0))
            return false;
        struct ptx_instruction *own = add(reader, all ? PTX_WAIT : PTX_COMMIT);
        own->name = all ? "cp.async.wait_all" : "cp.async.commit_group";
        own->pending = UINT_MAX;
        return true;
    }
    if (strcmp(name, "cp.async.wait_group") == 0) {
        uint64_t groups = 0;
        if (!expect_operands(reader, 1) || !whole_operand(reader, 0, UINT_MAX - 1, &groups))
            return false;
        snprintf(text, sizeof text, "%s %u", name, (unsigned)groups);
        struct ptx_instruction *own = add(reader, PTX_WAIT);
        own->name = arena_strdup(&reader->program->arena, text);
        own->pending = (unsigned)groups;
        return true;
    }
    if (strncmp(name, "cp.async.c", 10) == 0)
        return read_copy(reader);
    if (strncmp(name, "cp.async.bulk.shared", 20) == 0)
        return read_bulk(reader);
    if (strncmp(name, "cp.async.bulk.global", 20) == 0 ||
        strncmp(name, "cp.async.bulk.commit_group", 26) == 0 ||
        strncmp(name, "cp.async.bulk.wait_group", 24) == 0)
        return read_put(reader);
    return UNSUPPORTED(NO_INSTRUCTION, name);
}

static bool read_memory(struct reader *reader, enum ptx_kind kind, bool reduction)
{
    struct ptx_instruction made = {.kind = kind, .count = 1};
    if (!read_memory_words(reader, &made))
        return false;
    bool loads = kind == PTX_LOAD || (kind == PTX_ATOMIC && !reduction);
    unsigned extra = kind == PTX_ATOMIC ? (made.atomic == PTX_CAS ? 2 : 1) : 0;
    if (!expect_operands(reader, kind == PTX_ATOMIC ? 1 + loads + extra : 2))
        return false;
    if ((kind != PTX_LOAD && (made.space == PTX_CONST || made.space == PTX_PARAM)) ||
        (kind == PTX_ATOMIC && (made.count > 1 || made.type.bytes < 4)))
        return WRONG("%s: no such access", reader->name);
    if (loads && !read_elements(reader, &reader->operands[0], &made, false))
        return false;
    made.writes = loads;
    if (!read_base(reader, &reader->operands[loads ? 1 : 0], made.space, &made.address))
        return false;
    if (kind == PTX_STORE && !read_elements(reader, &reader->operands[1], &made, true))
        return false;
    made.sources = kind == PTX_STORE ? made.count : extra;
    for (unsigned i = 0; i < extra; i++)
        if (!source(reader, &reader->operands[1 + loads + i], made.type.bytes, false, made.type.letter == 'f',
                    &made.source[i]))
            return false;
    return add_made(reader, &made, kind == PTX_LOAD ? "ld" : kind == PTX_STORE ? "st" : "atom");
}

/* ---- control ---- */

static bool read_branch(struct reader *reader)
{
    const char *name = take_name(reader);
    if (name == NULL || !expect(reader, ';'))
        return name != NULL || WRONG("expected a label");
    struct ptx_instruction *own = add(reader, PTX_BRANCH);
    own->name = "bra";
    reader->pending = memory_next(reader->pending, reader->pending_count, sizeof *reader->pending);
    reader->pending[reader->pending_count++] = (struct pending){reader->program->count - 1, name};
    return true;
}

static bool starts(const char *name, const char *word)
{
    size_t length = strlen(word);
    return strncmp(name, word, length) == 0 && (name[length] == '.' || name[length] == '\0');
}

/* barrier.cluster.arrive.release.aligned and barrier.cluster.wait.acquire.aligned */
static bool read_cluster_barrier(struct reader *reader)
{
    const char *at = reader->name + strlen("barrier.cluster");
    char word[PTX_NAME_BYTES];
    at += *at == '.';
    bool arrives = starts(at, "arrive");
    if (reader->operand_count != 0 || (!arrives && !starts(at, "wait")))
        return WRONG("%s: expected barrier.cluster.arrive or barrier.cluster.wait", reader->name);
    (void)word_of(&at, word);
    while (word_of(&at, word) != NULL) {
        if (strcmp(word, "relaxed") == 0)
            return WRONG(
                "%s: a relaxed arrival does not make earlier writes visible to other blocks; expected "
                ".release",
                reader->name);
        if (strcmp(word, "aligned") != 0 && strcmp(word, arrives ? "release" : "acquire") != 0)
            return WRONG("%s: there is no .%s of it", reader->name, word);
    }
    add(reader, arrives ? PTX_CLUSTER_ARRIVE : PTX_CLUSTER_WAIT)->name =
        arrives ? "barrier.cluster.arrive" : "barrier.cluster.wait";
    return true;
}

/* mapa.shared::cluster.u64 result, address, rank */
static bool read_map(struct reader *reader)
{
    bool wide = strcmp(reader->name, "mapa.shared::cluster.u64") == 0;
    unsigned bytes = wide ? 8 : 4;
    struct ptx_instruction made = {.kind = PTX_MAP,
                                   .count = 1,
                                   .type = {'u', bytes},
                                   .writes = true,
                                   .result_bytes = bytes,
                                   .source_bytes = bytes,
                                   .sources = 2};
    if (!wide && strcmp(reader->name, "mapa.shared::cluster.u32") != 0)
        return UNSUPPORTED("%s: the executor supports mapa.shared::cluster.u32 and .u64", reader->name);
    return expect_operands(reader, 3) &&
           source(reader, &reader->operands[1], bytes, false, false, &made.source[0]) &&
           source(reader, &reader->operands[2], 4, false, false, &made.source[1]) &&
           own_register(reader, &reader->operands[0].at[0], bytes, false, &made.result[0]) &&
           add_made(reader, &made, "mapa");
}

static bool read_barrier(struct reader *reader)
{
    if (starts(reader->name, "barrier.cluster"))
        return read_cluster_barrier(reader);
    bool warp = strcmp(reader->name, "bar.warp.sync") == 0;
    const struct operand *first = &reader->operands[0].at[0];
    bool all = warp ? first->kind == OPERAND_WHOLE && (uint32_t)first->bits == UINT32_MAX
                    : first->kind == OPERAND_WHOLE && first->bits == 0;
    if ((!warp && strcmp(reader->name, "bar.sync") != 0 && strcmp(reader->name, "barrier.sync") != 0) ||
        reader->operand_count != 1 || !all)
        return UNSUPPORTED(
            "%s: the executor supports bar.sync 0 and bar.warp.sync 0xffffffff, of all threads",
            reader->name);
    add(reader, warp ? PTX_WARP_BARRIER : PTX_BARRIER)->name = "bar";
    return true;
}

static bool read_move(struct reader *reader)
{
    bool vector = reader->operand_count == 2 && (reader->operands[0].vector || reader->operands[1].vector);
    return vector ? read_vector_move(reader) : read_operation(reader);
}

/* Reads a vector of registers of 4 bytes; a single one needs no braces. */
static bool own_vector(struct reader *reader, const struct written_operand *operands, unsigned count,
                       ptx_place *places)
{
    if (operands->address || operands->count != count || operands->vector != (count > 1 || operands->vector))
        return WRONG("%s: expected %u registers in braces", reader->name, count);
    for (unsigned i = 0; i < count; i++)
        if (!own_register(reader, &operands->at[i], 4, false, &places[i]))
            return false;
    return true;
}

static bool read_matrix(struct reader *reader)
{
    const struct ptx_matrix *form = ptx_matrix_find(reader->name);
    if (form == NULL)
        return UNSUPPORTED(NO_INSTRUCTION, reader->name);
    if (!expect_operands(reader, 4))
        return false;
    struct ptx_instruction made = {.kind = PTX_MATRIX,
                                   .matrix = form,
                                   .writes = true,
                                   .count = form->third,
                                   .type = {'b', 4},
                                   .result_bytes = 4,
                                   .source_bytes = 4,
                                   .sources = form->first + form->second + form->third};
    if (!own_vector(reader, &reader->operands[0], form->third, made.result) ||
        !own_vector(reader, &reader->operands[1], form->first, made.source) ||
        !own_vector(reader, &reader->operands[2], form->second, made.source + form->first) ||
        !own_vector(reader, &reader->operands[3], form->third, made.source + form->first + form->second))
        return false;
    return add_made(reader, &made, form->name);
}

/* Reads the registers of a product's sum. */
static bool read_sums(struct reader *reader, unsigned count, struct ptx_instruction *made)
{
    ptx_place *sums = arena_alloc(&reader->program->arena, count, sizeof *sums);
    made->sums = sums;
    if (!expect(reader, '{'))
        return false;
    for (unsigned i = 0; i < count; i++) {
        struct operand operand;
        if ((i > 0 && !expect(reader, ',')) || !read_operand(reader, &operand) ||
            !own_register(reader, &operand, 4, false, &sums[i]))
            return false;
        for (unsigned k = 0; k < i; k++)
            if (sums[k] == sums[i])
                return WRONG("%s: the sum lists a register twice", reader->name);
    }
    return expect(reader, '}') && expect(reader, ',');
}

/* Reads the factor's sign, and its order: 0, for rows (in the second factor columns) of consecutive
 * elements. */
static bool read_factor(struct reader *reader, const struct ptx_group_matrix *form, unsigned which,
                        bool *minus)
{
    for (unsigned i = 3 + which; i < reader->operand_count; i += 2) {
        const struct written_operand *own = &reader->operands[i];
        bool sign = i < 3 + form->signs;
        int64_t number = (int64_t)own->at[0].bits;
        if (own->vector || own->address || own->at[0].kind != OPERAND_WHOLE ||
            (sign ? number != 1 && number != -1 : number != 0))
            return WRONG("%s: expected %s as operand %u", reader->name,
                         sign ? "1 or -1" : "0, for a factor that is not transposed,", i + 2);
        *minus = *minus || number == -1;
    }
    return true;
}

/* wgmma.mma_async {sum}, first, second, adds, sign, sign, 0, 0: both factors by descriptors */
static bool read_product(struct reader *reader)
{
    struct ptx_instruction made = {.kind = PTX_GROUP_MATRIX,
                                   .writes = true,
                                   .type = {'b', 4},
                                   .result_bytes = 4,
                                   .source_bytes = 8,
                                   .sources = 3};
    unsigned columns = 0;
    made.group = ptx_group_find(reader->name, &columns);
    made.count = columns / 2;
    if (made.group == NULL)
        return UNSUPPORTED(NO_INSTRUCTION, reader->name);
    if (!read_sums(reader, made.count, &made) || !read_operands(reader))
        return false;
    if (reader->operand_count != 3 + made.group->signs + made.group->orders)
        return WRONG("%s has %u operands: expected %u", reader->name, reader->operand_count + 1,
                     4 + made.group->signs + made.group->orders);
    if (!source(reader, &reader->operands[0], 8, false, false, &made.source[0]) ||
        !source(reader, &reader->operands[1], 8, false, false, &made.source[1]) ||
        !source(reader, &reader->operands[2], 4, true, false, &made.source[2]) ||
        !read_factor(reader, made.group, 0, &made.minus_first) ||
        !read_factor(reader, made.group, 1, &made.minus_second))
        return false;
    reader->program->groups = reader->program->bulk = true;
    return add_made(reader, &made, reader->name);
}

/* The others of wgmma: a fence, the end of a group, a wait for groups. */
static bool read_group(struct reader *reader)
{
    const char *name = reader->name;
    bool waits = strcmp(name, "wgmma.wait_group.sync.aligned") == 0;
    bool fences = strcmp(name, "wgmma.fence.sync.aligned") == 0;
    uint64_t number = 0;
    char text[PTX_NAME_BYTES + 16];
    if (!waits && !fences && strcmp(name, "wgmma.commit_group.sync.aligned") != 0)
        return UNSUPPORTED(NO_INSTRUCTION, name);
    if (reader->operand_count != waits || (waits && !whole_operand(reader, 0, UINT_MAX - 1, &number)))
        return WRONG("%s: expected %s", name, waits ? "a number of groups" : "no operands");
    snprintf(text, sizeof text, waits ? "%s %u" : "%s", name, (unsigned)number);
    struct ptx_instruction *own = add(reader, waits    ? PTX_GROUP_WAIT
                                              : fences ? PTX_GROUP_FENCE
                                                       : PTX_GROUP_COMMIT);
    own->name = arena_strdup(&reader->program->arena, text);
    own->pending = (unsigned)number;
    reader->program->groups = reader->program->bulk = true;
    return true;
}

static bool read_instruction(struct reader *reader)
{
    const char *name = reader->name;
    if (starts(name, "wgmma.mma_async"))
        return read_product(reader);
    if (starts(name, "bra"))
        return strcmp(name, "bra") == 0 || strcmp(name, "bra.uni") == 0 ? read_branch(reader)
                                                                        : UNSUPPORTED(NO_INSTRUCTION, name);
    if (!read_operands(reader))
        return false;
    if (starts(name, "ld"))
        return read_memory(reader, PTX_LOAD, false);
    if (starts(name, "st"))
        return read_memory(reader, PTX_STORE, false);
    if (starts(name, "atom"))
        return read_memory(reader, PTX_ATOMIC, false);
    if (starts(name, "red"))
        return read_memory(reader, PTX_ATOMIC, true);
    if (starts(name, "cp"))
        return read_async(reader);
    if (starts(name, "mbarrier"))
        return read_phase(reader);
    if (starts(name, "cvt"))
        return read_conversion(reader);
    if (starts(name, "mapa"))
        return read_map(reader);
    if (starts(name, "mov"))
        return read_move(reader);
    if (starts(name, "mma"))
        return read_matrix(reader);
    if (starts(name, "wgmma"))
        return read_group(reader);
    if (starts(name, "bar") || starts(name, "barrier"))
        return read_barrier(reader);
    if (strcmp(name, "ret") == 0 || strcmp(name, "exit") == 0) {
        add(reader, PTX_EXIT)->name = "ret";
        return true;
    }
    if (starts(name, "fence"))
        return read_fence(reader);
    if (starts(name, "membar") || starts(name, "nanosleep")) {
        bool sleeps = starts(name, "nanosleep");
        struct ptx_instruction *own = add(reader, PTX_NOTHING);
        own->sleeps = sleeps;
        own->name = sleeps ? "nanosleep" : "nothing";
        return true;
    }
    return read_operation(reader);
}

static bool add_label(struct reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->label_count; i++)
        if (strcmp(reader->labels[i].name, name) == 0)
            return WRONG("the label %s is defined twice", name);
    reader->labels = memory_next(reader->labels, reader->label_count, sizeof *reader->labels);
    reader->labels[reader->label_count++] = (struct label){name, reader->program->count};
    if (strcmp(name, "TRAUMA_LOOP") == 0) {
        reader->guard = PTX_NO_GUARD;
        reader->program->loop = reader->program->count;
        add(reader, PTX_PASS)->text = NULL;
    }
    if (strcmp(name, "TRAUMA_ADVANCE") == 0)
        reader->program->units_end = reader->program->count;
    return true;
}

static bool read_guard(struct reader *reader)
{
    struct operand operand;
    reader->guard = PTX_NO_GUARD;
    reader->guard_not = false;
    if (!take(reader, '@'))
        return true;
    reader->guard_not = take(reader, '!');
    snprintf(reader->name, sizeof reader->name, "@");
    return read_operand(reader, &operand) && own_register(reader, &operand, 4, true, &reader->guard);
}

static bool skip_to(struct reader *reader, char c)
{
    while (reader->at < reader->end && *reader->at != c) {
        reader->line += *reader->at == '\n';
        reader->at++;
    }
    return expect(reader, c);
}

static bool read_directive(struct reader *reader)
{
    reader->at++;
    const char *word = take_name(reader);
    if (word == NULL)
        return WRONG("expected a directive");
    if (strcmp(word, "reg") == 0)
        return read_registers(reader);
    if (strcmp(word, "shared") == 0)
        return read_variable(reader, SYMBOL_SHARED);
    if (strcmp(word, "const") == 0)
        return read_variable(reader, SYMBOL_CONST);
    if (strcmp(word, "pragma") == 0)
        return skip_to(reader, ';');
    if (strcmp(word, "loc") == 0)
        return skip_to(reader, '\n');
    return UNSUPPORTED("the executor does not support the directive .%s", word);
}

/* Reads a label or an instruction. */
static bool read_statement(struct reader *reader)
{
    size_t length = 0;
    if (!read_guard(reader))
        return false;
    (void)peek(reader);
    const char *from = reader->at;
    while (reader->at < reader->end &&
           (in_name(*reader->at) || *reader->at == '.' ||
            (reader->end - reader->at >= 2 && strncmp(reader->at, "::", 2) == 0))) {
        reader->at += *reader->at == ':' ? 2 : 1;
        length = (size_t)(reader->at - from);
    }
    if (length == 0 || length >= sizeof reader->name)
        return WRONG("expected an instruction");
    snprintf(reader->name, sizeof reader->name, "%.*s", (int)length, from);
    if (reader->guard == PTX_NO_GUARD && take(reader, ':')) {
        char *name = arena_alloc(&reader->program->arena, length + 1, 1);
        memcpy(name, from, length);
        return add_label(reader, name);
    }
    if (reader->program->count >= MOST_CODE)
        return UNSUPPORTED("the text has more than %d instructions", MOST_CODE);
    return read_instruction(reader);
}

static bool read_body(struct reader *reader)
{
    unsigned outside = reader->depth;
    if (!expect(reader, '{'))
        return false;
    reader->depth++;
    while (reader->depth > outside) {
        char c = peek(reader);
        reader->statement = reader->line;
        reader->text = reader->at;
        if (c == '\0')
            return WRONG("the text ends within its code");
        if (c == '{') {
            reader->at++;
            if (++reader->depth > MOST_DEPTH)
                return UNSUPPORTED("there are more than %d nested scopes", MOST_DEPTH);
        } else if (c == '}') {
            reader->at++;
            leave_scope(reader);
        } else if (c == ';') {
            reader->at++;
        } else if (!(c == '.' ? read_directive(reader) : read_statement(reader))) {
            return false;
        }
    }
    return true;
}

/* Reads directives such as ".maxntid 256, 1, 1" between the parameters and the code. */
static bool read_limits(struct reader *reader)
{
    while (peek(reader) == '.') {
        uint64_t numbers[3] = {0};
        unsigned count = 0;
        reader->statement = reader->line;
        reader->at++;
        const char *word = take_name(reader);
        do {
            if (count == 3 || !take_count(reader, UINT32_MAX, &numbers[count++]))
                return count < 3 ? false : WRONG("expected up to three numbers");
        } while (take(reader, ','));
        if (word != NULL && (strcmp(word, "maxntid") == 0 || strcmp(word, "reqntid") == 0))
            reader->program->most_threads = (unsigned)numbers[0];
        else if (word != NULL && strcmp(word, "minnctapersm") == 0)
            reader->program->resident = (unsigned)numbers[0];
        else if (word != NULL && strcmp(word, "reqnctapercluster") == 0)
            reader->program->cluster =
                (unsigned)(numbers[0] * (count > 1 ? numbers[1] : 1) * (count > 2 ? numbers[2] : 1));
        else if (word == NULL || strcmp(word, "maxnreg") != 0)
            return UNSUPPORTED("the executor does not support the directive .%s", word == NULL ? "" : word);
    }
    return true;
}

/* Skips a kernel that was not requested. */
static bool skip_kernel(struct reader *reader)
{
    unsigned depth = 0;
    do {
        char c = peek(reader);
        if (c == '\0')
            return WRONG("the text ends within its code");
        depth += c == '{';
        depth -= c == '}' && depth > 0;
        bool ends = c == '}' && depth == 0;
        reader->at++;
        if (ends)
            return true;
    } while (true);
}

static bool read_entry(struct reader *reader, const char *entry, bool *found)
{
    const char *name = take_name(reader);
    if (name == NULL)
        return WRONG("expected the name of a kernel");
    if (strcmp(name, entry) != 0)
        return skip_kernel(reader);
    *found = true;
    reader->depth = 1;
    return read_parameters(reader) && read_limits(reader) && read_body(reader);
}

static bool read_module(struct reader *reader, const char *entry)
{
    bool found = false;
    while (peek(reader) != '\0') {
        reader->statement = reader->line;
        if (*reader->at != '.')
            return WRONG("expected a directive");
        reader->at++;
        const char *word = take_name(reader);
        if (word == NULL)
            return WRONG("expected a directive");
        if (strcmp(word, "version") == 0 || strcmp(word, "file") == 0) {
            while (reader->at < reader->end && *reader->at != '\n')
                reader->at++;
        } else if (strcmp(word, "target") == 0) {
            const char *arch = take_name(reader);
            snprintf(reader->program->arch, sizeof reader->program->arch, "%.15s", arch == NULL ? "" : arch);
            while (reader->at < reader->end && *reader->at != '\n')
                reader->at++;
        } else if (strcmp(word, "address_size") == 0) {
            uint64_t bits;
            if (!take_count(reader, 64, &bits))
                return false;
            if (bits != 64)
                return UNSUPPORTED("the executor supports addresses of 64 bits, not of %u", (unsigned)bits);
        } else if (strcmp(word, "const") == 0) {
            if (!read_variable(reader, SYMBOL_CONST))
                return false;
        } else if (strcmp(word, "shared") == 0) {
            if (!read_variable(reader, SYMBOL_SHARED))
                return false;
        } else if (strcmp(word, "entry") == 0) {
            if (!read_entry(reader, entry, &found))
                return false;
            if (found)
                return true;
        } else if (strcmp(word, "visible") != 0 && strcmp(word, "weak") != 0) {
            return UNSUPPORTED("the executor does not support the directive .%s", word);
        }
    }
    return WRONG("there is no kernel %s", entry);
}

static bool resolve(struct reader *reader)
{
    struct ptx_program *program = reader->program;
    for (size_t i = 0; i < reader->pending_count; i++) {
        const struct pending *own = &reader->pending[i];
        struct ptx_instruction *branch = &program->code[own->branch];
        size_t label = 0;
        while (label < reader->label_count && strcmp(reader->labels[label].name, own->name) != 0)
            label++;
        reader->statement = branch->line;
        if (label == reader->label_count)
            return WRONG("there is no label %s", own->name);
        branch->target = reader->labels[label].at;
        branch->forward = branch->target > own->branch;
        if (branch->target == program->loop && !branch->forward && own->branch > program->loop_end)
            program->loop_end = own->branch;
    }
    return true;
}

enum status ptx_read(const char *text, size_t size, const char *entry, struct ptx_program *program,
                     struct error *error)
{
    struct reader reader = {.at = text, .end = text + size, .line = 1, .program = program, .error = error};
    struct reader *own = &reader;
    *program = (struct ptx_program){0};
    for (size_t i = 0; i < BUCKETS; i++)
        reader.buckets[i] = NONE;
    error_set(error, STATUS_FAILED, "the text cannot be read");
    bool good = memchr(text, '\0', size) == NULL && read_module(own, entry);
    if (good) {
        reader.guard = PTX_NO_GUARD;
        reader.text = NULL;
        add(own, PTX_EXIT)->name = "ret";
        good = resolve(own);
    }
    if (program->units_end <= program->loop || program->units_end > program->loop_end)
        program->units_end = program->loop_end;
    if (good && program->groups)
        ptx_group_mark(program);
    if (good)
        ptx_flow_join(program);
    free(reader.symbols);
    free(reader.labels);
    free(reader.pending);
    free(reader.constants);
    return good ? STATUS_OK : error->code;
}

void ptx_free(struct ptx_program *program)
{
    arena_free(&program->arena);
    free(program->code);
    free(program->registers);
    free(program->constants);
    free(program->const_data);
    free(program->parameters);
    *program = (struct ptx_program){0};
}
