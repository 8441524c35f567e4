#include "runner/instruction/instruction_code.h"

#include "base/files/paths.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 16, SECTION_BYTES = 48 };

static const char FILE_NAME[] = "instruction.s";

enum status insn_texts_open(const struct isa *isa, struct template *texts, struct error *error)
{
    char home[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    isa = isa != NULL ? isa : isa_of_host();
    *texts = (struct template){0};
    enum status status = paths_home(home, error);
    if (status != STATUS_OK)
        return status;
    if (isa != NULL && isa->text_rules != NULL)
        snprintf(path, sizeof path, "%.3500s/templates/%s/%s", home, isa->name, FILE_NAME);
    if (isa == NULL || isa->text_rules == NULL || !file_is_regular(path)) {
        error_set(error, STATUS_UNAVAILABLE,
                  "templates/%s has no %s, so that instructions of this processor "
                  "cannot be measured",
                  isa == NULL ? "" : isa->name, FILE_NAME);
        error_hint(error, "a recipe with asm{} runs instructions of this processor: recipes/measure/"
                          "instruction.lua");
        return STATUS_UNAVAILABLE;
    }
    return template_load_texts(home, isa, FILE_NAME, texts, error);
}

bool insn_is_measurable(void)
{
    struct template texts;
    bool found = insn_texts_open(NULL, &texts, NULL) == STATUS_OK;
    template_free(&texts);
    return found;
}

uint64_t insn_flags(const struct template *texts)
{
    const char *line = template_section(texts, "flags");
    uint64_t found = 0;
    unsigned bit;
    for (; line != NULL && *line != '\0'; line = probe_next_line(line))
        if (sscanf(line, "%u", &bit) == 1)
            found |= UINT64_C(1) << bit;
    return found;
}

void *insn_register(struct insn_registers *registers, const struct register_use *use)
{
    return use->kind == 'v'   ? (void *)registers->vectors[use->number]
           : use->kind == 'w' ? (void *)registers->scalable[use->number]
           : use->kind == 'k' ? (void *)&registers->masks[use->number]
                              : (void *)&registers->general[use->number];
}

size_t insn_register_bytes(const struct register_use *use)
{
    return use->kind == 'v' || use->kind == 'w' ? INSN_VECTOR_BYTES : sizeof(uint64_t);
}

void insn_code_use(struct insn_code *code, const struct register_use *use)
{
    for (unsigned i = 0; i < code->used_count; i++) {
        struct register_use *known = &code->used[i];
        if (known->kind != use->kind || known->number != use->number)
            continue;
        known->bits = use->bits > known->bits ? use->bits : known->bits;
        return;
    }
    if (code->used_count < sizeof code->used / sizeof code->used[0])
        code->used[code->used_count++] = *use;
}

/* ---- sections ---- */

static const struct register_use *find_use(const struct insn_tie *tie, const char *name, size_t length)
{
    const struct {
        const char *name;
        const struct register_use *use;
    } rows[] = {{"from", &tie->from},
                {"to", &tie->to},
                {"constant", &tie->constant},
                {"zero", &tie->zero},
                {"base", &tie->base}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0)
            return rows[i].use;
    return NULL;
}

/* {disp}, {flag}, {memory}, {to}, {to:32}, ... ; places of the state by name count from the operand's
 * memory. */
static enum status append_named(const struct insn_tie *tie, const struct isa *isa, const char *name,
                                size_t length, struct buffer *output, struct error *error)
{
    static const struct {
        const char *name;
        size_t offset;
    } places[] = {{"start", offsetof(struct insn_state, start)},
                  {"mxcsr", offsetof(struct insn_state, control)},
                  {"mxcsr_own", offsetof(struct insn_state, own_control)},
                  {"spare", offsetof(struct insn_state, spare)},
                  {"memory", INSN_MEMORY_BYTES}}; /* from the state, not from there */
    char text[NAME_BYTES];
    size_t plain = strcspn(name, ":}");
    plain = plain < length ? plain : length;
    const struct register_use *use = find_use(tie, name, plain);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (strlen(places[i].name) != length || strncmp(places[i].name, name, length) != 0)
            continue;
        buffer_printf(output, "%zu", places[i].offset - INSN_MEMORY_BYTES / 2);
        return STATUS_OK;
    }
    if (length == 4 && strncmp(name, "disp", 4) == 0) {
        buffer_printf(output, "%" PRId64, tie->disp);
        return STATUS_OK;
    }
    if (length == 4 && strncmp(name, "flag", 4) == 0) {
        buffer_text(output, tie->flag);
        return STATUS_OK;
    }
    struct register_use named = {0};
    if (use != NULL)
        named = *use;
    if (named.kind == 'r')
        named.bits = 64;
    if (plain < length)
        named.bits = (unsigned)strtoul(name + plain + 1, NULL, 10);
    if (use == NULL || !isa->text_rules->write_register(&named, text))
        return error_set(error, STATUS_FAILED, "templates/%s/%s names {%.*s}, which has no value here",
                         isa->name, FILE_NAME, (int)length, name);
    buffer_text(output, text);
    return STATUS_OK;
}

