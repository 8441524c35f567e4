#include "runner/instruction/instruction_values.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    for (; line != NULL && *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
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
    for (size_t i = 0; i < (use->kind == 'v' ? INSN_VECTOR_BYTES / sizeof value : 1); i++)
        memcpy(at + i * sizeof value, &value, sizeof value);
}

void insn_values_set_memory(const struct insn_values *values, struct insn_state *state)
{
    for (size_t i = 0; i < INSN_MEMORY_BYTES; i += sizeof values->other)
        memcpy(state->memory + i, &values->other, sizeof values->other);
}
