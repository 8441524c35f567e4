#include "isa/assemble.h"

#include "isa/assembly_parts.h"

/* A shape may need one look for each class of numbers, and for a jump that grows another. */
enum { MOST_LOOKS = 32 };

enum status assemble_text(struct assembly *assembly, const struct buffer *text, const char *name,
                          struct error *error)
{
    bool complete = false;
    for (unsigned look = 0; !complete && look < MOST_LOOKS; look++) {
        assembly_clear(assembly);
        enum status status = assembly_text(assembly, text->data, text->size, name, error);
        if (status == STATUS_OK)
            status = assembly_finish(assembly, &complete, error);
        if (status == STATUS_OK && !complete)
            status = stamps_learn(assembly->stamps, error);
        if (status != STATUS_OK)
            return status;
    }
    return complete ? STATUS_OK
                    : error_set(error, STATUS_FAILED, "%s has instructions that no samples settle", name);
}
