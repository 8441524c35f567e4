#include "generator/suite/program_parts.h"

#include "generator/suite/manifest_read.h"
#include "isa/isa.h"

#define BUFFER(name) offsetof(struct program, name)

const struct program_part program_parts[] = {
    {ISA_PROCESSOR, "program.s", BUFFER(source), false, false, false, false},
    {ISA_PROCESSOR, "program.o", BUFFER(object), false, true, true, false},
    {ISA_PROCESSOR, "program", BUFFER(executable), true, true, true, true},
    {"ptx", "program.ptx", BUFFER(source), false, false, true, true},
    {"gcn", "program.s", BUFFER(source), false, false, false, false},
    {"gcn", "program.cl", BUFFER(opencl), false, false, true, false},
    {"gcn", "program.co", BUFFER(object), false, true, true, true},
    {0},
};

bool program_parts_has(const char *target)
{
    for (const struct program_part *part = program_parts; part->target != NULL; part++)
        if (isa_is_listed(part->target, target))
            return true;
    return false;
}

bool program_part_is_in(const struct program_part *part, bool compiled)
{
    return !compiled || part->decides;
}

struct buffer *program_part_buffer(const struct program_part *part, struct program *program)
{
    return (struct buffer *)(void *)((char *)program + part->offset);
}

void program_free(struct program *program)
{
    buffer_free(&program->source);
    buffer_free(&program->object);
    buffer_free(&program->executable);
    buffer_free(&program->opencl);
    manifest_free(program->manifest);
    program->manifest = NULL;
}
