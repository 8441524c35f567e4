#include "generator/user_asm_check.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MNEMONIC_BYTES = 32 };

static bool has_register(const struct user_asm_context *context, const struct register_use *use)
{
    for (unsigned i = 0; i < context->item->registers; i++) {
        const struct register_use *given = &context->given[i];
        if (given->kind == use->kind && given->number == use->number)
            return use->kind == 'r' || use->bits <= given->bits;
    }
    return false;
}

/* Why the text may not use the register. */
static bool refuse_register(const struct user_asm_context *context, const char *name, size_t length,
                            char *why, size_t capacity)
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
    snprintf(
        why, capacity,
        "it uses %s, which asm.registers does not give: a number of registers as {r0}, {r1} and so on, or "
        "names, such as { \"%s\" }",
        whole, whole);
    return false;
}

/* A name without prefix. */
static bool check_name(const struct user_asm_context *context, const char *name, size_t length, char *why,
                       size_t capacity)
{
    struct register_use use;
    if (context->rules->read_register(name, length, &use) && has_register(context, &use))
        return true;
    return refuse_register(context, name, length, why, capacity);
}

/* True for the register that {memory} begins with, where a text has some. */
static bool is_base(const struct user_asm_context *context, const char *text, const char *at, size_t length)
{
    return context->item->memory > 0 && strlen(context->rules->address) == length &&
           strncmp(at, context->rules->address, length) == 0 && at - text >= 3 && at[-2] == '(';
}

/* True when the constant before the base does not lead out of {memory}. */
static bool is_inside(const struct user_asm_context *context, const char *text, const char *at)
{
    const char *digits = at - 2;
    while (digits > text && isdigit((unsigned char)digits[-1]))
        digits--;
    uint64_t offset = strtoull(digits, NULL, 10);
    return digits[-1] != '-' && offset >= USER_ASM_FARTHEST &&
           offset - USER_ASM_FARTHEST < context->item->memory;
}

static bool check_named_registers(const struct user_asm_context *context, const char *text, char *why,
                                  size_t capacity)
{
    for (const char *at = strchr(text, '%'); at != NULL; at = strchr(at, '%')) {
        size_t length = 0;
        at++;
        while (isalnum((unsigned char)at[length]))
            length++;
        bool base = is_base(context, text, at, length);
        bool inside = base && is_inside(context, text, at);
        if (base && !inside && isdigit((unsigned char)at[-3])) {
            snprintf(why, capacity, "it leads out of the %u bytes of {memory}",
                     (unsigned)context->item->memory);
            return false;
        }
        if (!inside && !check_name(context, at, length, why, capacity))
            return false;
    }
    return true;
}

static bool check_words(const struct user_asm_context *context, const char *words, char *why, size_t capacity)
{
    while (words != NULL && *words != '\0') {
        size_t length = strcspn(words, " ");
        if (!check_name(context, words, length, why, capacity))
            return false;
        words += length + strspn(words + length, " ");
    }
    return true;
}

/* How an instruction uses memory. */
enum memory_use { NO_MEMORY, BY_REGISTER, BY_NUMBER };

/* Operands, and whether one of them is in memory: neither a register nor a constant. */
static int count_operands(const char *text, enum memory_use *memory)
{
    int count = 0;
    int depth = 0;
    bool starts = true;
    *memory = NO_MEMORY;
    for (const char *at = text + strcspn(text, " \t"); *at != '\0' && *at != '#'; at++) {
        if (*at == ' ' || *at == '\t')
            continue;
        count += starts;
        if (*at == '(')
            *memory = BY_REGISTER;
        else if (starts && strchr("%$", *at) == NULL)
            *memory = BY_NUMBER; /* unless a register follows */
        depth += (*at == '(' || *at == '{') - (*at == ')' || *at == '}');
        starts = *at == ',' && depth == 0;
    }
    return count;
}

/* True when the machine has it or does not tell. */
static bool has_feature(const struct machine *machine, const char *name)
{
    const json_t *features = json_object_get(machine->document, "features");
    for (size_t i = 0; i < json_array_size(features); i++) {
        const char *feature = json_string_value(json_array_get(features, i));
        if (feature != NULL && strcmp(feature, name) == 0)
            return true;
    }
    return features == NULL;
}

static void add_feature(struct user_asm_features *features, const char *name)
{
    for (unsigned i = 0; i < features->count; i++)
        if (strcmp(features->names[i], name) == 0)
            return;
    if (features->count < USER_ASM_FEATURES)
        features->names[features->count++] = name;
}

static bool check_feature(const struct user_asm_context *context, const char *name, char *why,
                          size_t capacity)
{
    if (name == NULL)
        return true;
    add_feature(context->features, name);
    if (has_feature(context->machine, name))
        return true;
    snprintf(why, capacity, "it needs %s, which is not among the features of the machine %s", name,
             context->machine->name);
    return false;
}

/* Names that only compute an address, or nothing. */
static bool touches_nothing(const char *mnemonic)
{
    return strncmp(mnemonic, "lea", 3) == 0 || strncmp(mnemonic, "nop", 3) == 0;
}

static bool check_rules(const struct user_asm_context *context, const char *mnemonic, int operands, char *why,
                        size_t capacity)
{
    for (const struct text_rule *rule = context->rules->rows; rule->mnemonic != NULL; rule++) {
        if ((rule->operands >= 0 && rule->operands != operands) || fnmatch(rule->mnemonic, mnemonic, 0) != 0)
            continue;
        if (rule->refusal != NULL) {
            snprintf(why, capacity, "%s", rule->refusal);
            return false;
        }
        if (!check_words(context, rule->registers, why, capacity) ||
            !check_feature(context, rule->feature, why, capacity))
            return false;
    }
    return true;
}

bool user_asm_check(const struct user_asm_context *context, const char *text, const uint8_t *bytes,
                    size_t size, char *why, size_t capacity)
{
    char mnemonic[MNEMONIC_BYTES];
    size_t length = strcspn(text, " \t");
    enum memory_use memory;
    snprintf(mnemonic, sizeof mnemonic, "%.*s", (int)length, text);
    int operands = count_operands(text, &memory);
    if (!check_rules(context, mnemonic, operands, why, capacity))
        return false;
    if (memory == BY_NUMBER) {
        snprintf(why, capacity, "its address is a number, and nothing lies there: expected {memory}");
        return false;
    }
    if (memory != NO_MEMORY && context->item->memory == 0 && !touches_nothing(mnemonic)) {
        snprintf(why, capacity,
                 "it uses memory: memory = 64 gives the text 64 bytes at {memory}, and cache rates are "
                 "promised no "
                 "more");
        return false;
    }
    return check_named_registers(context, text, why, capacity) &&
           check_feature(context, context->rules->encoding_feature(bytes, size), why, capacity);
}
