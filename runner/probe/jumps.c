#include "runner/probe/jumps.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Finds the narrowest jump that reaches that many bytes both ways. */
static enum status learn_jump(const struct template *texts, int64_t reach, struct jump_links *links,
                              struct error *error)
{
    struct buffer text = {0};
    const char *section = template_section(texts, "jump");
    const struct binding binding = {"target", (const char[]){STENCIL_HOLE, 0}};
    enum status status =
        section == NULL ? STATUS_FAILED
                        : template_expand(texts, section + strspn(section, " "), &binding, 1, &text, error);
    struct shape *shape = status == STATUS_OK ? stencils_shape(texts->stencils, text.data,
                                                               strcspn(text.data, "\n"), NUMBER_TARGET)
                                              : NULL;
    for (size_t class = 0; status == STATUS_OK && links->jump == NULL; class ++) {
        bool known = true;
        if (!stencils_has_target(texts->stencils, class))
            break;
        if (!stencils_target_fits(texts->stencils, class, reach) ||
            !stencils_target_fits(texts->stencils, class, -reach))
            continue;
        links->jump = stencils_target(texts->stencils, shape, class, &known);
        if (!known)
            status = stencils_learn(texts->stencils, error);
        if (!known && status == STATUS_OK)
            links->jump = stencils_target(texts->stencils, shape, class, &known);
    }
    buffer_free(&text);
    return links->jump != NULL
               ? STATUS_OK
               : error_set(error, STATUS_FAILED, "templates/%s/%s has no jump over %lld bytes",
                           texts->isa->name, texts->isa->probe, (long long)reach);
}

static enum status learn_return(const struct template *texts, struct jump_links *links, struct error *error)
{
    struct buffer text = {0};
    const char *section = template_section(texts, "return");
    buffer_text(&text, section == NULL ? "" : section);
    enum status status = assemble_text(texts->assembly, &text, texts->isa->probe, error);
    struct assembly_bytes code = {0};
    if (status == STATUS_OK)
        code = assembly_section(texts->assembly, ".text");
    links->back_bytes = code.size;
    if (status == STATUS_OK && (code.size == 0 || code.size > sizeof links->back))
        status = error_set(error, STATUS_FAILED, "templates/%s/%s has no section return", texts->isa->name,
                           texts->isa->probe);
    if (status == STATUS_OK)
        memcpy(links->back, code.bytes, code.size);
    buffer_free(&text);
    return status;
}

/* A jump from `from` to `to`. */
static void put_jump(const struct jump_links *links, unsigned char *bytes, size_t from, size_t to)
{
    unsigned char jump[ENCODING_ROOM];
    size_t origin = from + (links->isa->branch_origin == ORIGIN_END ? links->jump->size : 0);
    encoding_stencil(links->jump, (int64_t)to - (int64_t)origin, jump);
    memcpy(bytes + from, jump, links->jump->size);
}

enum status jump_links_learn(const struct template *texts, int64_t reach, struct jump_links *links,
                             struct error *error)
{
    static const struct probe_loop call = {.body = "call", .repeat = 1};
    *links = (struct jump_links){.isa = texts->isa};
    enum status status = probe_code_make(texts, &call, &links->caller, error);
    if (status == STATUS_OK)
        status = learn_jump(texts, reach, links, error);
    return status == STATUS_OK ? learn_return(texts, links, error) : status;
}

enum status jump_links_lay(const struct jump_links *links, const size_t *places, size_t count, size_t size,
                           struct probe_code *code, struct error *error)
{
    unsigned char *bytes = memory_zeroed(size, 1);
    for (size_t i = 0; i + 1 < count; i++)
        put_jump(links, bytes, places[i], places[i + 1]);
    memcpy(bytes + places[count - 1], links->back, links->back_bytes);
    enum status status = probe_code_place(bytes, size, code, error);
    free(bytes);
    return status;
}

void jump_links_free(struct jump_links *links)
{
    probe_code_free(&links->caller);
}
