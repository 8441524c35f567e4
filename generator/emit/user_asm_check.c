#include "generator/emit/user_asm_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- registers ---- */

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

static bool check_names(const struct user_asm_context *context, const struct text_instruction *instruction,
                        char *why, size_t capacity)
{
    for (unsigned i = 0; i < instruction->name_count; i++)
        if (!check_name(context, instruction->names[i], strlen(instruction->names[i]), why, capacity))
            return false;
    return true;
}

/* ---- memory ---- */

/* The whole access, or the address alone, within the text's own bytes. */
static bool is_inside(const struct user_asm_context *context, const struct text_instruction *instruction)
{
    uint64_t memory = context->item->memory;
    int64_t offset = instruction->displacement - (int64_t)context->rules->farthest;
    return offset >= 0 && (uint64_t)offset <= memory && instruction->bytes <= memory - (uint64_t)offset;
}

static bool check_inside(const struct user_asm_context *context, const struct text_instruction *instruction,
                         char *why, size_t capacity)
{
    int64_t offset = instruction->displacement - (int64_t)context->rules->farthest;
    if (is_inside(context, instruction)) {
        if (instruction->memory == TEXT_ADDRESS_ALONE || instruction->align == 0 ||
            offset % instruction->align == 0)
            return true;
        snprintf(why, capacity,
                 "it faults where its address is no multiple of %u: expected %" PRId64 "+{memory}, or a move "
                 "that takes any address",
                 instruction->align, offset / instruction->align * instruction->align);
        return false;
    }
    if (instruction->memory == TEXT_ACCESS)
        snprintf(why, capacity,
                 "its %u bytes from byte %" PRId64 " on lead out of the %" PRIu64
                 " bytes of {memory}: expected less "
                 "in front of {memory}, or memory = %" PRId64,
                 instruction->bytes, offset, context->item->memory,
                 offset < 0 ? (int64_t)instruction->bytes : offset + instruction->bytes);
    else
        snprintf(why, capacity, "its address leads out of the %" PRIu64 " bytes of {memory}",
                 context->item->memory);
    return false;
}

/* Addresses are those that a text gets as {memory}: no other register holds any that is its own. */
static bool check_memory(const struct user_asm_context *context, const char *line,
                         const struct text_instruction *instruction, char *why, size_t capacity)
{
    bool named = strstr(line, USER_ASM_MEMORY) != NULL;
    if (named && instruction->based)
        return check_inside(context, instruction, why, capacity);
    if (instruction->memory == TEXT_ACCESS && context->item->memory == 0) {
        snprintf(why, capacity,
                 "it uses memory: memory = 64 gives the text 64 bytes at {memory}, and cache rates are "
                 "promised no more");
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
    add_feature(context->features, name);
    if (has_feature(context->machine, name))
        return true;
    snprintf(why, capacity, "it needs %s, which is not among the features of the machine %s", name,
             context->machine->name);
    return false;
}

static bool check_features(const struct user_asm_context *context, const struct text_instruction *instruction,
                           char *why, size_t capacity)
{
    for (unsigned i = 0; i < instruction->feature_count; i++)
        if (!check_feature(context, instruction->features[i], why, capacity))
            return false;
    return true;
}

bool user_asm_check(const struct user_asm_context *context, const char *line, const char *text,
                    const uint8_t *bytes, size_t size, char *why, size_t capacity)
{
    struct text_instruction instruction;
    context->rules->understand(text, bytes, size, &instruction);
    if (instruction.refusal[0] != '\0') {
        snprintf(why, capacity, "%s", instruction.refusal);
        return false;
    }
    return check_memory(context, line, &instruction, why, capacity) &&
           check_names(context, &instruction, why, capacity) &&
           check_features(context, &instruction, why, capacity);
}
