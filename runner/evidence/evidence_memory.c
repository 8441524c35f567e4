#include "runner/evidence/evidence_memory.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void ask(const struct counter_source *source, const struct test_program *test_program,
                struct evidence_part *part)
{
    *part = (struct evidence_part){.asked = true};
    part->status = source_usable(source, &part->reason);
    if (part->status == STATUS_OK)
        part->status = source->observe(test_program, &part->seen, &part->reason);
}

static void copy(const struct evidence_part *from, struct evidence_part *part)
{
    *part = *from;
    part->seen = (struct observations){0};
    for (size_t i = 0; i < from->seen.count; i++)
        observations_copy(&part->seen, &from->seen.items[i]);
}

static const struct evidence_answer *find(const struct evidence_memory *memory,
                                          const struct evidence_answer *wanted)
{
    for (size_t i = 0; i < memory->count; i++)
        if (memory->answers[i].source == wanted->source && memory->answers[i].machine == wanted->machine &&
            strcmp(memory->answers[i].identity, wanted->identity) == 0)
            return &memory->answers[i];
    return NULL;
}

void evidence_memory_ask(struct evidence_memory *memory, const struct counter_source *source,
                         const struct test_program *test_program, struct evidence_part *part)
{
    struct evidence_answer answer = {.source = source, .machine = test_program->machine};
    if (memory == NULL || source->identify == NULL) {
        ask(source, test_program, part);
        return;
    }
    source->identify(test_program, answer.identity);
    const struct evidence_answer *known = find(memory, &answer);
    if (known != NULL) {
        copy(&known->part, part);
        return;
    }
    ask(source, test_program, part);
    /* Documents have one owner. */
    if (part->seen.counters != NULL || part->seen.imported != NULL || part->seen.warnings != NULL)
        return;
    copy(part, &answer.part);
    memory->answers = memory_next(memory->answers, memory->count, sizeof *memory->answers);
    memory->answers[memory->count++] = answer;
}

void evidence_memory_free(struct evidence_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++)
        observations_free(&memory->answers[i].part.seen);
    free(memory->answers);
    *memory = (struct evidence_memory){0};
}
