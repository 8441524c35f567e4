#include "isa/assemble.h"

#include "isa/stencils.h"

/* A shape may need one round for each class of numbers, and another for a jump that grows. */
enum { MOST_ROUNDS = 32 };

static enum status append(struct assembly *assembly, const struct buffer *text, const struct known_part *part,
                          const char *name, struct error *error)
{
    size_t end = part->start + part->size;
    enum status status = assembly_text(assembly, text->data, part->start, name, error);
    if (status == STATUS_OK)
        status = assembly_known(assembly, text->data + part->start, part->lines, name, error);
    return status == STATUS_OK ? assembly_text(assembly, text->data + end, text->size - end, name, error)
                               : status;
}

enum status assemble_known(struct assembly *assembly, const struct buffer *text,
                           const struct known_part *part, const char *name, struct error *error)
{
    bool complete = false;
    for (unsigned round = 0; !complete && round < MOST_ROUNDS; round++) {
        assembly_clear(assembly);
        enum status status = append(assembly, text, part, name, error);
        if (status == STATUS_OK)
            status = assembly_finish(assembly, &complete, error);
        if (status == STATUS_OK && !complete)
            status = stencils_learn(assembly_stencils(assembly), error);
        if (status != STATUS_OK)
            return status;
    }
    return complete ? STATUS_OK
                    : error_set(error, STATUS_FAILED,
                                "%s has instructions whose encodings no samples determine", name);
}

enum status assemble_text(struct assembly *assembly, const struct buffer *text, const char *name,
                          struct error *error)
{
    static const struct known_lines none;
    const struct known_part part = {.lines = &none};
    return assemble_known(assembly, text, &part, name, error);
}
