#include "generator/suite/code_generator.h"

#include "base/files/paths.h"
#include "base/text/suggest.h"
#include "generator/emit/symbol_names.h"
#include "generator/plan/memory/shared_layout.h"
#include "isa/executable.h"
#include "isa/mc.h"

#include <inttypes.h>
#include <string.h>

/* start.s refers to each by its index. */
static const char *const marker_names[] = {NULL, "gem5", "cpuid", "gem5-address"};
enum { MARKER_KINDS = sizeof marker_names / sizeof marker_names[0] };

static enum status find_markers(const char *name, size_t *kind, struct error *error)
{
    *kind = 0;
    for (size_t i = 1; name != NULL && i < MARKER_KINDS; i++)
        if (strcmp(name, marker_names[i]) == 0)
            *kind = i;
    if (name == NULL || *kind != 0)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "unknown markers '%s'", name);
    suggest_hint(error, name, marker_names + 1, MARKER_KINDS - 1,
                 "gem5 uses work_begin and work_end, gem5-address the same by address; cpuid uses the magic "
                 "instructions of Simics");
    return STATUS_USAGE;
}

static enum status check_markers(const struct isa *isa, const char *name, struct error *error)
{
    struct buffer names = {0};
    for (const char *const *marker = isa->markers; marker != NULL && *marker != NULL; marker++) {
        buffer_printf(&names, "%s%s", names.size == 0 ? "" : ", ", *marker);
        if (name == NULL || strcmp(*marker, name) == 0)
            name = NULL;
    }
    if (name != NULL)
        error_set(error, STATUS_USAGE, "--markers %s: programs for %s have no such markers", name, isa->name);
    if (name != NULL && names.size > 0)
        error_hint(error, "they have %s", names.data);
    buffer_free(&names);
    return name == NULL ? STATUS_OK : STATUS_USAGE;
}

static enum status assemble_start(const struct code_generator *code_generator, size_t markers,
                                  const char *kind, struct buffer *object, struct error *error)
{
    const struct isa *isa = code_generator->templates.isa;
    const char *start = template_section(&code_generator->templates, "start");
    if (start == NULL)
        return error_set(error, STATUS_FAILED, "templates/%s/start.s has no section start", isa->name);
    struct buffer text = {0};
    buffer_printf(&text,
                  ".set trauma_markers, %zu; .set trauma_shares, %d; .set trauma_bound, %d; "
                  ".set trauma_file_bytes, %" PRIu64 "\n",
                  markers, strcmp(kind, "shares") == 0, strcmp(kind, "bound") == 0, SHARED_FILE_BYTES);
    buffer_text(&text, start);
    enum status status = mc_assemble(isa, text.data, "start.s", object, error);
    if (status == STATUS_OK)
        status = executable_check_start(isa, object, error);
    buffer_free(&text);
    return status;
}

enum status code_generator_open(const char *isa, struct code_generator *code_generator, struct error *error)
{
    return code_generator_open_marked(isa, &(const struct code_marks){0}, code_generator, error);
}

static enum status check_prefix(const struct isa *isa, const char *prefix, struct error *error)
{
    if (prefix == NULL || !isa->gpu)
        return prefix == NULL ? STATUS_OK : symbol_check_prefix(prefix, error);
    error_set(error, STATUS_USAGE, "--prefix %s: programs for %s are loaded, not linked", prefix, isa->name);
    error_hint(error, "each is a module of its own, whose kernel is trauma_kernel");
    return STATUS_USAGE;
}

enum status code_generator_open_marked(const char *isa, const struct code_marks *marks,
                                       struct code_generator *code_generator, struct error *error)
{
    memset(code_generator, 0, sizeof *code_generator);
    const struct isa *found = isa_find(isa);
    size_t kind;
    if (found == NULL)
        return error_set(error, STATUS_RECIPE, "no templates for the ISA %s", isa);
    char home[FILE_PATH_BYTES];
    enum status status = find_markers(marks->markers, &kind, error);
    if (status != STATUS_OK)
        return status;
    code_generator->markers = marker_names[kind];
    code_generator->prefix = marks->prefix;
    status = check_markers(found, marks->markers, error);
    if (status == STATUS_OK)
        status = check_prefix(found, marks->prefix, error);
    if (status == STATUS_OK)
        status = paths_home(home, error);
    if (status == STATUS_OK)
        status = template_load(home, found, &code_generator->templates, error);
    if (status == STATUS_OK && found->beside != NULL)
        status = template_load(home, isa_find(found->beside), &code_generator->beside, error);
    if (status == STATUS_OK && found->start != NULL)
        status = assemble_start(code_generator, kind, "", &code_generator->start, error);
    if (status == STATUS_OK && found->start != NULL)
        status = assemble_start(code_generator, kind, "shares", &code_generator->shared_start, error);
    if (status == STATUS_OK && found->start != NULL)
        status = assemble_start(code_generator, kind, "bound", &code_generator->bound_start, error);
    return status;
}

void code_generator_close(struct code_generator *code_generator)
{
    template_free(&code_generator->templates);
    template_free(&code_generator->beside);
    buffer_free(&code_generator->start);
    buffer_free(&code_generator->shared_start);
    buffer_free(&code_generator->bound_start);
}