static enum status append(const struct insn_code *code, const char *section, const struct insn_tie *tie,
                          struct buffer *output, struct error *error)
{
    const struct isa *isa = code->texts->isa;
    const char *text = template_section(code->texts, section);
    if (text == NULL)
        return error_set(error, STATUS_FAILED, "templates/%s/%s has no section %s", isa->name, FILE_NAME,
                         section);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && *text != '\0') {
        size_t plain = strcspn(text, "{");
        buffer_append(output, text, plain);
        text += plain;
        size_t length = strcspn(text, "}");
        if (*text == '{' && text[length] == '}')
            status = append_named(tie, isa, text + 1, length - 1, output, error);
        text += *text == '{' && text[length] == '}' ? length + 1 : 0;
    }
    buffer_text(output, "\n");
    return status;
}

/* The section's name for this register: a vector's ends in its bits; a mask's, or that of a move between
 * kinds of registers, in ".wide" where the processor has the wider form. */
static void name_section(const struct insn_code *code, const char *section, const struct register_use *use,
                         char name[SECTION_BYTES])
{
    snprintf(name, SECTION_BYTES, "%s", section);
    size_t length = strlen(name);
    bool vector =
        length > 2 && strcmp(name + length - 2, ".v") == 0 && strchr(name, '.') == name + length - 2;
    if (strcmp(section, "r.v") != 0 && vector)
        snprintf(name + length, SECTION_BYTES - length, ".%u", use->bits);
    else if (code->wide)
        snprintf(name + length, SECTION_BYTES - length, ".wide");
    if (template_section(code->texts, name) == NULL)
        name[length] = '\0';
}

enum status insn_code_add(struct insn_code *code, const char *section, const struct insn_tie *tie,
                          struct error *error)
{
    char name[SECTION_BYTES];
    name_section(code, section, tie->to.kind != 0 ? &tie->to : &tie->from, name);
    return append(code, name, tie, &code->body, error);
}

/* ---- the function ---- */

/* Loads or saves every register that the body uses. */
static enum status move_all(const struct insn_code *code, bool save, bool flags, struct buffer *text,
                            struct error *error)
{
    const size_t to = INSN_MEMORY_BYTES / 2;
    size_t place = save ? offsetof(struct insn_state, after) : offsetof(struct insn_state, before);
    enum status status = STATUS_OK;
    const struct insn_tie all_flags = {.disp =
                                           (int64_t)(place + offsetof(struct insn_registers, flags) - to)};
    flags = flags && insn_flags(code->texts) != 0;
    if (flags && save)
        status = append(code, "save.flags", &all_flags, text, error);
    for (unsigned i = 0; status == STATUS_OK && i < code->used_count; i++) {
        struct register_use use = code->used[i];
        static struct insn_registers layout;
        size_t at = (size_t)((const char *)insn_register(&layout, &use) - (const char *)&layout);
        char name[SECTION_BYTES];
        const struct insn_tie tie = {.from = use, .to = use, .disp = (int64_t)(place + at - to)};
        snprintf(name, sizeof name, "%s.%c", save ? "save" : "load", use.kind);
        char whole[SECTION_BYTES];
        name_section(code, name, &use, whole);
        status = append(code, whole, &tie, text, error);
    }
    return status == STATUS_OK && flags && !save ? append(code, "load.flags", &all_flags, text, error)
                                                 : status;
}

enum status insn_code_make(struct insn_code *code, const struct insn_make *make, struct probe_code *made,
                           struct error *error)
{
    static const struct insn_tie nothing;
    static const char carrying[] = "loop.end.carrying";
    struct buffer text = {0};
    bool uppers = false, scalable = false;
    for (unsigned i = 0; i < code->used_count; i++) {
        uppers = uppers || (code->used[i].kind == 'v' && code->used[i].bits > 128);
        scalable = scalable || code->used[i].kind == 'w';
    }
    uppers = uppers && template_section(code->texts, "leave.wide") != NULL;
    enum status status = append(code, "enter", &nothing, &text, error);
    if (status == STATUS_OK && scalable)
        status = append(code, "enter.w", &nothing, &text, error);
    if (status == STATUS_OK)
        status = move_all(code, false, make->flags, &text, error);
    if (status == STATUS_OK && make->loop)
        status = append(code, "loop", &nothing, &text, error);
    buffer_append(&text, code->body.data, code->body.size);
    if (status == STATUS_OK && make->loop)
        status = append(
            code, make->carry && template_section(code->texts, carrying) != NULL ? carrying : "loop.end",
            &nothing, &text, error);
    if (status == STATUS_OK && make->save)
        status = move_all(code, true, true, &text, error);
    if (status == STATUS_OK && uppers)
        status = append(code, "leave.wide", &nothing, &text, error);
    if (status == STATUS_OK)
        status = append(code, "leave", &nothing, &text, error);
    if (status == STATUS_OK)
        status = probe_code_assemble(code->texts->isa, text.data, FILE_NAME, made, error);
    buffer_free(&text);
    return status;
}

uint64_t insn_code_run(const struct insn_code *code, const struct probe_code *made, uint64_t iterations,
                       struct insn_state *state)
{
    typedef uint64_t loop_function(uint64_t, struct insn_state *);
    loop_function *function;
    uint64_t ticks = 0;
    int unused;
    if (code->runner != NULL) {
        (void)code->runner->run(code->runner->context, made, iterations, &ticks, &unused);
        return ticks;
    }
    memcpy(&function, &made->bytes, sizeof function); /* C cannot cast data to code */
    return function(iterations, state);
}

void insn_code_free(struct insn_code *code)
{
    buffer_free(&code->body);
    code->used_count = 0;
}
