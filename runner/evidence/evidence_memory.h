/* Answers of sources about programs that do the same: a sweep of run times has one program under many names,
 * and observing it once is enough, whichever of several processes does. */
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

struct evidence_claims;

/* All zeros is empty. For machines that live as long as it. */
struct evidence_memory {
    struct evidence_answer *answers;
    size_t count;
    struct evidence_claims *claims; /* of the processes that share the points; NULL: it answers by itself */
    size_t turn;                    /* of the point, among those of all processes */
};

/* Asks the source, unless it has answered about the same program on the same machine: then part is a copy of
 * that answer. With claims, unless a process has asked it for a point of an earlier turn: then part is not
 * asked. memory may be NULL. */
void evidence_memory_ask(struct evidence_memory *memory, const struct counter_source *source,
                         const struct test_program *test_program, struct evidence_part *part);

/* True if evidence_memory_ask will ask the source, as no earlier turn has. */
bool evidence_memory_will_ask(struct evidence_memory *memory, const struct counter_source *source,
                              const struct test_program *test_program);

/* Keeps a copy of an answer that another process gave. */
void evidence_memory_keep(struct evidence_memory *memory, const struct counter_source *source,
                          const struct test_program *test_program, const struct evidence_part *part);

void evidence_memory_free(struct evidence_memory *memory);

/* What processes that are forked later have asked so far about so many points; NULL if there is no memory for
 * it. */
struct evidence_claims *evidence_claims_new(size_t points);
void evidence_claims_free(struct evidence_claims *claims);

#endif
