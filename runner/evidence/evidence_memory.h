/* Answers of sources about programs that do the same: a sweep of run times has one program under many names,
 * and executing it once is enough. */
#ifndef RUNNER_EVIDENCE_EVIDENCE_MEMORY_H
#define RUNNER_EVIDENCE_EVIDENCE_MEMORY_H

#include "base/hash.h"
#include "runner/sources/source.h"

/* One source's answer. */
struct evidence_part {
    bool asked;
    enum status status;
    struct error reason; /* when the status is not STATUS_OK */
    struct observations seen;
};

struct evidence_answer {
    const struct counter_source *source;
    const struct machine *machine;
    char identity[HASH_TEXT_BYTES];
    struct evidence_part part;
};

/* All zeros is empty. For machines that live as long as it. */
struct evidence_memory {
    struct evidence_answer *answers;
    size_t count;
};

/* Asks the source, unless it has answered about the same program on the same machine: then part is a copy of
 * that answer. memory may be NULL. */
void evidence_memory_ask(struct evidence_memory *memory, const struct counter_source *source,
                         const struct test_program *test_program, struct evidence_part *part);

void evidence_memory_free(struct evidence_memory *memory);

#endif
