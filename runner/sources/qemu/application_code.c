#include "runner/sources/qemu/application_code.h"

#include "base/files/paths.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 160, NAME_BYTES = 64 };

/* ---- classes ---- */

static void add_class(const struct section *section, struct instruction_classes *classes)
{
    struct instruction_class *class = &classes->items[classes->count];
    const char *dot = strchr(section->name, '.');
    enum { WIDTH = 8 };
    class->width = dot == NULL ? WIDTH : (unsigned)strtoul(dot + 1, NULL, 10);
    class->name = arena_print(&classes->texts.arena, "%.*s",
                              (int)(dot == NULL ? strlen(section->name) : (size_t)(dot - section->name)),
                              section->name);
    classes->patterns[classes->count++] = section->text;
}

enum status instruction_classes_open(const struct isa *isa, struct instruction_classes *classes,
                                     struct error *error)
{
    char home[FILE_PATH_BYTES];
    *classes = (struct instruction_classes){.count = CLASS_FIRST, .isa = isa};
    classes->items[CLASS_LOAD].name = "load";
    classes->items[CLASS_STORE].name = "store";
    classes->items[CLASS_OTHER].name = "other";
    enum status status = paths_home(home, error);
    if (status == STATUS_OK)
        status = template_load_texts(home, isa, "classes.txt", &classes->texts, error);
    if (status == STATUS_OK)
        status = template_load_texts(home, isa, "registers.txt", &classes->registers, error);
    for (size_t i = 0; status == STATUS_OK && i < classes->texts.section_count; i++) {
        const struct section *section = &classes->texts.sections[i];
        if (classes->count == CLASS_MOST)
            return error_set(error, STATUS_FAILED, "templates/%s/classes.txt has more than %d classes",
                             isa->name, CLASS_MOST - CLASS_FIRST);
        add_class(section, classes);
    }
    return status;
}

void instruction_classes_close(struct instruction_classes *classes)
{
    template_free(&classes->texts);
    template_free(&classes->registers);
}

/* True if the text matches a pattern. Patterns of one word are compared with the mnemonic alone. */
static bool matches(const char *patterns, const char *text, const char *mnemonic)
{
    char pattern[TEXT_BYTES];
    for (const char *line = patterns; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        if (length > 0 && length < sizeof pattern) {
            snprintf(pattern, sizeof pattern, "%.*s", (int)length, line);
            if (fnmatch(pattern, strchr(pattern, ' ') != NULL ? text : mnemonic, 0) == 0)
                return true;
        }
        line += length + (line[length] == '\n');
    }
    return false;
}

/* Copies the text with single blanks, and its mnemonic. */
static void make_plain(const char *text, char plain[TEXT_BYTES], char mnemonic[MNEMONIC_BYTES])
{
    size_t used = 0;
    for (bool blank = true; *text != '\0' && used + 1 < TEXT_BYTES; text++) {
        bool is_blank = *text == ' ' || *text == '\t';
        if (!(blank && is_blank))
            plain[used++] = is_blank ? ' ' : *text;
        blank = is_blank;
    }
    plain[used] = '\0';
    snprintf(mnemonic, MNEMONIC_BYTES, "%.*s", (int)strcspn(plain, " "), plain);
}

size_t instruction_class_of(const struct instruction_classes *classes, const char *text)
{
    char plain[TEXT_BYTES], mnemonic[MNEMONIC_BYTES];
    make_plain(text, plain, mnemonic);
    for (size_t i = CLASS_FIRST; i < classes->count; i++)
        if (matches(classes->patterns[i], plain, mnemonic))
            return i;
    return CLASS_OTHER;
}

/* ---- registers ---- */

static uint64_t key_of(const struct isa *isa, const char *name, size_t length)
{
    struct register_use use;
    if (!isa->text_rules->read_register(name, length, &use) || use.number >= VECTOR_KEYS || use.kind == 'k')
        return 0;
    return UINT64_C(1) << (use.number + (use.kind == 'r' ? 0 : VECTOR_KEYS));
}

