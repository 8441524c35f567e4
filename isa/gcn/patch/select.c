#include "isa/gcn/patch/select.h"

#include "isa/gcn/patch/find.h"

#include "base/text/suggest.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 64, NAME_BYTES = 100, MOST_PROCESSORS = 64 };

static enum status no_kernel(const struct gcn_code *code, const char *kernel, struct error *error)
{
    char names[MOST_NAMES][NAME_BYTES];
    const char *words[MOST_NAMES];
    size_t count = 0;
    for (size_t i = 0; i < code->count && count < MOST_NAMES; i++) {
        const struct gcn_piece *piece = &code->pieces[i];
        if (piece->kernel_length == 0)
            continue;
        snprintf(names[count], NAME_BYTES, "%.*s", piece->kernel_length, piece->kernel);
        words[count] = names[count];
        count++;
    }
    error_set(error, STATUS_USAGE, "the binary has no kernel '%.200s'", kernel);
    char others[300] = "its code has no names";
    for (size_t i = 0, used = 0; i < count && used < sizeof others - NAME_BYTES - 2; i++)
        used += (size_t)snprintf(others + used, sizeof others - used, "%s%s", i == 0 ? "it has: " : ", ",
                                 words[i]);
    suggest_hint(error, kernel, words, count, others);
    return STATUS_USAGE;
}

/* The distinct processors of the kernel's code; returns their number. */
static size_t processors(const struct gcn_code *code, const char *kernel, const char *names[MOST_PROCESSORS])
{
    size_t count = 0;
    for (size_t i = 0; i < code->count && count < MOST_PROCESSORS; i++) {
        const struct gcn_piece *piece = &code->pieces[i];
        size_t known = 0;
        while (known < count && names[known] != piece->target->name)
            known++;
        if (known == count && gcn_piece_is(piece, kernel))
            names[count++] = piece->target->name;
    }
    return count;
}

static const char *listed(const char *const *names, size_t count, char text[MOST_PROCESSORS * NAME_BYTES])
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, NAME_BYTES, "%s%s", i == 0 ? "" : ", ", names[i]);
    return text;
}

enum status gcn_select_one(const struct gcn_code *code, const char *kernel, const struct gcn_target **target,
                           struct error *error)
{
    const char *names[MOST_PROCESSORS];
    char text[MOST_PROCESSORS * NAME_BYTES];
    size_t count = processors(code, kernel, names);
    if (count == 0)
        return no_kernel(code, kernel, error);
    if (count == 1) {
        *target = gcn_target_named(names[0]);
        return STATUS_OK;
    }
    error_set(error, STATUS_USAGE, "the binary has code for several processors: %.400s",
              listed(names, count, text));
    error_hint(error, "-t %s selects one of them", names[0]);
    return STATUS_USAGE;
}

enum status gcn_select_target(struct gcn_code *code, const char *kernel, const char *target,
                              struct error *error)
{
    const char *names[MOST_PROCESSORS];
    char text[MOST_PROCESSORS * NAME_BYTES];
    size_t kept = 0;
    if (target == NULL)
        return STATUS_OK;
    size_t count = processors(code, kernel, names);
    for (size_t i = 0; i < code->count; i++)
        if (strcmp(code->pieces[i].target->name, target) == 0)
            code->pieces[kept++] = code->pieces[i];
    if (kept == 0 && count > 0) {
        error_set(error, STATUS_USAGE, "the binary has no code for '%.100s'", target);
        char others[MOST_PROCESSORS * NAME_BYTES];
        snprintf(others, sizeof others, "it has code for: %.400s", listed(names, count, text));
        suggest_hint(error, target, names, count, others);
        return STATUS_USAGE;
    }
    code->count = kept == 0 ? code->count : kept;
    return STATUS_OK;
}

enum status gcn_select_kernel(const struct gcn_code *code, const char *kernel, struct error *error)
{
    const char *names[MOST_PROCESSORS];
    return processors(code, kernel, names) == 0 ? no_kernel(code, kernel, error) : STATUS_OK;
}