/* True if the section has a pattern of the instruction. */
static bool has_mnemonic(const struct instruction_classes *classes, const char *section, const char *plain,
                         const char *mnemonic)
{
    const char *patterns = template_section(&classes->registers, section);
    return patterns != NULL && matches(patterns, plain, mnemonic);
}

enum { OPERANDS = 6 };

/* Registers of each operand, those of addresses separately. The first address is that of the load. */
struct operand_keys {
    uint64_t operands[OPERANDS], address;
    size_t count, addresses;
};

static void read_operands(const struct isa *isa, const char *text, struct operand_keys *keys)
{
    size_t prefix = strlen(isa->register_prefix);
    bool inside = false, listed = false;
    *keys = (struct operand_keys){.count = *text != '\0'};
    while (*text != '\0') {
        size_t length = 0;
        if (*text == isa->syntax.open) {
            inside = true;
            keys->addresses++;
        } else if (*text == isa->syntax.close) {
            inside = false;
        } else if (*text == '{' || *text == '}') {
            listed = *text == '{';
        } else if (*text == ',' && !inside && !listed && keys->count < OPERANDS) {
            keys->count++;
        } else if (strncmp(text, isa->register_prefix, prefix) == 0) {
            text += prefix;
            while (isalnum((unsigned char)text[length]))
                length++;
            uint64_t key = key_of(isa, text, length);
            if (!inside)
                keys->operands[keys->count - 1] |= key;
            else if (keys->addresses == 1)
                keys->address |= key;
        }
        text += length > 0 ? length : 1;
    }
}

/* Adds implied registers, which sections "with REGISTERS" list: they are read and written. */
static void add_implied(const struct instruction_classes *classes, const char *plain, const char *mnemonic,
                        struct register_flow *flow)
{
    static const char with[] = "with ";
    for (size_t i = 0; i < classes->registers.section_count; i++) {
        const struct section *section = &classes->registers.sections[i];
        if (strncmp(section->name, with, strlen(with)) != 0 || !matches(section->text, plain, mnemonic))
            continue;
        for (const char *at = section->name + strlen(with); *at != '\0'; at += strspn(at, " ")) {
            size_t length = strcspn(at, " ");
            uint64_t key = key_of(classes->isa, at, length);
            flow->reads |= key;
            flow->writes |= key;
            at += length;
        }
    }
}

struct register_flow instruction_registers(const struct instruction_classes *classes, const char *text,
                                           bool loads)
{
    char plain[TEXT_BYTES], mnemonic[MNEMONIC_BYTES];
    struct operand_keys keys;
    make_plain(text, plain, mnemonic);
    read_operands(classes->isa, plain + strcspn(plain, " "), &keys);
    struct register_flow flow = {.address = keys.address, .reads = loads ? 0 : keys.address};
    if (keys.count == 0)
        return flow;
    bool last = classes->isa->syntax.written_last, all_same = keys.count > 1;
    size_t written = last ? keys.count - 1 : 0;
    for (size_t i = 0; i < keys.count; i++) {
        all_same = all_same && keys.operands[i] == keys.operands[0];
        flow.reads |= i == written ? 0 : keys.operands[i];
    }
    if (!has_mnemonic(classes, "unwritten", plain, mnemonic))
        flow.writes = keys.operands[written];
    for (size_t i = 1; loads && !last && keys.addresses == 1 && i < keys.count && flow.writes != 0; i++)
        flow.writes |= keys.operands[i];
    if (has_mnemonic(classes, "read", plain, mnemonic) ||
        (last && keys.count <= 2 && !has_mnemonic(classes, "overwritten", plain, mnemonic)))
        flow.reads |= keys.operands[written];
    if (all_same && has_mnemonic(classes, "zero", plain, mnemonic))
        flow.reads = 0;
    add_implied(classes, plain, mnemonic, &flow);
    return flow;
}
